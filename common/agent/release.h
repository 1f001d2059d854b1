#ifndef AGENT_RELEASE_H
#define AGENT_RELEASE_H

#include "agent/agent.h"
#include "agent/claim.h"

/*
 * Giving tasks back: owner removed, status pending, journalled.
 */
struct released {
	struct task_set tasks; /* as they were before */
	struct strings ready;  /* those of them that can be started now */
};
void released_free(struct released *);
/* Who had them, if release_dead() gave them back: their owner, if all have the same. */
const char *released_from(const struct released *);

/*
 * `known` are the claims as they were read without a lock, which tell whether there is anything to
 * do at all; if there is, they are read again under the lock, and known becomes what they are
 * afterwards.  NULL: they are read here.
 */

/* All unfinished tasks of an agent: by id, by name, or through its claims.  A task that
 * another agent has by now is not changed. */
int release_agent(const struct list *, struct store *, const struct agent *, const char *why,
    struct claims *known, struct released *, struct deadline, struct error *);
/* These tasks, all of them or none.  More than STORE_PORTION are checked as a whole and then
 * released in portions. */
int release_tasks(const struct list *, struct store *, const struct strings *ids, const char *why,
    struct released *, struct deadline, struct error *);

/*
 * Claims whose client process is gone or whose session ended (ended: that
 * session's id, or NULL), and claims whose call was never made (the task is
 * still as it was and the call is over: transcript_call_over()).
 */
int release_dead(const struct list *, struct store *, const char *ended_session,
    const struct agent *self, struct claims *known, struct released *, struct deadline,
    struct error *);

/* What release_dead() would do, in memory alone: claims are dropped from `known`, their tasks
 * named in `dropped`; `given` are those that would be given back. */
void release_plan(struct store *, const char *ended_session, const struct agent *self,
    struct claims *known, struct task_set *given, struct strings *dropped);

/* The client's words: `backend-2 has shut down. 2 task(s) were unassigned: #1 "A", #2 "B". Use
 * TaskList to check availability and TaskUpdate with owner to reassign them to idle teammates.` /
 * `was terminated.`  who NULL: no agent has ended. */
void release_message(struct buf *, const char *who, bool terminated, const struct released *);

#endif
