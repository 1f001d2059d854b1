#ifndef CLI_CHANGE_PART_H
#define CLI_CHANGE_PART_H

#include "change.h"

/* Shared by the parts of change.h. */

/* The completion of a task; an array parallel to the operations. */
struct completing;

/* Run the gates of all completions: EXIT_DONE, or the status of the refusal with its reason.
 * *completing is what change_completes() needs under the lock; end it after the write. */
int change_verify(
    struct cli *, struct change_batch *, struct completing **completing, struct buf *reason);
/* After the write: the receipt of each completion. */
void change_verify_record(struct cli *, const struct change_batch *, struct completing *);
void change_verify_end(struct completing *, struct change_batch *);

#endif
