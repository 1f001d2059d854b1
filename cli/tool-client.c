/*
 * TaskCreate, TaskGet, TaskUpdate, TaskList, like the tools of the client.
 *
 * Outputs and texts are the client's.  A call that our hooks would refuse (start a blocked task,
 * complete one whose gates fail) is refused here too: success false, and the reason.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "form/convert.h"
#include "task/macf.h"
#include "tool.h"
#include "json/json-print.h"

static const char missing[] = "Task not found";

void
client_create_run(struct cli *c, struct tool_input *in, struct tool_answer *a)
{
	struct change change = CHANGE_INIT;
	struct store_op op = { STORE_CREATE, .change = &change };
	struct json_object *task;
	struct buf reason = { 0 };
	int status;

	change.status = TASK_PENDING;
	change.subject = in->subject;
	change.description = in->description != NULL ? in->description : in->subject;
	change.active_form = in->active_form;
	change.metadata = in->metadata;
	if (in->blocked_by.count > 0)
		change.add_blocked_by = &in->blocked_by;
	if (tool_open(c, true, a)) {
		if ((status = change_one(c, &op, &reason)) != EXIT_DONE) {
			tool_fail(a, status, "%s", buf_text(&reason));
		} else {
			a->output = out_object();
			task = out_add(a->output, "task", out_object());
			out_string(task, "id", op.after.id);
			out_string(task, "subject", op.after.title);
			buf_printf(&a->text, "Task #%s created successfully: %s", op.after.id,
			    op.after.title);
		}
	}
	store_ops_free(&op, 1);
	buf_free(&reason);
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
	struct error err;
	char *text;
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
	out_add(a->output, "task", view_client_json(&t));
	text = text_plain(t.description);
	buf_printf(&a->text, "Task #%s: %s\nStatus: %s\nDescription: %s", t.id, t.title,
	    task_status_name(t.status), text);
	free(text);
	if (t.owner != NULL)
		buf_printf(&a->text, "\nOwner: %s", t.owner);
	ids_text(&a->text, "\nBlocked by: ", &t.blocked_by);
	ids_text(&a->text, "\nBlocks: ", &t.blocks);
out:
	task_free(&t);
}

/* Task[]: every task whole, as `export` writes it, without codes. */
static void
list_full(struct cli *c, struct tool_answer *a)
{
	struct buf text = { 0 };
	struct error err;

	buf_puts(&text, "[]");
	if (c->store.dirfd != -1 && convert_export(&c->store, true, true, &text, &err) == -1) {
		tool_error(a, &err);
	} else {
		a->output = out_raw_text(text.data, text.len);
		out_text(&a->text, json_object_get(a->output));
	}
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
	struct strings changed;
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
	/* Not by json-c: the metadata of the call keeps its own numbers and keys. */
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

/* The subject as it was shown, without its codes, is the one that it has. */
static void
keep_codes(const struct task *was, struct tool_input *in)
{
	if (in->subject == NULL || strcmp(in->subject, was->title) != 0)
		return;
	free(in->subject);
	in->subject = mem_string(was->subject);
}

/* Answer with a refusal in the client's form; outcome: of a claim, or NULL. */
static void
update_refused(struct cli *c, const char *id, int status, const char *reason,
    const struct claim_outcome *outcome, struct tool_answer *a)
{
	static const struct claim_outcome none = { .result = CLAIM_FAULT };
	char *text = mem_string(reason);

	tool_answer_free(a);
	a->error = a->whole = true;
	a->status = status;
	a->output = out_object();
	change_outcome(c, id, status, outcome != NULL ? outcome : &none, a->output);
	out_string(a->output, "taskId", id);
	out_add(a->output, "updatedFields", out_array());
	out_string(a->output, "error", text);
	buf_puts(&a->text, text);
	free(text);
}

static bool
differs(const char *asked, const char *is)
{
	return asked != NULL && !change_same(asked, is);
}

static void
update_done(struct client_update *u, const struct task *was, const char *to,
    const struct strings *unblocked, struct tool_answer *a)
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
	if (unblocked->count > 0) {
		out_strings(a->output, "unblocked", unblocked);
		buf_puts(&a->text, "\nCan start now: ");
		view_ids(&a->text, unblocked);
	}
}

static void
update_delete(struct cli *c, struct client_update *u, const struct task *was, struct tool_answer *a)
{
	static const struct strings none;
	struct store_op op = { .kind = STORE_DELETE, .id = u->in->id };
	struct change_batch b = { .op = &op, .count = 1, .by_session = true };
	struct buf reason = { 0 };
	int status = change_apply(c, &b, &reason);

	if (status != EXIT_DONE) {
		update_refused(c, u->in->id, status, buf_text(&reason), NULL, a);
	} else {
		strings_add(&u->changed, "deleted");
		update_done(u, was, "deleted", &none, a);
	}
	change_end(&b);
	buf_free(&reason);
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
 * Two operations, as the client makes two writes: all fields, then the dependencies.  This gives
 * the keys of the file the client's order.  They are written as one.
 */
static void
update_rest(struct cli *c, struct client_update *u, const struct task *was, struct tool_answer *a)
{
	const struct tool_input *in = u->in;
	enum task_status to = in->status != NULL ? task_status_parse(in->status) : TASK_NO_STATUS;
	bool moved = to != TASK_NO_STATUS && to != was->status, starts = to == TASK_IN_PROGRESS;
	struct change change = { .status = moved ? to : TASK_NO_STATUS,
		.subject = in->subject,
		.retitle = in->subject != NULL && macf_shown(was, in->subject),
		.description = in->description,
		.active_form = in->active_form,
		.owner = in->owner,
		.empty_owner = true,
		.metadata = in->metadata };
	struct change edges = { .status = TASK_NO_STATUS,
		.add_blocks = in->blocks.count > 0 ? &in->blocks : NULL,
		.add_blocked_by = in->blocked_by.count > 0 ? &in->blocked_by : NULL };
	struct store_op op[] = { { STORE_UPDATE, in->id, .change = &change },
		{ STORE_UPDATE, in->id, .change = &edges } };
	struct change_batch b = { .op = op, .by_session = true, .quiet = true };
	struct buf reason = { 0 };
	int status;

	b.count = edges.add_blocks != NULL || edges.add_blocked_by != NULL ? 2 : 1;
	if (starts) {
		(void)tool_act_as(c, in->id, in->owner);
		if (change.owner == NULL && !change_same(cli_agent_name(c), was->owner))
			change.owner = cli_agent_name(c);
	}
	if (starts || moved)
		op[0].rule = change_rule(to);
	if ((status = change_apply(c, &b, &reason)) != EXIT_DONE) {
		update_refused(c, in->id, status, buf_text(&reason), &b.claim, a);
	} else {
		moved &= op[0].result == 1;
		update_fields(u, was, change.owner, moved);
		update_done(u, was, moved ? task_status_name(to) : NULL, &b.unblocked, a);
		if (starts)
			out_add(a->output, "task", view_client_json(&op[0].after));
	}
	change_end(&b);
	buf_free(&reason);
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
	if (rc == 1) {
		keep_codes(&was, in);
		add_notes(&was, in);
	}
	if (rc == -1)
		update_refused(c, in->id, cli_status(err.kind), err.text, NULL, a);
	else if (rc == 0)
		update_refused(c, in->id, EXIT_UNKNOWN, missing, NULL, a);
	else if (in->status != NULL && strcmp(in->status, "deleted") == 0)
		update_delete(c, &u, &was, a);
	else
		update_rest(c, &u, &was, a);
out:
	task_free(&was);
	strings_free(&u.changed);
}
