/*
 * import, export, rehome: tasks between lists, layouts and files.
 *
 * What came into a list is journalled task by task, as if it had been
 * created there, so that undo takes it back.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/event.h"
#include "agent/release.h"
#include "base/text.h"
#include "change.h"
#include "form/convert.h"
#include "sys/dir.h"
#include "sys/file.h"
#include "view.h"

static int
form_value(struct cli *c, const char *flag, enum convert_form *form)
{
	static const char *const names[] = { "native", "document", "exported", "folder",
		"checklist", "tasks.json", "markdown" };
	const char *value = cli_value(c, flag), *near;

	*form = CONVERT_UNKNOWN;
	if (value == NULL)
		return 0;
	*form = convert_form_parse(value);
	if (*form != CONVERT_UNKNOWN)
		return 0;
	near = text_nearest(value, names, sizeof(names) / sizeof(names[0]));
	cli_misuse(c, "'%s' is no form; %s%s", value,
	    near != NULL ? "did you mean "
			 : "there are native, document, exported, folder, checklist",
	    near != NULL ? near : "");
	return -1;
}

static void
report_json(struct json_object *o, const struct convert_report *r)
{
	out_strings(o, "lost", &r->lost);
	out_strings(o, "changed", &r->changed);
	out_strings(o, "skipped", &r->skipped);
}

static void
report_text(struct cli *c, const struct convert_report *r)
{
	const struct strings *const lists[] = { &r->skipped, &r->changed, &r->lost };
	static const char *const labels[] = { "skipped: ", "", "lost: " };
	struct buf line = { 0 };

	for (int i = 0; i < 3; i++)
		for (size_t k = 0; k < lists[i]->count; k++) {
			/* The report's own words, kept apart from the tasks on standard output. */
			buf_reset(&line);
			buf_puts(&line, labels[i]);
			view_text(&line, lists[i]->item[k], 300);
			cli_note(c, "%s", buf_text(&line));
		}
	buf_free(&line);
}

/* Tasks from a directory: a list of any layout. */
static int
read_directory(struct cli *c, const char *path, struct task_set *tasks)
{
	struct store from = STORE_INIT;
	struct error err;
	int rc = store_open(&from, path, false, &err);

	if (rc == 0)
		rc = error_set(&err, ERROR_NOT_FOUND, "there is no list in '%s'", path);
	if (rc == 1)
		rc = store_load(&from, tasks, &err);
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
		return read_directory(c, path, tasks);
	if (strcmp(path, "-") == 0)
		rc = file_read_fd(STDIN_FILENO, EVENT_MAX, &text, &err) == -1 ? -1 : 1;
	else
		rc = file_read_path(path, EVENT_MAX, &text, &err);
	if (rc == 0)
		rc = error_set(&err, ERROR_NOT_FOUND, "there is no '%s'", path);
	if (rc == 1 && form == CONVERT_UNKNOWN) {
		form = convert_form_of(text.data, text.len);
		if (form == CONVERT_UNKNOWN)
			rc = error_set(&err, ERROR_INPUT,
			    "'%s' is in no form that is known (try: --from document, exported, "
			    "native or "
			    "checklist)",
			    path);
	}
	if (rc == 1)
		rc = convert_read(form, buf_text(&text), text.len, tasks, report, &err);
	buf_free(&text);
	if (rc == -1)
		cli_error(c, &err);
	return rc;
}

/* Put them into the open list, and journal each. How many; -1 after cli_error(). */
static int
put_all(struct cli *c, const struct task_set *tasks, struct convert_report *report)
{
	struct task_set before = { 0 }, after = { 0 };
	struct error err = { 0 };
	int rc, count;

	if (store_load(&c->store, &before, &err) == -1) {
		cli_error(c, &err);
		return -1;
	}
	count = convert_put(&c->store, tasks, report, deadline_in(60000), &err);
	/* What was put before an error stays: it is journalled all the same. */
	rc = store_load(&c->store, &after, &(struct error){ 0 });
	for (size_t i = 0; i < after.count && rc != -1; i++)
		if (task_set_find(&before, after.item[i].id) == NULL)
			change_record(c, "create", NULL, &after.item[i], NULL, NULL);
	task_set_free(&before);
	task_set_free(&after);
	if (count == -1)
		cli_error(c, &err);
	return count;
}

