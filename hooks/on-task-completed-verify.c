/*
 * on-task-completed-verify: before a task becomes completed.
 *
 * Built-in checks and the gates of .claude/task-hooks.json; refuses when in
 * doubt, and when it breaks.  See on-task-completed-verify(1).
 */
#include "ci.h"
#include "hook/complete.h"
#include "hook/hook.h"

static const struct hook_spec spec = {
	.name = "on-task-completed-verify",
	.hook = HOOK_VERIFY,
	.dialect = EVENT_TASK_COMPLETED,
	.supervised = true,
	.summary = "lets a task be completed when it is done (TaskCompleted)",
	.run = complete_run,
	.ci = ci_main,
};

int
main(int argc, char *argv[])
{
	return hook_main(&spec, argc, argv);
}
