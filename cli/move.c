/*
 * import, export, rehome: copy and move tasks between lists, layouts and files.
 *
 * Every task that is added is journalled like a created one, so that undo can remove it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/event.h"
#include "agent/release.h"
#include "change.h"
#include "form/convert.h"
#include "sys/file.h"
#include "view.h"

static int
form_value(struct cli *c, const char *flag, enum convert_form *form)
{
	const char *value = cli_value(c, flag), *names[CONVERT_UNKNOWN];

	*form = CONVERT_UNKNOWN;
	if (value == NULL)
		return EXIT_DONE;
	*form = convert_form_parse(value);
	if (*form != CONVERT_UNKNOWN)
		return EXIT_DONE;
	for (enum convert_form i = CONVERT_NATIVE; i < CONVERT_UNKNOWN; i++)
		names[i] = convert_form_name(i);
	return cli_unknown(c, "form", value, names, CONVERT_UNKNOWN);
}

static void
lost_json(struct json_object *o, const struct convert_report *r)
{
	out_strings(o, "lost", &r->lost);
	out_strings(o, "changed", &r->changed);
	out_strings(o, "skipped", &r->skipped);
}

static void
lost_text(struct cli *c, const struct convert_report *r)
{
	const struct strings *const lists[] = { &r->skipped, &r->changed, &r->lost };
	static const char *const labels[] = { "skipped: ", "", "lost: " };

	/* On standard error: standard output may hold the exported tasks. */
	for (int i = 0; i < 3; i++)
		for (size_t k = 0; k < lists[i]->count; k++)
			cli_note(c, "%s%.300s", labels[i], lists[i]->item[k]);
}

static void
add_skipped(void *arg, const char *file, const char *reason)
{
	strings_take(arg, mem_printf("%s: %s", file, reason));
}

/* Tasks from a directory: a list of any layout. */
static int
read_directory(
    struct cli *c, const char *path, struct task_set *tasks, struct convert_report *report)
{
	struct store from = STORE_INIT;
	struct error err;
	int rc = store_open(&from, path, false, &err);

	if (rc == 0)
		rc = error_set(&err, ERROR_NOT_FOUND, "there is no list in '%s'", path);
	if (rc == 1)
		rc = store_load(&from, tasks, &err);
	if (rc == 0 && tasks->skipped > 0)
		rc = store_bad(&from, add_skipped, &report->skipped, &err);
	store_close(&from);
	if (rc == -1)
		cli_error(c, &err);
	return rc;
}

static int
read_source(struct cli *c, const char *path, enum convert_form form, struct task_set *tasks,
    struct convert_report *report)
{
	struct buf text = { 0 };
	struct error err;
	struct stat st;
	int rc;

	if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return read_directory(c, path, tasks, report);
	if (strcmp(path, "-") == 0)
		rc = file_read_fd(STDIN_FILENO, EVENT_MAX, &text, &err) == -1 ? -1 : 1;
	else
		rc = file_read_path(path, EVENT_MAX, &text, &err);
	if (rc == 0)
		rc = error_set(&err, ERROR_NOT_FOUND, "there is no file '%s'", path);
	if (rc == 1 && form == CONVERT_UNKNOWN)
		form = convert_form_of(text.data, text.len);
	if (rc == 1 &&
	    (rc = convert_read(form, buf_text(&text), text.len, tasks, report, &err)) == -1)
		error_prefix(&err, "'%s'", path);
	buf_free(&text);
	if (rc == -1)
		cli_error(c, &err);
	return rc;
}

/* Add the tasks to the open list, all or none, and journal each.  How many; -1 after cli_error().
 */
