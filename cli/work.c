/*
 * Working: claim, complete, release.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/release.h"
#include "base/text.h"
#include "change.h"
#include "view.h"

static void
tell_ready(struct cli *c, struct view *v, const struct strings *ids, const char *heading)
{
	if (ids->count == 0)
		return;
	buf_puts(&c->out, heading);
	for (size_t i = 0; i < ids->count; i++) {
		const struct task *t = view_find(v, ids->item[i]);

		buf_puts(&c->out, i > 0 ? ", #" : " #");
		view_text(&c->out, ids->item[i], 128);
		if (t != NULL) {
			buf_putc(&c->out, ' ');
			view_text(&c->out, t->subject, 60);
		}
	}
	buf_putc(&c->out, '\n');
}

/* --next: the first ready one, and the one after it if somebody was quicker. */
static int
claim_next(struct cli *c, char **id, struct buf *reason, struct error *err)
{
	struct strings ready = { 0 };
	struct task_set all = { 0 };
	enum claim_result r = CLAIM_NOT_FOUND;

	change_sweep(c);
	if (store_load(&c->store, &all, err) == -1)
		return CLAIM_FAULT;
	graph_ready(&all, &ready);
	for (size_t i = 0; i < ready.count; i++) {
		buf_reset(reason);
		r = change_claim(c, ready.item[i], cli_flag(c, "one"), NULL, reason, err);
		if (r == CLAIM_OK)
			*id = mem_string(ready.item[i]);
		if (r == CLAIM_OK || r == CLAIM_AGENT_BUSY || r == CLAIM_FAULT)
			break;
	}
	if (ready.count == 0)
		buf_printf(reason,
		    "no task of list '%s' can be started now (try: claude-tasks list "
		    "--blocked)",
		    c->list.name);
	strings_free(&ready);
	task_set_free(&all);
	return r;
}

int
claim_main(struct cli *c)
{
	struct buf reason = { 0 };
	struct error err = { 0 };
	struct task t = TASK_INIT;
	struct json_object *o;
	char *id = NULL;
	enum claim_result r;
	int status;

	if (cli_flag(c, "next") ? c->operands != 0 : c->operands != 1)
		return cli_misuse(c, "'claim' needs one task, or --next");
	if (c->operands == 1 && cli_id(c, 0) == NULL)
		return c->status;
	status = cli_open(c, false);
	if (status == -1)
		return c->status;
	if (status == 0)
		return c->operands == 1
			   ? cli_no_task(c, cli_id(c, 0))
			   : cli_fail(c, EXIT_UNKNOWN, "list '%s' has no tasks", c->list.name);
	change_begin(c);
	if (cli_flag(c, "next")) {
		r = claim_next(c, &id, &reason, &err);
	} else {
		id = mem_string(cli_id(c, 0));
		r = change_claim(c, id, cli_flag(c, "one"), NULL, &reason, &err);
	}
	if (r == CLAIM_FAULT) {
		status = cli_error(c, &err);
	} else if (r != CLAIM_OK) {
		status = cli_fail(c, claim_status(r, &err), "%s", buf_text(&reason));
	} else {
		status = EXIT_DONE;
		if (store_get(&c->store, id, &t, &err) == 1) {
			if (c->json) {
				o = out_object();
				out_string(o, "done", "claimed");
				out_string(o, "id", id);
				out_add(o, "task", out_raw(&t.json, JSON_ROOT));
				cli_json(c, o);
			} else {
				buf_printf(&c->out, "claimed #%s ", id);
				view_text(&c->out, t.subject, TEXT_SUBJECT);
				if (t.owner != NULL) {
					buf_puts(&c->out, " (");
					view_text(&c->out, t.owner, TEXT_SUBJECT);
					buf_putc(&c->out, ')');
				}
				buf_putc(&c->out, '\n');
			}
		}
	}
	task_free(&t);
	free(id);
	buf_free(&reason);
	return status;
}

