/*
 * Writing: create, update, delete, clear, depend.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/text.h"
#include "change.h"
#include "commands.h"
#include "sys/file.h"
#include "view.h"
#include "json/json-print.h"

/* A flag's value, or standard input for "-"; owned.  NULL: not passed, or failed (c->status). */
static char *
text_value(struct cli *c, const char *name)
{
	const char *value = cli_value(c, name);
	struct buf text = { 0 };
	struct error err;

	if (value == NULL || strcmp(value, "-") != 0)
		return mem_string(value);
	if (file_read_fd(STDIN_FILENO, FILE_MAX, &text, &err) == -1) {
		cli_error(c, &err);
		buf_free(&text);
		return NULL;
	}
	while (text.len > 0 && text.data[text.len - 1] == '\n')
		text.data[--text.len] = '\0';
	buf_puts(&text, "");
	return buf_take(&text);
}

/* --metadata '{"k":1}': its members are added to those of the options before it. */
static int
add_object(struct cli *c, const char *value, struct buf *members)
{
	struct json j = { 0 };
	struct error err;
	const char *raw;
	size_t len;
	int status = EXIT_DONE;

	if (json_parse(&j, value, strlen(value), &err) == -1 ||
	    json_kind(&j, JSON_ROOT) != JSON_OBJECT) {
		status = cli_misuse(c, "--metadata must be a JSON object, not '%s'", value);
	} else if (json_count(&j, JSON_ROOT) > 0) {
		raw = json_raw(&j, JSON_ROOT, &len);
		buf_puts(members, members->len > 0 ? "," : "");
		buf_add(members, raw + 1, len - 2);
	}
	json_free(&j);
	return status;
}

/* --set k=v: a JSON value, else a string. */
static int
add_member(struct cli *c, const char *value, struct buf *members)
{
	const char *equals = strchr(value, '=');
	struct json j = { 0 };
	struct error err;

	if (equals == NULL || equals == value)
		return cli_misuse(c, "--set needs KEY=VALUE, not '%s'", value);
	buf_puts(members, members->len > 0 ? "," : "");
	json_print_string(members, value, (size_t)(equals - value));
	buf_putc(members, ':');
	if (json_parse(&j, equals + 1, strlen(equals + 1), &err) == 0)
		buf_puts(members, equals + 1);
	else
		json_print_string(members, equals + 1, strlen(equals + 1));
	json_free(&j);
	return EXIT_DONE;
}

/* Both options together, as one object; nothing if neither was passed. */
static int
metadata_value(struct cli *c, struct buf *out)
{
	struct buf members = { 0 };
	bool passed = false;
	int status = EXIT_DONE;

	for (size_t i = 0; i < c->flag_count && status == EXIT_DONE; i++) {
		const char *name = c->flags[i].flag->name, *value = c->flags[i].value;
		bool object = strcmp(name, "metadata") == 0, member = strcmp(name, "set") == 0;

		passed |= object || member;
		if (object)
			status = add_object(c, value, &members);
		else if (member)
			status = add_member(c, value, &members);
	}
	if (status == EXIT_DONE && passed)
		buf_printf(out, "{%s}", buf_text(&members));
	buf_free(&members);
	return status;
}

/* The fields that create and update share. */
struct fields {
	char *description, *active_form;
	struct buf metadata;
	struct strings blocks, blocked_by;
	struct change change;
};

static void
fields_free(struct fields *f)
{
	free(f->description);
	free(f->active_form);
	buf_free(&f->metadata);
	strings_free(&f->blocks);
	strings_free(&f->blocked_by);
}

static int
fields_read(struct cli *c, struct fields *f)
{
	*f = (struct fields){ .change = CHANGE_INIT };
	f->description = text_value(c, "description");
	if (f->description == NULL && cli_flag(c, "description"))
		return -1;
	f->active_form = mem_string(cli_value(c, "active-form"));
	if (metadata_value(c, &f->metadata) != EXIT_DONE ||
	    cli_value_ids(c, "blocks", &f->blocks) == -1 ||
	    cli_value_ids(c, "blocked-by", &f->blocked_by) == -1)
		return -1;
	f->change.description = f->description;
	f->change.active_form = f->active_form;
	f->change.owner = cli_value(c, "owner");
	f->change.parent = cli_value(c, "parent");
	if (f->metadata.len > 0)
		f->change.metadata = buf_text(&f->metadata);
	if (f->blocks.count > 0)
		f->change.add_blocks = &f->blocks;
	if (f->blocked_by.count > 0)
		f->change.add_blocked_by = &f->blocked_by;
	return 0;
}

