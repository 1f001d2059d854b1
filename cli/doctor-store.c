/*
 * The tasks: files that the client does not show, dependencies on missing tasks, on one side only,
 * in a cycle, or of a task on the one that it is a part of; ids that two tasks have, required
 * fields that are missing.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "doctor.h"
#include "form/convert.h"
#include "sys/file.h"
#include "undo.h"

struct bad {
	struct strings files, reasons;
};

static void
add_bad(void *arg, const char *file, const char *reason)
{
	struct bad *b = arg;

	strings_add(&b->files, file);
	strings_add(&b->reasons, reason);
}

/* Does the list have each of these tasks, with the same texts? */
static bool
all_there(const struct view *v, const struct task_set *tasks)
{
	bool *taken = mem_grow(NULL, v->tasks.count + 1, sizeof(*taken)), found = true;
	size_t k;

	memset(taken, 0, (v->tasks.count + 1) * sizeof(*taken));
	for (size_t i = 0; i < tasks->count && found; i++) {
		const struct task *t = &tasks->item[i], *o = v->tasks.item;

		for (k = 0; k < v->tasks.count; k++)
			if (!taken[k] && text_equal(t->subject, o[k].subject) &&
			    text_equal(t->description, o[k].description))
				break;
		taken[k] = true;
		found = k < v->tasks.count;
	}
	free(taken);
	return found;
}

/* Can import read tasks from this file beside the client's?  A task of the exported form has
 * dependencies, which the client's file has in another place.  there: the list has all of them. */
static bool
can_import(const struct doctor *d, const char *file, bool *there)
{
	const struct store *s = &d->c->store;
	bool document = strcmp(file, "tasks.json") == 0;
	struct task_set tasks = { 0 };
	struct convert_report report = { 0 };
	struct buf text = { 0 };
	struct json j = { 0 };
	struct error err;
	bool can =
	    s->layout != STORE_DOCUMENT &&
	    file_read(s->dirfd, file, FILE_FOLLOW, FILE_MAX, &text, &err) == 1 &&
	    (document || (json_parse(&j, text.data, text.len, &err) == 0 &&
			     json_count(&j, json_member(&j, JSON_ROOT, "dependencies")) > 0));

	if (can && document)
		can = convert_read(convert_form_of(buf_text(&text), text.len), buf_text(&text),
			  text.len, &tasks, &report, &err) != -1 &&
		      tasks.count > 0;
	*there = can && document && report.skipped.count == 0 && all_there(&d->view, &tasks);
	convert_report_free(&report);
	task_set_free(&tasks);
	json_free(&j);
	buf_free(&text);
	return can;
}

/* Do not offer to remove a file that may hold tasks (a tasks.json or an exported task beside the
 * client's files): it must be imported first. */
static char *
import_advice(const struct doctor *d, const char *file)
{
	char *option, *advice;
	bool there;

	if (!can_import(d, file, &there))
		return NULL;
	if (there)
		return mem_printf("move %s/%s away (the list has its tasks)", d->c->list.dir, file);
	option = cli_list_option(d->c);
	advice = mem_printf(
	    "claude-tasks%s import %s/%s, then remove that file", option, d->c->list.dir, file);
	free(option);
	return advice;
}

/* "claude-tasks VERB ID FLAG OTHER" */
static char *
command(
    const struct doctor *d, const char *verb, const char *id, const char *flag, const char *other)
{
	char *option = cli_list_option(d->c);
	struct buf b = { 0 };

	buf_printf(&b, "claude-tasks%s %s ", option, verb);
	task_id_word(&b, id);
	if (flag != NULL) {
		buf_printf(&b, " %s ", flag);
		task_id_word(&b, other);
	}
	free(option);
	return buf_take(&b);
}

/* An entry of tasks.json, which the reason names first ("tasks[3]: ..."), or the whole document. */
static char *
document_advice(const struct doctor *d, const char *reason)
{
	bool entry = strncmp(reason, "tasks[", 6) == 0;

	return mem_printf("correct %.*s%s%s/tasks.json by hand",
	    entry ? (int)strcspn(reason, ":") : 0, reason, entry ? " in " : "", d->c->list.dir);
}

