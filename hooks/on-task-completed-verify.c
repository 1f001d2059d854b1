/*
 * on-task-completed-verify: before a task becomes completed.
 *
 * Run the built-in checks and the gates of .claude/task-hooks.json.  Refuse if
 * a result is unknown or the hook itself fails.  See on-task-completed-verify(1).
 */
#include "ci.h"
#include "hook/complete.h"
#include "hook/hook.h"

static const struct hook_spec spec = {
	.name = "on-task-completed-verify",
	.hook = HOOK_VERIFY,
	.dialect = EVENT_TASK_COMPLETED,
	.supervised = true,
	.summary = "refuse a completion until the task's checks pass (TaskCompleted)",
	.run = complete_run,
	.ci = ci_main,
};

int
main(int argc, char *argv[])
{
	return hook_main(&spec, argc, argv);
}
