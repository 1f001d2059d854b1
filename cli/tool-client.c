/*
 * TaskCreate, TaskGet, TaskUpdate, TaskList, like the tools of the client.
 *
 * Outputs and texts are the client's.  A call that our hooks would refuse (start a blocked task,
 * complete one whose gates fail) is refused here too: success false, and the reason.
 */
#include <stdlib.h>
#include <string.h>

#include "form/convert.h"
#include "tool.h"
#include "json/json-print.h"

static const char missing[] = "Task not found";

void
client_create_run(struct cli *c, struct tool_input *in, struct tool_answer *a)
{
	struct change change = CHANGE_INIT;
	struct task made = TASK_INIT;
	struct json_object *task;
	struct error err;

	change.status = TASK_PENDING;
	change.subject = in->subject;
	change.description = in->description != NULL ? in->description : in->subject;
	change.active_form = in->active_form;
	change.metadata = in->metadata;
	if (in->blocked_by.count > 0)
		change.add_blocked_by = &in->blocked_by;
	if (tool_open(c, true, a)) {
		if (change_create(c, &change, &made, &err) == -1) {
			tool_error(a, &err);
		} else {
			a->output = out_object();
			task = out_add(a->output, "task", out_object());
			out_string(task, "id", made.id);
			out_string(task, "subject", made.title);
			buf_printf(
			    &a->text, "Task #%s created successfully: %s", made.id, made.title);
		}
	}
	task_free(&made);
}

static void
ids_text(struct buf *b, const char *label, const struct strings *ids)
{
	if (ids->count == 0)
		return;
	buf_puts(b, label);
	view_ids(b, ids);
}

void
client_get_run(struct cli *c, struct tool_input *in, struct tool_answer *a)
{
	struct task t = TASK_INIT;
	struct json_object *o;
	struct error err;
	int rc = 0;

	if (!tool_open(c, false, a))
		goto out;
	if (c->store.dirfd != -1)
		rc = store_get(&c->store, in->id, &t, &err);
	if (rc == -1) {
		tool_error(a, &err);
		goto out;
	}
	a->output = out_object();
	if (rc == 0) {
		json_object_object_add(a->output, "task", NULL);
		buf_puts(&a->text, missing);
		a->status = EXIT_UNKNOWN;
		goto out;
	}
	o = out_add(a->output, "task", out_object());
	out_string(o, "id", t.id);
	out_string(o, "subject", t.title);
	out_string(o, "description", t.description);
	out_string(o, "status", task_status_name(t.status));
	out_string(o, "owner", t.owner);
	out_strings(o, "blocks", &t.blocks);
	out_strings(o, "blockedBy", &t.blocked_by);
	if (task_metadata(&t) != JSON_ABSENT)
		out_add(o, "metadata", out_raw(&t.json, task_metadata(&t)));
	buf_printf(&a->text, "Task #%s: %s\nStatus: %s\nDescription: %s", t.id, t.title,
	    task_status_name(t.status), t.description);
	if (t.owner != NULL)
		buf_printf(&a->text, "\nOwner: %s", t.owner);
	ids_text(&a->text, "\nBlocked by: ", &t.blocked_by);
	ids_text(&a->text, "\nBlocks: ", &t.blocks);
out:
	task_free(&t);
}

/* Task[]: every task whole, as `export` writes it. */
static void
list_full(struct cli *c, struct tool_answer *a)
{
	struct buf text = { 0 };
	struct json j = { 0 };
	struct error err;

	buf_puts(&text, "[]");
	if ((c->store.dirfd != -1 && convert_export(&c->store, &text, &err) == -1) ||
	    json_parse(&j, buf_text(&text), text.len, &err) == -1) {
		tool_error(a, &err);
	} else {
		a->output = out_array();
		JSON_EACH (&j, JSON_ROOT, task)
			out_push(a->output, out_raw(&j, task));
		out_text(&a->text, json_object_get(a->output));
	}
	json_free(&j);
	buf_free(&text);
}

