/*
 * import, export: copy tasks between lists, layouts and files.
 *
 * Every task that is added is journalled like a created one, so that undo can remove it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/event.h"
#include "base/text.h"
#include "base/utf8.h"
#include "change.h"
#include "move-part.h"
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

void
move_lost_json(struct json_object *o, const struct convert_report *r)
{
	out_strings(o, "lost", &r->lost);
	out_strings(o, "changed", &r->changed);
	out_strings(o, "skipped", &r->skipped);
}

void
move_lost_text(struct cli *c, const struct convert_report *r)
{
	const struct strings *const lists[] = { &r->skipped, &r->changed, &r->lost };
	static const char *const labels[] = { "skipped: ", "", "lost: " };

	/* On standard error: standard output may hold the exported tasks. */
	for (int i = 0; i < 3; i++)
		for (size_t k = 0; k < lists[i]->count; k++)
			cli_note(c, "%s%.300s", labels[i], lists[i]->item[k]);
}

/* A directory that is imported. */
struct source {
	const char *path;
	struct task_set *tasks;
	struct convert_report *report;
};

/* Reads a file that the client does not show as import reads a file; false: it is not a task. */
static bool
read_hidden(struct source *s, const char *file, const char *id)
{
	char *path = mem_printf("%s/%s", s->path, file);
	struct convert_report ignored = { 0 };
	struct task_set set = { 0 };
	struct buf text = { 0 };
	struct error err;
	bool is =
	    file_read_path(path, EVENT_MAX, &text, &err) == 1 &&
	    convert_read(CONVERT_NATIVE, buf_text(&text), text.len, &set, &ignored, &err) == 0 &&
	    set.count == 1 && strcmp(set.item[0].id, id) == 0;

	if (is) {
		*task_set_add(s->tasks) = set.item[0];
		set.item[0] = (struct task)TASK_INIT;
	}
	task_set_free(&set);
	convert_report_free(&ignored);
	buf_free(&text);
	free(path);
	return is;
}

static void
add_skipped(void *arg, const char *file, const char *reason)
{
	struct source *s = arg;
	char *id = mem_copy(file, strlen(file) - strlen(".json"));

	if (read_hidden(s, file, id)) {
		free(id);
		return;
	}
	strings_take(&s->report->skipped, mem_printf("%s: %s", file, reason));
	strings_take(&s->report->skipped_ids, id);
}

/* Tasks from a directory: a list of any layout. */
static int
read_directory(
    struct cli *c, const char *path, struct task_set *tasks, struct convert_report *report)
{
	struct store from = STORE_INIT;
	struct source source = { path, tasks, report };
	struct error err;
	int rc = store_open(&from, path, false, &err);

	if (rc == 0)
		rc = error_set(&err, ERROR_NOT_FOUND, "there is no list in '%s'", path);
	if (rc == 1)
		rc = store_load(&from, tasks, &err);
	if (rc == 0 && tasks->skipped > 0)
		rc = store_bad(&from, add_skipped, &source, &err);
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

int
move_put(struct cli *c, const struct task_set *tasks, const char *from,
    struct convert_report *report, struct task_set *made)
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
		b.other_list = from;
		if ((status = change_apply(c, &b, &reason)) == EXIT_DONE)
			count = (int)put.count;
		else
			cli_fail(c, status, "%s", buf_text(&reason));
		for (size_t i = 0; count != -1 && made != NULL && i < put.count; i++)
			task_copy(task_set_add(made), &put.op[i].after);
	}
	convert_end(&put);
	buf_free(&reason);
	return count;
}

/* An unknown priority refuses the import, before anything is written. */
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

