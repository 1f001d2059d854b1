#ifndef LIST_BATCH_H
#define LIST_BATCH_H

#include "list/store-part.h"

/*
 * The tasks of a batch, in memory.  A layout reads them (under its locks), calls batch_run(), and
 * writes those whose text has changed.
 */
struct batch_task {
	char *id;
	struct task was, now; /* before and after the batch; no id: there is none */
	struct error *bad;    /* why the client does not show what is there */
	bool to_blocked;      /* to be set to blocked, once all dependencies are known */
	bool follows;         /* of the change */
	size_t at;            /* document: its position */
	/* files: */
	bool there, written; /* there: the file exists; written: it has been written */
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
 * those that name a deleted one.  The list is locked, unless nothing will be written. */
int batch_begin(struct batch *, struct error *);
struct batch_task *batch_find(const struct batch *, const char *id); /* NULL */
/* Make all changes in memory and check them. */
int batch_run(struct batch *, struct error *);
bool batch_changed(const struct batch_task *);
void batch_end(struct batch *);

#endif
