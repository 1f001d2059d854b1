/*
 * Reading: list, get.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/claims.h"
#include "base/text.h"
#include "lists.h"
#include "task/macf.h"
#include "view.h"
#include "json/json-print.h"

struct filter {
	struct strings status, kind;
	const char *owner, *repo, *type, *search; /* NULL: any */
	bool all, ready, blocked;
	bool hide; /* count completed and cancelled tasks instead of showing them */
};

static void
filter_free(struct filter *f)
{
	strings_free(&f->status);
	strings_free(&f->kind);
}

static int
filter_read(struct cli *c, struct filter *f)
{
	enum task_status ignored;

	*f = (struct filter){ .all = cli_flag(c, "all"),
		.ready = cli_flag(c, "ready"),
		.blocked = cli_flag(c, "blocked"),
		.owner = cli_value(c, "owner"),
		.repo = cli_value(c, "repo"),
		.type = cli_value(c, "for"),
		.search = cli_value(c, "search") };
	cli_values(c, "status", &f->status);
	cli_values(c, "kind", &f->kind);
	for (size_t i = 0; i < f->status.count; i++)
		if (cli_task_status(c, f->status.item[i], &ignored) == -1) {
			filter_free(f);
			return -1;
		}
	f->hide = !f->all && f->status.count == 0 && f->owner == NULL;
	return 0;
}

/* Is a value, which is taken, the wanted one? */
static bool
is_wanted(char *value, const char *want)
{
	bool is = value != NULL && strcasecmp(value, want) == 0;

	free(value);
	return is;
}

static bool
is_of_kind(const struct task *t, const struct strings *kinds)
{
	bool is = false;

	for (size_t i = 0; i < kinds->count && !is; i++)
		is = is_wanted(macf_kind(t), kinds->item[i]);
	return is;
}

/* Another tool may write kinds of its own: those of the list are known too. */
static int
filter_check_kinds(struct cli *c, const struct filter *f, const struct view *v)
{
	for (size_t i = 0; i < f->kind.count; i++) {
		struct strings one = { &f->kind.item[i], 1 };
		bool known = false;
		size_t k;

		for (k = 0; macf_kinds[k] != NULL; k++)
			known |= strcasecmp(macf_kinds[k], f->kind.item[i]) == 0;
		for (size_t n = 0; n < v->tasks.count && !known; n++)
			known = is_of_kind(&v->tasks.item[n], &one);
		if (!known) {
			cli_unknown(c, "kind", f->kind.item[i], macf_kinds, k);
			return -1;
		}
	}
	return 0;
}

static bool
filter_finds(const struct filter *f, const struct task *t)
{
	return (f->kind.count == 0 || is_of_kind(t, &f->kind)) &&
	       (f->repo == NULL || is_wanted(macf_value(t->description, "repo"), f->repo)) &&
	       (f->type == NULL || is_wanted(macf_agent_type(t->subject), f->type)) &&
	       (f->search == NULL || text_contains(t->subject, f->search) ||
		   text_contains(t->description, f->search));
}

