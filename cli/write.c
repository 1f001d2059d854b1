/*
 * Writing: create, update, depend.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/text.h"
#include "change.h"
#include "commands.h"
#include "lists.h"
#include "sys/file.h"
#include "view.h"
#include "write-part.h"
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

static int
check_priority(struct cli *c, const struct buf *metadata)
{
	struct json j = { 0 };
	struct error err;
	bool ok;

	/* Text that is not JSON is refused when it is merged. */
	ok = json_parse(&j, metadata->data, metadata->len, &err) == -1 ||
	     task_priority_ok(&j, json_member(&j, JSON_ROOT, "priority"));
	json_free(&j);
	return ok ? EXIT_DONE : cli_misuse(c, "metadata.priority must be low, medium or high");
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
	if (status == EXIT_DONE && passed) {
		buf_printf(out, "{%s}", buf_text(&members));
		status = check_priority(c, out);
	}
	buf_free(&members);
	return status;
}

/* The fields that create and update share. */
struct field_flags {
	char *description, *active_form;
	struct buf metadata;
	struct strings blocks, blocked_by;
	struct change change;
};

static void
field_flags_free(struct field_flags *f)
{
	free(f->description);
	free(f->active_form);
	buf_free(&f->metadata);
	strings_free(&f->blocks);
	strings_free(&f->blocked_by);
}

static int
field_flags_read(struct cli *c, struct field_flags *f)
{
	*f = (struct field_flags){ .change = CHANGE_INIT };
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
	if (f->change.parent != NULL && *f->change.parent == '#')
		f->change.parent++;
	if (f->metadata.len > 0)
		f->change.metadata = buf_text(&f->metadata);
	if (f->blocks.count > 0)
		f->change.add_blocks = &f->blocks;
	if (f->blocked_by.count > 0)
		f->change.add_blocked_by = &f->blocked_by;
	return 0;
}

/* The fields of a kind that were not passed. */
static void
kind_fill(struct cli *c, struct field_flags *f, const struct macf *m, const char *subject)
{
	f->change.macf = m;
	if (f->active_form == NULL && c->store.layout == STORE_NATIVE)
		f->change.active_form = f->active_form = macf_active_form(subject);
}

static const char needs_subject[] = "a task needs a subject";

static bool
subject_blank(const char *text)
{
	return text[strspn(text, " \t\n")] == '\0';
}

static int
create(struct cli *c, const char *subject)
{
	struct field_flags f = { .change = CHANGE_INIT };
	struct store_op op = { STORE_CREATE, .change = &f.change };
	struct buf reason = { 0 };
	struct macf macf;
	int kind = write_kind_read(c, &macf), status;

	if (kind == -1 || field_flags_read(c, &f) == -1 || cli_open(c, true) == -1)
		goto out;
	if (kind == 1)
		kind_fill(c, &f, &macf, subject);
	f.change.subject = subject;
	f.change.status = TASK_PENDING;
	if (f.change.description == NULL)
		f.change.description = subject; /* as the client does */
	change_begin();
	if ((status = change_one(c, &op, &reason)) != EXIT_DONE) {
		cli_fail(c, status, "%s", buf_text(&reason));
	} else {
		view_result(c, "created", &op.after);
		lists_sharing_hint(c);
	}
out:
	store_ops_free(&op, 1);
	buf_free(&reason);
	field_flags_free(&f);
	return c->status;
}

int
create_main(struct cli *c)
{
	struct buf subject = { 0 };
	int status;

	for (int i = 0; i < c->operands; i++)
		buf_printf(&subject, "%s%s", i > 0 ? " " : "", c->operand[i]);
	if (subject_blank(buf_text(&subject)))
		status = cli_misuse(c, needs_subject);
	else
		status = create(c, buf_text(&subject));
	buf_free(&subject);
	return status;
}

static bool
is_completed(struct cli *c, const char *id)
{
	struct task t = TASK_INIT;
	struct error ignored;
	bool yes = store_get(&c->store, id, &t, &ignored) == 1 && t.status == TASK_COMPLETED;

	task_free(&t);
	return yes;
}

static void
update_all(struct cli *c, const struct strings *ids, const struct change *change)
{
	struct store_op *op = mem_alloc((ids->count + 1) * sizeof(*op));
	struct change_batch b = { .op = op, .count = ids->count };
	struct change start = *change, fields = *change;
	struct agent agent;
	struct buf reason = { 0 };
	int status;

	cli_agent(c, &agent);
	if (start.owner == NULL)
		start.owner = agent_owner(&agent);
	fields.status = TASK_NO_STATUS;
	/* By the rules of claim and complete; what is completed already keeps its status. */
	for (size_t i = 0; i < ids->count; i++) {
		op[i] = (struct store_op){ STORE_UPDATE, ids->item[i], .change = change };
		if (change->status == TASK_IN_PROGRESS) {
			op[i].rule = claim_rule;
			op[i].change = &start;
		} else if (change->status == TASK_COMPLETED && is_completed(c, ids->item[i]))
			op[i].change = &fields;
		else if (change->status == TASK_COMPLETED)
			op[i].rule = change_completes;
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
	struct field_flags f;
	struct strings ids = { 0 };
	enum task_status status = TASK_NO_STATUS;
	const char *word = cli_value(c, "status"), *subject = cli_value(c, "subject");

	if (field_flags_read(c, &f) == -1 ||
	    (word != NULL && cli_task_status(c, word, &status) == -1) ||
	    cli_operand_ids(c, &ids) == -1)
		goto out;
	if (!changes_anything(c)) {
		cli_misuse(c, "'update' needs an option that changes a field, such as --status");
	} else if (subject != NULL && subject_blank(subject)) {
		cli_misuse(c, needs_subject);
	} else if (cli_open_for(c, ids.item[0]) != -1) {
		f.change.subject = subject;
		f.change.retitle = true;
		f.change.status = status;
		change_begin();
		update_all(c, &ids, &f.change);
	}
out:
	strings_free(&ids);
	field_flags_free(&f);
	return c->status;
}

static void
depend_print(struct cli *c, const struct task *t, bool changed)
{
	if (c->json) {
		view_result(c, changed ? "updated" : "unchanged", t);
		return;
	}
	cli_print(c, "#%s waits for ", t->id);
	if (t->blocked_by.count > 0)
		view_ids(&c->out, &t->blocked_by);
	else
		buf_puts(&c->out, "nothing");
	if (t->status == TASK_BLOCKED)
		buf_puts(&c->out, ", and is blocked");
	buf_puts(&c->out, changed ? "\n" : " (unchanged)\n");
}

static int
depend(struct cli *c, const char *id, const struct strings *on, const struct strings *drop)
{
	struct change change = { .status = TASK_NO_STATUS,
		.add_blocked_by = on->count > 0 ? on : NULL,
		.remove_blocked_by = drop->count > 0 ? drop : NULL };
	struct store_op op = { STORE_UPDATE, id, .change = &change };
	struct change_batch b = { .op = &op, .count = 1 };
	struct buf reason = { 0 };
	int status;

	if (on->count + drop->count == 0)
		return cli_misuse(c, "'depend' needs --on or --drop");
	if (cli_open_for(c, id) == -1)
		return c->status;
	change_begin();
	if ((status = change_apply(c, &b, &reason)) != EXIT_DONE)
		change_failed(c, &b, status, &reason);
	else
		depend_print(
		    c, &op.after, !strings_equal(&op.before.blocked_by, &op.after.blocked_by));
	change_end(&b);
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
