/*
 * Checks new dependencies before they are written.
 *
 * The search for a cycle reads only the tasks on the way: a hook that checks
 * one edge of a list of ten thousand tasks reads a handful of files.  Two new
 * edges can close a cycle that neither closes alone, so the search follows
 * the other new edges as well.  An edge that is refused is not followed, so
 * that each cycle is reported once.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "list/graph.h"

struct step {
	char *id;
	size_t from; /* the step that led here; itself at the start */
};

struct trail {
	struct step *step;
	size_t count;
	void *seen; /* tsearch(3) over the ids */
};

static int
by_id(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void
trail_reach(struct trail *trail, const char *id, size_t from)
{
	char *own = mem_string(id);
	void *node = tsearch(own, &trail->seen, by_id);

	if (node == NULL)
		mem_exhausted();
	if (*(char **)node != own) {
		free(own);
		return;
	}
	trail->step = mem_more(trail->step, trail->count, sizeof(trail->step[0]));
	trail->step[trail->count++] = (struct step){ own, from };
}

/* The ids from the start to the step `at`. */
static void
trail_path(const struct trail *trail, size_t at, struct strings *path)
{
	struct strings back = { 0 };

	for (;; at = trail->step[at].from) {
		strings_add(&back, trail->step[at].id);
		if (trail->step[at].from == at)
			break;
	}
	while (back.count > 0)
		strings_take(path, back.item[--back.count]);
	free(back.item);
}

static bool
edge_bad(const struct graph_edge *e)
{
	return strcmp(e->blocked, e->blocker) == 0 || e->unknown || e->cycle.count > 0;
}

/* Fills in the cycle that edge[nth] closes, if it closes one. */
static int
edge_search(graph_waits *waits, void *arg, struct graph_edge *edge, size_t count, size_t nth,
    struct error *err)
{
	struct graph_edge *e = &edge[nth];
	struct trail trail = { 0 };
	int rc = 0;

	trail_reach(&trail, e->blocker, 0);
	for (size_t at = 0; rc != -1 && at < trail.count; at++) {
		const char *id = trail.step[at].id;
		struct strings next = { 0 };

		if (strcmp(id, e->blocked) == 0) {
			strings_add(&e->cycle, e->blocked);
			trail_path(&trail, at, &e->cycle);
			break;
		}
		rc = waits(arg, id, &next, err);
		for (size_t i = 0; i < next.count; i++)
			trail_reach(&trail, next.item[i], at);
		strings_free(&next);
		for (size_t i = 0; i < count; i++)
			if (i != nth && !edge_bad(&edge[i]) && strcmp(edge[i].blocked, id) == 0)
				trail_reach(&trail, edge[i].blocker, at);
	}
	tdestroy(trail.seen, free); /* the ids */
	free(trail.step);
	return rc == -1 ? -1 : 0;
}

int
graph_check_edges(graph_waits *waits, void *arg, const char *id, struct graph_edge *edge,
    size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		const char *other =
		    strcmp(edge[i].blocked, id) == 0 ? edge[i].blocker : edge[i].blocked;
		struct strings ignored = { 0 };
		int rc = edge_bad(&edge[i]) ? 1 : waits(arg, other, &ignored, err);

		strings_free(&ignored);
		if (rc == -1)
			return -1;
		edge[i].unknown = rc == 0;
	}
	for (size_t i = 0; i < count; i++)
		if (!edge_bad(&edge[i]) && edge_search(waits, arg, edge, count, i, err) == -1)
			return -1;
	return 0;
}

static void
edge_name(struct buf *out, const char *id)
{
	if (*id == '\0') {
		buf_puts(out, "the new task");
		return;
	}
	buf_putc(out, '#');
	text_show(out, id, strlen(id), TEXT_LINE, 60);
}

static int
edge_refuse(const struct graph_edge *e, const char *id, struct error *err)
{
	const char *other = strcmp(e->blocked, id) == 0 ? e->blocker : e->blocked;
	struct buf text = { 0 };

	if (strcmp(e->blocked, e->blocker) == 0)
		buf_printf(&text, "task #%s cannot wait for itself", e->blocked);
	else if (e->unknown) {
		buf_puts(&text, "there is no task ");
		edge_name(&text, other);
		buf_puts(&text, "; create it first, or leave that dependency out");
	} else {
		buf_puts(&text, *e->blocked != '\0' ? "task " : "");
		edge_name(&text, e->blocked);
		buf_puts(&text, " cannot wait for ");
		edge_name(&text, e->blocker);
		buf_puts(&text, ": that would close the cycle ");
		for (size_t i = 0; i < e->cycle.count; i++) {
			buf_puts(&text, i > 0 ? " -> " : "");
			edge_name(&text, e->cycle.item[i]);
		}
	}
	error_set(err, ERROR_REFUSED, "%s", buf_text(&text));
	buf_free(&text);
	return -1;
}

int
graph_check_change(
    graph_waits *waits, void *arg, const char *id, const struct change *c, struct error *err)
{
	static const struct strings none;
	const struct strings *by = c->add_blocked_by != NULL ? c->add_blocked_by : &none;
	const struct strings *blocks = c->add_blocks != NULL ? c->add_blocks : &none;
	size_t count = by->count + blocks->count;
	struct graph_edge *edge = mem_alloc((count + 1) * sizeof(*edge));
	int rc;

	for (size_t i = 0; i < by->count; i++)
		edge[i] = (struct graph_edge){ .blocked = id, .blocker = by->item[i] };
	for (size_t i = 0; i < blocks->count; i++)
		edge[by->count + i] =
		    (struct graph_edge){ .blocked = blocks->item[i], .blocker = id };
	rc = graph_check_edges(waits, arg, id, edge, count, err);
	for (size_t i = 0; rc == 0 && i < count; i++)
		if (edge_bad(&edge[i]))
			rc = edge_refuse(&edge[i], id, err);
	for (size_t i = 0; i < count; i++)
		strings_free(&edge[i].cycle);
	free(edge);
	return rc;
}
