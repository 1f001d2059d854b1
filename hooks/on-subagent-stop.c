/*
 * on-subagent-stop: when an agent, a turn or a session ends.
 *
 * Apply the completions it reports, give back what it leaves unfinished, and
 * tell the lead.  When settings change: refuse to lose the hooks.  See on-subagent-stop(1).
 */
#include "hook/hook.h"
#include "hook/settings-guard.h"
#include "hook/stop.h"

static int
run(struct hook *h, struct error *e)
{
	if (stop_run(h, e) == -1)
		return -1;
	settings_guard(h);
	return 0;
}

static const struct hook_spec spec = {
	.name = "on-subagent-stop",
	.hook = HOOK_STOP,
	.dialect = EVENT_SUBAGENT_STOP,
	.summary = "give back the tasks of agents that stopped (SubagentStop, SessionEnd, ...)",
	.run = run,
};

int
main(int argc, char *argv[])
{
	return hook_main(&spec, argc, argv);
}
