#ifndef LIST_DOCUMENT_H
#define LIST_DOCUMENT_H

#include "list/store-part.h"

/*
 * The layout with one document, tasks.json:
 *
 *	{ "tasks": [ ... ], "version": 2, "last_updated": "2026-02-06T20:41:00Z" }
 *
 * Locked and written as other tools do it (document-file.h).  "blocked" is
 * kept in step with the dependencies on every change.  A document of version
 * 1 is read, and written as version 2.
 *
 * Call its operations through store.h.
 */
extern const struct store_ops document_ops;

/* The ids of a document do not become names of files: any text of 1 to TASK_ID_MAX bytes. */
bool document_id_ok(const char *id);

/* A new id, as a document has them. */
void document_new_id(char id[37]);

#endif
