#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include <stdint.h>

#include "agent/event.h"
#include "base/clock.h"
#include "list/list.h"

/* A client whose processes have one session at a time, also in calls. */
#define AGENT_CLAUDE_CODE "claude-code"

/*
 * An agent, as far as its events or its calls identify it.
 */
struct agent {
	const char *id;      /* agent_id of a subagent or in-process teammate; NULL main thread */
	const char *type;    /* subagent type */
	const char *name;    /* teammate's name, or a configured name of the session; NULL */
	const char *session; /* session_id; NULL at a shell */
	/* The program that makes the call (CLI, MCP); NULL: of an event, or at a shell.  One
	 * process of it may have several sessions, while an event's has one at a time. */
	const char *client;
	int64_t pid;        /* the client's process, 0 unknown */
	uint64_t pid_start; /* its start, /proc/<pid>/stat field 22 */
};

/* What is written as `owner`: name, else id, else NULL (main thread). */
const char *agent_owner(const struct agent *);
/* "subagent a1b2… (general-purpose)", "teammate backend-2", "session 1234abcd",
 * "copilot (session 5e55…)", "codex (process 4711)", "bob in codex (process 4711)" */
void agent_describe(struct buf *, const struct agent *);

/*
 * Who acts.  Pointers borrow from the event; the name of a teammate in a terminal of its own comes
 * from what an earlier event of its session revealed (agents.json in the list's state), or else
 * from its client's command line, and is kept in `name` (caller frees).  The client's process is
 * not looked for: agent_client() does that.
 */
void agent_from_event(const struct event *, const struct list *, struct agent *, char **name);

/* Is there a teammate of this name in the list's team or the session's?  type: as in
 * team_has_member(). */
bool agent_has_teammate(const struct agent *, const struct list *, const char *name, char **type);

/* Its subagent type; owned, NULL: it has none, or it is not known.  The events of an in-process
 * teammate do not tell it: then the team's file is read. */
char *agent_find_type(const struct agent *, const struct list *);

/* Remember the name of a teammate that an event reveals for its session. */
int agent_learn(const struct event *, const struct list *, struct deadline, struct error *);

/*
 * The client's process: CLAUDE_PID if set, else the parent of the session that
 * the hook leads, if that looks like a client; else unknown (0), which counts
 * as alive until its session ends.
 */
void agent_client(struct agent *);

/* May this be the id of a session, or the name of a client?  Printable, at most 200 bytes.  It is
 * compared and shown; it is never a part of a path. */
bool agent_label_ok(const char *);

#endif