static int
put_all(struct cli *c, const struct task_set *tasks, struct convert_report *report)
{
	struct convert_batch put;
	struct change_batch b = { 0 };
	struct buf reason = { 0 };
	struct error err = { 0 };
	int status, count = -1;

	if (convert_begin(&put, &c->store, tasks, report, cli_deadline(), &err) == -1) {
		cli_error(c, &err);
	} else {
		b.op = put.op;
		b.count = put.count;
		if ((status = change_apply(c, &b, &reason)) == EXIT_DONE)
			count = (int)put.count;
		else
			cli_fail(c, status, "%s", buf_text(&reason));
	}
	convert_end(&put);
	buf_free(&reason);
	return count;
}

/* A priority that is none refuses the import, before anything is written. */
static int
check_priorities(struct cli *c, const struct task_set *tasks)
{
	for (size_t i = 0; i < tasks->count; i++) {
		const struct task *t = &tasks->item[i];
		json_ref top = json_member(&t->json, JSON_ROOT, "priority");
		json_ref inside = json_member(&t->json, task_metadata(t), "priority");
		struct buf name = { 0 };

		if (task_priority_ok(&t->json, top) && task_priority_ok(&t->json, inside))
			continue;
		task_name(&name, t);
		cli_fail(c, EXIT_RULE,
		    "the priority of %s must be low, medium or high: change it there. "
		    "Nothing was imported",
		    buf_text(&name));
		buf_free(&name);
		return -1;
	}
	return 0;
}

int
import_main(struct cli *c)
{
	struct task_set tasks = { 0 };
	struct convert_report report = { 0 };
	struct json_object *o;
	enum convert_form form;
	struct error err;
	bool dry = cli_flag(c, "dry-run");
	int count;

	if (form_value(c, "from", &form) != EXIT_DONE ||
	    read_source(c, c->operand[0], form, &tasks, &report) == -1 ||
	    check_priorities(c, &tasks) == -1)
		goto out;
	change_begin();
	count = (int)tasks.count;
	if (dry && convert_check(&tasks, &err) == -1) {
		cli_error(c, &err);
		goto out;
	}
	if (!dry && (cli_open(c, true) == -1 || (count = put_all(c, &tasks, &report)) == -1))
		goto out;
	if (c->json) {
		o = out_object();
		out_int(o, "imported", count);
		out_bool(o, "dry_run", dry);
		lost_json(o, &report);
		cli_json(c, o);
	} else {
		lost_text(c, &report);
		buf_printf(&c->out, "%s %d task%s\n", dry ? "would import" : "imported", count,
		    count == 1 ? "" : "s");
	}
out:
	task_set_free(&tasks);
	convert_report_free(&report);
	return c->status;
}

/* Write a new directory of that layout. */
static int
write_directory(struct cli *c, const char *path, enum convert_form form,
    const struct task_set *tasks, struct convert_report *report)
{
	struct store to = STORE_INIT;
	struct error err;
	int rc;

	if ((rc = convert_check(tasks, &err)) != -1)
		rc = convert_make(path, form == CONVERT_NATIVE ? STORE_NATIVE : STORE_FOLDER, &err);
	if (rc != -1)
		rc = store_open(&to, path, true, &err);
	if (rc != -1)
		rc = convert_put(&to, tasks, report, deadline_in(60000), &err);
	store_close(&to);
	return rc == -1 ? cli_error(c, &err) : EXIT_DONE;
}

/* The form for a file name, without --to. */
static enum convert_form
form_of_name(const char *path)
{
	size_t len = strlen(path);

	if (len > 3 && strcmp(path + len - 3, ".md") == 0)
		return CONVERT_CHECKLIST;
	if (len >= 10 && strcmp(path + len - 10, "tasks.json") == 0)
		return CONVERT_DOCUMENT;
	return CONVERT_EXPORTED;
}

/* The text of the tasks in this form. */
static int
export_text(struct cli *c, enum convert_form form, const struct task_set *tasks, struct buf *text,
    struct convert_report *report, struct error *err)
{
	if (form == CONVERT_EXPORTED && c->store.dirfd != -1)
		return convert_export(&c->store, text, err);
	return convert_print(form, tasks, clock_wall_ms(), text, report, err);
}

