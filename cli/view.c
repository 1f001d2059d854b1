#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "task/macf.h"
#include "view.h"

const struct task *
view_find(const struct view *v, const char *id)
{
	struct task_index index = v->index;

	index.set = &v->tasks; /* the view may have moved */
	return index.slot != NULL ? task_index_get(&index, id) : NULL;
}

void
view_of(struct view *v, struct task_set *all)
{
	struct strings open = { 0 };
	const struct task *ready;

	*v = (struct view){ 0 };
	v->tasks = *all;
	*all = (struct task_set){ 0 };
	task_index_make(&v->index, &v->tasks);
	v->can_start = mem_alloc(v->tasks.count + 1);
	graph_ready(&v->tasks, &v->ready);
	for (size_t i = 0; i < v->ready.count; i++)
		if ((ready = view_find(v, v->ready.item[i])) != NULL)
			v->can_start[ready - v->tasks.item] = true;
	for (size_t i = 0; i < v->tasks.count; i++) {
		const struct task *t = &v->tasks.item[i];

		if (t->internal)
			continue;
		v->shown++;
		v->pending += t->status == TASK_PENDING || t->status == TASK_BLOCKED;
		v->in_progress += t->status == TASK_IN_PROGRESS;
		v->completed += t->status == TASK_COMPLETED;
		v->cancelled += t->status == TASK_CANCELLED;
		view_blockers(v, t, &open);
		v->blocked += open.count > 0 || task_held(t);
		strings_free(&open);
	}
}

int
view_load(struct cli *c, struct view *v)
{
	struct task_set all = { 0 };
	struct error err;
	int rc = cli_open(c, false);

	*v = (struct view){ 0 };
	if (rc == -1)
		return -1;
	if (rc == 1 && store_load(&c->store, &all, &err) == -1) {
		cli_error(c, &err);
		return -1;
	}
	view_of(v, &all);
	return 0;
}

void
view_free(struct view *v)
{
	task_set_free(&v->tasks);
	strings_free(&v->ready);
	task_index_free(&v->index);
	free(v->can_start);
	*v = (struct view){ 0 };
}

void
view_blockers(const struct view *v, const struct task *t, struct strings *ids)
{
	if (!task_open(t))
		return;
	for (size_t i = 0; i < t->blocked_by.count; i++) {
		const struct task *b = view_find(v, t->blocked_by.item[i]);

		if (b == NULL || task_open(b))
			strings_add(ids, t->blocked_by.item[i]);
	}
}

bool
view_ready(const struct view *v, const char *id)
{
	const struct task *t = view_find(v, id);

	return t != NULL && v->can_start[t - v->tasks.item];
}

enum task_status
view_status(const struct view *v, const struct task *t)
{
	struct strings open = { 0 };
	bool waits;

	view_blockers(v, t, &open);
	waits = open.count > 0;
	strings_free(&open);
	return waits && t->status == TASK_PENDING ? TASK_BLOCKED : t->status;
}

void
view_text(struct buf *b, const char *text, size_t max)
{
	text_show(b, text, strlen(text), TEXT_LINE, max);
}

void
view_subject(struct cli *c, const char *subject, size_t max)
{
	text_show(
	    &c->out, subject, strlen(subject), c->terminal && c->color ? TEXT_DIM : TEXT_LINE, max);
}

void
view_ids(struct buf *b, const struct strings *ids)
{
	for (size_t i = 0; i < ids->count; i++) {
		buf_puts(b, i > 0 ? ", #" : "#");
		view_text(b, ids->item[i], 128);
	}
}

struct json_object *
view_client_json(const struct task *t)
{
	struct json_object *o = out_object();

	out_string(o, "id", t->id);
	out_string(o, "subject", t->title);
	out_string(o, "description", t->description);
	out_string(o, "activeForm", t->active_form);
	out_string(o, "status", task_status_name(t->status));
	out_string(o, "owner", t->owner);
	out_strings(o, "blocks", &t->blocks);
	out_strings(o, "blockedBy", &t->blocked_by);
	if (task_metadata(t) != JSON_ABSENT)
		out_add(o, "metadata", out_raw(&t->json, task_metadata(t)));
	return o;
}

void
view_result(struct cli *c, const char *action, const struct task *t)
{
	struct json_object *o;

	if (!c->json) {
		cli_print(c, "%s #%s %.120s\n", action, t->id, t->subject);
		return;
	}
	o = out_object();
	out_string(o, "done", action);
	out_string(o, "id", t->id);
	out_add(o, "task", out_raw(&t->json, JSON_ROOT));
	cli_json(c, o);
}

static const char *
status_sign(const struct cli *c, const struct task *t)
{
	enum task_status s = t->status;

	return s == TASK_IN_PROGRESS ? (c->ascii ? ">" : "◼")
	       : s == TASK_COMPLETED ? (c->ascii ? "x" : "✔")
	       : s == TASK_CANCELLED ? (c->ascii ? "-" : "✖")
	       : task_held(t)        ? (c->ascii ? "!" : "⊘")
				     : (c->ascii ? "." : "◻");
}

