/*
 * create_task, list_tasks, get_task, claim_task, complete_task.
 */
#include <stdlib.h>
#include <string.h>

#include "tool.h"

#define DEFAULT_OWNER "agent"

static struct json_object *
plain_json(const struct task *t)
{
	struct json_object *o = out_object();

	out_string(o, "id", t->id);
	out_string(o, "subject", t->title);
	out_string(o, "description", t->description);
	out_string(o, "status", task_status_name(t->status));
	if (t->owner != NULL)
		out_string(o, "owner", t->owner);
	else
		json_object_object_add(o, "owner", NULL);
	out_strings(o, "blockedBy", &t->blocked_by);
	return o;
}

/* The task named by the input; 1, or 0 after the answer was made. */
static int
plain_find(struct cli *c, const char *id, struct task *t, struct tool_answer *a)
{
	struct error err;
	int rc = 0;

	if (!tool_open(c, false, a))
		return 0;
	if (c->store.dirfd != -1)
		rc = store_get(&c->store, id, t, &err);
	if (rc == -1)
		tool_error(a, &err);
	else if (rc == 0)
		tool_fail(a, EXIT_UNKNOWN, "Task %.60s not found", id);
	return rc == 1;
}

void
plain_create_run(struct cli *c, struct tool_input *in, struct tool_answer *a)
{
	struct change change = CHANGE_INIT;
	struct store_op op = { STORE_CREATE, .change = &change };
	struct buf reason = { 0 };
	int status;

	change.status = TASK_PENDING;
	change.subject = in->subject;
	change.description = in->description != NULL ? in->description : "";
	if (in->blocked_by.count > 0)
		change.add_blocked_by = &in->blocked_by;
	if (tool_open(c, true, a)) {
		if ((status = change_one(c, &op, &reason)) != EXIT_DONE) {
			tool_fail(a, status, "%s", buf_text(&reason));
		} else {
			a->output = plain_json(&op.after);
			buf_printf(&a->text, "Created %s (%s)", op.after.id, op.after.title);
		}
	}
	store_ops_free(&op, 1);
	buf_free(&reason);
}

void
plain_list_run(struct cli *c, struct tool_input *in, struct tool_answer *a)
{
	struct view v = { 0 };
	struct json_object *tasks;

	(void)in;
	if (!tool_open(c, false, a) || !tool_load(c, &v, a))
		return;
	a->output = out_object();
	tasks = out_add(a->output, "tasks", out_array());
	for (size_t i = 0; i < v.tasks.count; i++) {
		const struct task *t = &v.tasks.item[i];

		if (t->internal)
			continue;
		out_push(tasks, plain_json(t));
		tool_line(&a->text, "", t);
		if (t->blocked_by.count > 0) {
			buf_puts(&a->text, " blockedBy: ");
			view_ids(&a->text, &t->blocked_by);
		}
	}
	if (a->text.len == 0)
		buf_puts(&a->text, "No tasks found");
	view_free(&v);
}

void
plain_get_run(struct cli *c, struct tool_input *in, struct tool_answer *a)
{
	struct task t = TASK_INIT;

	if (plain_find(c, in->id, &t, a)) {
		a->output = plain_json(&t);
		out_pretty(&a->text, plain_json(&t));
	}
	task_free(&t);
}

void
plain_claim_run(struct cli *c, struct tool_input *in, struct tool_answer *a)
{
	struct change_batch b = { .by_session = true, .quiet = true };
	struct task t = TASK_INIT;
	struct buf reason = { 0 };
	int status;

	if (!plain_find(c, in->id, &t, a))
		goto out;
	if (!tool_act_as(c, in->id, in->owner))
		cli_act_as(c, DEFAULT_OWNER);
	status = change_claim(c, in->id, &b, &reason);
	if (status == EXIT_DONE) {
		buf_printf(&a->text, "Claimed %s (%s)", t.id, t.title);
		a->output = out_object();
	} else {
		tool_fail(a, status, "%s", buf_text(&reason));
		a->whole = true;
	}
	out_bool(a->output, "claimed", status == EXIT_DONE);
	change_outcome(c, in->id, status, &b.claim, a->output);
	out_string(a->output, "message", buf_text(&a->text));
out:
	change_end(&b);
	buf_free(&reason);
	task_free(&t);
}

void
plain_complete_run(struct cli *c, struct tool_input *in, struct tool_answer *a)
{
	static const struct change completed = { .status = TASK_COMPLETED };
	struct store_op op = { STORE_UPDATE, in->id, .change = &completed,
		.rule = change_completes };
	struct change_batch b = { .op = &op, .count = 1, .quiet = true };
	struct task t = TASK_INIT, next = TASK_INIT;
	struct buf reason = { 0 };
	struct error err;
	int status;

	if (!plain_find(c, in->id, &t, a))
		goto out;
	/* What claim_task writes without a name. */
	if (!change_resume(c, in->id) && change_same(t.owner, DEFAULT_OWNER))
		cli_act_as(c, DEFAULT_OWNER);
	status = change_apply(c, &b, &reason);
	if (status != EXIT_DONE) {
		tool_fail(a, status, "%s", buf_text(&reason));
		out_bool(a->output, "completed", false);
		out_string(a->output, "message", buf_text(&reason));
		goto out;
	}
	buf_printf(&a->text, "Completed %s (%s)", t.id, t.title);
	for (size_t i = 0; i < b.unblocked.count; i++) {
		buf_puts(&a->text, i > 0 ? ", " : "\nUnblocked: ");
		if (store_get(&c->store, b.unblocked.item[i], &next, &err) == 1)
			buf_puts(&a->text, next.title);
		task_free(&next);
	}
	a->output = out_object();
	out_bool(a->output, "completed", true);
	out_string(a->output, "message", buf_text(&a->text));
	out_strings(a->output, "unblocked", &b.unblocked);
out:
	change_end(&b);
	buf_free(&reason);
	task_free(&t);
}
