#ifndef CLI_CLI_CALLER_H
#define CLI_CLI_CALLER_H

#include "agent/agent.h"

/*
 * Who makes a call: the session that the environment names, the client that set the variable, and
 * its process.  Of several such variables the one that was set last counts, since one agent may
 * have started another.  Without any: agent_client() alone.
 */
void cli_caller_from_environment(struct agent *);
/* The client's process is the one that started this one (a server), by our package of npm or
 * without it. */
void cli_caller_from_parent(struct agent *);

#endif
