#ifndef LIST_STORE_PART_H
#define LIST_STORE_PART_H

#include "list/store.h"

/*
 * Shared by store.c and the layouts (files.h, document.h).
 */
typedef int store_visit(void *, const struct task *);
typedef void store_bad_fn(void *, const char *file, const char *reason);

/*
 * The tasks of a batch, in memory.  A layout reads them (under its locks), calls batch_run(), and
 * writes those whose text has changed.
 */
struct batch_task {
	char *id;
	struct task was, now; /* as it is in the list, and as it is to be; no id: there is none */
	struct error *bad;    /* why the client does not show what is there */
	bool to_blocked;      /* to be set to blocked, once all dependencies are known */
	size_t at;            /* document: its position */
	/* files: */
	bool there, written; /* a file of this name; done with */
	mode_t mode;         /* of the file; 0: there is none, or it is a link */
	struct lock lock;
	struct file_stage stage;
};

struct batch {
	struct store *store;
	struct store_op *op;
	size_t ops;
	struct deadline deadline;
	bool plan;    /* ask no rule, write nothing */
	bool crowded; /* set by the layout: the locks were released, because others wait for them */
	/* Every task of the list, if the layout has read them: set by it. */
	const struct task_set *all;
	struct task_index index;
	/* Of batch_begin(): */
	const char **id;          /* of each op */
	struct strings fresh;     /* ids that were chosen */
	struct batch_task **task; /* by id; each stays where it is, since its lock may be held */
	size_t count;
};

/* Choose new ids, and find out which tasks are concerned: those that the operations name, and
 * those that name a deleted one.  The list is locked, unless nothing is to be written. */
int batch_begin(struct batch *, struct error *);
struct batch_task *batch_find(const struct batch *, const char *id); /* NULL */
/* Make all changes in memory and check them. */
int batch_run(struct batch *, struct error *);
bool batch_changed(const struct batch_task *);
void batch_end(struct batch *);

/* A layout: the functions of store.h that it implements. */
struct store_ops {
	int (*lock)(struct store *, struct deadline, struct error *); /* the list */
	int (*get)(struct store *, const char *id, struct task *, struct error *);
	int (*load)(struct store *, struct task_set *, struct error *);
	/* Every task in any order, and in the order of their ids.  Tasks whose text does not
	 * have the needle may be left out; NULL: none. */
	int (*scan)(struct store *, const char *needle, store_visit *, void *, struct error *);
	int (*walk)(struct store *, const char *needle, store_visit *, void *, struct error *);
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

/* store_get(), where a task that the client does not show counts as missing. */
int store_get_shown(struct store *, const char *id, struct task *, struct error *);

#endif
