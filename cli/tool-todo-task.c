/*
 * TodoWrite, TodoRead: tasks in the document's form (description, assignee, dependencies,
 * "blocked").
 *
 * On a list of task files the first line of the description is the subject.  "blocked" follows
 * from the dependencies; it is written only where they do not say it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/clock.h"
#include "base/text.h"
#include "task/macf.h"
#include "tool.h"

static struct json_object *
todo_json(struct cli *c, const struct view *v, const struct task *t)
{
	struct json_object *o = out_object();
	char *created, *updated;
	json_ref metadata = task_metadata(t);

	store_times(&c->store, t, &created, &updated);
	out_string(o, "id", t->id);
	out_string(o, "description", t->description[0] != '\0' ? t->description : t->title);
	out_string(o, "status", task_status_name(view_status(v, t)));
	out_string(o, "created_at", created);
	out_string(o, "updated_at", updated);
	out_string(o, "assignee", t->owner);
	out_strings(o, "dependencies", &t->blocked_by);
	out_string(o, "parent_id", t->parent);
	if (metadata != JSON_ABSENT)
		out_add(o, "metadata", out_raw(&t->json, metadata));
	free(created);
	free(updated);
	return o;
}

/* The call has one of two forms: todos and nothing else, or a description. */
static bool
todo_form_ok(const struct tool_input *in, bool todos, struct tool_answer *a)
{
	if (todos ? json_count(in->json, JSON_ROOT) == 1 : in->description != NULL)
		return true;
	tool_fail(a, EXIT_MISUSE,
	    "TodoWrite: the input has %s. Send either {\"todos\": [{\"content\": \"...\", "
	    "\"status\": \"pending\", \"activeForm\": \"...\"}, ...]}, the whole list of your own "
	    "steps, or {\"description\": \"...\"} for one task of the shared list, with \"id\" to "
	    "update it",
	    todos ? "members of both forms" : "neither 'todos' nor 'description'");
	return false;
}

/* The subject is the first line of the description; an assignee of null removes the owner. */
static void
todo_input(struct tool_input *in)
{
	in->subject = mem_copy(in->description, strcspn(in->description, "\r\n"));
	if (json_kind(in->json, json_member(in->json, JSON_ROOT, "assignee")) == JSON_NULL)
		in->owner = mem_string("");
}

/* The status to write, for what the call says; was: NULL for a new task. */
static enum task_status
todo_status(const struct tool_input *in, const struct task *was)
{
	enum task_status to = in->status != NULL ? task_status_parse(in->status) : TASK_NO_STATUS;

	if (was == NULL)
		return to == TASK_NO_STATUS ? TASK_PENDING : to;
	/* A task that its dependencies block is pending already. */
	if ((to == TASK_PENDING && was->status == TASK_BLOCKED && !task_held(was)) ||
	    (to == was->status && to != TASK_BLOCKED && to != TASK_IN_PROGRESS))
		return TASK_NO_STATUS;
	return to;
}

/* The dependencies to add, and those to remove: all that the call does not name. */
static void
todo_blockers(
    const struct tool_input *in, const struct task *was, struct strings *add, struct strings *drop)
{
	if (json_member(in->json, JSON_ROOT, "dependencies") == JSON_ABSENT)
		return;
	for (size_t i = 0; i < in->blocked_by.count; i++)
		if (was == NULL || !strings_has(&was->blocked_by, in->blocked_by.item[i]))
			strings_add(add, in->blocked_by.item[i]);
	for (size_t i = 0; was != NULL && i < was->blocked_by.count; i++)
		if (!strings_has(&in->blocked_by, was->blocked_by.item[i]))
			strings_add(drop, was->blocked_by.item[i]);
}