/* No task may wait for one that does not exist; with --strict nothing may be lost. */
static int
import_settle(struct cli *c, struct task_set *tasks, bool dry, struct convert_report *report)
{
	struct error err;
	size_t lost;

	if (cli_open(c, !dry) == -1)
		return -1;
	if (convert_settle(tasks, &c->store, false, report, &err) == -1 ||
	    convert_check(tasks, &err) == -1) {
		cli_error(c, &err);
		return -1;
	}
	lost = report->skipped.count + report->lost.count;
	if (!cli_flag(c, "strict") || lost == 0)
		return 0;
	cli_fail(c, EXIT_RULE,
	    "the import would leave out %zu entries or dependencies, the first: %s (to import "
	    "anyway, leave out --strict)",
	    lost, report->skipped.count > 0 ? report->skipped.item[0] : report->lost.item[0]);
	return -1;
}

/* Nothing has checked them here. */
static int
check_completed(struct cli *c, const struct task_set *tasks)
{
	const struct task *first = NULL;
	struct buf name = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < tasks->count; i++)
		if (tasks->item[i].status == TASK_COMPLETED) {
			first = first == NULL ? &tasks->item[i] : first;
			n++;
		}
	if (n == 0 || !cli_by_agent())
		return 0;
	task_name(&name, first);
	cli_fail(c, EXIT_RULE,
	    "%zu task%s to be imported %s completed, without a check here, the first: %s. Only a "
	    "person may import these: ask the user to run this command in a terminal outside "
	    "Claude Code, or set them to pending before the import",
	    n, n == 1 ? "" : "s", n == 1 ? "is" : "are", buf_text(&name));
	buf_free(&name);
	return -1;
}

int
import_main(struct cli *c)
{
	struct task_set tasks = { 0 };
	struct convert_report report = { 0 };
	struct json_object *o;
	enum convert_form form;
	bool dry = cli_flag(c, "dry-run");
	int count;

	if (form_value(c, "from", &form) != EXIT_DONE ||
	    read_source(c, c->operand[0], form, &tasks, &report) == -1 ||
	    check_priorities(c, &tasks) == -1 || check_completed(c, &tasks) == -1 ||
	    import_settle(c, &tasks, dry, &report) == -1)
		goto out;
	change_begin();
	count = (int)tasks.count;
	if (!dry && (count = move_put(c, &tasks, NULL, &report, NULL)) == -1)
		goto out;
	if (c->json) {
		o = out_object();
		out_int(o, "imported", count);
		out_bool(o, "dry_run", dry);
		move_lost_json(o, &report);
		cli_json(c, o);
	} else {
		move_lost_text(c, &report);
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
		return convert_export(&c->store, false, false, text, err);
	return convert_print(form, tasks, clock_wall_ms(), text, report, err);
}

/* On a terminal no character of a task may act; in JSON it is written as an escape. */
static void
show_text(enum convert_form form, struct buf *text)
{
	const char *p = buf_text(text), *end = p + text->len;
	struct buf out = { 0 };
	int32_t c;

	if (form == CONVERT_CHECKLIST)
		text_show(&out, p, text->len, TEXT_BLOCK, text->len);
	while (form != CONVERT_CHECKLIST && p < end) {
		c = utf8_next(&p, end);
		if (c == '\n' || c == '\t' || text_safe(c))
			utf8_put(&out, (uint32_t)c);
		else if (c > 0xffff)
			buf_printf(&out, "\\u%04x\\u%04x",
			    0xd800u + (((unsigned int)c - 0x10000u) >> 10),
			    0xdc00u + (((unsigned int)c - 0x10000u) & 0x3ffu));
		else
			buf_printf(&out, "\\u%04x", c < 0 ? 0xfffdu : (unsigned int)c);
	}
	buf_free(text);
	*text = out;
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
		    "the form 'folder' is used for, and only for, a directory called .tasks "
		    "(write: "
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
	else {
		if (strcmp(path, "-") == 0 && isatty(STDOUT_FILENO))
			show_text(form, &text);
		status = cli_write_file(c, path, &text);
	}
	buf_free(&text);
	return status;
}

static void
export_print(struct cli *c, const char *path, size_t count, const struct convert_report *report)
{
	struct json_object *o;

	move_lost_text(c, report);
	if (strcmp(path, "-") == 0)
		return;
	if (c->json) {
		o = out_object();
		out_int(o, "exported", (int64_t)count);
		out_string(o, "path", path);
		move_lost_json(o, report);
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
