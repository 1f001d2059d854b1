/*
 * The change, the claim that it ends, and the question whether it may be made
 * share one hold of the list's lock: a claim is taken under the same lock, so
 * no other agent can get the task in between.
 */
#include "agent/report-apply.h"

#include <stdlib.h>

#include "agent/agent.h"
#include "agent/claim-part.h"
#include "agent/claims.h"
#include "list/journal.h"

struct applying {
	const struct list *list;
	const struct agent *agent;
	const struct report_item *item;
	report_rule *rule;
	void *arg;
	struct claims *known, now; /* now: under the lock */
	struct task before, after;
	struct deadline deadline;
};

static void
report_journal(const struct list *list, enum durability durability, const struct agent *a,
    const struct task *before, const struct task *after, struct deadline deadline)
{
	struct journal_entry entry = {
		.event = "report",
		.task = after->id,
		.agent = agent_owner(a),
		.session = a->session,
		.from = claim_task_facts(before->status, before->owner),
		.to = claim_task_facts(after->status, after->owner),
		.extra = claim_texts(buf_text(&before->text), buf_text(&after->text)),
	};
	struct error ignored;

	(void)journal_append(list, durability, &entry, deadline, &ignored);
}

static int
report_ask(
    void *arg, struct store *s, const struct task *now, const struct task *then, struct error *err)
{
	struct applying *a = arg;

	(void)then;
	return a->rule(a->arg, s, &a->now, now, err);
}

/* 1 changed, 0 it is so already, -1. */
static int
report_apply_held(void *arg, struct store *s, struct error *err)
{
	struct applying *a = arg;
	const struct report_item *item = a->item;
	struct change change = { .status = item->status, .follows = true };
	const struct claim *c;
	struct error ignored;
	int rc;

	if (item->status == TASK_IN_PROGRESS)
		change.owner = agent_owner(a->agent);
	else if (item->status == TASK_PENDING || item->status == TASK_BLOCKED)
		change.owner = "";
	if (claims_lock(a->list, &a->now, a->known, a->deadline, err) == -1)
		return -1;
	rc = store_update(
	    s, item->task, &change, report_ask, a, &a->before, &a->after, a->deadline, err);
	c = claims_find(&a->now, item->task);
	if (rc == 1 && item->status != TASK_IN_PROGRESS && c != NULL) {
		claims_drop(&a->now, (size_t)(c - a->now.item));
		(void)claims_save(
		    &a->now, &ignored); /* what is left behind is dropped by the next run */
	}
	claims_move(a->known, &a->now);
	return rc;
}

int
report_apply(const struct list *list, struct store *s, const struct agent *agent,
    struct report_item *item, report_rule *rule, void *arg, struct claims *claims,
    struct deadline deadline, struct error *err)
{
	struct applying a = { .list = list,
		.agent = agent,
		.item = item,
		.rule = rule,
		.arg = arg,
		.known = claims,
		.before = TASK_INIT,
		.after = TASK_INIT,
		.deadline = deadline };
	int rc = store_locked(s, report_apply_held, &a, deadline, err);

	if (rc == 1)
		report_journal(list, s->durability, agent, &a.before, &a.after, deadline);
	item->applied = rc != -1;
	if (rc == -1)
		item->reason = mem_string(err->text);
	task_free(&a.before);
	task_free(&a.after);
	return rc;
}
