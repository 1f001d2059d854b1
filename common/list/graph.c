/*
 * The graph is small and read often, so nothing is kept: each function builds
 * an index of ids, and searches breadth first, which finds a shortest path.
 *
 * An open blocker is one that is neither completed nor cancelled.  One that
 * does not exist blocks too, because it can never be completed; it is named
 * as missing.
 */
#include "list/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "task/task.h"

/* Does `t` wait for a task other than `but` (NULL: for any)? */
static bool
is_blocked(const struct task_index *ids, const struct task *t, const char *but)
{
	for (size_t i = 0; i < t->blocked_by.count; i++)
		if (task_blocks(task_index_get(ids, t->blocked_by.item[i])) &&
		    !text_equal(t->blocked_by.item[i], but))
			return true;
	return false;
}

bool
graph_is_free(const struct task *t)
{
	/* A document's "blocked" may be out of date; its dependencies decide. */
	return (t->status == TASK_PENDING || t->status == TASK_BLOCKED) && !task_held(t) &&
	       t->owner == NULL && !t->internal;
}

/* ---- blockers ---- */

void
blockers_add(struct blockers *b, const char *id, const struct task *t)
{
	struct blocker *item;

	b->item = mem_more(b->item, b->count, sizeof(b->item[0]));
	item = &b->item[b->count++];
	memset(item, 0, sizeof(*item));
	item->id = mem_string(id);
	item->missing = t == NULL;
	item->status = t != NULL ? t->status : TASK_NO_STATUS;
	item->subject = t != NULL ? mem_string(t->subject) : NULL;
	item->owner = t != NULL ? mem_string(t->owner) : NULL;
}

void
graph_blockers_of(const struct task_set *set, const struct task *task, struct blockers *b)
{
	const struct task *t;
	size_t i;

	memset(b, 0, sizeof(*b));
	for (i = 0; i < task->blocked_by.count; i++) {
		t = task_set_find(set, task->blocked_by.item[i]);
		if (task_blocks(t))
			blockers_add(b, task->blocked_by.item[i], t);
	}
}

void
blockers_free(struct blockers *b)
{
	size_t i;

	for (i = 0; i < b->count; i++) {
		free(b->item[i].id);
		free(b->item[i].subject);
		free(b->item[i].owner);
	}
	free(b->item);
	memset(b, 0, sizeof(*b));
}

#define NAMED_MAX 10 /* more are only counted */

void
blockers_describe(struct buf *out, const struct blockers *b)
{
	size_t i, shown = b->count <= NAMED_MAX ? b->count : NAMED_MAX;
	const struct blocker *item;

	for (i = 0; i < shown; i++) {
		item = &b->item[i];
		if (i > 0)
			buf_puts(out, i + 1 == b->count ? " and " : ", ");
		buf_putc(out, '#');
		text_show(out, item->id, strlen(item->id), TEXT_LINE, 128);
		if (item->missing) {
			buf_puts(out, " (missing: there is no such task)");
			continue;
		}
		buf_putc(out, ' ');
		text_quote(out, item->subject, TEXT_SUBJECT);
		buf_printf(out, " (%s", task_status_name(item->status));
		if (item->owner != NULL) {
			buf_puts(out, ", owner ");
			text_show(out, item->owner, strlen(item->owner), TEXT_LINE, 80);
		}
		buf_putc(out, ')');
	}
	if (shown < b->count)
		buf_printf(out, " and %zu more", b->count - shown);
}

/* ---- questions about the whole list ---- */

void
graph_ready(const struct task_set *set, struct strings *out)
{
	struct task_index ids;
	size_t i;

	task_index_make(&ids, set);
	for (i = 0; i < set->count; i++)
		if (graph_is_free(&set->item[i]) && !is_blocked(&ids, &set->item[i], NULL))
			strings_add(out, set->item[i].id);
	task_index_free(&ids);
}

void
graph_unblocked(const struct task_set *set, const char *id, struct strings *out)
{
	struct task_index ids;
	const struct task *t;
	size_t i;

	task_index_make(&ids, set);
	for (i = 0; i < set->count; i++) {
		t = &set->item[i];
		if (task_open(t) && t->status != TASK_IN_PROGRESS && !task_held(t) &&
		    !t->internal && strings_has(&t->blocked_by, id) && !is_blocked(&ids, t, id))
			strings_add(out, t->id);
	}
	task_index_free(&ids);
}

void
graph_children(const struct task_set *set, const char *id, struct strings *out)
{
	size_t i;

	for (i = 0; i < set->count; i++)
		if (text_equal(set->item[i].parent, id))
			strings_add(out, set->item[i].id);
}