static bool
filter_passes(const struct filter *f, const struct view *v, const struct task *t)
{
	struct strings open = { 0 };

	if (t->internal)
		return false;
	/* One that waits for others is blocked too, although the client's file says pending. */
	if (f->status.count > 0 && !strings_has(&f->status, task_status_name(t->status)) &&
	    !strings_has(&f->status, task_status_name(view_status(v, t))))
		return false;
	if (f->owner != NULL && strcmp(t->owner != NULL ? t->owner : "", f->owner) != 0)
		return false;
	if (f->ready && !view_ready(v, t->id))
		return false;
	if (!filter_finds(f, t))
		return false;
	if (f->blocked && !task_held(t)) {
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
	char *list = cli_list_shown(c);

	buf_puts(&c->out, cli_paint(c, PAINT_BOLD));
	cli_print(c, "%s", c->list.foreign ? list : c->list.name);
	buf_printf(&c->out, "%s  %zu of %zu done", cli_paint(c, PAINT_OFF), v->completed,
	    v->shown - v->cancelled);
	free(list);
	if (v->ready.count > 0)
		buf_printf(&c->out, ", %zu ready", v->ready.count);
	if (v->blocked > 0)
		buf_printf(&c->out, ", %zu blocked", v->blocked);
	if (v->cancelled > 0)
		buf_printf(&c->out, ", %zu cancelled", v->cancelled);
	buf_putc(&c->out, '\n');
}

static void
list_json(struct cli *c, const struct view *v, const struct filter *f)
{
	struct json_object *o = out_object(), *tasks, *counts;
	size_t hidden = 0;

	out_string(o, "list", c->list.name);
	out_string(o, "dir", c->list.dir);
	out_string(o, "why", c->list.why);
	out_string(o, "layout", c->store.dirfd == -1 ? NULL : store_layouts[c->store.layout]);
	counts = out_add(o, "counts", out_object());
	out_int(counts, "pending", (int64_t)v->pending);
	out_int(counts, "in_progress", (int64_t)v->in_progress);
	out_int(counts, "completed", (int64_t)v->completed);
	out_int(counts, "cancelled", (int64_t)v->cancelled);
	out_int(counts, "blocked", (int64_t)v->blocked);
	out_int(counts, "ready", (int64_t)v->ready.count);
	tasks = out_add(o, "tasks", out_array());
	for (size_t i = 0; i < v->tasks.count; i++) {
		const struct task *t = &v->tasks.item[i];

		if (!filter_passes(f, v, t))
			continue;
		if (f->hide && !task_open(t))
			hidden++;
		else
			out_push(tasks, view_json(v, t));
	}
	out_int(o, "hidden", (int64_t)hidden);
	out_int(o, "skipped", (int64_t)v->tasks.skipped);
	cli_json(c, o);
}

static void
hidden_text(struct cli *c, size_t completed, size_t cancelled)
{
	buf_printf(&c->out, "%s%s", c->terminal ? "  " : "", cli_paint(c, PAINT_DIM));
	if (completed > 0)
		buf_printf(&c->out, "+%zu completed", completed);
	if (cancelled > 0)
		buf_printf(&c->out, "%s%zu cancelled", completed > 0 ? ", " : "+", cancelled);
	buf_printf(&c->out, "%s\n", cli_paint(c, PAINT_OFF));
}

static void
skipped_note(struct cli *c, const struct view *v)
{
	bool document = c->store.layout == STORE_DOCUMENT;
	bool beside = c->store.layout == STORE_NATIVE && v->tasks.count > 0 &&
		      faccessat(c->store.dirfd, "tasks.json", F_OK, 0) == 0;
	size_t count = v->tasks.skipped - beside;
	char *option = cli_list_option(c);

	if (beside)
		cli_note(c,
		    "tasks.json is not shown: this list has files of the client (to add its tasks: "
		    "claude-tasks doctor%s)",
		    option);
	if (count > 0)
		cli_note(c,
		    "not shown, because invalid: %zu %s (to see why: claude-tasks doctor%s)", count,
		    count == 1 ? document ? "entry" : "file"
		    : document ? "entries"
			       : "files",
		    option);
	free(option);
}

static void
list_text(struct cli *c, const struct view *v, const struct filter *f)
{
	size_t completed = 0, cancelled = 0, shown = 0;
	char *list = cli_list_shown(c);

	if (c->terminal && v->shown > 0)
		heading(c, v);
	for (size_t i = 0; i < v->tasks.count; i++) {
		const struct task *t = &v->tasks.item[i];

		if (!filter_passes(f, v, t))
			continue;
		if (f->hide && !task_open(t)) {
			completed += t->status == TASK_COMPLETED;
			cancelled += t->status == TASK_CANCELLED;
			continue;
		}
		if (c->terminal)
			buf_puts(&c->out, "  ");
		view_line(c, v, t);
		buf_putc(&c->out, '\n');
		shown++;
	}
	if (completed + cancelled > 0)
		hidden_text(c, completed, cancelled);
	else if (shown == 0 && v->shown > 0)
		cli_print(c, "no task of %s matches\n", list);
	else if (shown == 0 && c->list.foreign)
		cli_print(c, c->list.exists ? "no tasks in %s\n" : "there is no directory %s\n",
		    c->list.exists ? list : c->list.dir);
	else if (shown == 0)
		cli_print(
		    c, "no tasks in %s (%s); other lists: claude-tasks lists\n", list, c->list.why);
	free(list);
	if (shown == 0 && v->shown == 0)
		lists_folder_hint(c);
	if (v->tasks.skipped > 0)
		skipped_note(c, v);
}

int
list_main(struct cli *c)
{
	struct view v;
	struct filter f;
	int status = EXIT_DONE;

	if (filter_read(c, &f) == -1)
		return c->status;
	if (view_load(c, &v) == -1) {
		filter_free(&f);
		return c->status;
	}
	if (filter_check_kinds(c, &f, &v) == -1)
		status = c->status;
	else
		(c->json ? list_json : list_text)(c, &v, &f);
	filter_free(&f);
	view_free(&v);
	return status;
}

static void
ids_with_subjects(struct cli *c, const struct view *v, const char *label, const struct strings *ids)
{
	for (size_t i = 0; i < ids->count; i++) {
		const struct task *t = view_find(v, ids->item[i]);

		cli_print(c, "%s #%s", i == 0 ? label : ",", ids->item[i]);
		if (t == NULL) {
			buf_puts(&c->out, " (missing)");
			continue;
		}
		buf_printf(&c->out, " [%s] ", task_status_name(t->status));
		view_subject(c, t->subject, 120);
	}
	if (ids->count > 0)
		buf_putc(&c->out, '\n');
}

static void
claim_text(struct cli *c, const struct claim *claim)
{
	struct buf who = { 0 };

	claim_describe(&who, claim);
	buf_puts(&who, ", ");
	view_ago(&who, claim->time_ms);
	buf_printf(&c->out, "claimed: %s%s\n", buf_text(&who),
	    claims_alive(claim) ? "" : " (its client is gone: claude-tasks release --dead)");
	buf_free(&who);
}

static void
macf_member(void *arg, const char *key, const char *value)
{
	out_string(arg, key, value);
}

/* The text without the block of metadata, which is shown before it. */
static void
description_text(struct cli *c, const struct task *t)
{
	char *text = macf_text(t->description), *block = macf_body(t->description), *line, *rest;

	if (block != NULL)
		buf_puts(&c->out, "macf metadata:\n");
	for (rest = block; (line = strsep(&rest, "\n")) != NULL;)
		if (*line != '\0')
			cli_print(c, "  %.1000s\n", line);
	free(block);
	if (*text != '\0') {
		buf_puts(&c->out, "description:\n");
		text_show(&c->out, text, strlen(text), TEXT_BLOCK, 1u << 20);
		buf_putc(&c->out, '\n');
	}
	free(text);
}

static void
get_text(struct cli *c, const struct view *v, const struct task *t, const struct claims *claims)
{
	const struct claim *claim = claims_find(claims, t->id);
	json_ref metadata = task_metadata(t);
	struct strings children = { 0 };
	struct buf text = { 0 };

	buf_puts(&c->out, cli_paint(c, PAINT_BOLD));
	view_line(c, v, t);
	buf_printf(&c->out, "%s\n", cli_paint(c, PAINT_OFF));
	if (c->terminal)
		buf_printf(&c->out, "status: %s\n", task_status_name(view_status(v, t)));
	if (t->active_form != NULL)
		cli_print(c, "active form: %s\n", t->active_form);
	ids_with_subjects(c, v, "blocked by:", &t->blocked_by);
	ids_with_subjects(c, v, "blocks:", &t->blocks);
	if (t->parent != NULL)
		ids_with_subjects(c, v, "parent:", &(struct strings){ (char *[]){ t->parent }, 1 });
	graph_children(&v->tasks, t->id, &children);
	ids_with_subjects(c, v, "subtasks:", &children);
	if (claim != NULL)
		claim_text(c, claim);
	if (metadata != JSON_ABSENT) {
		json_print(&text, &t->json, metadata, 0, 0);
		cli_print(c, "metadata: %.2000s\n", buf_text(&text));
	}
	description_text(c, t);
	strings_free(&children);
	buf_free(&text);
}

static struct json_object *
get_json(const struct view *v, const struct task *t, const struct claims *claims)
{
	const struct claim *claim = claims_find(claims, t->id);
	struct json_object *o = out_object(), *by;
	struct strings children = { 0 };
	size_t len;

	out_add(o, "task", out_raw(&t->json, JSON_ROOT));
	out_add(o, "summary", view_json(v, t));
	graph_children(&v->tasks, t->id, &children);
	out_strings(o, "subtasks", &children);
	strings_free(&children);
	if (macf_block(t->description, &len) != NULL)
		macf_each(t->description, macf_member, out_add(o, "macf", out_object()));
	if (claim != NULL) {
		by = out_add(o, "claim", out_object());
		out_string(by, "agent", claim->agent_id);
		out_string(by, "name", claim->name);
		out_string(by, "session", claim->session);
		out_bool(by, "alive", claims_alive(claim));
	}
	return o;
}

/* One task is an object, several are an array. */
static int
get_all(struct cli *c, const struct view *v, const struct strings *ids, const struct claims *claims)
{
	struct json_object *all = c->json && ids->count > 1 ? out_array() : NULL;
	int status = EXIT_DONE;
	bool found = false;

	for (size_t i = 0; i < ids->count; i++) {
		const struct task *t = view_find(v, ids->item[i]);

		if (t == NULL) {
			status = cli_no_task(c, ids->item[i]);
		} else if (all != NULL) {
			out_push(all, get_json(v, t, claims));
		} else if (c->json) {
			cli_json(c, get_json(v, t, claims));
		} else {
			buf_puts(&c->out, i > 0 ? "\n" : "");
			get_text(c, v, t, claims);
		}
		found |= t != NULL;
	}
	if (all != NULL && found)
		cli_json(c, all);
	else if (all != NULL)
		json_object_put(all);
	return status;
}

int
get_main(struct cli *c)
{
	struct view v = { 0 };
	struct strings ids = { 0 };
	struct claims claims = { 0 };
	int status;

	if (cli_operand_ids(c, &ids) == -1 || view_load(c, &v) == -1) {
		status = c->status;
	} else {
		view_claims(c, &claims);
		status = get_all(c, &v, &ids, &claims);
	}
	claims_free(&claims);
	strings_free(&ids);
	view_free(&v);
	return status;
}
