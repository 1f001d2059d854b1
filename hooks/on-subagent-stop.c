/*
 * on-subagent-stop: when an agent, a turn or a session ends.
 *
 * Apply the completions it reports, give back what it leaves unfinished, and
 * tell the lead.  See on-subagent-stop(1).
 */
#include "hook/hook.h"
#include "hook/stop.h"

static const struct hook_spec spec = {
	.name = "on-subagent-stop",
	.hook = HOOK_STOP,
	.dialect = EVENT_SUBAGENT_STOP,
	.summary = "give back the tasks of agents that stopped (SubagentStop, SessionEnd, ...)",
	.run = stop_run,
};

int
main(int argc, char *argv[])
{
	return hook_main(&spec, argc, argv);
}