static enum paint
status_paint(enum task_status s)
{
	return s == TASK_IN_PROGRESS                        ? PAINT_YELLOW
	       : s == TASK_COMPLETED || s == TASK_CANCELLED ? PAINT_DIM
							    : PAINT_NONE;
}

/*
 * The subject is cut to the columns of the terminal; owner and blockers are kept.
 */
static void
line_decorated(struct cli *c, const struct view *v, const struct task *t)
{
	struct strings open = { 0 };
	struct buf tail = { 0 }, fitted = { 0 }, safe = { 0 };
	char *subject = macf_unmark(t->subject), *type = macf_agent_type(t->subject);
	enum paint paint = status_paint(t->status);
	int room;

	view_blockers(v, t, &open);
	if (t->owner != NULL)
		cli_format(&tail, "  @%.40s", t->owner);
	if (type != NULL)
		cli_format(&tail, "  for %.40s", type);
	if (open.count > 0) {
		buf_puts(&tail, c->ascii ? "  waits for " : "  ⊘ ");
		view_ids(&tail, &open);
	}
	view_text(&safe, t->id, 128);
	room = c->columns - 4 - text_width(buf_text(&safe)) - 2 - text_width(buf_text(&tail));
	text_fit(&fitted, subject, c->color && paint != PAINT_DIM ? TEXT_DIM : TEXT_LINE,
	    room < 10 ? 10 : room, c->ascii);
	buf_printf(&c->out, "%s%s #%s %s%s", cli_paint(c, paint), status_sign(c, t),
	    buf_text(&safe), buf_text(&fitted),
	    cli_paint(c, paint == PAINT_NONE ? PAINT_NONE : PAINT_OFF));
	if (tail.len > 0)
		buf_printf(&c->out, "%s%s%s", cli_paint(c, open.count > 0 ? PAINT_DIM : PAINT_CYAN),
		    buf_text(&tail), cli_paint(c, PAINT_OFF));
	free(subject);
	free(type);
	buf_free(&tail);
	buf_free(&fitted);
	buf_free(&safe);
	strings_free(&open);
}

void
view_line(struct cli *c, const struct view *v, const struct task *t)
{
	struct strings open = { 0 };
	char *subject, *type;

	if (c->terminal) {
		line_decorated(c, v, t);
		return;
	}
	/* In the form that the client's TaskList prints. */
	subject = macf_unmark(t->subject);
	type = macf_agent_type(t->subject);
	cli_print(c, "#%s [%s] %s", t->id, task_status_name(t->status), subject);
	if (t->owner != NULL)
		cli_print(c, " (%.120s)", t->owner);
	if (type != NULL)
		cli_print(c, " (for %.120s)", type);
	free(subject);
	free(type);
	view_blockers(v, t, &open);
	if (open.count > 0) {
		buf_puts(&c->out, " [blocked by ");
		view_ids(&c->out, &open);
		buf_putc(&c->out, ']');
	}
	strings_free(&open);
}

void
view_claims(struct cli *c, struct claims *claims)
{
	struct error err;

	if (claims_load(&c->list, claims, &err) == -1)
		cli_note(c, "claude-tasks: the claims cannot be read: %s", err.text);
}

void
view_span(struct buf *b, int64_t ms)
{
	long long s = ms > 0 ? ms / 1000 : 0;

	if (s < 60)
		buf_printf(b, "%llds", s);
	else if (s < 3600)
		buf_printf(b, "%lldm", s / 60);
	else if (s < 48 * 3600)
		buf_printf(b, "%lldh", s / 3600);
	else
		buf_printf(b, "%lldd", s / 86400);
}

void
view_head(struct buf *b, const char *text, size_t max)
{
	text_show(b, text, strnlen(text, max), TEXT_LINE, max);
}

void
view_time(struct buf *b, const char *iso)
{
	if (strlen(iso) < 19)
		return;
	view_head(b, iso, 10);
	buf_putc(b, ' ');
	view_head(b, iso + 11, 8);
}

void
view_ago(struct buf *b, int64_t wall_ms)
{
	int64_t ms = clock_wall_ms() - wall_ms;
	char iso[CLOCK_ISO];

	if (ms < 48 * 3600 * 1000LL) {
		view_span(b, ms);
		buf_puts(b, " ago");
	} else {
		clock_iso_seconds(iso, wall_ms);
		buf_printf(b, "%.10s", iso);
	}
}

struct json_object *
view_json(const struct view *v, const struct task *t)
{
	struct json_object *o = out_object();
	struct strings open = { 0 };
	char *kind = macf_kind(t), *type = macf_agent_type(t->subject);
	char *form = t->active_form != NULL ? text_plain(t->active_form) : NULL;

	view_blockers(v, t, &open);
	out_string(o, "id", t->id);
	out_string(o, "subject", t->title);
	out_string(o, "status", task_status_name(t->status));
	out_string(o, "owner", t->owner);
	out_string(o, "activeForm", form);
	out_string(o, "parent", t->parent);
	out_string(o, "kind", kind);
	out_string(o, "for", type);
	out_strings(o, "blockedBy", &open);
	out_strings(o, "blocks", &t->blocks);
	out_bool(o, "ready", view_ready(v, t->id));
	strings_free(&open);
	free(kind);
	free(type);
	free(form);
	return o;
}
