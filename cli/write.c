/*
 * Writing: create, update, delete, clear, depend.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "change.h"
#include "commands.h"
#include "sys/file.h"
#include "view.h"
#include "json/json-print.h"

/* A flag's value, or standard input for "-"; owned. NULL: not given, or failed (c->status). */
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

/* --metadata '{"k":1}' and --set k=v (a JSON value, else a string), together one object. */
static int
metadata_value(struct cli *c, struct buf *out)
{
	struct json j = { 0 };
	struct error err;
	struct buf members = { 0 };
	const char *equals, *raw;
	size_t len;
	int rc = 0;

	for (size_t i = 0; i < c->flag_count && rc == 0; i++) {
		const char *name = c->flags[i].flag->name, *value = c->flags[i].value;

		if (strcmp(name, "metadata") == 0) {
			if (json_parse(&j, value, strlen(value), &err) == -1 ||
			    json_kind(&j, JSON_ROOT) != JSON_OBJECT) {
				cli_misuse(
				    c, "--metadata must be a JSON object: '%s' is none", value);
				rc = -1;
				break;
			}
			raw = json_raw(&j, JSON_ROOT, &len);
			if (json_count(&j, JSON_ROOT) > 0) {
				buf_puts(&members, members.len > 0 ? "," : "");
				buf_add(&members, raw + 1, len - 2);
			}
			if (out->len == 0)
				buf_putc(out, '{');
		} else if (strcmp(name, "set") == 0) {
			equals = strchr(value, '=');
			if (equals == NULL || equals == value) {
				cli_misuse(c, "--set wants KEY=VALUE, not '%s'", value);
				rc = -1;
				break;
			}
			buf_puts(&members, members.len > 0 ? "," : "");
			json_print_string(&members, value, (size_t)(equals - value));
			buf_putc(&members, ':');
			if (json_parse(&j, equals + 1, strlen(equals + 1), &err) == 0)
				buf_puts(&members, equals + 1);
			else
				json_print_string(&members, equals + 1, strlen(equals + 1));
			if (out->len == 0)
				buf_putc(out, '{');
		}
	}
	if (rc == 0 && out->len > 0)
		buf_printf(out, "%s}", buf_text(&members));
	buf_free(&members);
	json_free(&j);
	return rc;
}

/* What create and update share. */
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
id_values(struct cli *c, const char *name, struct strings *out)
{
	for (size_t i = 0; i < c->flag_count; i++)
		if (strcmp(c->flags[i].flag->name, name) == 0 &&
		    cli_ids(c, c->flags[i].value, out) == -1)
			return -1;
	return 0;
}

