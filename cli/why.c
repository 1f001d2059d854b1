/*
 * why: the shortest chain of tasks that blocks a task, and the command that clears it.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/claims.h"
#include "base/text.h"
#include "history.h"
#include "view.h"

/* "claude-tasks VERB ID" */
static void
put_command(struct buf *b, const char *verb, const char *id)
{
	buf_printf(b, "claude-tasks %s ", verb);
	task_id_word(b, id);
}

static void
drop_command(struct buf *b, const char *blocked, const char *blocker)
{
	put_command(b, "depend", blocked);
	buf_puts(b, " --drop ");
	task_id_word(b, blocker);
}

/* The command for the last task of the chain, which blocks the others. */
static void
next_command(
    struct buf *b, const struct view *v, const struct strings *chain, const struct claims *claims)
{
	const char *last = chain->item[chain->count - 1];
	const char *before = chain->count > 1 ? chain->item[chain->count - 2] : NULL;
	const struct task *t = view_find(v, last);
	const struct claim *claim = claims_find(claims, last);
	struct strings cycle = { 0 }, open = { 0 };

	if (t == NULL) {
		drop_command(b, before, last);
		return;
	}
	view_blockers(v, t, &open);
	if (open.count > 0 && graph_any_cycle(&v->tasks, &cycle) && strings_has(&cycle, last))
		/* Only a cycle ends a chain at a task that is itself blocked. */
		drop_command(b, last, open.item[0]);
	else if (task_held(t)) {
		put_command(b, "update", last);
		buf_puts(b, " --status pending");
	} else if (t->status == TASK_IN_PROGRESS && claim != NULL && !claims_alive(claim))
		buf_puts(b, "claude-tasks release --dead");
	else if (t->status == TASK_IN_PROGRESS)
		put_command(b, "complete", last);
	else if (t->owner != NULL)
		put_command(b, "release", last);
	else
		put_command(b, "claim", last);
	strings_free(&cycle);
	strings_free(&open);
}

static void
state_of(struct buf *b, const struct task *t, const struct claims *claims)
{
	const struct claim *claim = claims_find(claims, t->id);

	buf_puts(b, task_status_name(t->status));
	if (t->owner != NULL) {
		cli_format(b, ", owner %.120s", t->owner);
	} else if (claim != NULL) {
		buf_puts(b, ", claimed by ");
		claim_describe(b, claim);
	} else {
		buf_puts(b, ", no owner");
	}
	if (claim != NULL && !claims_alive(claim))
		buf_puts(b, ", whose client is gone");
}

/* As task_name(), on a terminal with the dim parts. */
static void
put_name(struct cli *c, const struct task *t)
{
	char *subject = mem_string(t->subject), *p;

	for (p = subject; (p = strchr(p, '"')) != NULL;)
		*p = '\'';
	cli_print(c, "#%.128s \"", t->id);
	view_subject(c, subject, TEXT_SUBJECT);
	buf_putc(&c->out, '"');
	free(subject);
}

static void
link_text(struct cli *c, const struct view *v, const char *id, const struct claims *claims)
{
	const struct task *t = view_find(v, id);

	if (t == NULL) {
		buf_putc(&c->out, '#');
		task_id_word(&c->out, id);
		buf_puts(&c->out, ", which does not exist");
		return;
	}
	put_name(c, t);
	buf_puts(&c->out, " (");
	state_of(&c->out, t, claims);
	buf_putc(&c->out, ')');
}

/* What `why` found out; chain begins with the task itself. */
struct why {
	const struct task *task;
	struct view view;
	struct claims claims;
	struct strings chain, children; /* children: open subtasks */
	struct strings whole;           /* the chain to one that it is a part of; may be empty */
	char *refused;                  /* why its completion was refused; NULL */
	struct buf command;             /* what clears it; empty: nothing to do */
};

static struct json_object *
link_json(const struct why *w, const char *id)
{
	const struct task *t = view_find(&w->view, id);
	struct json_object *o = out_object();
	struct buf state = { 0 };

	out_string(o, "id", id);
	out_bool(o, "missing", t == NULL);
	if (t != NULL) {
		state_of(&state, t, &w->claims);
		out_string(o, "subject", t->title);
		out_string(o, "status", task_status_name(t->status));
		out_string(o, "owner", t->owner);
		out_string(o, "state", buf_text(&state));
	}
	buf_free(&state);
	return o;
}

static void
why_json(struct cli *c, const struct why *w)
{
	struct json_object *o = out_object(), *links;

	out_string(o, "id", w->task->id);
	out_string(o, "status", task_status_name(w->task->status));
	out_bool(o, "blocked", w->chain.count > 1);
	out_bool(o, "ready", view_ready(&w->view, w->task->id));
	links = out_add(o, "chain", out_array());
	for (size_t i = 0; i < w->chain.count; i++)
		out_push(links, link_json(w, w->chain.item[i]));
	out_strings(o, "open_subtasks", &w->children);
	out_string(o, "refused", w->refused);
	out_string(o, "command", w->command.len > 0 ? buf_text(&w->command) : NULL);
	cli_json(c, o);
}