/* For a file that --fix cannot repair: the task from the journal, else by hand. */
static char *
damage_advice(const struct doctor *d, const struct history *h, const char *file)
{
	char *path = mem_printf("%s/%s", d->c->list.dir, file), *restore;
	char *id = mem_copy(file, strlen(file) - strlen(".json"));
	struct buf b = { 0 };
	struct stat st;

	if (fstatat(d->c->store.dirfd, file, &st, 0) == 0 && !S_ISREG(st.st_mode)) {
		buf_printf(&b, "move %s away (it is %s)", path,
		    S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
	} else if (undo_last_text(h, id) == NULL) {
		buf_printf(&b, "correct or remove %s by hand", path);
	} else {
		restore = command(d, "restore", id, NULL, NULL);
		buf_puts(&b, "mv ");
		settings_shell_word(&b, path);
		buf_putc(&b, ' ');
		settings_shell_word(&b, path);
		buf_printf(&b, ".damaged && %s", restore);
		free(restore);
	}
	free(path);
	free(id);
	return buf_take(&b);
}

static void
report_invisible(struct doctor *d, const struct history *h, const char *file, const char *reason)
{
	bool document = d->c->store.layout == STORE_DOCUMENT;
	char *fix = import_advice(d, file), *did = NULL, *option;
	struct error err;
	int rc = fix != NULL || document ? 0 : doctor_repair(d, file, &err);

	if (rc == 1 && d->fix) {
		did = mem_string("rewrote it in the client's form");
	} else if (rc == 1) {
		option = cli_list_option(d->c);
		fix = mem_printf("claude-tasks%s doctor --fix", option);
		free(option);
	} else if (fix == NULL) {
		fix = document ? document_advice(d, reason) : damage_advice(d, h, file);
	}
	doctor_add(d, "store.invisible", LEVEL_PROBLEM, mem_printf("%s: %s", file, reason),
	    document ? "claude-tasks does not show this entry"
		     : "the client ignores the file, as if the task did not exist",
	    fix)
	    ->did = did;
}

static void
check_invisible(struct doctor *d)
{
	struct bad bad = { 0 };
	struct history h = { 0 };
	struct error err;

	doctor_checked(d, "store.invisible");
	if (store_bad(&d->c->store, add_bad, &bad, &err) == -1)
		doctor_add(d, "store.invisible", LEVEL_PROBLEM, mem_string(err.text),
		    "the list cannot be read",
		    mem_printf("inspect the files in %s", d->c->list.dir));
	if (bad.files.count > 0)
		(void)history_load(d->c, &h);
	for (size_t i = 0; i < bad.files.count; i++)
		report_invisible(d, &h, bad.files.item[i], bad.reasons.item[i]);
	if (d->backup != NULL) { /* the checks that follow are of the repaired tasks, too */
		view_free(&d->view);
		(void)view_load(d->c, &d->view);
	}
	history_free(&h);
	strings_free(&bad.files);
	strings_free(&bad.reasons);
}

/* In tasks.json two entries can have the same id. */
static void
check_duplicates(struct doctor *d)
{
	void *seen = NULL;

	doctor_checked(d, "store.duplicate");
	for (size_t i = 0; i < d->view.tasks.count; i++) {
		const char *id = d->view.tasks.item[i].id;

		if (!strings_first(&seen, id))
			doctor_add(d, "store.duplicate", LEVEL_PROBLEM,
			    mem_printf("#%s is the id of more than one task", id),
			    "a command changes only the first of them",
			    mem_printf(
				"give the others other ids in %s/tasks.json", d->c->list.dir));
	}
	strings_forget(seen);
}

static bool
drop_blocker(struct doctor *d, const char *id, const char *blocker)
{
	struct strings one = { (char *[]){ (char *)blocker }, 1 };
	struct change change = { .status = TASK_NO_STATUS, .remove_blocked_by = &one };
	struct store_op op = { STORE_UPDATE, id, .change = &change };
	struct buf ignored = { 0 };
	int status = change_one(d->c, &op, &ignored);

	store_ops_free(&op, 1);
	buf_free(&ignored);
	return status == EXIT_DONE;
}

static void
check_dangling(struct doctor *d)
{
	struct history h = { 0 };
	struct finding *f;

	doctor_checked(d, "store.dangling");
	if (history_load(d->c, &h) == -1)
		return;
	for (size_t i = 0; i < d->view.tasks.count; i++) {
		const struct task *t = &d->view.tasks.item[i];

		for (size_t k = 0; k < t->blocked_by.count; k++) {
			const char *id = t->blocked_by.item[k];
			bool back;

			if (view_find(&d->view, id) != NULL)
				continue;
			back = undo_last_text(&h, id) != NULL;
			f = doctor_add(d, "store.dangling", LEVEL_PROBLEM,
			    mem_printf("#%s waits for #%s, which does not exist", t->id, id),
			    "it can never start",
			    back ? command(d, "restore", id, NULL, NULL)
				 : command(d, "depend", t->id, "--drop", id));
			if (d->fix && !back && drop_blocker(d, t->id, id))
				f->did = mem_printf("#%s no longer waits for #%s", t->id, id);
		}
	}
	history_free(&h);
}

static void
check_one_sided(struct doctor *d)
{
	struct error err;
	struct finding *f;

	doctor_checked(d, "store.one-sided");
	if (d->c->store.layout != STORE_NATIVE)
		return; /* the other layouts have one side only */
	for (size_t i = 0; i < d->view.tasks.count; i++) {
		const struct task *t = &d->view.tasks.item[i];

		for (size_t k = 0; k < t->blocked_by.count + t->blocks.count; k++) {
			bool down = k < t->blocked_by.count;
			const char *id =
			    down ? t->blocked_by.item[k] : t->blocks.item[k - t->blocked_by.count];
			const char *blocked = down ? t->id : id, *blocker = down ? id : t->id;
			const struct task *o = view_find(&d->view, id);

			if (o == NULL || o == t ||
			    strings_has(down ? &o->blocks : &o->blocked_by, t->id))
				continue;
			f = doctor_add(d, "store.one-sided", LEVEL_WARNING,
			    mem_printf("#%s %s #%s, but #%s does not list it", t->id,
				down ? "waits for" : "blocks", id, id),
			    "a program that reads only the other task misses the dependency",
			    command(d, "depend", blocked, "--on", blocker));
			if (d->fix && store_depend(&d->c->store, blocked, blocker, false,
					  cli_deadline(), &err) != -1)
				f->did = mem_string("wrote the missing entry");
		}
	}
}

static void
check_cycle(struct doctor *d)
{
	struct strings path = { 0 };
	struct buf text = { 0 };

	doctor_checked(d, "store.cycle");
	if (!graph_any_cycle(&d->view.tasks, &path))
		return;
	for (size_t i = 0; i < path.count; i++)
		buf_printf(&text, "%s#%s", i > 0 ? " waits for " : "", path.item[i]);
	doctor_add(d, "store.cycle", LEVEL_PROBLEM, mem_string(buf_text(&text)),
	    "none of them can ever start; a person must decide which dependency is wrong",
	    command(
		d, "depend", path.item[0], "--drop", path.count > 1 ? path.item[1] : path.item[0]));
	buf_free(&text);
	strings_free(&path);
}

static void
check_parts(struct doctor *d)
{
	struct strings chain = { 0 };
	struct task_index ids;
	struct buf text = { 0 };

	doctor_checked(d, "store.part");
	task_index_make(&ids, &d->view.tasks);
	for (size_t i = 0; i < d->view.tasks.count; i++) {
		if (!graph_waits_for_whole(&ids, &d->view.tasks.item[i], &chain))
			continue;
		for (size_t k = 0; k < chain.count; k++)
			buf_printf(&text, "%s#%s", k > 0 ? " waits for " : "", chain.item[k]);
		buf_printf(&text, ", and is a part of it");
		doctor_add(d, "store.part", LEVEL_PROBLEM, mem_string(buf_text(&text)),
		    "a task is completed after its parts, so that neither can be completed",
		    command(d, "depend", chain.item[0], "--drop", chain.item[1]));
		buf_reset(&text);
		strings_free(&chain);
	}
	task_index_free(&ids);
	buf_free(&text);
}

static void
check_times(struct doctor *d)
{
	struct change none = CHANGE_INIT;
	struct strings ids = { 0 };
	struct buf what = { 0 };
	struct finding *f;
	struct error err;
	size_t i, did = 0;

	doctor_checked(d, "store.times");
	for (i = 0; i < d->view.tasks.count; i++)
		if (task_lacks_times(&d->view.tasks.item[i]))
			strings_add(&ids, d->view.tasks.item[i].id);
	if (ids.count == 0)
		return;
	buf_puts(&what, "without created_at or updated_at:");
	for (i = 0; i < ids.count && i < 10; i++)
		buf_printf(&what, "%s #%s", i > 0 ? "," : "", ids.item[i]);
	if (i < ids.count)
		buf_printf(&what, " and %zu more", ids.count - i);
	f = doctor_add(d, "store.times", LEVEL_WARNING, buf_take(&what),
	    "tasks.json requires both, and other programs may rely on them",
	    mem_string("claude-tasks doctor --fix (a change of the task adds them, too)"));
	for (i = 0; d->fix && i < ids.count; i++)
		did += store_update(&d->c->store, ids.item[i], &none, NULL, NULL, NULL, NULL,
			   cli_deadline(), &err) == 1;
	if (did > 0)
		f->did = mem_printf("added them to %zu of %zu", did, ids.count);
	else if (d->fix) {
		free(f->fix);
		f->fix = mem_string(err.text);
	}
	strings_free(&ids);
}

void
doctor_store(struct doctor *d)
{
	doctor_checked(d, "store.list");
	if (d->c->store.dirfd == -1) {
		doctor_add(d, "store.list", LEVEL_NOTE,
		    mem_printf("there is no list '%s' yet (%s)", d->c->list.name, d->c->list.why),
		    "it is created with its first task; the list of a session has another name, "
		    "see claude-tasks lists",
		    NULL);
		return;
	}
	check_invisible(d);
	check_duplicates(d);
	check_dangling(d);
	check_one_sided(d);
	check_cycle(d);
	check_parts(d);
	check_times(d);
}
