/*
 * on-pretooluse-task: before TaskCreate, TaskUpdate, TodoWrite or a spawn.
 *
 * Refuse what corrupts the task list or contradicts it; record a start as an
 * atomic claim.  See on-pretooluse-task(1).
 */
#include "hook/hook.h"
#include "hook/pretool.h"

static const struct hook_spec spec = {
	.name = "on-pretooluse-task",
	.hook = HOOK_PRETOOLUSE,
	.dialect = EVENT_PRE_TOOL_USE,
	.summary = "refuse wrong changes to the task list (PreToolUse)",
	.run = pretool_run,
};

int
main(int argc, char *argv[])
{
	return hook_main(&spec, argc, argv);
}