static int
fields_read(struct cli *c, struct fields *f)
{
	*f = (struct fields){ .change = CHANGE_INIT };
	f->description = text_value(c, "description");
	if (f->description == NULL && cli_flag(c, "description"))
		return -1;
	f->active_form = mem_string(cli_value(c, "active-form"));
	if (metadata_value(c, &f->metadata) == -1 || id_values(c, "blocks", &f->blocks) == -1 ||
	    id_values(c, "blocked-by", &f->blocked_by) == -1)
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

/* "created #7 Fix the parser", or the task with --json. */
static void
tell(struct cli *c, const char *deed, const struct task *t)
{
	struct json_object *o;

	if (c->json) {
		o = out_object();
		out_string(o, "done", deed);
		out_string(o, "id", t->id);
		out_add(o, "task", out_raw(&t->json, JSON_ROOT));
		cli_json(c, o);
		return;
	}
	buf_printf(&c->out, "%s #", deed);
	view_text(&c->out, t->id, 128);
	buf_putc(&c->out, ' ');
	view_text(&c->out, t->subject, TEXT_SUBJECT);
	buf_putc(&c->out, '\n');
}

int
create_main(struct cli *c)
{
	struct fields f;
	struct task made = TASK_INIT;
	struct error err;
	struct buf subject = { 0 };
	int status = EXIT_DONE;

	for (int i = 0; i < c->operands; i++)
		buf_printf(&subject, "%s%s", i > 0 ? " " : "", c->operand[i]);
	if (strspn(buf_text(&subject), " \t\n") == strlen(buf_text(&subject))) {
		cli_misuse(c, "a task needs a subject");
		buf_free(&subject);
		return c->status;
	}
	if (fields_read(c, &f) == -1) {
		status = c->status;
		goto out;
	}
	f.change.subject = buf_text(&subject);
	f.change.status = TASK_PENDING;
	if (f.change.description == NULL)
		f.change.description = buf_text(&subject); /* as the client does */
	if (cli_open(c, true) == -1) {
		status = c->status;
		goto out;
	}
	change_begin(c);
	if (change_create(c, &f.change, &made, &err) == -1)
		status = cli_error(c, &err);
	else
		tell(c, "created", &made);
out:
	task_free(&made);
	fields_free(&f);
	buf_free(&subject);
	return status;
}

static int
status_value(struct cli *c, enum task_status *status)
{
	static const char *const words[] = { "pending", "in_progress", "completed" };
	const char *value = cli_value(c, "status"), *near;

	*status = TASK_NO_STATUS;
	if (value == NULL)
		return 0;
	*status = task_status_parse(value);
	if (*status != TASK_NO_STATUS)
		return 0;
	near = strcmp(value, "done") == 0 ? "completed" : text_nearest(value, words, 3);
	cli_misuse(c, "'%s' is no status; %s%s", value,
	    near != NULL ? "did you mean " : "there are pending, in_progress, completed",
	    near != NULL ? near : "");
	return -1;
}

/* Starting and completing have rules of their own: they go the way of claim and complete. */
static int
change_status(struct cli *c, const char *id, enum task_status status, const struct change *with)
{
	struct change_complete how = { .id = id, .with = with };
	struct strings unblocked = { 0 };
	struct buf reason = { 0 };
	struct error err = { 0 };
	enum claim_result r;
	int rc = EXIT_DONE;

	if (status == TASK_IN_PROGRESS) {
		r = change_claim(c, id, false, NULL, &reason, &err);
		if (r == CLAIM_FAULT)
			rc = cli_error(c, &err);
		else if (r != CLAIM_OK)
			rc = cli_fail(c, claim_status(r, &err), "%s", buf_text(&reason));
	} else {
		rc = change_complete(c, &how, &reason, &unblocked);
		if (rc != EXIT_DONE)
			rc = cli_fail(c, rc, "%s", buf_text(&reason));
	}
	strings_free(&unblocked);
	buf_free(&reason);
	return rc;
}

static int
update_one(struct cli *c, const char *id, struct fields *f, enum task_status status)
{
	struct task after = TASK_INIT, before = TASK_INIT;
	struct error err;
	bool special = false;
	int rc;

	f->change.status = status;
	if (store_get(&c->store, id, &before, &err) == 1 && status != before.status &&
	    (status == TASK_IN_PROGRESS || status == TASK_COMPLETED)) {
		special = true;
		f->change.status = TASK_NO_STATUS;
		rc = change_status(c, id, status, &f->change);
		if (rc != EXIT_DONE) {
			task_free(&before);
			return rc;
		}
	}
	task_free(&before);
	rc = change_update(c, id, &f->change, NULL, &after, &err);
	if (rc == -1 && err.kind == ERROR_NOT_FOUND)
		rc = cli_no_task(c, id);
	else if (rc == -1)
		rc = cli_error(c, &err);
	else {
		tell(c, rc == 1 || special ? "updated" : "unchanged", &after);
		rc = EXIT_DONE;
	}
	task_free(&after);
	return rc;
}

int
update_main(struct cli *c)
{
	struct fields f;
	struct strings ids = { 0 };
	enum task_status status;
	bool some = false;
	int rc = EXIT_DONE, one;

	if (fields_read(c, &f) == -1 || status_value(c, &status) == -1)
		goto fail;
	f.change.subject = cli_value(c, "subject");
	for (int i = 0; i < c->operands; i++)
		if (cli_ids(c, c->operand[i], &ids) == -1)
			goto fail;
	for (size_t i = 0; i < c->flag_count; i++)
		for (const struct flag *k = c->command->flags; k->name != NULL; k++)
			some |= c->flags[i].flag == k && strcmp(k->name, "agent") != 0;
	if (!some) {
		cli_misuse(c, "nothing to change was given");
		goto fail;
	}
	if (cli_open(c, false) == -1)
		goto fail;
	change_begin(c);
	for (size_t i = 0; i < ids.count; i++)
		if ((one = update_one(c, ids.item[i], &f, status)) != EXIT_DONE)
			rc = one;
	goto out;
fail:
	rc = c->status;
out:
	strings_free(&ids);
	fields_free(&f);
	return rc;
}

int
delete_main(struct cli *c)
{
	struct strings ids = { 0 };
	struct view v = { 0 };
	struct error err;
	int rc = EXIT_DONE;

	for (int i = 0; i < c->operands; i++)
		if (cli_ids(c, c->operand[i], &ids) == -1)
			goto fail;
	if (view_load(c, &v) == -1)
		goto fail;
	change_begin(c);
	for (size_t i = 0; i < ids.count; i++) {
		const struct task *as = view_find(&v, ids.item[i]);
		struct task was = TASK_INIT;

		if (c->store.dirfd == -1 || change_delete(c, ids.item[i], as, &was, &err) == -1)
			rc = c->store.dirfd == -1 || err.kind == ERROR_NOT_FOUND
				 ? cli_no_task(c, ids.item[i])
				 : cli_error(c, &err);
		else
			tell(c, "deleted", &was);
		task_free(&was);
	}
	goto out;
fail:
	rc = c->status;
out:
	view_free(&v);
	strings_free(&ids);
	return rc;
}

int
clear_main(struct cli *c)
{
	struct view v;
	struct error err;
	char *question;
	bool some = cli_flag(c, "completed"), sure;
	size_t count = 0;
	int rc = EXIT_DONE;

	if (view_load(c, &v) == -1)
		return c->status;
	count = some ? v.completed : v.shown;
	if (count > 0) {
		question = mem_printf("remove %zu task%s from list '%s'?", count,
		    count == 1 ? "" : "s", c->list.name);
		sure = cli_confirm(c, question);
		free(question);
		if (!sure) {
			view_free(&v);
			return c->status;
		}
	}
	change_begin(c);
	count = 0;
	for (size_t i = 0; i < v.tasks.count && rc == EXIT_DONE; i++) {
		const struct task *t = &v.tasks.item[i];

		if (t->internal || (some && task_open(t)))
			continue;
		if (change_delete(c, t->id, t, NULL, &err) == 0)
			count++;
		else if (err.kind != ERROR_NOT_FOUND)
			rc = cli_error(c, &err);
	}
	if (c->json) {
		struct json_object *o = out_object();

		out_int(o, "removed", (int64_t)count);
		cli_json(c, o);
	} else {
		buf_printf(&c->out, "removed %zu task%s%s\n", count, count == 1 ? "" : "s",
		    count > 0 ? " (claude-tasks undo brings them back)" : "");
	}
	view_free(&v);
	return rc;
}

int
depend_main(struct cli *c)
{
	struct strings on = { 0 }, drop = { 0 };
	struct task t = TASK_INIT;
	struct error err;
	const char *id = cli_id(c, 0);
	int rc = EXIT_DONE, changed = 0, one;

	if (id == NULL || id_values(c, "on", &on) == -1 || id_values(c, "drop", &drop) == -1)
		goto fail;
	if (on.count + drop.count == 0) {
		cli_misuse(c, "'depend' needs --on or --drop");
		goto fail;
	}
	if ((one = cli_open(c, false)) != 1) {
		if (one == 0)
			cli_no_task(c, id);
		goto fail;
	}
	change_begin(c);
	for (size_t i = 0; i < on.count + drop.count; i++) {
		bool remove = i >= on.count;

		one = change_depend(
		    c, id, remove ? drop.item[i - on.count] : on.item[i], remove, &err);
		if (one == -1)
			rc = cli_error(c, &err);
		else
			changed += one;
	}
	if (rc == EXIT_DONE && store_get(&c->store, id, &t, &err) == 1) {
		if (c->json) {
			tell(c, changed ? "updated" : "unchanged", &t);
		} else {
			buf_printf(&c->out, "#%s ", id);
			if (t.blocked_by.count > 0) {
				buf_puts(&c->out, "waits for ");
				view_ids(&c->out, &t.blocked_by);
			} else {
				buf_puts(&c->out, "waits for nothing");
			}
			buf_puts(&c->out, changed ? "\n" : " (as before)\n");
		}
	}
	goto out;
fail:
	rc = c->status;
out:
	task_free(&t);
	strings_free(&on);
	strings_free(&drop);
	return rc;
}
