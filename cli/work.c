/*
 * Work on tasks: claim, complete, release.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/release.h"
#include "base/text.h"
#include "change.h"
#include "view.h"

static void
print_ready(struct cli *c, struct view *v, const struct strings *ids)
{
	for (size_t i = 0; i < ids->count; i++) {
		const struct task *t = view_find(v, ids->item[i]);

		buf_puts(&c->out, i > 0 ? ", " : "can start now: ");
		cli_print(c, "#%s%s%.60s", ids->item[i], t != NULL ? " " : "",
		    t != NULL ? t->subject : "");
	}
	if (ids->count > 0)
		buf_putc(&c->out, '\n');
}

/* --next: the first ready task, or the next one if another agent claimed that meanwhile. */
static int
claim_next(struct cli *c, char **id, struct buf *reason, struct error *err)
{
	struct strings ready = { 0 };
	struct task_set all = { 0 };
	enum claim_result r = CLAIM_NOT_FOUND;

	change_release_dead(c);
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
		    "no task of list '%s' can be started now (try: claude-tasks list --blocked)",
		    c->list.name);
	strings_free(&ready);
	task_set_free(&all);
	return r;
}

static void
claim_print(struct cli *c, const struct task *t)
{
	if (c->json || t->owner == NULL)
		view_result(c, "claimed", t);
	else
		cli_print(c, "claimed #%s %.120s (%.120s)\n", t->id, t->subject, t->owner);
}

int
claim_main(struct cli *c)
{
	struct buf reason = { 0 };
	struct error err = { 0 };
	struct task t = TASK_INIT;
	const char *task = NULL;
	char *id = NULL;
	enum claim_result r;
	int status = EXIT_DONE, rc;

	if (cli_flag(c, "next") ? c->operands != 0 : c->operands != 1)
		return cli_misuse(c, "'claim' needs one task id, or --next");
	if (c->operands == 1 && ((task = cli_id(c, 0)) == NULL || cli_open_for(c, task) == -1))
		return c->status;
	if (task == NULL && (rc = cli_open(c, false)) != 1)
		return rc == -1
			   ? c->status
			   : cli_fail(c, EXIT_UNKNOWN,
				 "list '%s' has no tasks (try: claude-tasks lists)", c->list.name);
	change_begin(c);
	if (task == NULL) {
		r = claim_next(c, &id, &reason, &err);
	} else {
		id = mem_string(task);
		r = change_claim(c, id, cli_flag(c, "one"), NULL, &reason, &err);
	}
	if (r == CLAIM_FAULT)
		status = cli_error(c, &err);
	else if (r != CLAIM_OK)
		status = cli_fail(c, change_claim_exit(r, &err), "%s", buf_text(&reason));
	else if (store_get(&c->store, id, &t, &err) == 1)
		claim_print(c, &t);
	task_free(&t);
	free(id);
	buf_free(&reason);
	return status;
}

/* A verdict of several lines is printed as a block, as the agent would get it. */
static void
complete_refused(struct cli *c, const char *id, int status, const struct buf *reason)
{
	if (strchr(buf_text(reason), '\n') == NULL || c->json) {
		cli_fail(c, status, "%s", buf_text(reason));
		return;
	}
	cli_note(c, "claude-tasks: #%s was not completed:", id);
	text_show(&c->out, reason->data, reason->len, TEXT_BLOCK, TEXT_REASON);
	buf_putc(&c->out, '\n');
}

static int
complete_print(struct cli *c, const struct change_complete *how, const struct strings *unblocked)
{
	struct view v;
	struct json_object *o;
	const struct task *t;

	if (c->json) {
		o = out_object();
		out_string(o, "done", "completed");
		out_string(o, "id", how->id);
		out_strings(o, "unblocked", unblocked);
		cli_json(c, o);
		return EXIT_DONE;
	}
	cli_close(c);
	if (view_load(c, &v) == -1)
		return c->status;
	t = view_find(&v, how->id);
	cli_print(c, "completed #%s %.120s%s\n", how->id, t != NULL ? t->subject : "",
	    how->force ? " (forced)" : "");
	print_ready(c, &v, unblocked);
	view_free(&v);
	return EXIT_DONE;
}

