#ifndef LIST_STORE_PART_H
#define LIST_STORE_PART_H

#include "list/store.h"

/*
 * Shared by store.c and the layouts (files.h, document.h).
 */
typedef int store_visit(void *, const struct task *);
typedef void store_bad_fn(void *, const char *file, const char *reason);

struct batch; /* batch.h */

/* A layout: what it is, and the functions of store.h that it implements. */
struct store_ops {
	enum task_dialect dialect;
	bool one_file; /* of all tasks: written at once, and read once for many */
	bool numbers;  /* as ids, none of which is given again: watermark.h */
	int (*lock)(struct store *, struct deadline, struct error *); /* the list */
	int (*get)(struct store *, const char *id, struct task *, struct error *);
	int (*load)(struct store *, struct task_set *, struct error *);
	/* Every task in any order, and in the order of their ids.  Tasks whose text has none of
	 * the needles (up to NULL; see has_needle()) may be left out; NULL: none is. */
	int (*scan)(
	    struct store *, const char *const *needles, store_visit *, void *, struct error *);
	int (*walk)(
	    struct store *, const char *const *needles, store_visit *, void *, struct error *);
	int (*bad)(struct store *, store_bad_fn *, void *, struct error *);
	/* A new id; last: the one chosen before it for the same batch, NULL. */
	int (*new_id)(struct store *, const char *last, char id[64], struct error *);
	int (*apply)(struct batch *, struct error *);
	int (*clear)(struct store *, struct task_set *, struct strings *others, struct error *);
};

#define LOST_TRIES 5 /* of an operation that lost its lock */

const struct store_ops *store_ops(const struct store *);

/* Takes and releases the list's lock; nested calls are counted. */
int store_enter(struct store *, struct deadline, struct error *);
void store_leave(struct store *);
/* Before one of many files or locks is replaced or removed under the list's lock: to free its data
 * can take milliseconds, which then happens when the lock is released. */
void store_pin(struct store *, const char *name);
void store_unpin(struct store *);
/* Do we still hold our locks?  Asked right before a commit: sets store.changed.  task may be
 * NULL. */
int store_verify(struct store *, struct lock *task, struct error *);
/* Try again?  If the operation lost its lock, no caller holds it, and there is time. */
bool store_again(const struct store *, int rc, int *tries, struct deadline, const struct error *);

/* By a task, or by a file that is not one?  Between store_cache() and store_uncache(). */
bool store_id_taken(const struct store *, const char *id);

/* store_get(), where a task that the client does not show counts as missing. */
int store_get_shown(struct store *, const char *id, struct task *, struct error *);

#endif