void
client_list_run(struct cli *c, struct tool_input *in, struct tool_answer *a)
{
	struct view v = { 0 };
	struct json_object *tasks, *o;
	struct strings open = { 0 };

	if (!tool_open(c, false, a))
		return;
	if (in->full) {
		list_full(c, a);
		return;
	}
	if (!tool_load(c, &v, a))
		return;
	a->output = out_object();
	tasks = out_add(a->output, "tasks", out_array());
	for (size_t i = 0; i < v.tasks.count; i++) {
		const struct task *t = &v.tasks.item[i];

		if (t->internal)
			continue;
		view_blockers(&v, t, &open);
		o = out_push(tasks, out_object());
		out_string(o, "id", t->id);
		out_string(o, "subject", t->title);
		out_string(o, "status", task_status_name(t->status));
		out_string(o, "owner", t->owner);
		out_strings(o, "blockedBy", &open);
		tool_line(&a->text, "#", t);
		if (open.count > 0) {
			buf_puts(&a->text, " [blocked by ");
			view_ids(&a->text, &open);
			buf_putc(&a->text, ']');
		}
		strings_free(&open);
	}
	if (a->text.len == 0)
		buf_puts(&a->text, "No tasks found");
	view_free(&v);
}

/* An update, and which of the client's field names it changed. */
struct client_update {
	struct tool_input *in;
	struct strings changed, unblocked;
};

/*
 * Add the notes to the metadata.  A task of a .tasks folder has none: they are added to
 * its description.
 */
static void
add_notes(const struct task *was, struct tool_input *in)
{
	json_ref metadata = json_member(in->json, JSON_ROOT, "metadata");
	struct buf b = { 0 };
	char *text;

	if (in->notes == NULL)
		return;
	if (was->dialect == TASK_FOLDER && task_metadata(was) == JSON_ABSENT) {
		text = mem_printf("%s\n\nNotes: %s",
		    in->description != NULL ? in->description : was->description, in->notes);
		free(in->description);
		in->description = text;
		return;
	}
	if (json_count(in->json, metadata) > 0) {
		buf_add(&b, in->metadata, strlen(in->metadata) - 1);
		buf_puts(&b, ",\"notes\":");
	} else
		buf_puts(&b, "{\"notes\":");
	json_print_string(&b, in->notes, strlen(in->notes));
	buf_putc(&b, '}');
	free(in->metadata);
	in->metadata = buf_take(&b);
}

/* Answer with a refusal in the client's form. */
static void
update_refused(struct tool_answer *a, const char *id, int status, const char *reason)
{
	char *text = mem_string(reason);

	tool_answer_free(a);
	a->error = true;
	a->status = status;
	a->output = out_object();
	out_bool(a->output, "success", false);
	out_string(a->output, "taskId", id);
	out_add(a->output, "updatedFields", out_array());
	out_string(a->output, "error", text);
	buf_puts(&a->text, text);
	free(text);
}

/* Set the status by the rules of claim and complete.  0, or -1 with the answer. */
static int
update_status(struct cli *c, struct client_update *u, enum task_status to,
    const struct change *with, struct tool_answer *a)
{
	struct change_complete how = { .id = u->in->id, .quiet = true, .with = with };
	struct buf reason = { 0 };
	int status;

	if (to == TASK_IN_PROGRESS) {
		if (u->in->owner != NULL && *u->in->owner != '\0')
			cli_act_as(c, u->in->owner);
		status = change_claim_status(c, u->in->id, with, &reason);
	} else {
		status = change_complete(c, &how, &reason, &u->unblocked);
	}
	if (status != EXIT_DONE)
		update_refused(a, u->in->id, status, buf_text(&reason));
	buf_free(&reason);
	return status == EXIT_DONE ? 0 : -1;
}

static bool
differs(const char *asked, const char *is)
{
	return asked != NULL && !change_same(asked, is);
}

static void
update_done(struct client_update *u, const struct task *was, const char *to, struct tool_answer *a)
{
	struct json_object *change;

	a->output = out_object();
	out_bool(a->output, "success", true);
	out_string(a->output, "taskId", u->in->id);
	out_strings(a->output, "updatedFields", &u->changed);
	if (to != NULL) {
		change = out_add(a->output, "statusChange", out_object());
		out_string(change, "from", task_status_name(was->status));
		out_string(change, "to", to);
	}
	buf_printf(&a->text, "Updated task #%s ", u->in->id);
	for (size_t i = 0; i < u->changed.count; i++)
		buf_printf(&a->text, "%s%s", i > 0 ? ", " : "", u->changed.item[i]);
	if (u->unblocked.count > 0) {
		out_strings(a->output, "unblocked", &u->unblocked);
		buf_puts(&a->text, "\nCan start now: ");
		view_ids(&a->text, &u->unblocked);
	}
}

