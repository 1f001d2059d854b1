/*
 * pretool: TaskUpdate to completed.
 */
#include <stdlib.h>

#include "gate/verify.h"
#include "hook/complete.h"
#include "hook/policy.h"
#include "hook/pretool.h"
#include "list/subtasks.h"

/* Where the mark is wrong, the verification finds it. */
static bool
marked_none(const struct hook *h)
{
	return h->in.config.verify.subtasks == LEVEL_REFUSE && subtasks_marked_none(&h->in.list);
}

/* The rules that need the list; what it says about subtasks. */
static int
check_rules(struct hook *h, struct facts *f, enum verify_subtasks *known, struct error *e)
{
	struct blockers blockers = { 0 };
	struct task_set subtasks = { 0 };
	bool parents = true;
	int rc = store_blockers(&h->in.store, f->query.task, &blockers, e);

	if (rc != -1 && *known == SUBTASKS_SCAN) {
		rc = subtasks_open(&h->in.store, f->query.task->id, &subtasks, &parents, e);
		if (rc != -1 && subtasks.count == 0)
			*known = SUBTASKS_NONE;
	}
	f->blockers = &blockers;
	f->subtasks = &subtasks;
	if (rc != -1)
		policy_complete(f, &h->out.decision);
	if (rc != -1 && !parents && !h->explain && h->out.decision.verdict == VERDICT_PASS)
		subtasks_mark_none(&h->in.list);
	f->blockers = NULL;
	f->subtasks = NULL;
	blockers_free(&blockers);
	task_set_free(&subtasks);
	return rc == -1 ? -1 : 0;
}

int
pretool_complete(struct hook *h, struct facts *f, json_ref metadata, struct error *e)
{
	const struct json *j = &h->in.event.json;
	struct decision *d = &h->out.decision;
	enum verify_subtasks known = marked_none(h) ? SUBTASKS_MARKED : SUBTASKS_SCAN;
	size_t remarks = d->context.len;
	char *sent = NULL;
	int rc = 0;

	if (f->query.task->status != TASK_COMPLETED && h->in.config.rules.complete != LEVEL_OFF)
		rc = check_rules(h, f, &known, e);
	/* Of another task the status does not change, and no TaskCompleted comes. */
	if (rc == -1 || !task_open(f->query.task))
		return rc;
	if (json_kind(j, metadata) == JSON_OBJECT)
		sent = json_raw_copy(j, metadata);
	if (d->verdict == VERDICT_REFUSE)
		rc = complete_paused(h, sent, e);
	else {
		rc = complete_before(h, f->query.task, sent, known, e);
		/* The refusal says the same as the remarks of the rules. */
		if (d->verdict == VERDICT_REFUSE && d->context.len > remarks) {
			d->context.len = remarks;
			d->context.data[remarks] = '\0';
		}
	}
	free(sent);
	return rc;
}
