/*
 * The graph is small and read often, so nothing is kept: an index of ids is
 * built per question, and walks
 * are breadth first, which makes the shortest path the first one found.
 *
 * An open blocker is one that is not completed or cancelled.  One that does
 * not exist blocks too, because it can never be completed; it is named as
 * missing.
 */
#include "list/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "task/task.h"

static bool
is_blocked(const struct task_index *ids, const struct task *t)
{
	size_t i, at;

	for (i = 0; i < t->blocked_by.count; i++) {
		at = task_index_find(ids, t->blocked_by.item[i]);
		if (at == TASK_NOWHERE || task_open(&ids->set->item[at]))
			return true;
	}
	return false;
}

bool
graph_is_free(const struct task *t)
{
	/* A document's "blocked" is what its dependencies say: it may be over. */
	return (t->status == TASK_PENDING || t->status == TASK_BLOCKED) && t->owner == NULL &&
	       !t->internal;
}

/* ---- blockers ---- */

void
blockers_add(struct blockers *b, const char *id, const struct task *t)
{
	struct blocker *item;

	b->item = mem_grow(b->item, b->count + 1, sizeof(b->item[0]));
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
		if (t == NULL || task_open(t))
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

/* ", " or " and " before item i of count; past NAMED_MAX items are counted, not listed. */
#define NAMED_MAX 10

static void
separate(struct buf *out, size_t i, size_t count)
{
	if (i > 0)
		buf_puts(out, i + 1 == count ? " and " : ", ");
}

void
blockers_describe(struct buf *out, const struct blockers *b)
{
	size_t i, shown = b->count <= NAMED_MAX ? b->count : NAMED_MAX;
	const struct blocker *item;

	for (i = 0; i < shown; i++) {
		item = &b->item[i];
		separate(out, i, b->count);
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
		if (graph_is_free(&set->item[i]) && !is_blocked(&ids, &set->item[i]))
			strings_add(out, set->item[i].id);
	task_index_free(&ids);
}

void
graph_unblocked(const struct task_set *set, const char *id, struct strings *out)
{
	struct task_index ids;
	const struct task *t;
	size_t i, k, at;
	bool open;

	task_index_make(&ids, set);
	for (i = 0; i < set->count; i++) {
		t = &set->item[i];
		if (!task_open(t) || t->status == TASK_IN_PROGRESS || t->internal ||
		    !strings_has(&t->blocked_by, id))
			continue;
		for (open = false, k = 0; k < t->blocked_by.count && !open; k++) {
			if (strcmp(t->blocked_by.item[k], id) == 0)
				continue;
			at = task_index_find(&ids, t->blocked_by.item[k]);
			open = at == TASK_NOWHERE || task_open(&set->item[at]);
		}
		if (!open)
			strings_add(out, t->id);
	}
	task_index_free(&ids);
}

void
graph_children(const struct task_set *set, const char *id, struct strings *out)
{
	size_t i;

	for (i = 0; i < set->count; i++)
		if (set->item[i].parent != NULL && strcmp(set->item[i].parent, id) == 0)
			strings_add(out, set->item[i].id);
}

/* ---- ways through the list ---- */

/* Breadth first from `start` along what each waits for; from[] leads back. */
struct walk {
	struct task_index ids;
	size_t *from, *queue, head, tail;
};

static void
walk_begin(struct walk *w, const struct task_set *set)
{
	size_t i;

	memset(w, 0, sizeof(*w));
	task_index_make(&w->ids, set);
	w->from = mem_grow(NULL, set->count + 1, sizeof(w->from[0]));
	w->queue = mem_grow(NULL, set->count + 1, sizeof(w->queue[0]));
	for (i = 0; i < set->count; i++)
		w->from[i] = TASK_NOWHERE;
}

static void
walk_end(struct walk *w)
{
	task_index_free(&w->ids);
	free(w->from);
	free(w->queue);
}

static void
walk_reach(struct walk *w, size_t at, size_t from)
{
	if (at == TASK_NOWHERE || w->from[at] != TASK_NOWHERE)
		return;
	w->from[at] = from;
	w->queue[w->tail++] = at;
}

/* ids from the walk's start to `at`, the start first. */
static void
walk_path(const struct walk *w, size_t at, struct strings *path)
{
	const struct task_set *set = w->ids.set;
	size_t count = path->count, i;
	char *swap;

	for (;; at = w->from[at]) {
		strings_add(path, set->item[at].id);
		if (w->from[at] == at)
			break;
	}
	for (i = 0; i < (path->count - count) / 2; i++) {
		swap = path->item[count + i];
		path->item[count + i] = path->item[path->count - 1 - i];
		path->item[path->count - 1 - i] = swap;
	}
}

bool
graph_any_cycle(const struct task_set *set, struct strings *path)
{
	/* Depth first with three colours: finds an edge back in linear time. */
	struct task_index ids;
	unsigned char *colour = mem_alloc(set->count + 1);
	size_t *stack = mem_grow(NULL, set->count + 1, sizeof(stack[0]));
	size_t *next = mem_grow(NULL, set->count + 1, sizeof(next[0]));
	size_t depth, root, at, to = TASK_NOWHERE, i;
	bool found = false;

	task_index_make(&ids, set);
	for (root = 0; root < set->count && !found; root++) {
		if (colour[root] != 0)
			continue;
		depth = 0;
		stack[depth] = root;
		next[depth++] = 0;
		colour[root] = 1;
		while (depth > 0 && !found) {
			at = stack[depth - 1];
			if (next[depth - 1] == set->item[at].blocked_by.count) {
				colour[at] = 2;
				depth--;
				continue;
			}
			to =
			    task_index_find(&ids, set->item[at].blocked_by.item[next[depth - 1]++]);
			if (to == TASK_NOWHERE || colour[to] == 2)
				continue;
			if (colour[to] == 1) {
				found = true;
				break;
			}
			colour[to] = 1;
			stack[depth] = to;
			next[depth++] = 0;
		}
		if (found) {
			for (i = 0; stack[i] != to;)
				i++;
			for (; i < depth; i++)
				strings_add(path, set->item[stack[i]].id);
			strings_add(path, set->item[to].id);
		}
	}
	task_index_free(&ids);
	free(colour);
	free(stack);
	free(next);
	return found;
}

void
graph_why(const struct task_set *set, const char *id, struct strings *chain)
{
	struct walk w;
	const struct task *t;
	size_t at, i, to;
	bool missing;

	walk_begin(&w, set);
	at = task_index_find(&w.ids, id);
	if (at != TASK_NOWHERE)
		walk_reach(&w, at, at);
	while (w.head < w.tail) {
		at = w.queue[w.head++];
		t = &set->item[at];
		missing = false;
		for (i = 0; i < t->blocked_by.count; i++) {
			to = task_index_find(&w.ids, t->blocked_by.item[i]);
			if (to == TASK_NOWHERE) {
				walk_path(&w, at, chain);
				strings_add(chain, t->blocked_by.item[i]);
				missing = true;
				break;
			}
			if (task_open(&set->item[to]))
				walk_reach(&w, to, at);
		}
		if (missing)
			break;
		if (!is_blocked(&w.ids, t)) {
			walk_path(&w, at, chain);
			break;
		}
	}
	walk_end(&w);
}
