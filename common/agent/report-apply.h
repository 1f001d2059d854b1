#ifndef AGENT_REPORT_APPLY_H
#define AGENT_REPORT_APPLY_H

#include "agent/agent.h"
#include "agent/claim.h"

/* A change of status that an agent reports instead of making it. */
struct report_item {
	char *task;
	enum task_status status;
	bool applied;
	char *reason; /* why not */
};

/* Asked under the list's lock, with the task and the claims as they then are: 0, or -1 with
 * ERROR_REFUSED. */
typedef int report_rule(
    void *, struct store *, const struct claims *, const struct task *, struct error *);

/* Applies the report, journals it and drops the claim that it ends; `claims` become what they are
 * then.  1 changed, 0 it is so already, -1: item->reason says why not. */
int report_apply(const struct list *, struct store *, const struct agent *, struct report_item *,
    report_rule *, void *, struct claims *, struct deadline, struct error *);

#endif
