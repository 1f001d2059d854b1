#ifndef AGENT_HOLDER_H
#define AGENT_HOLDER_H

#include "agent/agent.h"
#include "agent/claim.h"
#include "agent/claims.h"
#include "task/task.h"

/*
 * Who has a task, seen from an agent that wants it.
 *
 * A claim of an agent that lives counts more than what the file says.  An owner
 * on the file without a claim may be an agent or a person, or a label that the
 * main thread of a session wrote itself, as it often does for background agents,
 * which have no task tools.  Such a label stops neither that main thread nor its
 * subagents, and an agent may take a pending task that has its name.
 *
 *	struct holder_query q = { .task = t, .self = &self, .owner = asked };
 *	holder_look(&q, &list, &claims);
 *	if (holder_of(&q) == HOLDER_OTHER) ...
 */
enum holder {
	HOLDER_NONE,
	HOLDER_SELF,
	HOLDER_LABEL, /* a name that stops no agent of the session */
	HOLDER_OTHER,
};

struct holder_query {
	const struct task *task; /* as it is on disk */
	const struct agent *self;
	const char *owner; /* the owner that the call asks for; NULL: none */
	/* Filled in by holder_look(): */
	const struct claim *claim; /* on it, by an agent that lives; NULL */
	bool pass_owner;           /* the owner on disk is a label of ours */
};

enum holder holder_of(const struct holder_query *); /* pure */
void holder_look(struct holder_query *, const struct list *, const struct claims *);

/* Remember that the main thread wrote this name on a task. */
int holder_label(const struct list *, const struct agent *, const char *task, const char *owner,
    struct deadline, struct error *);

/* `subagent a1b2 (Explore)`, `"backend-2"` */
void holder_describe(struct buf *, const struct holder_query *);

#endif
