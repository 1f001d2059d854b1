/*
 * Work on tasks: claim, complete, release.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/note.h"
#include "agent/release.h"
#include "base/text.h"
#include "change.h"
#include "hook/tell.h"
#include "list/team.h"
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

/* --next: the first ready task, or the next one if another agent claimed that meanwhile.  An exit
 * status. */
static int
claim_next(struct cli *c, char **id, struct change_batch *b, struct buf *reason)
{
	struct strings ready = { 0 };
	struct task_set all = { 0 };
	struct error err;
	int status = EXIT_UNKNOWN;

	change_release_dead(c);
	if (store_load(&c->store, &all, &err) == -1) {
		buf_puts(reason, err.text);
		return cli_status(err.kind);
	}
	graph_ready(&all, &ready);
	for (size_t i = 0; i < ready.count; i++) {
		buf_reset(reason);
		status = change_claim(c, ready.item[i], b, reason);
		free(*id);
		*id = mem_string(ready.item[i]);
		if (b->claim.result == CLAIM_OK || b->claim.result == CLAIM_AGENT_BUSY ||
		    b->claim.result == CLAIM_FAULT)
			break;
	}
	if (ready.count == 0) {
		char *list = cli_list_shown(c);

		buf_printf(reason,
		    "no task of %s can be started now (try: claude-tasks list --blocked)", list);
		free(list);
	}
	strings_free(&ready);
	task_set_free(&all);
	return status;
}

static void
claim_print(struct cli *c, const char *id)
{
	struct task t = TASK_INIT;
	struct error err;

	if (store_get(&c->store, id, &t, &err) == 1) {
		cli_print(c, "claimed #%s %.120s", t.id, t.subject);
		if (t.owner != NULL)
			cli_print(c, " (%.120s)", t.owner);
		buf_putc(&c->out, '\n');
	}
	task_free(&t);
}

static void
claim_answer(struct cli *c, const char *id, int status, const struct change_batch *b,
    const struct buf *reason)
{
	struct json_object *o = out_object();

	if (status == EXIT_DONE) {
		out_string(o, "done", "claimed");
		out_string(o, "id", id);
	}
	change_outcome(c, id, status, &b->claim, o);
	if (status != EXIT_DONE) {
		cli_refuse(c, status, buf_text(reason), o);
	} else if (c->json) {
		cli_json(c, o);
	} else {
		json_object_put(o);
		claim_print(c, id);
	}
}

int
claim_main(struct cli *c)
{
	struct change_batch b = { .check_busy = cli_flag(c, "one") };
	struct buf reason = { 0 };
	const char *task = NULL;
	char *id = NULL;
	int status, rc;

	if (cli_flag(c, "next") ? c->operands != 0 : c->operands != 1)
		return cli_misuse(c, "'claim' needs one task id, or --next");
	if ((c->operands == 1 && (task = cli_id(c, 0)) == NULL) || (rc = cli_open(c, false)) == -1)
		return c->status;
	change_begin();
	if (rc == 0) {
		status = EXIT_UNKNOWN;
		buf_printf(
		    &reason, "list '%s' has no tasks (try: claude-tasks lists)", c->list.name);
	} else if (task == NULL) {
		status = claim_next(c, &id, &b, &reason);
	} else {
		id = mem_string(task);
		status = change_claim(c, id, &b, &reason);
	}
	claim_answer(c, id, status, &b, &reason);
	change_end(&b);
	free(id);
	buf_free(&reason);
	return status;
}

/* A verdict of several lines is printed as a block, as the agent would get it. */
static void
complete_refused(struct cli *c, const struct change_batch *b, int status, const struct buf *reason)
{
	if (strchr(buf_text(reason), '\n') == NULL || c->json) {
		change_failed(c, b, status, reason);
		return;
	}
	cli_note(c, "claude-tasks: #%s was not completed:", b->op->id);
	text_show(&c->out, reason->data, reason->len, TEXT_BLOCK, TEXT_REASON);
	buf_putc(&c->out, '\n');
}

static int
complete_print(struct cli *c, const char *id, const struct change_batch *b)
{
	struct view v;
	struct json_object *o;
	const struct task *t;

	if (c->json) {
		o = out_object();
		out_string(o, "done", "completed");
		out_string(o, "id", id);
		out_strings(o, "unblocked", &b->unblocked);
		cli_json(c, o);
		return EXIT_DONE;
	}
	cli_close(c);
	if (view_load(c, &v) == -1)
		return c->status;
	t = view_find(&v, id);
	cli_print(c, "completed #%s %.120s%s\n", id, t != NULL ? t->subject : "",
	    b->force ? " (forced)" : "");
	print_ready(c, &v, &b->unblocked);
	view_free(&v);
	return EXIT_DONE;
}

int
complete_main(struct cli *c)
{
	static const struct change completed = { .status = TASK_COMPLETED };
	struct store_op op = { STORE_UPDATE, .change = &completed, .rule = change_completes };
	struct change_batch b = { .op = &op,
		.count = 1,
		.force = cli_flag(c, "force"),
		.why = cli_value(c, "reason"),
		.quiet = c->json };
	struct change_note note = { .why = b.why };
	struct buf reason = { 0 };
	int status;

	if ((op.id = cli_id(c, 0)) == NULL)
		return c->status;
	if (b.force && (b.why == NULL || *b.why == '\0'))
		return cli_misuse(c, "--force needs --reason TEXT; the journal records it");
	if (b.force && cli_person_only(c, "force a completion", "this command") != EXIT_DONE)
		return c->status;
	if (!b.force && b.why != NULL)
		return cli_misuse(c, "--reason can be used only with --force");
	if (cli_open_for(c, op.id) == -1)
		return c->status;
	if (b.force) {
		note.extra = out_object();
		out_bool(note.extra, "forced", true);
		out_add(note.extra, "person", cli_person());
		b.note = &note;
	}
	change_begin();
	status = change_apply(c, &b, &reason);
	if (status != EXIT_DONE)
		complete_refused(c, &b, status, &reason);
	else
		status = complete_print(c, op.id, &b);
	change_end(&b);
	buf_free(&reason);
	return status;
}