int
import_main(struct cli *c)
{
	struct task_set tasks = { 0 };
	struct convert_report report = { 0 };
	struct json_object *o;
	enum convert_form form;
	bool dry = cli_flag(c, "dry-run");
	int count = 0, status = EXIT_DONE;

	if (form_value(c, "from", &form) == -1 ||
	    read_source(c, c->operand[0], form, &tasks, &report) == -1)
		goto fail;
	change_begin(c);
	if (dry)
		count = (int)tasks.count;
	else if (cli_open(c, true) == -1 || (count = put_all(c, &tasks, &report)) == -1)
		goto fail;
	if (c->json) {
		o = out_object();
		out_int(o, "imported", count);
		out_bool(o, "dry_run", dry);
		report_json(o, &report);
		cli_json(c, o);
	} else {
		report_text(c, &report);
		buf_printf(&c->out, "%s %d task%s\n", dry ? "would import" : "imported", count,
		    count == 1 ? "" : "s");
	}
	goto out;
fail:
	status = c->status;
out:
	task_set_free(&tasks);
	convert_report_free(&report);
	return status;
}

static int
write_file(struct cli *c, const char *path, const struct buf *text)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash == NULL ? mem_string(".") : mem_copy(path, (size_t)(slash - path + 1));
	struct error err;
	int fd = dir_open(dir, &err), rc = -1;

	free(dir);
	if (fd != -1) {
		rc = file_replace(fd, slash == NULL ? path : slash + 1, text->data, text->len, 0,
		    DURABILITY_FILE, &err);
		close(fd);
	}
	return rc == -1 ? cli_error(c, &err) : EXIT_DONE;
}

/* A directory of that layout, which must not be there. */
static int
write_directory(struct cli *c, const char *path, enum convert_form form,
    const struct task_set *tasks, struct convert_report *report)
{
	struct store to = STORE_INIT;
	struct error err;
	int rc;

	rc = convert_make(path, form == CONVERT_NATIVE ? STORE_NATIVE : STORE_FOLDER, &err);
	if (rc != -1)
		rc = store_open(&to, path, true, &err);
	if (rc != -1)
		rc = convert_put(&to, tasks, report, deadline_in(60000), &err);
	store_close(&to);
	return rc == -1 ? cli_error(c, &err) : EXIT_DONE;
}

/* The form that a name asks for by itself. */
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

int
export_main(struct cli *c)
{
	const char *path = c->operands > 0 ? c->operand[0] : "-";
	struct view v;
	struct convert_report report = { 0 };
	struct buf text = { 0 };
	struct error err;
	enum convert_form form;
	int status = EXIT_DONE;

	if (form_value(c, "to", &form) == -1)
		return c->status;
	if (form == CONVERT_UNKNOWN)
		form = form_of_name(path);
	if (view_load(c, &v) == -1)
		return c->status;
	if ((form == CONVERT_NATIVE || form == CONVERT_FOLDER) && strcmp(path, "-") != 0) {
		status = write_directory(c, path, form, &v.tasks, &report);
	} else if (convert_print(form, &v.tasks, clock_wall_ms(), &text, &report, &err) == -1) {
		status = cli_error(c, &err);
	} else {
		if (cli_flag(c, "strict") && report.lost.count > 0)
			status = cli_fail(c, EXIT_RULE, "%zu things would be lost, the first: %s",
			    report.lost.count, report.lost.item[0]);
		else if (strcmp(path, "-") != 0)
			status = write_file(c, path, &text);
		else
			buf_add(&c->out, text.data, text.len);
	}
	if (status == EXIT_DONE) {
		report_text(c, &report);
		if (strcmp(path, "-") != 0 && !c->json)
			buf_printf(&c->out, "exported %zu task%s to %s\n", v.tasks.count,
			    v.tasks.count == 1 ? "" : "s", path);
		else if (strcmp(path, "-") != 0) {
			struct json_object *o = out_object();

			out_int(o, "exported", (int64_t)v.tasks.count);
			out_string(o, "path", path);
			report_json(o, &report);
			cli_json(c, o);
		}
	}
	buf_free(&text);
	convert_report_free(&report);
	view_free(&v);
	return status;
}