/* ---- paths through the list ---- */

struct descent {
	const struct task_set *set;
	struct task_index ids;
	unsigned char *colour; /* 0 not seen, 1 on the way, 2 done with */
	size_t *stack, *next;  /* the way, and which blocker of each comes next */
	size_t depth;
	size_t *order, done; /* those done with */
};

static void
descent_push(struct descent *d, size_t at)
{
	d->colour[at] = 1;
	d->stack[d->depth] = at;
	d->next[d->depth++] = 0;
}

/* Depth first from `root`: finds an edge back in linear time.  Where to, or TASK_NOWHERE. */
static size_t
descent_run(struct descent *d, size_t root)
{
	if (d->colour[root] != 0)
		return TASK_NOWHERE;
	descent_push(d, root);
	while (d->depth > 0) {
		size_t at = d->stack[d->depth - 1], to;
		const struct strings *by = &d->set->item[at].blocked_by;

		if (d->next[d->depth - 1] == by->count) {
			d->colour[at] = 2;
			d->order[d->done++] = at;
			d->depth--;
			continue;
		}
		to = task_index_find(&d->ids, by->item[d->next[d->depth - 1]++]);
		if (to != TASK_NOWHERE && d->colour[to] == 1)
			return to;
		if (to != TASK_NOWHERE && d->colour[to] == 0)
			descent_push(d, to);
	}
	return TASK_NOWHERE;
}

bool
graph_order(const struct task_set *set, size_t *order, struct strings *cycle)
{
	struct descent d = { .set = set, .order = order };
	size_t back = TASK_NOWHERE, i;

	d.colour = mem_alloc(set->count + 1);
	d.stack = mem_grow(NULL, set->count + 1, sizeof(d.stack[0]));
	d.next = mem_grow(NULL, set->count + 1, sizeof(d.next[0]));
	task_index_make(&d.ids, set);
	for (i = 0; i < set->count && back == TASK_NOWHERE; i++)
		back = descent_run(&d, i);
	if (back != TASK_NOWHERE) {
		for (i = 0; d.stack[i] != back;)
			i++;
		for (; i < d.depth; i++)
			strings_add(cycle, set->item[d.stack[i]].id);
		strings_add(cycle, set->item[back].id);
	}
	task_index_free(&d.ids);
	free(d.colour);
	free(d.stack);
	free(d.next);
	return back == TASK_NOWHERE;
}

bool
graph_any_cycle(const struct task_set *set, struct strings *path)
{
	size_t *order = mem_grow(NULL, set->count + 1, sizeof(order[0]));
	bool found = !graph_order(set, order, path);

	free(order);
	return found;
}

/* The ids from the start of a search to `at`.  from[i]: the task before i, the start for itself. */
static void
walk_path(const struct task_set *set, const size_t *from, size_t at, struct strings *path)
{
	struct strings back = { 0 };

	strings_add(&back, set->item[at].id);
	for (; from[at] != at; at = from[at])
		strings_add(&back, set->item[from[at]].id);
	while (back.count > 0)
		strings_take(path, back.item[--back.count]);
	free(back.item);
}

void
graph_why(const struct task_set *set, const char *id, struct strings *chain)
{
	struct task_index ids;
	size_t *from = mem_grow(NULL, set->count + 1, sizeof(from[0]));
	size_t *queue = mem_grow(NULL, set->count + 1, sizeof(queue[0]));
	size_t head = 0, tail = 0, at, i, to;
	const char *missing = NULL;
	bool waits = true;

	task_index_make(&ids, set);
	for (i = 0; i < set->count; i++)
		from[i] = TASK_NOWHERE;
	if ((at = task_index_find(&ids, id)) != TASK_NOWHERE)
		from[at] = queue[tail++] = at;
	while (head < tail && waits && missing == NULL) {
		const struct strings *by;

		at = queue[head++];
		by = &set->item[at].blocked_by;
		waits = false;
		for (i = 0; i < by->count && missing == NULL; i++) {
			to = task_index_find(&ids, by->item[i]);
			if (to == TASK_NOWHERE)
				missing = by->item[i];
			else if (task_open(&set->item[to])) {
				waits = true;
				if (from[to] == TASK_NOWHERE) {
					from[to] = at;
					queue[tail++] = to;
				}
			}
		}
	}
	if (!waits || missing != NULL)
		walk_path(set, from, at, chain);
	if (missing != NULL)
		strings_add(chain, missing);
	task_index_free(&ids);
	free(from);
	free(queue);
}
