#ifndef COMMON_HOLDER_H
#define COMMON_HOLDER_H

#include "claim.h"
#include "task.h"

/*
 * Who has a task, seen from an agent that wants it.
 *
 * A claim in the ledger is a fact about an agent that lives; it beats what
 * the file says.  An owner on the file without a claim may be an agent, a
 * person, or just a label that the main thread gave (it often does, for
 * background agents that have no task tools): only the main thread, or an
 * agent that answers to the label, may pass it; nobody passes the own id of an agent.
 */
enum holder {
	HOLDER_NONE,
	HOLDER_SELF,
	HOLDER_LABEL, /* a name that no known agent goes by */
	HOLDER_OTHER,
};

struct holder_query {
	const struct task *task;   /* as it is on disk */
	const struct claim *claim; /* on it, by an agent that lives; NULL */
	const struct agent *self;
	const char *owner;   /* the owner that the call asks for; NULL: none */
	bool owner_is_agent; /* the owner on disk is known to be an agent */
};

enum holder holder_of(const struct holder_query *);

/* a + 16 hex digits, with a name between or not: an agent's own id. */
bool holder_is_agent_id(const char *);

/* `subagent a1b2 (Explore)`, `owner "backend-2"` */
void holder_describe(struct buf *, const struct holder_query *);

#endif