static int
export_write(struct cli *c, const char *path, enum convert_form form, const struct task_set *tasks,
    struct convert_report *report)
{
	struct buf text = { 0 };
	struct error err;
	bool strict = cli_flag(c, "strict");
	bool directory =
	    (form == CONVERT_NATIVE || form == CONVERT_FOLDER) && strcmp(path, "-") != 0;
	int status;

	if (directory && store_folder_name(path) != (form == CONVERT_FOLDER))
		return cli_misuse(c,
		    "a directory called .tasks has the form folder, and only such a one (write: "
		    "--to folder %s%s)",
		    path, form == CONVERT_FOLDER ? "/.tasks" : "");
	if ((!directory || strict) && export_text(c, form, tasks, &text, report, &err) == -1)
		status = cli_error(c, &err);
	else if (strict && report->lost.count > 0)
		status = cli_fail(c, EXIT_RULE,
		    "the export would lose %zu details, the first: %s (to export anyway, leave out "
		    "--strict)",
		    report->lost.count, report->lost.item[0]);
	else if (directory)
		status = write_directory(c, path, form, tasks, report);
	else
		status = cli_write_file(c, path, &text);
	buf_free(&text);
	return status;
}

static void
export_print(struct cli *c, const char *path, size_t count, const struct convert_report *report)
{
	struct json_object *o;

	lost_text(c, report);
	if (strcmp(path, "-") == 0)
		return;
	if (c->json) {
		o = out_object();
		out_int(o, "exported", (int64_t)count);
		out_string(o, "path", path);
		lost_json(o, report);
		cli_json(c, o);
	} else {
		buf_printf(
		    &c->out, "exported %zu task%s to %s\n", count, count == 1 ? "" : "s", path);
	}
}

int
export_main(struct cli *c)
{
	const char *path = c->operands > 0 ? c->operand[0] : "-";
	struct view v;
	struct convert_report report = { 0 };
	enum convert_form form;
	int status;

	if (form_value(c, "to", &form) != EXIT_DONE || view_load(c, &v) == -1)
		return c->status;
	if (form == CONVERT_UNKNOWN)
		form = form_of_name(path);
	status = export_write(c, path, form, &v.tasks, &report);
	if (status == EXIT_DONE)
		export_print(c, path, form == CONVERT_EXPORTED ? v.shown : v.tasks.count, &report);
	convert_report_free(&report);
	view_free(&v);
	return status;
}

/* The list of this name, or the only one whose name begins with it. */
static char *
list_named(struct cli *c, const char *config, const char *word, bool must)
{
	struct strings names = { 0 };
	struct error err;
	char *clean = list_sanitise(word), *found = NULL;
	const char *hit = NULL;
	size_t hits = 0;

	if (list_names(config, &names, &err) == -1) {
		cli_error(c, &err);
	} else if (strings_has(&names, clean) || !must) {
		found = mem_string(clean);
	} else {
		for (size_t i = 0; i < names.count; i++)
			if (strncmp(names.item[i], clean, strlen(clean)) == 0) {
				hit = names.item[i];
				hits++;
			}
		if (hits == 1)
			found = mem_string(hit);
		else
			cli_fail(c, EXIT_UNKNOWN,
			    "%s list has a name that begins with '%s' (try: claude-tasks lists)",
			    hits == 0 ? "no" : "more than one", word);
	}
	strings_free(&names);
	free(clean);
	return found;
}

/* Open the list of this name as the one that the functions of change.h work on. */
static int
open_list(struct cli *c, const char *name, bool make)
{
	cli_close(c);
	list_free(&c->list);
	c->list_name = name;
	return cli_open(c, make);
}

