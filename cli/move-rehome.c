/*
 * rehome: move tasks from one list to another.
 *
 * They are copied, then deleted where they were, if none of them was changed meanwhile.  Else the
 * copies are deleted, and all of it is tried again.  The journal of each list names the other one,
 * so that undo undoes both sides.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/release.h"
#include "change.h"
#include "move-part.h"

#define REHOME_TRIES 3

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

/* The tasks to move: the open ones, or all; `was` keeps them as they were read. */
static int
rehome_load(struct cli *c, bool dry, struct task_set *tasks, struct task_set *was,
    struct convert_report *report)
{
	struct released dead = { 0 };
	struct agent self;
	struct error err;
	bool all = cli_flag(c, "all");
	size_t kept = 0;

	cli_agent(c, &self);
	if (!dry &&
	    release_dead(&c->list, &c->store, NULL, &self, NULL, &dead, cli_deadline(), &err) == -1)
		cli_note(c, "claude-tasks: %s", err.text);
	released_free(&dead);
	if (store_load(&c->store, tasks, &err) == -1)
		goto fail;
	for (size_t i = 0; i < tasks->count; i++)
		if (all || task_open(&tasks->item[i]))
			task_copy(task_set_add(was), &tasks->item[i]);
	if (convert_settle(tasks, NULL, false, report, &err) == -1)
		goto fail;
	for (size_t i = 0; i < tasks->count; i++) {
		if (all || task_open(&tasks->item[i]))
			tasks->item[kept++] = tasks->item[i];
		else
			task_free(&tasks->item[i]);
	}
	tasks->count = kept;
	/* What is left behind is completed and blocks nothing. */
	if (convert_settle(tasks, NULL, true, report, &err) == 0)
		return 0;
fail:
	cli_error(c, &err);
	return -1;
}

struct unchanged {
	struct task_set tasks; /* as they were read */
	bool failed;           /* one of them was changed since */
};

static int
check_as_read(void *arg, struct store *s, struct error *err)
{
	struct unchanged *u = arg;
	struct task now = TASK_INIT;
	int rc = 1;

	for (size_t i = 0; rc == 1 && i < u->tasks.count; i++) {
		const struct task *t = &u->tasks.item[i];

		rc = store_get(s, t->id, &now, err);
		u->failed =
		    rc == 0 || (rc == 1 && strcmp(buf_text(&now.text), buf_text(&t->text)) != 0);
		if (u->failed)
			rc = error_set(err, ERROR_BUSY, "task #%s was changed meanwhile", t->id);
	}
	task_free(&now);
	return rc == -1 ? -1 : 0;
}

/* Delete these tasks of the open list, all or none, if none of them was changed; an exit status.
 * to: where they were copied to; NULL. */
static int
delete_unchanged(struct cli *c, struct unchanged *u, const char *to, struct buf *reason)
{
	size_t count = u->tasks.count;
	struct store_op *op = mem_alloc((count + 1) * sizeof(*op));
	struct change_batch b = {
		.op = op, .count = count, .other_list = to, .guard = check_as_read, .guard_arg = u
	};
	int status;

	for (size_t i = 0; i < count; i++)
		op[i] = (struct store_op){ .kind = STORE_DELETE, .id = u->tasks.item[i].id };
	status = change_apply(c, &b, reason);
	change_end(&b);
	free(op);
	return status;
}

/* The tasks stay where they were: delete the copies.  1: then it can be tried again; -1, printed.
 */
static int
rehome_failed(struct cli *c, int status, const char *why, const char *from, const char *to,
    struct unchanged *copies, bool again)
{
	struct buf ignored = { 0 };
	bool left = cli_open_list(c, to, true) == -1 ||
		    delete_unchanged(c, copies, NULL, &ignored) != EXIT_DONE;

	buf_free(&ignored);
	if (!left && again)
		return 1;
	if (left)
		cli_fail(c, EXIT_PARTLY,
		    "the tasks were copied, but not deleted from '%s': %s (to delete the copies: "
		    "claude-tasks --list %s undo)",
		    from, why, to);
	else
		cli_fail(c, status, "%s; nothing was moved", why);
	return -1;
}

/* 0; 1: they were changed meanwhile, try again; -1 after a failure. */
static int
rehome_write(struct cli *c, const char *from, const char *to, const struct task_set *tasks,
    struct unchanged *was, struct convert_report *report, bool again)
{
	struct unchanged copies = { 0 };
	struct buf reason = { 0 };
	int status, rc = -1;

	change_begin();
	if (cli_open_list(c, to, true) == -1 ||
	    move_put(c, tasks, cli_flag(c, "copy") ? NULL : from, report, &copies.tasks) == -1)
		;
	else if (cli_flag(c, "copy"))
		rc = 0;
	else if (cli_open_list(c, from, false) == -1)
		rc = rehome_failed(c, c->status, "it cannot be opened", from, to, &copies, false);
	else if ((status = delete_unchanged(c, was, to, &reason)) == EXIT_DONE)
		rc = 0;
	else
		rc = rehome_failed(
		    c, status, buf_text(&reason), from, to, &copies, was->failed && again);
	task_set_free(&copies.tasks);
	buf_free(&reason);
	return rc;
}

/* How many tasks; -1 after a failure. */
static int
rehome(struct cli *c, const char *from, const char *to, struct convert_report *report)
{
	struct task_set tasks = { 0 };
	struct unchanged was = { 0 };
	bool dry = cli_flag(c, "dry-run");
	int rc, count, tries = 0;

	do {
		convert_report_free(report);
		*report = (struct convert_report){ 0 };
		rc = cli_open_list(c, from, false) == -1
			 ? -1
			 : rehome_load(c, dry, &tasks, &was.tasks, report);
		count = (int)tasks.count;
		if (rc == 0 && !dry)
			rc =
			    rehome_write(c, from, to, &tasks, &was, report, ++tries < REHOME_TRIES);
		task_set_free(&tasks);
		task_set_free(&was.tasks);
	} while (rc == 1);
	return rc == -1 ? -1 : count;
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
		move_lost_json(o, report);
		cli_json(c, o);
		return;
	}
	move_lost_text(c, report);
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
