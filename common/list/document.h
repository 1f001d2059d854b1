#ifndef LIST_DOCUMENT_H
#define LIST_DOCUMENT_H

#include "list/store-part.h"

/*
 * The layout with one document, tasks.json:
 *
 *	{ "tasks": [ ... ], "version": 2, "last_updated": "2026-02-06T20:41:00Z" }
 *
 * Locked by a flock on the file, as other tools do, and one on .tasks.lock,
 * because we replace the file and the first flock is then on the old one.
 * Every change sets "pending" and "blocked" by the dependencies.  A document
 * of version 1 is read, and written as version 2.
 *
 * Call its operations through store.h.
 */
extern const struct store_ops document_ops;

#define DOCUMENT "tasks.json"

bool document_exists(int dirfd);
int document_lock(struct store *, struct deadline, struct error *);
int document_lock_file(struct store *, struct deadline, struct error *); /* tasks.json alone */
void document_unlock(struct store *);

/* A new id, as a document has them. */
void document_new_id(char id[37]);

#endif
