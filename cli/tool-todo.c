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

#include "base/clock.h"
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

/* The subject is the first line of the description; an assignee of null removes the owner. */
static void
todo_input(struct tool_input *in)
{
	in->subject = mem_copy(in->description, strcspn(in->description, "\r\n"));
	if (json_kind(in->json, json_member(in->json, JSON_ROOT, "assignee")) == JSON_NULL)
		in->owner = mem_string("");
}

/* Create a task with the caller's id. */
static int
create_with_id(
    struct cli *c, const struct tool_input *in, const struct change *change, struct error *err)
{
	static const enum task_dialect dialect[] = { [STORE_NATIVE] = TASK_NATIVE,
		[STORE_DOCUMENT] = TASK_DOCUMENT,
		[STORE_FOLDER] = TASK_FOLDER };
	struct buf text = { 0 };
	struct task made = TASK_INIT;
	struct change bare = *change;
	int rc;

	bare.add_blocked_by = NULL;
	rc = task_make(dialect[c->store.layout], in->id, &bare, clock_wall_ms(), &text, err);
	if (rc != -1)
		rc = store_put(&c->store, in->id, text.data, text.len, cli_deadline(), err);
	for (size_t i = 0; i < in->blocked_by.count && rc != -1; i++)
		rc = store_depend(
		    &c->store, in->id, in->blocked_by.item[i], false, cli_deadline(), err);
	if (rc != -1 && (rc = store_get(&c->store, in->id, &made, err)) == 1)
		change_record(c, "create", NULL, &made, NULL, NULL);
	task_free(&made);
	buf_free(&text);
	return rc == -1 ? -1 : 0;
}

/* Add the dependencies of the input, remove all others. */
static int
set_blockers(struct cli *c, const struct tool_input *in, const struct task *was, struct error *err)
{
	for (size_t i = 0; i < in->blocked_by.count; i++)
		if (!strings_has(&was->blocked_by, in->blocked_by.item[i]) &&
		    change_depend(c, in->id, in->blocked_by.item[i], false, err) == -1)
			return -1;
	for (size_t i = 0; i < was->blocked_by.count; i++)
		if (!strings_has(&in->blocked_by, was->blocked_by.item[i]) &&
		    change_depend(c, in->id, was->blocked_by.item[i], true, err) == -1)
			return -1;
	return 0;
}

static void
todo_status(struct cli *c, const struct tool_input *in, enum task_status to, struct tool_answer *a)
{
	struct change_complete how = { .id = in->id, .quiet = true };
	struct strings unblocked = { 0 };
	struct buf reason = { 0 };
	int status;

	if (to == TASK_IN_PROGRESS) {
		if (in->owner != NULL && *in->owner != '\0')
			cli_act_as(c, in->owner);
		status = change_claim_status(c, in->id, NULL, &reason);
	} else {
		status = change_complete(c, &how, &reason, &unblocked);
	}
	if (status != EXIT_DONE)
		tool_fail(a, status, "%s", buf_text(&reason));
	strings_free(&unblocked);
	buf_free(&reason);
}

/* Create the task, or update `was`; in->id is set afterwards. */
static int
todo_write(struct cli *c, struct tool_input *in, const struct task *was, enum task_status to,
    bool set_dependencies, struct error *err)
{
	struct change change = CHANGE_INIT;
	struct task made = TASK_INIT;
	int rc;

	change.subject = c->store.layout == STORE_DOCUMENT ? NULL : in->subject;
	change.description = in->description;
	change.owner = in->owner;
	change.parent = in->parent;
	change.metadata = in->metadata;
	if (was != NULL) {
		if (to == TASK_CANCELLED ||
		    (to == TASK_PENDING && (was->status != TASK_BLOCKED || task_held(was))))
			change.status = to;
		rc = change_update(c, in->id, &change, NULL, NULL, err);
		return rc != -1 && set_dependencies ? set_blockers(c, in, was, err) : rc;
	}
	change.status = to == TASK_CANCELLED ? to : TASK_PENDING;
	if (in->blocked_by.count > 0)
		change.add_blocked_by = &in->blocked_by;
	if (in->id != NULL)
		return create_with_id(c, in, &change, err);
	rc = change_create(c, &change, &made, err);
	if (rc == 0)
		in->id = mem_string(made.id);
	task_free(&made);
	return rc;
}

static void
todo_written(struct cli *c, const struct tool_input *in, bool existed, struct tool_answer *a)
{
	struct view v;
	const struct task *now;

	if (!tool_load(c, &v, a))
		return;
	now = view_find(&v, in->id);
	a->output = out_object();
	if (now != NULL)
		out_add(a->output, "task", todo_json(c, &v, now));
	buf_printf(
	    &a->text, "%s task %s: %s", existed ? "Updated" : "Created", in->id, in->subject);
	view_free(&v);
}

void
todo_write_run(struct cli *c, struct tool_input *in, struct tool_answer *a)
{
	static const struct change blocked = { .status = TASK_BLOCKED };
	struct task was = TASK_INIT;
	struct error err;
	bool set_dependencies = json_member(in->json, JSON_ROOT, "dependencies") != JSON_ABSENT;
	enum task_status to;
	int there = 0;

	todo_input(in);
	if (!tool_open(c, true, a))
		goto out;
	if (in->id != NULL && !store_id_ok(&c->store, in->id)) {
		tool_fail(a, EXIT_MISUSE, "TodoWrite: '%.60s' is not a task id", in->id);
		goto out;
	}
	to = in->status != NULL ? task_status_parse(in->status) : TASK_NO_STATUS;
	if (in->id != NULL)
		there = store_get(&c->store, in->id, &was, &err);
	if (there == 1 && (to == TASK_BLOCKED || to == TASK_CANCELLED) &&
	    !tool_may_change(c, in->id, task_status_name(to), a))
		goto out;
	/* Blocked comes last: it follows from the dependencies, if they say it. */
	if (there == -1 ||
	    todo_write(c, in, there == 1 ? &was : NULL, to, set_dependencies, &err) == -1 ||
	    (to == TASK_BLOCKED && change_update(c, in->id, &blocked, NULL, NULL, &err) == -1)) {
		tool_error(a, &err);
		goto out;
	}
	if ((to == TASK_IN_PROGRESS || to == TASK_COMPLETED) && (there != 1 || was.status != to))
		todo_status(c, in, to, a);
	if (!a->error)
		todo_written(c, in, there == 1, a);
out:
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
