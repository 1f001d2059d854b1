#ifndef HOOK_COMPLETE_H
#define HOOK_COMPLETE_H

#include "gate/verify.h"
#include "hook/hook.h"

/* What to verify for the hook's event.  on: GATE_COMPLETE, also GATE_STOP for a report. */
struct verify_request complete_request(struct hook *, unsigned on, const char *task);

/* on-task-completed-verify: may this task be completed? */
int complete_run(struct hook *, struct error *);

/* PreToolUse of the call that completes this task, just read: the same, except that there is no
 * receipt.  What was found is kept for the call's TaskCompleted.  metadata: sent with the call,
 * JSON text; NULL. */
int complete_before(
    struct hook *, const struct task *, const char *metadata, enum verify_subtasks, struct error *);

/* The same after a rule has refused the call: TaskCompleted, which comes only while a person has
 * paused refusals, does not warn again. */
int complete_paused(struct hook *, const char *metadata, struct error *);

#endif
