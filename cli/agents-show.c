/*
 * agents: show them, by the command and below the list in watch.
 */
#include <stdlib.h>
#include <string.h>

#include "agents.h"
#include "base/text.h"

#define OTHERS_SHOWN 20 /* that have no task and are not in the team */
#define HOLDS_SHOWN 3

static const struct {
	char name[8];
	enum paint paint;
} states[] = {
	[AGENTS_RUNNING] = { "running", PAINT_YELLOW },
	[AGENTS_GONE] = { "gone", PAINT_RED },
	[AGENTS_IDLE] = { "idle", PAINT_DIM },
	[AGENTS_DONE] = { "done", PAINT_GREEN },
};

static const char *
agents_state_name(enum agents_state s)
{
	return states[s].name;
}

static void
plain_name(struct buf *b, const struct agents_one *a)
{
	if (a->lead)
		buf_puts(b, "team-lead");
	else if (a->main) {
		buf_puts(b, "session ");
		view_head(b, a->key, AGENTS_SESSION);
	} else
		view_text(b, a->key, 60);
}

/* "front", "a6b1d0c2f3e4a5b69", "session 0f1e2d3c", "team-lead", "bob (session 0f1e2d3c)", "bob
 * (codex, process 4711)"; made safe. */
static void
agents_name(struct buf *b, const struct agents_one *a)
{
	plain_name(b, a);
	if (!a->twice || a->from == NULL)
		return;
	if (a->session == NULL)
		cli_format(b, " (%.60s)", a->from);
	else {
		buf_puts(b, " (session ");
		view_head(b, a->from, a->alike ? 40 : AGENTS_SESSION);
		buf_putc(b, ')');
	}
}

/* The client gives each teammate a colour. */
static enum paint
own_paint(const struct agents_one *a)
{
	static const struct {
		char name[8];
		enum paint paint;
	} colors[] = {
		{ "red", PAINT_RED },
		{ "green", PAINT_GREEN },
		{ "yellow", PAINT_YELLOW },
		{ "orange", PAINT_ORANGE },
		{ "blue", PAINT_BLUE },
		{ "cyan", PAINT_CYAN },
		{ "purple", PAINT_MAGENTA },
		{ "pink", PAINT_PINK },
	};

	for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++)
		if (text_equal(colors[i].name, a->color))
			return colors[i].paint;
	return PAINT_BOLD;
}

/* When it took the first of the tasks that it has; 0 unknown. */
static int64_t
since(const struct agents_one *a)
{
	int64_t first = 0;

	for (size_t i = 0; i < a->holds; i++)
		if (a->hold[i].since_ms > 0 && (first == 0 || a->hold[i].since_ms < first))
			first = a->hold[i].since_ms;
	return first;
}

static void
one_text(struct cli *c, const struct agents_one *a, const struct view *v)
{
	enum agents_state state = agents_state(a);
	int64_t first = since(a);

	buf_puts(&c->out, cli_paint(c, own_paint(a)));
	agents_name(&c->out, a);
	buf_printf(&c->out, "%s %s[%s]%s", cli_paint(c, PAINT_OFF),
	    cli_paint(c, states[state].paint), states[state].name, cli_paint(c, PAINT_OFF));
	for (size_t i = 0; i < a->holds && i < HOLDS_SHOWN; i++) {
		const struct task *t = view_find(v, a->hold[i].task);

		cli_print(c, "%s #%s ", i > 0 ? "," : "", a->hold[i].task);
		view_subject(c, t != NULL ? t->subject : "", 60);
	}
	if (a->holds > HOLDS_SHOWN)
		buf_printf(&c->out, " +%zu", a->holds - HOLDS_SHOWN);
	if (first > 0) {
		buf_puts(&c->out, " for ");
		view_span(&c->out, clock_wall_ms() - first);
	}
	buf_printf(&c->out, "%s %zu completed", a->holds > 0 ? "," : "", a->completed);
	if (a->seen_ms > 0) {
		buf_puts(&c->out, ", seen ");
		view_ago(&c->out, a->seen_ms);
	}
	if (a->type != NULL)
		cli_print(c, " (%.40s)", a->type);
	buf_putc(&c->out, '\n');
}