int
complete_main(struct cli *c)
{
	struct change_complete how = { .force = cli_flag(c, "force"),
		.why = cli_value(c, "reason") };
	struct strings unblocked = { 0 };
	struct buf reason = { 0 };
	struct view v = { 0 };
	struct json_object *o;
	const struct task *t;
	int status;

	if ((how.id = cli_id(c, 0)) == NULL)
		return c->status;
	if (how.force && (how.why == NULL || *how.why == '\0'))
		return cli_misuse(c, "--force needs --reason \"...\": it is kept in the journal");
	if (how.force && cli_by_agent())
		return cli_fail(c, EXIT_RULE,
		    "forcing a completion is for a person: run it in a terminal of your own");
	if (!how.force && how.why != NULL)
		return cli_misuse(c, "--reason is for --force");
	status = cli_open(c, false);
	if (status == -1)
		return c->status;
	if (status == 0)
		return cli_no_task(c, how.id);
	how.quiet = c->json;
	change_begin(c);
	status = change_complete(c, &how, &reason, &unblocked);
	if (status != EXIT_DONE) {
		/* A verdict has several lines; they are what the agent would be told too. */
		if (strchr(buf_text(&reason), '\n') != NULL && !c->json) {
			cli_flush(c);
			cli_note(c, "claude-tasks: #%s was not completed:", how.id);
			text_show(&c->out, reason.data, reason.len, TEXT_BLOCK, TEXT_REASON);
			buf_putc(&c->out, '\n');
		} else {
			cli_fail(c, status, "%s", buf_text(&reason));
		}
		goto out;
	}
	store_close(&c->store);
	if (view_load(c, &v) == -1) {
		status = c->status;
		goto out;
	}
	t = view_find(&v, how.id);
	if (c->json) {
		o = out_object();
		out_string(o, "done", "completed");
		out_string(o, "id", how.id);
		out_strings(o, "unblocked", &unblocked);
		cli_json(c, o);
	} else {
		buf_printf(&c->out, "completed #%s ", how.id);
		if (t != NULL)
			view_text(&c->out, t->subject, TEXT_SUBJECT);
		buf_puts(&c->out, how.force ? " (forced)\n" : "\n");
		tell_ready(c, &v, &unblocked, "can start now:");
	}
out:
	view_free(&v);
	strings_free(&unblocked);
	buf_free(&reason);
	return status;
}

static void
released_text(struct cli *c, const struct released *r)
{
	for (size_t i = 0; i < r->tasks.count; i++) {
		const struct task *t = &r->tasks.item[i];

		buf_puts(&c->out, "released #");
		view_text(&c->out, t->id, 128);
		buf_putc(&c->out, ' ');
		view_text(&c->out, t->subject, TEXT_SUBJECT);
		if (t->owner != NULL) {
			buf_puts(&c->out, " (was ");
			view_text(&c->out, t->owner, TEXT_SUBJECT);
			buf_putc(&c->out, ')');
		}
		buf_putc(&c->out, '\n');
	}
}

static int
release_some(struct cli *c, struct released *r, struct error *err)
{
	const char *name = cli_value(c, "agent");
	const char *why = cli_value(c, "reason");
	struct agent self, agent = { .name = name };
	struct strings ids = { 0 };
	int rc = 0;

	if (cli_flag(c, "dead")) {
		cli_agent(c, &self);
		return release_dead(&c->list, &c->store, NULL, &self, NULL, r, cli_patience(), err);
	}
	if (name != NULL) {
		agent.id = name; /* an owner may be a name or an id: the store matches both */
		return release_agent(&c->list, &c->store, &agent,
		    why != NULL ? why : "released by hand", NULL, r, cli_patience(), err);
	}
	for (int i = 0; i < c->operands && rc != -1; i++)
		if (cli_ids(c, c->operand[i], &ids) == -1)
			rc = -2;
	for (size_t i = 0; i < ids.count && rc >= 0; i++)
		rc = release_task(&c->list, &c->store, ids.item[i],
		    why != NULL ? why : "released by hand", r, cli_patience(), err);
	strings_free(&ids);
	return rc;
}

int
release_main(struct cli *c)
{
	struct released r = { 0 };
	struct view v = { 0 };
	struct json_object *o, *tasks;
	struct error err = { 0 };
	int status = EXIT_DONE, rc;

	if (cli_flag(c, "dead") + cli_flag(c, "agent") + (c->operands > 0) != 1)
		return cli_misuse(c, "'release' needs one of: N..., --agent NAME, --dead");
	rc = cli_open(c, false);
	if (rc == -1)
		return c->status;
	change_begin(c);
	if (rc == 1)
		rc = release_some(c, &r, &err);
	if (rc == -2)
		status = c->status;
	else if (rc == -1)
		status = err.kind == ERROR_NOT_FOUND && c->operands == 1
			     ? cli_no_task(c, c->operand[0] + (c->operand[0][0] == '#'))
			     : cli_error(c, &err);
	if (c->json && status == EXIT_DONE) {
		o = out_object();
		tasks = out_array();
		for (size_t i = 0; i < r.tasks.count; i++)
			out_push_string(tasks, r.tasks.item[i].id);
		out_add(o, "released", tasks);
		out_strings(o, "ready", &r.ready);
		cli_json(c, o);
	} else if (status == EXIT_DONE) {
		released_text(c, &r);
		if (r.tasks.count == 0)
			buf_puts(&c->out, "nothing to release\n");
		store_close(&c->store);
		if (r.tasks.count > 0 && view_load(c, &v) == 0)
			tell_ready(c, &v, &r.ready, "can start now:");
	}
	view_free(&v);
	released_free(&r);
	return status;
}
