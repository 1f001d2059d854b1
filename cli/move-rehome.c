/*
 * rehome: move tasks from one list to another.
 *
 * The journal of each list names the other one, so that undo undoes both sides.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/release.h"
#include "move-part.h"

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

/* The tasks to move: the open ones, or all. */
static int
rehome_load(struct cli *c, bool dry, struct task_set *tasks, struct convert_report *report)
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
	if (store_load(&c->store, tasks, &err) == -1 ||
	    convert_settle(tasks, NULL, false, report, &err) == -1) {
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
	/* What is left behind is completed and blocks nothing. */
	if (convert_settle(tasks, NULL, true, report, &err) == -1) {
		cli_error(c, &err);
		return -1;
	}
	return 0;
}

static int
rehome_delete(struct cli *c, const struct task_set *tasks, const char *to)
{
	struct store_op *op = mem_alloc((tasks->count + 1) * sizeof(*op));
	struct change_batch b = { .op = op, .count = tasks->count, .other_list = to };
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

	if (cli_open_list(c, from, false) == -1 || rehome_load(c, dry, &tasks, report) == -1)
		goto out;
	count = (int)tasks.count;
	if (dry)
		goto out;
	change_begin();
	if (cli_open_list(c, to, true) == -1 ||
	    (count = move_put(c, &tasks, cli_flag(c, "copy") ? NULL : from, report)) == -1)
		count = -1;
	else if (!cli_flag(c, "copy") &&
		 (cli_open_list(c, from, false) == -1 || rehome_delete(c, &tasks, to) == -1))
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