static int
create(struct cli *c, const char *subject)
{
	struct fields f;
	struct store_op op = { STORE_CREATE, .change = &f.change };
	struct buf reason = { 0 };
	int status;

	if (fields_read(c, &f) == -1 || cli_open(c, true) == -1)
		goto out;
	f.change.subject = subject;
	f.change.status = TASK_PENDING;
	if (f.change.description == NULL)
		f.change.description = subject; /* as the client does */
	change_begin();
	if ((status = change_one(c, &op, &reason)) != EXIT_DONE)
		cli_fail(c, status, "%s", buf_text(&reason));
	else
		view_result(c, "created", &op.after);
out:
	store_ops_free(&op, 1);
	buf_free(&reason);
	fields_free(&f);
	return c->status;
}

int
create_main(struct cli *c)
{
	struct buf subject = { 0 };
	int status;

	for (int i = 0; i < c->operands; i++)
		buf_printf(&subject, "%s%s", i > 0 ? " " : "", c->operand[i]);
	if (strspn(buf_text(&subject), " \t\n") == subject.len)
		status = cli_misuse(c, "a task needs a subject");
	else
		status = create(c, buf_text(&subject));
	buf_free(&subject);
	return status;
}

/* To in_progress or completed by the rules of claim and complete, unless it is so already. */
static void
update_rule(struct cli *c, struct store_op *op, const struct change *start)
{
	enum task_status to = op->change->status;
	struct task t = TASK_INIT;
	struct error ignored;

	if ((to == TASK_IN_PROGRESS || to == TASK_COMPLETED) &&
	    store_get(&c->store, op->id, &t, &ignored) == 1 && t.status != to) {
		op->rule = to == TASK_IN_PROGRESS ? claim_rule : change_completes;
		op->change = to == TASK_IN_PROGRESS ? start : op->change;
	}
	task_free(&t);
}

static void
update_all(struct cli *c, const struct strings *ids, const struct change *change)
{
	struct store_op *op = mem_alloc((ids->count + 1) * sizeof(*op));
	struct change_batch b = { .op = op, .count = ids->count };
	struct change start = *change;
	struct agent agent;
	struct buf reason = { 0 };
	int status;

	cli_agent(c, &agent);
	if (start.owner == NULL)
		start.owner = agent_owner(&agent);
	for (size_t i = 0; i < ids->count; i++) {
		op[i] = (struct store_op){ STORE_UPDATE, ids->item[i], .change = change };
		update_rule(c, &op[i], &start);
	}
	if ((status = change_apply(c, &b, &reason)) != EXIT_DONE)
		change_failed(c, &b, status, &reason);
	for (size_t i = 0; status == EXIT_DONE && i < ids->count; i++)
		view_result(c, op[i].result == 1 ? "updated" : "unchanged", &op[i].after);
	change_end(&b);
	buf_free(&reason);
	free(op);
}

/* Was any flag passed that changes a field? */
static bool
changes_anything(const struct cli *c)
{
	for (size_t i = 0; i < c->flag_count; i++)
		for (const struct flag *f = c->command->flags; f->name != NULL; f++)
			if (c->flags[i].flag == f && strcmp(f->name, "agent") != 0)
				return true;
	return false;
}

int
update_main(struct cli *c)
{
	struct fields f;
	struct strings ids = { 0 };
	enum task_status status = TASK_NO_STATUS;
	const char *word = cli_value(c, "status");

	if (fields_read(c, &f) == -1 || (word != NULL && cli_task_status(c, word, &status) == -1) ||
	    cli_operand_ids(c, &ids) == -1)
		goto out;
	if (!changes_anything(c)) {
		cli_misuse(c, "no field to change was passed");
	} else if (cli_open_for(c, ids.item[0]) != -1) {
		f.change.subject = cli_value(c, "subject");
		f.change.status = status;
		change_begin();
		update_all(c, &ids, &f.change);
	}
out:
	strings_free(&ids);
	fields_free(&f);
	return c->status;
}

/* Operations that delete them. */
static struct store_op *
deletions(const struct strings *ids, store_rule *rule)
{
	struct store_op *op = mem_alloc((ids->count + 1) * sizeof(*op));

	for (size_t i = 0; i < ids->count; i++)
		op[i] = (struct store_op){ STORE_DELETE, ids->item[i], .rule = rule };
	return op;
}

static void
delete_all(struct cli *c, const struct strings *ids)
{
	struct change_batch b = { .op = deletions(ids, NULL), .count = ids->count };
	struct buf reason = { 0 };
	int status = change_apply(c, &b, &reason);

	if (status != EXIT_DONE)
		change_failed(c, &b, status, &reason);
	for (size_t i = 0; status == EXIT_DONE && i < ids->count; i++)
		view_result(c, "deleted", &b.op[i].before);
	change_end(&b);
	free(b.op);
	buf_free(&reason);
}

