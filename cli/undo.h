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

/* The last line that holds the task's text, from which it can be restored; NULL: none. */
const struct history_entry *undo_last_text(const struct history *, const char *id);
/* A task that was just written: 0; -1 if the client has removed it meanwhile, or the system failed.
 */
int undo_read_again(struct cli *, const char *id, struct task *, struct error *);
/* Create the task again from its text in the journal. */
int undo_put_back(struct cli *, const char *id, const char *text, struct task *now, struct error *);
/* Write its edges on both sides, where the other task exists. */
int undo_link_back(struct cli *, const char *id, struct error *);

#endif