static void
update_delete(struct cli *c, struct client_update *u, const struct task *was, struct tool_answer *a)
{
	struct error err;

	if (!tool_may_change(c, u->in->id, "deleted", a)) {
		update_refused(a, u->in->id, a->status, buf_text(&a->text));
		return;
	}
	if (change_delete(c, u->in->id, NULL, NULL, &err) == -1) {
		update_refused(a, u->in->id, cli_status(err.kind), err.text);
		return;
	}
	strings_add(&u->changed, "deleted");
	update_done(u, was, "deleted", a);
}

/* The names of the fields that changed, as the client reports them. */
static void
update_fields(struct client_update *u, const struct task *was, const char *owner, bool moved)
{
	json_ref old_owner = json_member(&was->json, JSON_ROOT, "owner");
	const struct {
		const char *name;
		bool changed;
	} fields[] = {
		{ "subject", differs(u->in->subject, was->subject) },
		{ "description", differs(u->in->description, was->description) },
		{ "activeForm", differs(u->in->active_form, was->active_form) },
		{ "owner", owner != NULL && !json_equals(&was->json, old_owner, owner) },
		{ "metadata", u->in->metadata != NULL },
		{ "status", moved },
		{ "blocks", u->in->blocks.count > 0 },
		{ "blockedBy", u->in->blocked_by.count > 0 },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].changed)
			strings_add(&u->changed, fields[i].name);
}

/*
 * Two writes, as the client does: all fields, then the dependencies.  This gives the keys of the
 * file the client's order.
 */
static void
update_rest(struct cli *c, struct client_update *u, const struct task *was, struct tool_answer *a)
{
	enum task_status to =
	    u->in->status != NULL ? task_status_parse(u->in->status) : TASK_NO_STATUS;
	struct change change = CHANGE_INIT, edges = CHANGE_INIT;
	struct error err;
	bool moved = to != TASK_NO_STATUS && to != was->status;
	int rc = 0;

	if ((differs(u->in->owner, was->owner) &&
		!tool_may_change(c, u->in->id, "given to another agent", a)) ||
	    (moved && (to == TASK_CANCELLED || to == TASK_BLOCKED) &&
		!tool_may_change(c, u->in->id, task_status_name(to), a))) {
		update_refused(a, u->in->id, a->status, buf_text(&a->text));
		return;
	}
	change.subject = u->in->subject;
	change.description = u->in->description;
	change.active_form = u->in->active_form;
	change.owner = u->in->owner != NULL              ? u->in->owner
		       : moved && to == TASK_IN_PROGRESS ? cli_agent_name(c)
							 : NULL;
	change.empty_owner = true;
	change.metadata = u->in->metadata;
	if (moved && (to == TASK_IN_PROGRESS || to == TASK_COMPLETED)) {
		if (update_status(c, u, to, &change, a) == -1)
			return;
	} else {
		if (moved)
			change.status = to;
		rc = change_update(c, u->in->id, &change, NULL, NULL, &err);
		moved &= rc == 1;
	}
	if (u->in->blocks.count > 0)
		edges.add_blocks = &u->in->blocks;
	if (u->in->blocked_by.count > 0)
		edges.add_blocked_by = &u->in->blocked_by;
	if (rc != -1 && (edges.add_blocks != NULL || edges.add_blocked_by != NULL))
		rc = change_update(c, u->in->id, &edges, NULL, NULL, &err);
	if (rc == -1) {
		update_refused(a, u->in->id, cli_status(err.kind), err.text);
		return;
	}
	update_fields(u, was, change.owner, moved);
	update_done(u, was, moved ? task_status_name(to) : NULL, a);
}

void
client_update_run(struct cli *c, struct tool_input *in, struct tool_answer *a)
{
	struct client_update u = { .in = in };
	struct task was = TASK_INIT;
	struct error err = { 0 };
	int rc = 0;

	if (!tool_open(c, false, a))
		goto out;
	if (c->store.dirfd != -1)
		rc = store_get(&c->store, in->id, &was, &err);
	if (rc == 1)
		add_notes(&was, in);
	if (rc == -1)
		update_refused(a, in->id, cli_status(err.kind), err.text);
	else if (rc == 0)
		update_refused(a, in->id, EXIT_UNKNOWN, missing);
	else if (in->status != NULL && strcmp(in->status, "deleted") == 0)
		update_delete(c, &u, &was, a);
	else
		update_rest(c, &u, &was, a);
out:
	task_free(&was);
	strings_free(&u.changed);
	strings_free(&u.unblocked);
}