int
complete_main(struct cli *c)
{
	struct change_complete how = {
		.force = cli_flag(c, "force"), .why = cli_value(c, "reason"), .quiet = c->json
	};
	struct strings unblocked = { 0 };
	struct buf reason = { 0 };
	int status;

	if ((how.id = cli_id(c, 0)) == NULL)
		return c->status;
	if (how.force && (how.why == NULL || *how.why == '\0'))
		return cli_misuse(c, "--force needs --reason TEXT; the journal records it");
	if (how.force && cli_by_agent())
		return cli_fail(c, EXIT_RULE,
		    "only a person may force a completion: ask the user to run this command in a "
		    "terminal outside Claude Code");
	if (!how.force && how.why != NULL)
		return cli_misuse(c, "--reason can be used only with --force");
	if (cli_open_for(c, how.id) == -1)
		return c->status;
	change_begin(c);
	status = change_complete(c, &how, &reason, &unblocked);
	if (status != EXIT_DONE)
		complete_refused(c, how.id, status, &reason);
	else
		status = complete_print(c, &how, &unblocked);
	strings_free(&unblocked);
	buf_free(&reason);
	return status;
}

static int
release_some(struct cli *c, const struct strings *ids, struct released *r, struct error *err)
{
	const char *name = cli_value(c, "agent"), *why = cli_value(c, "reason");
	struct agent self, agent = { .name = name, .id = name }; /* an owner may be either */
	int rc = 0;

	if (why == NULL)
		why = "released by hand";
	if (cli_flag(c, "dead")) {
		cli_agent(c, &self);
		return release_dead(&c->list, &c->store, NULL, &self, NULL, r, cli_deadline(), err);
	}
	if (name != NULL)
		return release_agent(
		    &c->list, &c->store, &agent, why, NULL, r, cli_deadline(), err);
	for (size_t i = 0; i < ids->count && rc != -1; i++)
		rc = release_task(&c->list, &c->store, ids->item[i], why, r, cli_deadline(), err);
	return rc;
}

static void
release_json(struct cli *c, const struct released *r)
{
	struct json_object *o = out_object(), *ids = out_add(o, "released", out_array()), *tasks;
	bool dead = cli_flag(c, "dead");
	struct buf message = { 0 };

	for (size_t i = 0; i < r->tasks.count; i++)
		out_push_string(ids, r->tasks.item[i].id);
	out_strings(o, "ready", &r->ready);
	/* As the client has them. */
	tasks = out_add(o, "unassignedTasks", out_array());
	for (size_t i = 0; i < r->tasks.count; i++) {
		struct json_object *t = out_push(tasks, out_object());

		out_string(t, "id", r->tasks.item[i].id);
		out_string(t, "subject", r->tasks.item[i].subject);
	}
	release_message(&message, dead ? released_from(r) : cli_value(c, "agent"), dead, r);
	out_string(o, "notificationMessage", buf_text(&message));
	cli_json(c, o);
	buf_free(&message);
}

static void
release_text(struct cli *c, const struct released *r)
{
	struct view v;

	for (size_t i = 0; i < r->tasks.count; i++) {
		const struct task *t = &r->tasks.item[i];

		cli_print(c, "released #%s %.120s", t->id, t->subject);
		if (t->owner != NULL)
			cli_print(c, " (owner was %.120s)", t->owner);
		buf_putc(&c->out, '\n');
	}
	cli_close(c);
	if (r->tasks.count == 0) {
		buf_puts(&c->out, "nothing to release\n");
	} else if (view_load(c, &v) == 0) {
		print_ready(c, &v, &r->ready);
		view_free(&v);
	}
}

int
release_main(struct cli *c)
{
	struct released r = { 0 };
	struct strings ids = { 0 };
	struct error err = { 0 };
	int status = EXIT_DONE, rc;

	if (cli_flag(c, "dead") + cli_flag(c, "agent") + (c->operands > 0) != 1)
		return cli_misuse(c, "'release' needs one of: N..., --agent NAME, --dead");
	if (cli_operand_ids(c, &ids) == -1 || (rc = cli_open(c, false)) == -1) {
		strings_free(&ids);
		return c->status;
	}
	change_begin(c);
	if (rc == 1)
		rc = release_some(c, &ids, &r, &err);
	if (rc == -1)
		status = ids.count == 1 ? cli_task_error(c, ids.item[0], &err) : cli_error(c, &err);
	else
		(c->json ? release_json : release_text)(c, &r);
	strings_free(&ids);
	released_free(&r);
	return status;
}
