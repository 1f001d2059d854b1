/*
 * why: the shortest chain that stops a task, link by link, and the command
 * that clears it.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/claims.h"
#include "base/text.h"
#include "history.h"
#include "view.h"

/*
 * An id as a person may paste it: a blocker that does not exist can be called
 * anything, a command for the shell included.
 */
static void
paste_id(struct buf *b, const char *id)
{
	size_t from = b->len + 1;

	if (task_id_ok(id)) {
		buf_puts(b, id);
		return;
	}
	buf_putc(b, '\'');
	view_text(b, id, TEXT_SUBJECT);
	for (size_t i = from; i < b->len; i++)
		if (b->data[i] == '\'')
			b->data[i] = '?';
	buf_putc(b, '\'');
}

static void
drop_command(struct buf *b, const char *blocked, const char *blocker)
{
	buf_printf(b, "claude-tasks depend %s --drop ", blocked);
	paste_id(b, blocker);
}

/* What is to be done about the last link of the chain, which is what stops the rest. */
static void
remedy(
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
		/* Only a circle ends a chain at a task that is itself blocked. */
		drop_command(b, last, open.item[0]);
	else if (t->status == TASK_IN_PROGRESS && claim != NULL && !claims_alive(claim))
		buf_puts(b, "claude-tasks release --dead");
	else if (t->status == TASK_IN_PROGRESS)
		buf_printf(b, "claude-tasks complete %s", last);
	else if (t->owner != NULL)
		buf_printf(b, "claude-tasks release %s", last);
	else
		buf_printf(b, "claude-tasks claim %s", last);
	strings_free(&cycle);
	strings_free(&open);
}

static void
state_of(struct buf *b, const struct task *t, const struct claims *claims)
{
	const struct claim *claim = claims_find(claims, t->id);

	buf_puts(b, task_status_name(t->status));
	if (t->owner != NULL) {
		buf_puts(b, ", owner ");
		view_text(b, t->owner, TEXT_SUBJECT);
	} else if (claim != NULL) {
		struct agent a = { .id = claim->agent_id,
			.type = claim->agent_type,
			.name = claim->name,
			.session = claim->session };

		buf_puts(b, ", claimed by ");
		agent_describe(b, &a);
	} else {
		buf_puts(b, ", no owner");
	}
	if (claim != NULL && !claims_alive(claim))
		buf_puts(b, ", whose client is gone");
}

static void
link_text(struct cli *c, const struct view *v, const char *id, const struct claims *claims)
{
	const struct task *t = view_find(v, id);

	if (t == NULL) {
		buf_putc(&c->out, '#');
		paste_id(&c->out, id);
		buf_puts(&c->out, ", which does not exist");
		return;
	}
	task_name(&c->out, t);
	buf_puts(&c->out, " (");
	state_of(&c->out, t, claims);
	buf_putc(&c->out, ')');
}

static void
why_json(struct cli *c, const struct view *v, const struct task *t, const struct strings *chain,
    const struct strings *children, const char *command, const char *refused,
    const struct claims *claims)
{
	struct json_object *o = out_object(), *links = out_array(), *l;
	struct buf state = { 0 };

	out_string(o, "id", t->id);
	out_string(o, "status", task_status_name(t->status));
	out_bool(o, "blocked", chain->count > 1);
	out_bool(o, "ready", view_ready(v, t->id));
	for (size_t i = 0; i < chain->count; i++) {
		const struct task *link = view_find(v, chain->item[i]);

		l = out_object();
		out_string(l, "id", chain->item[i]);
		out_bool(l, "missing", link == NULL);
		if (link != NULL) {
			buf_reset(&state);
			state_of(&state, link, claims);
			out_string(l, "subject", link->subject);
			out_string(l, "status", task_status_name(link->status));
			out_string(l, "owner", link->owner);
			out_string(l, "state", buf_text(&state));
		}
		out_push(links, l);
	}
	out_add(o, "chain", links);
	out_strings(o, "open_subtasks", children);
	out_string(o, "refused", refused);
	out_string(o, "command", command);
	cli_json(c, o);
	buf_free(&state);
}

