#ifndef CLI_UNDO_INVERSE_H
#define CLI_UNDO_INVERSE_H

#include "change.h"
#include "history.h"

/*
 * The change that takes a change back.
 *
 * Only the fields that were changed are looked at: each must still be what the
 * change made it, then it gets its old value.  What others did meanwhile to other
 * fields stays.
 */
struct undo_inverse {
	struct change change; /* borrows from the members below */
	struct task was, is;
	struct buf metadata;
	struct strings add, drop;               /* blockers of this task */
	struct strings add_blocks, drop_blocks; /* tasks that wait for it */
};

/* 0; -1 with ERROR_REFUSED says which field was changed since. */
int undo_inverse_make(
    struct undo_inverse *, const struct history_entry *, const struct task *now, struct error *);
void undo_inverse_free(struct undo_inverse *);

#endif
