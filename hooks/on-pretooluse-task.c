/*
 * on-pretooluse-task: before TaskCreate, TaskUpdate, TodoWrite or a spawn.
 *
 * Refuses what corrupts the task list or contradicts it; makes a start an
 * atomic claim.  See on-pretooluse-task(1).
 */
#include "hook/hook.h"
#include "hook/pretool.h"

static const struct hook_spec spec = {
	.name = "on-pretooluse-task",
	.hook = HOOK_PRETOOLUSE,
	.dialect = EVENT_PRE_TOOL_USE,
	.summary = "keeps agents from corrupting the task list (PreToolUse)",
	.run = pretool_run,
};

int
main(int argc, char *argv[])
{
	return hook_main(&spec, argc, argv);
}
