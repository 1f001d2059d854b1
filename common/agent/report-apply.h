#ifndef AGENT_REPORT_APPLY_H
#define AGENT_REPORT_APPLY_H

#include "agent/agent.h"
#include "agent/claim.h"

/* One of a batch of {task_id, status} reports.  The rule is asked for each, under the lock
 * (NULL: the task must be nobody's or the agent's own); a refused one has its reason,
 * the others are applied all the same.  -1 only if the list cannot be worked on. */
struct report_item {
	char *task;
	enum task_status status;
	bool applied;
	char *reason; /* why not */
};
int report_apply(const struct list *, struct store *, const struct agent *, struct report_item *,
    size_t count, store_rule *, void *, struct deadline, struct error *);

#endif