static int
release_some(struct cli *c, const struct strings *ids, struct released *r, struct error *err)
{
	const char *name = cli_value(c, "agent"), *why = cli_value(c, "reason");
	struct agent self, agent = { .name = name, .id = name }; /* an owner may be either */
	/* Many are released portion by portion, which takes longer. */
	struct deadline deadline =
	    ids->count == 0 || ids->count > STORE_PORTION ? deadline_in(60000) : cli_deadline();

	if (why == NULL)
		why = "released by hand";
	if (cli_flag(c, "dead")) {
		cli_agent(c, &self);
		return release_dead(&c->list, &c->store, NULL, &self, NULL, r, deadline, err);
	}
	if (name != NULL)
		return release_agent(&c->list, &c->store, &agent, why, NULL, r, deadline, err);
	return release_tasks(&c->list, &c->store, ids, why, r, deadline, err);
}

/* The lead and the teammates hear of it at their next call, as when an agent stops. */
static void
release_tell(struct cli *c, const struct released *r)
{
	bool dead = cli_flag(c, "dead");
	const char *who = dead ? released_from(r) : cli_value(c, "agent");
	struct note note = { .lead = true };
	struct buf text = { 0 };
	struct team team;
	struct error ignored;

	if ((!dead && who == NULL) || r->tasks.count == 0)
		return;
	if (!dead)
		cli_format(&text, "The tasks of %.120s were released. ", who);
	release_message(&text, dead ? who : NULL, dead, r);
	tell_ready(&text, &r->ready);
	note.text = buf_text(&text);
	(void)team_find(&team, c->list.config, c->list.name, NULL);
	for (size_t i = 0; i < team.count; i++)
		if (!team.item[i].lead && (who == NULL || strcmp(team.item[i].name, who) != 0))
			strings_add(&note.to, team.item[i].name);
	(void)note_add(&c->list, &note, cli_deadline(), &ignored);
	team_free(&team);
	strings_free(&note.to);
	buf_free(&text);
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
		out_string(t, "subject", r->tasks.item[i].title);
	}
	/* As the client words it when an agent ends. */
	if (r->tasks.count > 0)
		release_message(&message, dead ? released_from(r) : cli_value(c, "agent"), dead, r);
	out_string(o, "notificationMessage", buf_text(&message));
	cli_json(c, o);
	buf_free(&message);
}

/* Claims of tasks that no agent had begun: they were removed, and no task was changed. */
static size_t
release_claims_text(
    struct cli *c, const struct released *r, const struct strings *ids, const struct claims *before)
{
	const struct claim *k;
	struct buf who = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < ids->count; i++) {
		if (task_set_find(&r->tasks, ids->item[i]) != NULL ||
		    (k = claims_find(before, ids->item[i])) == NULL)
			continue;
		buf_reset(&who);
		if (k->owner != NULL)
			buf_puts(&who, k->owner);
		else /* the main thread of a session has no name */
			claim_describe(&who, k);
		cli_print(c, "released the claim of %.120s on #%s\n", buf_text(&who), k->task);
		count++;
	}
	buf_free(&who);
	return count;
}

static void
release_text(
    struct cli *c, const struct released *r, const struct strings *ids, const struct claims *before)
{
	size_t claims = release_claims_text(c, r, ids, before);
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
		if (claims == 0)
			buf_puts(&c->out, "nothing to release\n");
	} else if (view_load(c, &v) == 0) {
		print_ready(c, &v, &r->ready);
		view_free(&v);
	}
}

static int
release_failed(struct cli *c, const struct strings *ids, const struct error *err)
{
	struct task t = TASK_INIT;
	struct error ignored;
	bool missing = false;
	size_t i;

	for (i = 0; err->kind == ERROR_NOT_FOUND && i < ids->count && !missing; i++)
		missing = store_get(&c->store, ids->item[i], &t, &ignored) == 0;
	task_free(&t);
	return missing ? cli_no_task(c, ids->item[i - 1]) : cli_error(c, err);
}

int
release_main(struct cli *c)
{
	struct released r = { 0 };
	struct strings ids = { 0 };
	struct claims before = { 0 };
	struct error err = { 0 };
	int status = EXIT_DONE, rc;

	if (cli_flag(c, "dead") + cli_flag(c, "agent") + (c->operands > 0) != 1)
		return cli_misuse(c,
		    "'release' takes either N..., or --agent NAME, or --dead; N needs no --agent");
	if (cli_operand_ids(c, &ids) == -1 || (rc = cli_open(c, false)) == -1) {
		strings_free(&ids);
		return c->status;
	}
	change_begin();
	view_claims(c, &before);
	if (rc == 1)
		rc = release_some(c, &ids, &r, &err);
	if (rc == -1)
		status = release_failed(c, &ids, &err);
	else
		release_tell(c, &r);
	if (rc != -1 && c->json)
		release_json(c, &r);
	else if (rc != -1)
		release_text(c, &r, &ids, &before);
	claims_free(&before);
	strings_free(&ids);
	released_free(&r);
	return status;
}
