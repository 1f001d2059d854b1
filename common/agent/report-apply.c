/*
 * Reports from outside, applied: each on its own, so that a bad one does
 * not cost the good ones.
 */
#include "agent/report-apply.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/claim-part.h"
#include "agent/claims.h"
#include "agent/release.h"
#include "list/journal.h"

static bool
same(const char *a, const char *b)
{
	return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static int
own_task(void *arg, struct store *s, const struct task *t, struct error *err)
{
	const struct agent *a = arg;

	(void)s;
	if (t->owner == NULL || same(t->owner, a->name) || same(t->owner, a->id))
		return 0;
	return error_set(err, ERROR_REFUSED, "task #%s belongs to %.80s", t->id, t->owner);
}

static void
write_line(const struct list *list, enum file_sync sync, const struct agent *a,
    const struct task *before, const struct task *after, struct deadline deadline)
{
	struct journal_entry entry = {
		.event = "sync",
		.task = after->id,
		.agent = agent_owner(a),
		.session = a->session,
		.from = claim_task_facts(before->status, before->owner),
		.to = claim_task_facts(after->status, after->owner),
	};
	struct error ignored;
	int fd = list_state(list, true, &ignored);

	if (fd == -1) {
		json_object_put(entry.from);
		json_object_put(entry.to);
		return;
	}
	(void)journal_append(fd, list->name, sync, &entry, deadline, &ignored);
	close(fd);
}

/* 1 applied, 0 refused with its reason, -1 the list cannot be worked on. */
static int
apply(const struct list *list, struct store *s, const struct agent *a, struct report_item *item,
    store_rule *rule, void *arg, struct deadline deadline, struct error *err)
{
	struct change change = { .status = item->status };
	struct task before = TASK_INIT, after = TASK_INIT;
	struct error ignored;
	int rc;

	if (item->status == TASK_IN_PROGRESS)
		change.owner = agent_owner(a);
	else if (item->status == TASK_PENDING)
		change.owner = "";
	rc = store_update(s, item->task, &change, rule != NULL ? rule : own_task,
	    rule != NULL ? arg : (void *)a, &before, &after, deadline, err);
	if (rc == 1) {
		write_line(list, s->sync, a, &before, &after, deadline);
		if (item->status != TASK_IN_PROGRESS)
			(void)claims_forget(list, item->task, deadline, &ignored);
	}
	task_free(&before);
	task_free(&after);
	return rc;
}

int
report_apply(const struct list *list, struct store *s, const struct agent *a,
    struct report_item *item, size_t count, store_rule *rule, void *arg, struct deadline deadline,
    struct error *err)
{
	size_t i;
	int rc;

	for (i = 0; i < count; i++) {
		item[i].applied = false;
		free(item[i].reason);
		item[i].reason = NULL;
		rc = apply(list, s, a, &item[i], rule, arg, deadline, err);
		if (rc != -1)
			item[i].applied = true;
		else
			item[i].reason = mem_string(err->text);
		if (rc == -1 && (err->kind == ERROR_FAULT || err->kind == ERROR_BUSY))
			return -1;
	}
	return 0;
}