/* Why its completion was refused, if nothing happened to it since; owned, or NULL. */
static char *
last_refusal(struct cli *c, const char *id)
{
	static const char *const settled[] = { "receipt", "forced", "complete", "claim",
		"release" };
	struct history h;
	char *why = NULL;
	bool over = false;

	if (history_load(c, &h) == -1)
		return NULL;
	for (size_t i = h.count; i > 0 && why == NULL && !over; i--) {
		const struct history_entry *p = &h.item[i - 1];

		if (p->task == NULL || strcmp(p->task, id) != 0)
			continue;
		if (strcmp(p->event, "refuse") == 0 && !p->other_refused)
			why = mem_string(p->why != NULL ? p->why : "see claude-tasks log");
		for (size_t k = 0; k < sizeof(settled) / sizeof(settled[0]); k++)
			over |= strcmp(p->event, settled[k]) == 0;
	}
	history_free(&h);
	return why;
}

/* Nothing blocks it: print its state after its name. */
static void
unblocked_text(struct cli *c, const struct why *w)
{
	const struct task *t = w->task;

	if (!task_open(t)) {
		buf_printf(&c->out, " is %s: nothing is left to do\n", task_status_name(t->status));
		return;
	}
	if (t->status == TASK_IN_PROGRESS) {
		buf_puts(&c->out, " is being worked on (");
		state_of(&c->out, t, &w->claims);
		buf_puts(&c->out, ")");
		if (w->children.count > 0) {
			buf_puts(&c->out, ", and cannot complete before its subtasks ");
			view_ids(&c->out, &w->children);
		} else {
			buf_puts(&c->out, "; nothing in the list prevents its completion");
		}
	} else if (task_held(t)) {
		buf_puts(&c->out, " cannot start: it was set to blocked");
	} else if (t->owner != NULL) {
		buf_puts(&c->out, " waits for its owner: ");
		state_of(&c->out, t, &w->claims);
	} else {
		buf_puts(&c->out, " can start now");
	}
	buf_putc(&c->out, '\n');
}

static void
why_text(struct cli *c, const struct why *w)
{
	put_name(c, w->task);
	if (w->refused != NULL) {
		cli_print(c, " could not be completed:\n  %.500s\n", w->refused);
	} else if (w->chain.count == 1) {
		unblocked_text(c, w);
	} else {
		buf_printf(&c->out, " cannot %s:\n",
		    w->task->status == TASK_IN_PROGRESS ? "complete" : "start");
		for (size_t i = 1; i < w->chain.count; i++) {
			buf_printf(&c->out, "%*s%s ", (int)i * 2, "",
			    i == 1 ? "it waits for" : "which waits for");
			link_text(c, &w->view, w->chain.item[i], &w->claims);
			buf_putc(&c->out, '\n');
		}
	}
	if (w->whole.count > 0)
		cli_print(c,
		    "it is a part of #%s, which is completed after its parts: neither can be "
		    "completed\n",
		    w->whole.item[w->whole.count - 1]);
	if (w->command.len > 0)
		buf_printf(&c->out, "next: %s\n", buf_text(&w->command));
}

static bool
find_whole(struct why *w)
{
	struct task_index ids;
	bool found;

	task_index_make(&ids, &w->view.tasks);
	found = graph_waits_for_whole(&ids, w->task, &w->whole);
	task_index_free(&ids);
	return found;
}

static void
why_find(struct cli *c, struct why *w)
{
	const struct task *t = w->task, *child;
	struct strings children = { 0 };

	view_claims(c, &w->claims);
	graph_children(&w->view.tasks, t->id, &children);
	for (size_t i = 0; i < children.count; i++)
		if ((child = view_find(&w->view, children.item[i])) != NULL && task_open(child))
			strings_add(&w->children, child->id);
	strings_free(&children);
	if (task_open(t))
		graph_why(&w->view.tasks, t->id, &w->chain);
	if (w->chain.count == 0)
		strings_add(&w->chain, t->id);
	if (!task_open(t))
		return;
	if (find_whole(w))
		drop_command(&w->command, t->id, w->whole.item[1]);
	else if (w->chain.count > 1 || t->status != TASK_IN_PROGRESS)
		next_command(&w->command, &w->view, &w->chain, &w->claims);
	else if (w->children.count > 0)
		put_command(&w->command, "why", w->children.item[0]);
	else if ((w->refused = last_refusal(c, t->id)) != NULL)
		put_command(&w->command, "verify", t->id);
	else
		next_command(&w->command, &w->view, &w->chain, &w->claims);
}

int
why_main(struct cli *c)
{
	struct why w = { 0 };
	const char *id = cli_id(c, 0);
	int status = EXIT_DONE;

	if (id == NULL || view_load(c, &w.view) == -1)
		return c->status;
	w.task = view_find(&w.view, id);
	if (w.task == NULL) {
		status = cli_no_task(c, id);
	} else {
		why_find(c, &w);
		(c->json ? why_json : why_text)(c, &w);
	}
	claims_free(&w.claims);
	strings_free(&w.chain);
	strings_free(&w.children);
	strings_free(&w.whole);
	buf_free(&w.command);
	free(w.refused);
	view_free(&w.view);
	return status;
}
