#ifndef LIST_DOCUMENT_FILE_H
#define LIST_DOCUMENT_FILE_H

#include "list/store-part.h"

/*
 * tasks.json on the disk: locked as other tools lock it, written in place,
 * and recovered if a process of ours died while it wrote.
 */
#define DOCUMENT "tasks.json"

/* Is there a tasks.json?  What is not a document counts as one that cannot be read, so that it is
 * never taken for an empty list; only a task of the client may be called so. */
bool document_exists(int dirfd);
int document_lock(struct store *, struct deadline, struct error *);
/* 1, or -1; ERROR_NOT_FOUND. */
int document_read(struct store *, struct buf *text, struct error *);
/* With the lock held, after a read; the old text is the one that was read.  0, or -1; ERROR_LOST
 * if another program has put another file in its place. */
int document_write(struct store *, const struct buf *old, const struct buf *new, struct error *);

#endif
