#ifndef HOOK_STOP_H
#define HOOK_STOP_H

#include "agent/report-apply.h"
#include "hook/hook.h"

/*
 * on-subagent-stop and its parts.
 */
int stop_run(struct hook *, struct error *);

/*
 * stop_reports() finds the completions (and other changes of status) that
 * the event reports: tasks_completed and result, a Task[] array, or a JSON
 * object with tasks_to_update in the agent's last message.  Each is checked like
 * any completion and applied under the lock; the decision lists what was
 * applied, and says what was not and why.
 */
int stop_reports(struct hook *, struct error *);

/* The ids and states a text reports; exposed for tests and fuzzing. */
struct reports {
	struct report_item *item;
	size_t count;
};
void reports_in_text(struct reports *, const char *text);
void reports_free(struct reports *);

/* An idle teammate is told of a ready task, once per task. */
int stop_idle(struct hook *, struct error *);

#endif