/* Why its completion was refused, if that was the last that happened; owned, NULL. */
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
		if (strcmp(p->event, "refuse") == 0)
			why = mem_string(p->why != NULL ? p->why : "see claude-tasks log");
		for (size_t k = 0; k < sizeof(settled) / sizeof(settled[0]); k++)
			over |= strcmp(p->event, settled[k]) == 0;
	}
	history_free(&h);
	return why;
}

/* Nothing blocks it: what else there is to say. */
static void
free_to_go(struct cli *c, const struct task *t, const struct strings *children,
    const struct claims *claims)
{
	task_name(&c->out, t);
	if (!task_open(t)) {
		buf_printf(&c->out, " is %s: nothing is left to do\n", task_status_name(t->status));
		return;
	}
	if (t->status == TASK_IN_PROGRESS) {
		buf_puts(&c->out, " is being worked on (");
		state_of(&c->out, t, claims);
		buf_puts(&c->out, ")");
		if (children->count > 0) {
			buf_puts(&c->out, ", and cannot complete before its subtasks ");
			view_ids(&c->out, children);
		} else {
			buf_puts(&c->out, "; nothing in the list stops it from completing");
		}
	} else if (t->owner != NULL) {
		buf_puts(&c->out, " waits for its owner: ");
		state_of(&c->out, t, claims);
	} else {
		buf_puts(&c->out, " can start now");
	}
	buf_putc(&c->out, '\n');
}

int
why_main(struct cli *c)
{
	struct view v;
	struct strings chain = { 0 }, children = { 0 };
	struct claims claims = { 0 };
	struct buf command = { 0 };
	struct error err;
	const struct task *t, *child;
	const char *id = cli_id(c, 0);
	char *refused = NULL;
	int status = EXIT_DONE;

	if (id == NULL || view_load(c, &v) == -1)
		return c->status;
	t = view_find(&v, id);
	if (t == NULL) {
		status = cli_no_task(c, id);
		goto out;
	}
	if (claims_load(&c->list, &claims, &err) == -1)
		cli_note(c, "claude-tasks: who claimed what is not known: %s", err.text);
	graph_children(&v.tasks, id, &children);
	for (size_t i = children.count; i > 0; i--) {
		child = view_find(&v, children.item[i - 1]);
		if (child != NULL && task_open(child))
			continue;
		free(children.item[i - 1]);
		memmove(&children.item[i - 1], &children.item[i],
		    (children.count - i) * sizeof(*children.item));
		children.count--;
	}
	if (task_open(t))
		graph_why(&v.tasks, id, &chain);
	if (chain.count == 0)
		strings_add(&chain, id);
	if (!task_open(t))
		;
	else if (chain.count == 1 && children.count > 0 && t->status == TASK_IN_PROGRESS)
		buf_printf(&command, "claude-tasks why %s", children.item[0]);
	else if (chain.count == 1 && t->status == TASK_IN_PROGRESS &&
		 (refused = last_refusal(c, id)) != NULL)
		buf_printf(&command, "claude-tasks verify %s", id);
	else
		remedy(&command, &v, &chain, &claims);
	if (c->json) {
		why_json(c, &v, t, &chain, &children, command.len > 0 ? buf_text(&command) : NULL,
		    refused, &claims);
		goto out;
	}
	if (refused != NULL) {
		task_name(&c->out, t);
		buf_puts(&c->out, " was refused when it was to be completed:\n  ");
		view_text(&c->out, refused, 500);
		buf_putc(&c->out, '\n');
	} else if (chain.count == 1) {
		free_to_go(c, t, &children, &claims);
	} else {
		task_name(&c->out, t);
		buf_printf(
		    &c->out, " cannot %s:\n", t->status == TASK_IN_PROGRESS ? "complete" : "start");
		for (size_t i = 1; i < chain.count; i++) {
			buf_printf(&c->out, "%*s%s ", (int)i * 2, "",
			    i == 1 ? "it waits for" : "which waits for");
			link_text(c, &v, chain.item[i], &claims);
			buf_putc(&c->out, '\n');
		}
	}
	if (command.len > 0)
		buf_printf(&c->out, "next: %s\n", buf_text(&command));
out:
	claims_free(&claims);
	strings_free(&chain);
	strings_free(&children);
	buf_free(&command);
	free(refused);
	view_free(&v);
	return status;
}
