#ifndef CLI_UNDO_H
#define CLI_UNDO_H

#include "change.h"
#include "history.h"

/*
 * The change that undoes a change.
 *
 * Only the changed fields are compared: each must still have the value that the change wrote, and
 * then gets its old value.  Later changes of other fields stay.
 */
struct undo_inverse {
	struct change change; /* borrows from the members below: do not move it */
	struct task was, is, now;
	struct buf metadata;
	struct strings add, drop;               /* blockers of this task */
	struct strings add_blocks, drop_blocks; /* tasks that wait for it */
};

/* 0; -1 with ERROR_REFUSED says which field was changed since. */
int undo_inverse_make(
    struct undo_inverse *, const struct history_entry *, const struct task *now, struct error *);
void undo_inverse_free(struct undo_inverse *);

/* After the undo of releases: the tasks in progress have their claims again, if their agents are
 * known and alive; else it is said.  The lines are parallel to the operations. */
void undo_claims(
    struct cli *, const struct store_op *, struct history_entry *const *line, size_t count);

/* The last line that holds the task's text, from which it can be restored; NULL: none. */
const struct history_entry *undo_last_text(const struct history *, const char *id);

#endif