static void
out_time(struct json_object *o, const char *key, int64_t ms)
{
	char iso[CLOCK_ISO];

	if (ms <= 0)
		return;
	clock_iso(iso, ms);
	out_string(o, key, iso);
}

struct json_object *
agents_json(const struct agents *all, const struct agents_one *a, const struct view *v)
{
	struct json_object *o = out_object(), *holds, *h;
	struct buf name = { 0 };

	plain_name(&name, a);
	out_string(o, "agent", buf_text(&name));
	if (a->session == NULL)
		out_string(o, "client", a->from);
	out_string(o, "id", a->id);
	out_string(o, "type", a->type);
	out_string(o, "session", a->main ? a->key : a->session);
	out_string(o, "color", a->color);
	out_bool(o, "member", a->member);
	out_string(o, "state", agents_state_name(agents_state(a)));
	if (a->life != LIFE_UNKNOWN)
		out_bool(o, "alive", a->life == LIFE_ALIVE);
	holds = out_add(o, "holds", out_array());
	for (size_t i = 0; i < a->holds; i++) {
		const struct task *t = view_find(v, a->hold[i].task);

		h = out_push(holds, out_object());
		out_string(h, "id", a->hold[i].task);
		out_string(h, "subject", t != NULL ? t->title : NULL);
		out_time(h, "since", a->hold[i].since_ms);
	}
	out_time(o, "since", since(a));
	out_time(o, "last_seen", a->seen_ms);
	if (all->journal)
		out_int(o, "completed", (int64_t)a->completed);
	buf_free(&name);
	return o;
}

void
agents_line(const struct cli *c, struct buf *out, const struct agents *all, int columns, bool times)
{
	struct buf part = { 0 };
	int used = 0;
	size_t shown = 0, left = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct agents_one *a = &all->item[i];
		enum agents_state state = agents_state(a);

		if (a->holds == 0 && !a->member)
			continue;
		buf_reset(&part);
		agents_name(&part, a);
		if (state != AGENTS_RUNNING || a->holds == 0)
			buf_printf(&part, " %s", states[state].name);
		if (a->holds > 0)
			cli_format(&part, " #%.20s", a->hold[0].task);
		if (a->holds > 1)
			buf_printf(&part, "+%zu", a->holds - 1);
		if (times && since(a) > 0) {
			buf_putc(&part, ' ');
			view_span(&part, clock_wall_ms() - since(a));
		}
		/* Room for " +99" is left. */
		if (left > 0 || used + text_width(buf_text(&part)) + 6 > columns) {
			left++;
			continue;
		}
		used += text_width(buf_text(&part)) + 2;
		buf_printf(out, "%s%s%s%s", shown++ > 0 ? ", " : "",
		    cli_paint(c, states[state].paint), buf_text(&part), cli_paint(c, PAINT_OFF));
	}
	if (left > 0)
		buf_printf(out, " +%zu", left);
	buf_free(&part);
}

int
agents_main(struct cli *c)
{
	bool every = cli_flag(c, "all");
	struct json_object *array = NULL;
	struct agents all;
	struct view v;
	size_t others = 0;

	if (view_load(c, &v) == -1)
		return c->status;
	if (agents_load(c, &all, &v, true) == -1) {
		view_free(&v);
		return c->status;
	}
	if (c->json)
		array = out_array();
	for (size_t i = 0; i < all.count; i++) {
		const struct agents_one *a = &all.item[i];

		if (a->holds == 0 && !a->member && others++ >= OTHERS_SHOWN && !every)
			continue;
		if (array != NULL)
			out_push(array, agents_json(&all, a, &v));
		else
			one_text(c, a, &v);
	}
	if (array != NULL)
		cli_json(c, array);
	else if (all.count == 0)
		buf_printf(&c->out, "no agent has taken a task of list '%s'\n", c->list.name);
	else if (others > OTHERS_SHOWN && !every)
		buf_printf(&c->out, "%s(%zu earlier agents: --all)%s\n", cli_paint(c, PAINT_DIM),
		    others - OTHERS_SHOWN, cli_paint(c, PAINT_OFF));
	agents_free(&all);
	view_free(&v);
	return EXIT_DONE;
}
