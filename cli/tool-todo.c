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

/* Create a task with the caller's id. */
static int
make_named(
    struct cli *c, const struct tool_input *w, const struct change *change, struct error *err)
{
	static const enum task_dialect dialect[] = { [STORE_NATIVE] = TASK_NATIVE,
		[STORE_DOCUMENT] = TASK_DOCUMENT,
		[STORE_FOLDER] = TASK_FOLDER };
	struct buf text = { 0 };
	struct task made = TASK_INIT;
	struct change bare = *change;
	int rc;

	bare.add_blocked_by = NULL;
	rc = task_make(dialect[c->store.layout], w->id, &bare, clock_wall_ms(), &text, err);
	if (rc != -1)
		rc = store_put(&c->store, w->id, text.data, text.len, cli_patience(), err);
	for (size_t i = 0; i < w->needs.count && rc != -1; i++)
		rc = store_depend(&c->store, w->id, w->needs.item[i], false, cli_patience(), err);
	if (rc != -1 && (rc = store_get(&c->store, w->id, &made, err)) == 1)
		change_record(c, "create", NULL, &made, NULL, NULL);
	task_free(&made);
	buf_free(&text);
	return rc == -1 ? -1 : 0;
}

/* The dependencies are the whole set: others are removed. */
static int
set_needs(struct cli *c, const struct tool_input *w, const struct task *was, struct error *err)
{
	for (size_t i = 0; i < w->needs.count; i++)
		if (!strings_has(&was->blocked_by, w->needs.item[i]) &&
		    change_depend(c, w->id, w->needs.item[i], false, err) == -1)
			return -1;
	for (size_t i = 0; i < was->blocked_by.count; i++)
		if (!strings_has(&w->needs, was->blocked_by.item[i]) &&
		    change_depend(c, w->id, was->blocked_by.item[i], true, err) == -1)
			return -1;
	return 0;
}

static void
todo_status(struct cli *c, const struct tool_input *w, enum task_status to, struct answer *a)
{
	struct change_complete how = { .id = w->id, .quiet = true };
	struct strings unblocked = { 0 };
	struct buf reason = { 0 };
	int status;

	if (to == TASK_IN_PROGRESS) {
		if (w->owner != NULL && *w->owner != '\0')
			cli_act_as(c, w->owner);
		status = change_claim_status(c, w->id, NULL, &reason);
	} else {
		status = change_complete(c, &how, &reason, &unblocked);
	}
	if (status != EXIT_DONE)
		answer_fail(a, status, "%s", buf_text(&reason));
	strings_free(&unblocked);
	buf_free(&reason);
}

/* Create the task, or update `was`; w->id is set afterwards. */
static int
todo_write(struct cli *c, struct tool_input *w, const struct task *was, enum task_status to,
    bool set_dependencies, struct error *err)
{
	struct change change = CHANGE_INIT;
	struct task made = TASK_INIT;
	int rc;

	change.subject = c->store.layout == STORE_DOCUMENT ? NULL : w->subject;
	change.description = w->description;
	change.owner = w->owner;
	change.parent = w->parent;
	change.metadata = w->metadata;
	if (was != NULL) {
		if (to == TASK_PENDING && was->status != TASK_BLOCKED)
			change.status = to;
		rc = change_update(c, w->id, &change, NULL, NULL, err);
		return rc != -1 && set_dependencies ? set_needs(c, w, was, err) : rc;
	}
	change.status = TASK_PENDING;
	if (w->needs.count > 0)
		change.add_blocked_by = &w->needs;
	if (w->id != NULL)
		return make_named(c, w, &change, err);
	rc = change_create(c, &change, &made, err);
	if (rc == 0)
		w->id = mem_string(made.id);
	task_free(&made);
	return rc;
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
	struct error err;
	bool needs = json_member(w->json, JSON_ROOT, "dependencies") != JSON_ABSENT;
	enum task_status to;
	int there = 0;

	todo_input(w);
	if (!tool_open(c, true, a))
		goto out;
	if (w->id != NULL && !store_id_ok(&c->store, w->id)) {
		answer_fail(a, EXIT_MISUSE, "TodoWrite: '%.60s' is not a task id", w->id);
		goto out;
	}
	to = w->status != NULL ? task_status_parse(w->status) : TASK_NO_STATUS;
	if (to == TASK_BLOCKED)
		to = TASK_PENDING; /* it follows from the dependencies */
	if ((w->id != NULL && (there = store_get(&c->store, w->id, &was, &err)) == -1) ||
	    todo_write(c, w, there == 1 ? &was : NULL, to, needs, &err) == -1) {
		answer_error(a, &err);
		goto out;
	}
	if ((to == TASK_IN_PROGRESS || to == TASK_COMPLETED) && (there != 1 || was.status != to))
		todo_status(c, w, to, a);
	if (!a->error)
		todo_written(c, w, there == 1, a);
out:
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