/* The tasks to move: the open ones, or all. */
static int
rehome_load(struct cli *c, bool dry, struct task_set *tasks)
{
	struct released dead = { 0 };
	struct agent self;
	struct error err;
	size_t kept = 0;

	cli_agent(c, &self);
	if (!dry &&
	    release_dead(&c->list, &c->store, NULL, &self, NULL, &dead, cli_deadline(), &err) == -1)
		cli_note(c, "claude-tasks: %s", err.text);
	released_free(&dead);
	if (store_load(&c->store, tasks, &err) == -1) {
		cli_error(c, &err);
		return -1;
	}
	for (size_t i = 0; i < tasks->count; i++) {
		if (cli_flag(c, "all") || task_open(&tasks->item[i]))
			tasks->item[kept++] = tasks->item[i];
		else
			task_free(&tasks->item[i]);
	}
	tasks->count = kept;
	return 0;
}

static int
rehome_delete(struct cli *c, const struct task_set *tasks, const char *to)
{
	struct store_op *op = mem_alloc((tasks->count + 1) * sizeof(*op));
	struct change_batch b = { .op = op, .count = tasks->count };
	struct buf reason = { 0 };
	int status;

	for (size_t i = 0; i < tasks->count; i++)
		op[i] = (struct store_op){ .kind = STORE_DELETE, .id = tasks->item[i].id };
	if ((status = change_apply(c, &b, &reason)) != EXIT_DONE)
		cli_fail(c, status,
		    "the tasks were copied, but not deleted from '%s': %s (to delete the copies: "
		    "claude-tasks --list %s undo)",
		    c->list.name, buf_text(&reason), to);
	change_end(&b);
	free(op);
	buf_free(&reason);
	return status == EXIT_DONE ? 0 : -1;
}

/* How many tasks; -1 after a failure. */
static int
rehome(struct cli *c, const char *from, const char *to, struct convert_report *report)
{
	struct task_set tasks = { 0 };
	bool dry = cli_flag(c, "dry-run");
	int count = -1;

	if (open_list(c, from, false) == -1 || rehome_load(c, dry, &tasks) == -1)
		goto out;
	count = (int)tasks.count;
	if (dry)
		goto out;
	change_begin();
	if (open_list(c, to, true) == -1 || (count = put_all(c, &tasks, report)) == -1)
		count = -1;
	else if (!cli_flag(c, "copy") &&
		 (open_list(c, from, false) == -1 || rehome_delete(c, &tasks, to) == -1))
		count = -1;
out:
	task_set_free(&tasks);
	return count;
}

static void
rehome_print(
    struct cli *c, const char *from, const char *to, int count, const struct convert_report *report)
{
	bool dry = cli_flag(c, "dry-run");
	struct json_object *o;

	if (c->json) {
		o = out_object();
		out_string(o, "from", from);
		out_string(o, "to", to);
		out_int(o, "tasks", count);
		out_bool(o, "dry_run", dry);
		lost_json(o, report);
		cli_json(c, o);
		return;
	}
	lost_text(c, report);
	buf_printf(&c->out, "%s %d task%s from '%s' to '%s'\n",
	    dry                   ? "would move"
	    : cli_flag(c, "copy") ? "copied"
				  : "moved",
	    count, count == 1 ? "" : "s", from, to);
}

int
rehome_main(struct cli *c)
{
	struct convert_report report = { 0 };
	struct error err;
	char *from, *to = NULL, *config = list_config_dir(&err);
	int count = -1;

	if (config == NULL)
		return cli_error(c, &err);
	from = list_named(c, config, c->operand[0], true);
	if (from != NULL && c->operands > 1)
		to = list_named(c, config, c->operand[1], false);
	else if (from != NULL && cli_find(c) == 0)
		to = mem_string(c->list.name);
	if (to != NULL && strcmp(from, to) == 0)
		cli_misuse(c, "FROM and TO are the same list, '%s'", to);
	else if (to != NULL && (count = rehome(c, from, to, &report)) != -1)
		rehome_print(c, from, to, count, &report);
	convert_report_free(&report);
	free(from);
	free(to);
	free(config);
	return count == -1 ? c->status : EXIT_DONE;
}
