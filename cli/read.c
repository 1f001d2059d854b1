/*
 * Reading: list, get, ids (for the completions).
 */
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/claims.h"
#include "base/clock.h"
#include "base/text.h"
#include "view.h"
#include "json/json-print.h"

struct filter {
	struct strings status;
	const char *owner;
	bool all, ready, blocked;
};

static int
filter_read(struct cli *c, struct filter *f)
{
	static const char *const words[] = { "pending", "in_progress", "completed", "blocked",
		"cancelled" };
	const char *near;

	*f = (struct filter){ .all = cli_flag(c, "all"),
		.ready = cli_flag(c, "ready"),
		.blocked = cli_flag(c, "blocked"),
		.owner = cli_value(c, "owner") };
	cli_values(c, "status", &f->status);
	for (size_t i = 0; i < f->status.count; i++) {
		if (task_status_parse(f->status.item[i]) != TASK_NO_STATUS)
			continue;
		near = text_nearest(f->status.item[i], words, 5);
		cli_misuse(c, "'%s' is no status; %s%s", f->status.item[i],
		    near != NULL ? "did you mean " : "there are pending, in_progress, completed",
		    near != NULL ? near : "");
		strings_free(&f->status);
		return -1;
	}
	return 0;
}

static bool
filter_passes(const struct filter *f, const struct view *v, const struct task *t)
{
	struct strings open = { 0 };

	if (t->internal)
		return false;
	if (f->status.count > 0 && !strings_has(&f->status, task_status_name(t->status)))
		return false;
	if (f->owner != NULL && strcmp(t->owner != NULL ? t->owner : "", f->owner) != 0)
		return false;
	if (f->ready && !view_ready(v, t->id))
		return false;
	if (f->blocked) {
		view_blockers(v, t, &open);
		if (open.count == 0)
			return false;
		strings_free(&open);
	}
	return true;
}

static void
heading(struct cli *c, const struct view *v)
{
	buf_printf(&c->out, "%s%s%s  %zu of %zu done", cli_paint(c, PAINT_BOLD), c->list.name,
	    cli_paint(c, PAINT_OFF), v->completed, v->shown);
	if (v->ready.count > 0)
		buf_printf(&c->out, ", %zu ready", v->ready.count);
	if (v->blocked > 0)
		buf_printf(&c->out, ", %zu blocked", v->blocked);
	buf_putc(&c->out, '\n');
}

static void
list_json(struct cli *c, const struct view *v, const struct filter *f, bool hide)
{
	static const char *const layout[] = { "native", "document", "folder" };
	struct json_object *o = out_object(), *tasks = out_array(), *counts = out_object();
	size_t hidden = 0;

	out_string(o, "list", c->list.name);
	out_string(o, "dir", c->list.dir);
	out_string(o, "why", c->list.why);
	out_string(o, "layout", c->store.dirfd == -1 ? NULL : layout[c->store.layout]);
	out_int(counts, "pending", (int64_t)v->pending);
	out_int(counts, "in_progress", (int64_t)v->in_progress);
	out_int(counts, "completed", (int64_t)v->completed);
	out_int(counts, "blocked", (int64_t)v->blocked);
	out_int(counts, "ready", (int64_t)v->ready.count);
	out_add(o, "counts", counts);
	for (size_t i = 0; i < v->tasks.count; i++) {
		const struct task *t = &v->tasks.item[i];

		if (!filter_passes(f, v, t))
			continue;
		if (hide && !task_open(t))
			hidden++;
		else
			out_push(tasks, view_json(v, t));
	}
	out_add(o, "tasks", tasks);
	out_int(o, "hidden", (int64_t)hidden);
	cli_json(c, o);
}

int
list_main(struct cli *c)
{
	struct view v;
	struct filter f;
	size_t hidden = 0, shown = 0;
	bool hide;

	if (filter_read(c, &f) == -1)
		return c->status;
	if (view_load(c, &v) == -1) {
		strings_free(&f.status);
		return c->status;
	}
	hide = !f.all && f.status.count == 0 && f.owner == NULL;
	if (c->json) {
		list_json(c, &v, &f, hide);
		goto out;
	}
	if (c->terminal && v.shown > 0)
		heading(c, &v);
	for (size_t i = 0; i < v.tasks.count; i++) {
		const struct task *t = &v.tasks.item[i];

		if (!filter_passes(&f, &v, t))
			continue;
		if (hide && !task_open(t)) {
			hidden++;
			continue;
		}
		if (c->terminal)
			buf_puts(&c->out, "  ");
		view_line(c, &v, t);
		buf_putc(&c->out, '\n');
		shown++;
	}
	if (hidden > 0)
		buf_printf(&c->out, "%s%s+%zu completed%s\n", c->terminal ? "  " : "",
		    cli_paint(c, PAINT_DIM), hidden, cli_paint(c, PAINT_OFF));
	else if (shown == 0 && v.shown > 0)
		buf_printf(&c->out, "no such tasks in list '%s'\n", c->list.name);
	else if (shown == 0)
		buf_printf(&c->out, "no tasks in list '%s' (%s); for others: claude-tasks lists\n",
		    c->list.name, c->list.why);
out:
	strings_free(&f.status);
	view_free(&v);
	return EXIT_DONE;
}

