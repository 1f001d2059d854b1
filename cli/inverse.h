#ifndef CLI_INVERSE_H
#define CLI_INVERSE_H

#include "act.h"
#include "history.h"

/*
 * The change that takes a change back.
 *
 * Only the fields that were changed are looked at: each must still be what the
 * change made it, then it gets its old value.  What others did meanwhile to other
 * fields stays.
 */
struct inverse {
	struct change change; /* borrows from the members below */
	struct task was, is;
	struct buf metadata;
	struct strings add, drop;               /* blockers of this task */
	struct strings add_blocks, drop_blocks; /* tasks that wait for it */
};

/* 0; -1 with ERROR_REFUSED says which field was changed since. */
int inverse_make(struct inverse *, const struct past *, const struct task *now, struct error *);
void inverse_free(struct inverse *);

#endif