/* Create the task, or update `was`, with all fields of the call; in->id is set afterwards. */
static int
todo_write(struct cli *c, struct tool_input *in, const struct task *was, struct buf *reason)
{
	struct change change = { .status = todo_status(in, was),
		.follows = true,
		.subject = c->store.layout == STORE_DOCUMENT ? NULL : in->subject,
		.retitle = was != NULL && macf_shown(was, in->subject),
		.description = in->description,
		.owner = in->owner,
		.parent = in->parent,
		.metadata = in->metadata };
	struct store_op op = { was != NULL ? STORE_UPDATE : STORE_CREATE, in->id, .change = &change,
		.rule = change_rule(change.status) };
	struct change_batch b = { .op = &op, .count = 1, .by_session = true, .quiet = true };
	struct strings add = { 0 }, drop = { 0 };
	struct agent agent;
	int status;

	todo_blockers(in, was, &add, &drop);
	change.add_blocked_by = add.count > 0 ? &add : NULL;
	change.remove_blocked_by = drop.count > 0 ? &drop : NULL;
	if (change.status == TASK_IN_PROGRESS) {
		(void)tool_act_as(c, in->id, in->owner);
		cli_agent(c, &agent);
		change.owner = agent_owner(&agent);
	}
	status = change_apply(c, &b, reason);
	if (status == EXIT_DONE && in->id == NULL)
		in->id = mem_string(op.after.id);
	change_end(&b);
	strings_free(&add);
	strings_free(&drop);
	return status;
}

static void
todo_written(struct cli *c, const struct tool_input *in, bool existed, struct tool_answer *a)
{
	struct view v;
	const struct task *now;
	char *title;

	if (!tool_load(c, &v, a))
		return;
	now = view_find(&v, in->id);
	a->output = out_object();
	if (now != NULL)
		out_add(a->output, "task", todo_json(c, &v, now));
	title = text_plain(in->subject);
	buf_printf(&a->text, "%s task %s: %s", existed ? "Updated" : "Created", in->id, title);
	free(title);
	view_free(&v);
}

void
todo_write_run(struct cli *c, struct tool_input *in, struct tool_answer *a)
{
	struct task was = TASK_INIT;
	struct buf reason = { 0 };
	struct error err;
	int there = 0, status;
	bool todos = json_member(in->json, JSON_ROOT, "todos") != JSON_ABSENT;

	if (!todo_form_ok(in, todos, a))
		return;
	if (todos) {
		todos_write(c, in, a);
		return;
	}
	todo_input(in);
	if (!tool_open(c, true, a))
		goto out;
	if (in->id != NULL && !store_id_ok(&c->store, in->id)) {
		tool_fail(a, EXIT_MISUSE, "TodoWrite: '%.60s' is not a task id", in->id);
		goto out;
	}
	if (in->id != NULL && (there = store_get(&c->store, in->id, &was, &err)) == -1) {
		tool_error(a, &err);
		goto out;
	}
	if ((status = todo_write(c, in, there == 1 ? &was : NULL, &reason)) != EXIT_DONE)
		tool_fail(a, status, "%s", buf_text(&reason));
	else
		todo_written(c, in, there == 1, a);
out:
	buf_free(&reason);
	task_free(&was);
}

void
todo_read_run(struct cli *c, struct tool_input *in, struct tool_answer *a)
{
	int64_t count = 0, by_status[TASK_NO_STATUS] = { 0 };
	struct json_object *tasks;
	struct view v = { 0 };
	char key[32];

	if (!tool_open(c, false, a) || !tool_load(c, &v, a))
		goto out;
	a->output = out_object();
	tasks = out_add(a->output, "tasks", out_array());
	for (size_t i = 0; i < v.tasks.count; i++) {
		const struct task *t = &v.tasks.item[i];
		enum task_status status = view_status(&v, t);
		const char *name = task_status_name(status);

		if (t->internal)
			continue;
		by_status[status]++;
		if ((in->status != NULL && strcmp(name, in->status) != 0) ||
		    (in->owner != NULL && strcmp(t->owner ? t->owner : "", in->owner) != 0) ||
		    (!task_open(t) && !in->with_completed && in->status == NULL))
			continue;
		count++;
		out_push(tasks, todo_json(c, &v, t));
		buf_printf(
		    &a->text, "%s%s [%s] %s", a->text.len > 0 ? "\n" : "", t->id, name, t->title);
	}
	out_int(a->output, "count", count);
	for (int i = 0; i < TASK_NO_STATUS; i++) {
		snprintf(key, sizeof(key), "%s_count", task_status_name(i));
		out_int(a->output, key, by_status[i]);
	}
	if (a->text.len == 0)
		buf_puts(&a->text, "No tasks found");
out:
	view_free(&v);
}
