#ifndef LIST_DOCUMENT_H
#define LIST_DOCUMENT_H

#include "list/store.h"

/*
 * The layout with one document, tasks.json:
 *
 *	{ "tasks": [ ... ], "version": 2, "last_updated": "2026-02-06T20:41:00Z" }
 *
 * Held by a flock on the file (as other tools do) and one of our own (the
 * file is replaced whole, so its own flock is of the old one afterwards).
 * "blocked" is kept in step with the dependencies on every change.  A
 * document of version 1 is read, and written as version 2.
 *
 * These are the store's operations; call them through store.h.
 */
#define DOCUMENT "tasks.json"

bool document_exists(int dirfd);
int document_lock(struct store *, struct deadline, struct error *);
int document_lock_file(struct store *, struct deadline, struct error *); /* the file's own alone */
void document_unlock(struct store *);

int document_get(struct store *, const char *id, struct task *, struct error *);
int document_load(struct store *, struct task_set *, struct error *);
int document_bad(struct store *, void (*fn)(void *, const char *file, const char *reason), void *,
    struct error *);
int document_create(struct store *, const struct change *, store_rule *, void *, struct task *made,
    struct deadline, struct error *);
int document_update(struct store *, const char *id, const struct change *, store_rule *, void *,
    struct task *before, struct task *after, struct deadline, struct error *);
int document_delete(struct store *, const char *id, store_rule *, void *, struct task *before,
    struct deadline, struct error *);
int document_clear(struct store *, struct task_set *removed, struct deadline, struct error *);
int document_put(
    struct store *, const char *id, const char *text, size_t len, struct deadline, struct error *);

/* A new id, as a document has them. */
void document_new_id(char id[37]);

#endif