static void
ids_with_subjects(struct cli *c, const struct view *v, const char *label, const struct strings *ids)
{
	if (ids->count == 0)
		return;
	buf_printf(&c->out, "%s:", label);
	for (size_t i = 0; i < ids->count; i++) {
		const struct task *t = view_find(v, ids->item[i]);

		buf_puts(&c->out, i > 0 ? ", #" : " #");
		view_text(&c->out, ids->item[i], 128);
		if (t == NULL) {
			buf_puts(&c->out, " (missing)");
			continue;
		}
		buf_printf(&c->out, " [%s] ", task_status_name(t->status));
		view_text(&c->out, t->subject, TEXT_SUBJECT);
	}
	buf_putc(&c->out, '\n');
}

static void
get_text(struct cli *c, const struct view *v, const struct task *t, const struct claims *claims)
{
	const struct claim *claim = claims_find(claims, t->id);
	json_ref metadata = task_metadata(t);
	struct strings children = { 0 };
	struct buf who = { 0 };

	buf_printf(&c->out, "%s", cli_paint(c, PAINT_BOLD));
	view_line(c, v, t);
	buf_printf(&c->out, "%s\n", cli_paint(c, PAINT_OFF));
	if (c->terminal)
		buf_printf(&c->out, "status: %s\n", task_status_name(t->status));
	if (t->active_form != NULL) {
		buf_puts(&c->out, "active form: ");
		view_text(&c->out, t->active_form, 1000);
		buf_putc(&c->out, '\n');
	}
	ids_with_subjects(c, v, "blocked by", &t->blocked_by);
	ids_with_subjects(c, v, "blocks", &t->blocks);
	graph_children(&v->tasks, t->id, &children);
	ids_with_subjects(c, v, "subtasks", &children);
	if (claim != NULL) {
		struct agent a = { .id = claim->agent_id,
			.type = claim->agent_type,
			.name = claim->name,
			.session = claim->session };

		agent_describe(&who, &a);
		buf_puts(&who, ", ");
		view_ago(&who, claim->time_ms);
		buf_printf(&c->out, "claimed: %s%s\n", buf_text(&who),
		    claims_alive(claim) ? ""
					: " (its client is gone: claude-tasks release --dead)");
	}
	if (metadata != JSON_ABSENT) {
		buf_reset(&who);
		json_print(&who, &t->json, metadata, 0, 0);
		buf_puts(&c->out, "metadata: ");
		text_show(&c->out, who.data, who.len, TEXT_LINE, 2000);
		buf_putc(&c->out, '\n');
	}
	if (t->description[0] != '\0') {
		buf_puts(&c->out, "description:\n");
		text_show(&c->out, t->description, strlen(t->description), TEXT_BLOCK, 1u << 20);
		buf_putc(&c->out, '\n');
	}
	strings_free(&children);
	buf_free(&who);
}

static struct json_object *
get_json(const struct view *v, const struct task *t, const struct claims *claims)
{
	const struct claim *claim = claims_find(claims, t->id);
	struct json_object *o = out_object(), *by;
	struct strings children = { 0 };

	out_add(o, "task", out_raw(&t->json, JSON_ROOT));
	out_add(o, "summary", view_json(v, t));
	graph_children(&v->tasks, t->id, &children);
	out_strings(o, "subtasks", &children);
	strings_free(&children);
	if (claim != NULL) {
		by = out_object();
		out_string(by, "agent", claim->agent_id);
		out_string(by, "name", claim->name);
		out_string(by, "session", claim->session);
		out_bool(by, "alive", claims_alive(claim));
		out_add(o, "claim", by);
	}
	return o;
}

int
get_main(struct cli *c)
{
	struct view v = { 0 };
	struct strings ids = { 0 };
	struct claims claims = { 0 };
	struct json_object *all = NULL;
	struct error err;
	int status = EXIT_DONE;

	for (int i = 0; i < c->operands; i++)
		if (cli_ids(c, c->operand[i], &ids) == -1)
			goto fail;
	if (view_load(c, &v) == -1)
		goto fail;
	/* A ledger that cannot be read costs a line of the answer, not the answer. */
	if (claims_load(&c->list, &claims, &err) == -1)
		cli_note(c, "claude-tasks: who claimed what is not known: %s", err.text);
	for (size_t i = 0; i < ids.count; i++) {
		const struct task *t = view_find(&v, ids.item[i]);

		if (t == NULL) {
			status = cli_no_task(c, ids.item[i]);
			continue;
		}
		if (c->json) {
			if (ids.count == 1) {
				cli_json(c, get_json(&v, t, &claims));
				continue;
			}
			if (all == NULL)
				all = out_array();
			out_push(all, get_json(&v, t, &claims));
			continue;
		}
		if (i > 0)
			buf_putc(&c->out, '\n');
		get_text(c, &v, t, &claims);
	}
	if (all != NULL)
		cli_json(c, all);
	goto out;
fail:
	status = c->status;
out:
	claims_free(&claims);
	strings_free(&ids);
	view_free(&v);
	return status;
}

/* id, tab, subject: what the shells' completions are fed with.  Never fails loudly. */
int
ids_main(struct cli *c)
{
	struct task_set all = { 0 };
	struct error err;

	if (cli_open(c, false) != 1 || store_load(&c->store, &all, &err) == -1)
		return EXIT_DONE;
	for (size_t i = 0; i < all.count; i++) {
		const struct task *t = &all.item[i];

		if (t->internal || (cli_flag(c, "open") && !task_open(t)))
			continue;
		buf_puts(&c->out, t->id);
		buf_putc(&c->out, '\t');
		view_text(&c->out, t->subject, 60);
		buf_putc(&c->out, '\n');
	}
	task_set_free(&all);
	return EXIT_DONE;
}