/* A list by its name, or by the beginning of it if that is enough to tell. */
static char *
list_named(struct cli *c, const char *config, const char *word, bool must)
{
	struct strings names = { 0 };
	struct error err;
	char *clean = list_sanitise(word), *found = NULL;
	size_t hits = 0;

	if (list_names(config, &names, &err) == -1) {
		cli_error(c, &err);
	} else if (strings_has(&names, clean) || !must) {
		found = mem_string(clean);
	} else {
		for (size_t i = 0; i < names.count; i++)
			if (strncmp(names.item[i], clean, strlen(clean)) == 0) {
				free(found);
				found = mem_string(names.item[i]);
				hits++;
			}
		if (hits != 1) {
			free(found);
			found = NULL;
			cli_fail(c, EXIT_UNKNOWN,
			    "%s list is called '%s' (try: claude-tasks lists)",
			    hits == 0 ? "no" : "more than one", word);
		}
	}
	strings_free(&names);
	free(clean);
	return found;
}

/* The list of this name becomes the one that the functions of act.h work on. */
static int
enter(struct cli *c, const char *name, bool make)
{
	store_close(&c->store);
	list_free(&c->list);
	c->list_name = name;
	return cli_open(c, make);
}

static int
rehome(struct cli *c, const char *from, const char *to, struct convert_report *report)
{
	struct task_set tasks = { 0 };
	struct released dead = { 0 };
	struct agent self;
	struct error err;
	bool dry = cli_flag(c, "dry-run"), all = cli_flag(c, "all");
	int count = -1;
	size_t kept = 0;

	if (enter(c, from, false) == -1)
		return -1;
	cli_agent(c, &self);
	if (!dry &&
	    release_dead(&c->list, &c->store, NULL, &self, NULL, &dead, cli_patience(), &err) == -1)
		cli_note(c, "claude-tasks: %s", err.text);
	if (store_load(&c->store, &tasks, &err) == -1) {
		cli_error(c, &err);
		goto out;
	}
	for (size_t i = 0; i < tasks.count; i++) {
		if (all || task_open(&tasks.item[i]))
			tasks.item[kept++] = tasks.item[i];
		else
			task_free(&tasks.item[i]);
	}
	tasks.count = kept;
	if (dry) {
		count = (int)kept;
		goto out;
	}
	change_begin(c);
	if (enter(c, to, true) == -1 || (count = put_all(c, &tasks, report)) == -1)
		goto out;
	if (cli_flag(c, "copy"))
		goto out;
	if (enter(c, from, false) == -1) {
		count = -1;
		goto out;
	}
	for (size_t i = 0; i < tasks.count; i++)
		if (change_delete(c, tasks.item[i].id, &tasks.item[i], NULL, &err) == -1 &&
		    err.kind != ERROR_NOT_FOUND) {
			cli_error(c, &err);
			count = -1;
		}
out:
	released_free(&dead);
	task_set_free(&tasks);
	return count;
}

int
rehome_main(struct cli *c)
{
	struct convert_report report = { 0 };
	struct json_object *o;
	char *from = NULL, *to = NULL, *config;
	bool dry = cli_flag(c, "dry-run");
	struct error err;
	int count, status = EXIT_DONE;

	config = list_config_dir(&err);
	if (config == NULL)
		return cli_error(c, &err);
	from = list_named(c, config, c->operand[0], true);
	if (from == NULL)
		goto fail;
	if (c->operands > 1) {
		to = list_named(c, config, c->operand[1], false);
	} else if (cli_find(c) == 0) {
		to = mem_string(c->list.name);
	}
	if (to == NULL)
		goto fail;
	if (strcmp(from, to) == 0) {
		cli_misuse(c, "'%s' is where the tasks are already", to);
		goto fail;
	}
	count = rehome(c, from, to, &report);
	if (count == -1)
		goto fail;
	if (c->json) {
		o = out_object();
		out_string(o, "from", from);
		out_string(o, "to", to);
		out_int(o, "tasks", count);
		out_bool(o, "dry_run", dry);
		report_json(o, &report);
		cli_json(c, o);
	} else {
		report_text(c, &report);
		buf_printf(&c->out, "%s %d task%s from '%s' to '%s'\n",
		    dry                   ? "would move"
		    : cli_flag(c, "copy") ? "copied"
					  : "moved",
		    count, count == 1 ? "" : "s", from, to);
	}
	goto out;
fail:
	status = c->status;
out:
	convert_report_free(&report);
	free(from);
	free(to);
	free(config);
	return status;
}