int
delete_main(struct cli *c)
{
	struct strings ids = { 0 };

	if (cli_operand_ids(c, &ids) == 0 && cli_open_for(c, ids.item[0]) == 0) {
		change_begin();
		delete_all(c, &ids);
	}
	strings_free(&ids);
	return c->status;
}

static bool
clear_confirmed(struct cli *c, size_t count)
{
	char *question;
	bool sure;

	if (count == 0)
		return true;
	question = mem_printf(
	    "delete %zu task%s of list '%s'?", count, count == 1 ? "" : "s", c->list.name);
	sure = cli_confirm(c, question);
	free(question);
	return sure;
}

static void
clear_print(struct cli *c, size_t count)
{
	struct json_object *o;

	if (c->json) {
		o = out_object();
		out_int(o, "removed", (int64_t)count);
		cli_json(c, o);
	} else {
		buf_printf(&c->out, "deleted %zu task%s%s\n", count, count == 1 ? "" : "s",
		    count > 0 ? " (to restore: claude-tasks undo)" : "");
	}
}

static int
still_completed(
    void *arg, struct store *s, const struct task *now, const struct task *then, struct error *err)
{
	(void)arg, (void)s, (void)then;
	return task_open(now)
		   ? error_set(err, ERROR_REFUSED, "task #%s was opened again meanwhile", now->id)
		   : 0;
}

static void
clear_completed(struct cli *c, const struct view *v)
{
	struct strings ids = { 0 };
	struct change_batch b = { 0 };
	struct buf reason = { 0 };
	int status;

	for (size_t i = 0; i < v->tasks.count; i++)
		if (!v->tasks.item[i].internal && !task_open(&v->tasks.item[i]))
			strings_add(&ids, v->tasks.item[i].id);
	b.op = deletions(&ids, still_completed);
	b.count = ids.count;
	if ((status = change_apply(c, &b, &reason)) != EXIT_DONE)
		change_failed(c, &b, status, &reason);
	else
		clear_print(c, ids.count);
	change_end(&b);
	free(b.op);
	buf_free(&reason);
	strings_free(&ids);
}

static void
clear_all(struct cli *c)
{
	struct error err;
	int count = c->store.dirfd != -1 ? change_clear(c, &err) : 0;

	if (count == -1)
		cli_error(c, &err);
	else
		clear_print(c, (size_t)count);
}

int
clear_main(struct cli *c)
{
	struct view v;
	bool some = cli_flag(c, "completed");

	if (view_load(c, &v) == -1)
		return c->status;
	if (clear_confirmed(c, some ? v.completed : v.shown)) {
		change_begin();
		if (some)
			clear_completed(c, &v);
		else
			clear_all(c);
	}
	view_free(&v);
	return c->status;
}

static void
depend_print(struct cli *c, const struct task *t, bool changed)
{
	if (c->json) {
		view_result(c, changed ? "updated" : "unchanged", t);
		return;
	}
	buf_printf(&c->out, "#%s waits for ", t->id);
	if (t->blocked_by.count > 0)
		view_ids(&c->out, &t->blocked_by);
	else
		buf_puts(&c->out, "nothing");
	buf_puts(&c->out, changed ? "\n" : " (unchanged)\n");
}

static int
depend(struct cli *c, const char *id, const struct strings *on, const struct strings *drop)
{
	struct change change = { .status = TASK_NO_STATUS,
		.add_blocked_by = on->count > 0 ? on : NULL,
		.remove_blocked_by = drop->count > 0 ? drop : NULL };
	struct store_op op = { STORE_UPDATE, id, .change = &change };
	struct buf reason = { 0 };
	int status;

	if (on->count + drop->count == 0)
		return cli_misuse(c, "'depend' needs --on or --drop");
	if (cli_open_for(c, id) == -1)
		return c->status;
	change_begin();
	if ((status = change_one(c, &op, &reason)) != EXIT_DONE)
		cli_fail(c, status, "%s", buf_text(&reason));
	else
		depend_print(
		    c, &op.after, !strings_equal(&op.before.blocked_by, &op.after.blocked_by));
	store_ops_free(&op, 1);
	buf_free(&reason);
	return status;
}

int
depend_main(struct cli *c)
{
	struct strings on = { 0 }, drop = { 0 };
	const char *id = cli_id(c, 0);
	int status;

	if (id == NULL || cli_value_ids(c, "on", &on) == -1 ||
	    cli_value_ids(c, "drop", &drop) == -1)
		status = c->status;
	else
		status = depend(c, id, &on, &drop);
	strings_free(&on);
	strings_free(&drop);
	return status;
}
