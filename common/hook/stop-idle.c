/*
 * stop: a teammate goes idle.
 *
 * It is told of one ready task.  Each task is offered once: two idle teammates
 * would race for it, and one that declines must not be asked again.  A task
 * that was taken and given back is offered again.
 */
#include "hook/stop.h"

#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/text.h"
#include "list/graph.h"
#include "list/tally.h"
#include "task/macf.h"

static bool
idle_has_work(const struct hook *h, const struct task_set *all)
{
	const char *me = agent_owner(&h->in.self);

	for (size_t i = 0; i < all->count; i++) {
		const struct task *t = &all->item[i];

		if (t->status == TASK_IN_PROGRESS && text_equal(me, t->owner))
			return true;
	}
	return false;
}

/* A task that was offered and then taken may be offered again later. */
static void
idle_forget_taken(struct hook *h, const struct task_set *all, const struct strings *ready)
{
	for (size_t i = 0; i < all->count; i++) {
		char *key;

		if (all->item[i].status != TASK_IN_PROGRESS || strings_has(ready, all->item[i].id))
			continue;
		key = mem_printf("idle:%s", all->item[i].id);
		tally_forget(&h->in.list, key, hook_patience(h));
		free(key);
	}
}

/* Is it meant for another type of agents than this one? */
static bool
idle_is_for_others(const struct hook *h, const struct task *t)
{
	char *wanted = macf_agent_type(t->subject), *type = NULL;
	bool others = false;

	if (wanted != NULL && h->in.config.rules.agent_type != LEVEL_OFF &&
	    (type = agent_find_type(&h->in.self, &h->in.list)) != NULL)
		others = !macf_same_type(wanted, type);
	free(wanted);
	free(type);
	return others;
}

static const struct task *
idle_next_task(struct hook *h, const struct task_set *all, const struct strings *ready)
{
	const struct task *found = NULL;

	for (size_t i = 0; i < ready->count && found == NULL; i++) {
		char *key = mem_printf("idle:%s", ready->item[i]);

		/* A claim may not be written to its task yet. */
		if (claims_find(&h->in.claims, ready->item[i]) == NULL &&
		    tally_get(&h->in.list, key) == 0)
			found = task_set_find(all, ready->item[i]);
		if (found != NULL && idle_is_for_others(h, found))
			found = NULL;
		free(key);
	}
	return found;
}

int
stop_idle(struct hook *h, struct error *e)
{
	struct decision *d = &h->out.decision;
	struct task_set all = { 0 };
	struct strings ready = { 0 };
	const struct task *t;
	char *key = NULL;
	int rc = 0;

	if (!h->in.config.idle.suggest)
		return 0;
	if (hook_claims(h, e) == -1 || store_load(&h->in.store, &all, e) == -1)
		return -1;
	graph_ready(&all, &ready);
	hook_fact(h, "ready tasks: %zu", ready.count);
	if (!h->explain)
		idle_forget_taken(h, &all, &ready);
	if (idle_has_work(h, &all) || (t = idle_next_task(h, &all, &ready)) == NULL)
		goto out;
	key = mem_printf("idle:%s", t->id);
	if (!h->explain && tally_add(&h->in.list, key, hook_patience(h), e) == -1) {
		rc = -1;
		goto out;
	}
	hook_would(h, "tally.json: task %s offered", t->id);
	d->verdict = VERDICT_REFUSE;
	d->rule = "idle";
	buf_puts(&d->reason, "Task ");
	task_name(&d->reason, t);
	buf_puts(&d->reason, " is ready and has no owner. To do it, set it to in_progress with "
			     "TaskUpdate; else stop again.");
out:
	free(key);
	strings_free(&ready);
	task_set_free(&all);
	return rc;
}
