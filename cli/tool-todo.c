/*
 * TodoWrite, TodoRead: tasks in the document's form (description, assignee, dependencies,
 * "blocked").
 *
 * On a list of task files the first line of the description is the subject, and "blocked" follows
 * from the dependencies: it is never written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/agent.h"
#include "base/clock.h"
#include "tool.h"

/* When the file was written last; 0 where a task has no file of its own. */
static int64_t
written_ms(struct cli *c, const char *id)
{
	char *name = mem_printf("%s.json", id);
	struct stat st;
	int64_t ms = 0;

	if (fstatat(c->store.dirfd, name, &st, 0) == 0)
		ms = (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
	free(name);
	return ms;
}

static struct json_object *
todo_json(struct cli *c, const struct view *v, const struct task *t)
{
	struct json_object *o = out_object();
	struct strings open = { 0 };
	char iso[CLOCK_ISO], *created, *updated;
	json_ref metadata = task_metadata(t);

	view_blockers(v, t, &open);
	clock_iso_seconds(iso, written_ms(c, t->id));
	created = json_member_string(&t->json, JSON_ROOT, "created_at");
	updated = json_member_string(&t->json, JSON_ROOT, "updated_at");
	if (created == NULL)
		created = task_metadata_string(t, "created_at");
	out_string(o, "id", t->id);
	out_string(o, "description", t->description[0] != '\0' ? t->description : t->subject);
	out_string(o, "status",
	    open.count > 0 && t->status == TASK_PENDING ? "blocked" : task_status_name(t->status));
	out_string(o, "created_at", created != NULL ? created : iso);
	out_string(o, "updated_at", updated != NULL ? updated : iso);
	out_string(o, "assignee", t->owner);
	out_strings(o, "dependencies", &t->blocked_by);
	out_string(o, "parent_id", t->parent);
	if (metadata != JSON_ABSENT)
		out_add(o, "metadata", out_raw(&t->json, metadata));
	free(created);
	free(updated);
	strings_free(&open);
	return o;
}

/* The subject is the description's first line. */
static void
todo_input(struct tool_input *w)
{
	w->subject = mem_copy(w->description, strcspn(w->description, "\r\n"));
	if (json_kind(w->json, json_member(w->json, JSON_ROOT, "assignee")) == JSON_NULL)
		w->owner = mem_string("");
}

/* The fields of the call; was: NULL for a new task. */
static void
todo_change(
    struct cli *c, const struct tool_input *w, const struct task *was, struct change *change)
{
	enum task_status to = w->status != NULL ? task_status_parse(w->status) : TASK_NO_STATUS;

	if (to == TASK_BLOCKED)
		to = TASK_PENDING; /* it follows from the dependencies */
	if (was == NULL && to == TASK_NO_STATUS)
		to = TASK_PENDING;
	else if (was != NULL &&
		 (to == was->status || (to == TASK_PENDING && was->status == TASK_BLOCKED)))
		to = TASK_NO_STATUS;
	change->status = to;
	change->subject = c->store.layout == STORE_DOCUMENT ? NULL : w->subject;
	change->description = w->description;
	change->owner = w->owner;
	change->parent = w->parent;
	change->metadata = w->metadata;
}

/* The dependencies are the whole set: others are removed. */
static void
todo_needs(
    const struct tool_input *w, const struct task *was, struct strings *add, struct strings *drop)
{
	if (json_member(w->json, JSON_ROOT, "dependencies") == JSON_ABSENT)
		return;
	for (size_t i = 0; i < w->needs.count; i++)
		if (was == NULL || !strings_has(&was->blocked_by, w->needs.item[i]))
			strings_add(add, w->needs.item[i]);
	for (size_t i = 0; was != NULL && i < was->blocked_by.count; i++)
		if (!strings_has(&w->needs, was->blocked_by.item[i]))
			strings_add(drop, was->blocked_by.item[i]);
}

/* Create the task, or update `was`, with all that the call says; w->id is set afterwards. */
static int
todo_write(struct cli *c, struct tool_input *w, const struct task *was, struct buf *reason)
{
	struct change change = CHANGE_INIT;
	struct store_op op = { was != NULL ? STORE_UPDATE : STORE_CREATE, w->id,
		.change = &change };
	struct change_batch b = { .op = &op, .count = 1, .quiet = true };
	struct strings add = { 0 }, drop = { 0 };
	struct agent agent;
	int status;

	todo_change(c, w, was, &change);
	todo_needs(w, was, &add, &drop);
	change.add_blocked_by = add.count > 0 ? &add : NULL;
	change.remove_blocked_by = drop.count > 0 ? &drop : NULL;
	if (change.status == TASK_IN_PROGRESS) {
		op.rule = claim_rule;
		if (w->owner != NULL && *w->owner != '\0')
			cli_act_as(c, w->owner);
		cli_agent(c, &agent);
		change.owner = agent_owner(&agent);
	} else if (change.status == TASK_COMPLETED)
		op.rule = change_completes;
	status = change_apply(c, &b, reason);
	if (status == EXIT_DONE && w->id == NULL)
		w->id = mem_string(op.after.id);
	change_end(&b);
	strings_free(&add);
	strings_free(&drop);
	return status;
}

static void
todo_written(struct cli *c, const struct tool_input *w, bool existed, struct answer *a)
{
	struct view v;
	const struct task *now;

	if (!tool_load(c, &v, a))
		return;
	now = view_find(&v, w->id);
	a->output = out_object();
	if (now != NULL)
		out_add(a->output, "task", todo_json(c, &v, now));
	buf_printf(&a->text, "%s task %s: %s", existed ? "Updated" : "Created", w->id, w->subject);
	view_free(&v);
}

void
todo_write_run(struct cli *c, struct tool_input *w, struct answer *a)
{
	struct task was = TASK_INIT;
	struct buf reason = { 0 };
	struct error err;
	int there = 0, status;

	todo_input(w);
	if (!tool_open(c, true, a))
		goto out;
	if (w->id != NULL && !task_id_ok(w->id)) {
		answer_fail(a, EXIT_MISUSE, "TodoWrite: '%.60s' is not a task id", w->id);
		goto out;
	}
	if (w->id != NULL && (there = store_get(&c->store, w->id, &was, &err)) == -1) {
		answer_error(a, &err);
		goto out;
	}
	if ((status = todo_write(c, w, there == 1 ? &was : NULL, &reason)) != EXIT_DONE)
		answer_fail(a, status, "%s", buf_text(&reason));
	else
		todo_written(c, w, there == 1, a);
out:
	buf_free(&reason);
	task_free(&was);
}

void
todo_read_run(struct cli *c, struct tool_input *in, struct answer *a)
{
	static const char *const states[] = { "pending", "in_progress", "completed", "blocked" };
	int64_t count = 0, by_state[4] = { 0 };
	struct json_object *tasks;
	struct strings open = { 0 };
	struct view v = { 0 };
	char key[32];

	if (!tool_open(c, false, a) || !tool_load(c, &v, a))
		goto out;
	a->output = out_object();
	tasks = out_add(a->output, "tasks", out_array());
	for (size_t i = 0; i < v.tasks.count; i++) {
		const struct task *t = &v.tasks.item[i];
		int state;

		if (t->internal)
			continue;
		view_blockers(&v, t, &open);
		state = !task_open(t)                                 ? 2
			: t->status == TASK_IN_PROGRESS               ? 1
			: open.count > 0 || t->status == TASK_BLOCKED ? 3
								      : 0;
		strings_free(&open);
		by_state[state]++;
		if ((in->status != NULL && strcmp(states[state], in->status) != 0) ||
		    (in->owner != NULL && strcmp(t->owner ? t->owner : "", in->owner) != 0) ||
		    (state == 2 && !in->with_completed && in->status == NULL))
			continue;
		count++;
		out_push(tasks, todo_json(c, &v, t));
		buf_printf(&a->text, "%s%s [%s] %s", a->text.len > 0 ? "\n" : "", t->id,
		    states[state], t->subject);
	}
	out_int(a->output, "count", count);
	for (int i = 0; i < 4; i++) {
		snprintf(key, sizeof(key), "%s_count", states[i]);
		out_int(a->output, key, by_state[i]);
	}
	if (a->text.len == 0)
		buf_puts(&a->text, "No tasks found");
out:
	view_free(&v);
}
