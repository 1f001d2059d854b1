/*
 * Checks new dependencies before they are written.
 *
 * The search for a cycle reads only the tasks on the way, each once: a hook
 * that checks one edge of a list of ten thousand tasks reads a handful of
 * files.  Two new edges can close a cycle that neither closes alone, so the
 * search follows the other new edges as well.  An edge that is refused is not
 * followed, so that each cycle is reported once.
 *
 * A task is completed after its parts, so that it waits for them too: the search
 * ends at the task that is to wait, or at one that it is a part of.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "list/graph.h"

/* A task that a search has reached. */
struct node {
	char *id;
	char *parent;
	bool read, missing, open;
	struct node **waits;
	size_t count;
	size_t seen;               /* by which search: the number of its edge, from 1 */
	size_t above;              /* the search for a task that is a part of it */
	struct node *from, *queue; /* of that search: where it came from, and which is next */
};

struct net {
	graph_waits *waits;
	void *arg;
	void *nodes; /* tsearch(3), by id */
};

void
graph_task_fill(struct graph_task *g, const struct task *t)
{
	strings_add_all(&g->blocked_by, &t->blocked_by);
	g->parent = mem_string(t->parent);
	g->open = task_open(t);
}

static int
node_by_id(const void *a, const void *b)
{
	return strcmp(((const struct node *)a)->id, ((const struct node *)b)->id);
}

static struct node *
net_node(struct net *net, const char *id)
{
	struct node key = { .id = (char *)id }, *n;
	void *found = tfind(&key, &net->nodes, node_by_id);

	if (found != NULL)
		return *(struct node **)found;
	n = mem_alloc(sizeof(*n));
	n->id = mem_string(id);
	if (tsearch(n, &net->nodes, node_by_id) == NULL)
		mem_exhausted();
	return n;
}

static int
node_read(struct net *net, struct node *n, struct error *err)
{
	struct graph_task t = { 0 };
	const struct strings *ids = &t.blocked_by;
	int rc;

	if (n->read)
		return 0;
	if ((rc = net->waits(net->arg, n->id, &t, err)) != -1) {
		n->read = true;
		n->missing = rc == 0;
		n->open = t.open;
		n->parent = t.parent;
		n->waits = mem_alloc((ids->count + 1) * sizeof(void *));
		for (size_t i = 0; i < ids->count; i++)
			n->waits[n->count++] = net_node(net, ids->item[i]);
	}
	strings_free(&t.blocked_by);
	return rc == -1 ? -1 : 0;
}

static void
node_free(void *node)
{
	struct node *n = node;

	free(n->id);
	free(n->parent);
	free(n->waits);
	free(n);
}

/* The ids from the start of the search to this node. */
static void
node_path(const struct node *n, struct strings *path)
{
	struct strings back = { 0 };

	for (;; n = n->from) {
		strings_add(&back, n->id);
		if (n->from == n)
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

/* Adds n to the queue, if it is new to this search; the last of the queue. */
static struct node *
search_reach(struct node *last, struct node *n, struct node *from, size_t search)
{
	if (n->seen == search)
		return last;
	n->seen = search;
	n->from = from;
	n->queue = NULL;
	last->queue = n;
	return n;
}

/* Marks those that the task is a part of. */
static int
mark_above(struct net *net, const char *id, size_t search, struct error *err)
{
	struct node *n = net_node(net, id);

	for (;;) {
		if (node_read(net, n, err) == -1)
			return -1;
		if (n->parent == NULL || (n = net_node(net, n->parent))->above == search)
			return 0;
		n->above = search;
	}
}

/* Fills in the cycle that edge[nth] closes, if it closes one. */
static int
edge_search(struct net *net, const char *id, struct graph_edge *edge, size_t count, size_t nth,
    struct error *err)
{
	struct graph_edge *e = &edge[nth];
	struct node *n = net_node(net, e->blocker), *last = n;

	n->seen = nth + 1;
	n->from = n;
	n->queue = NULL;
	if (mark_above(net, e->blocked, nth + 1, err) == -1)
		return -1;
	for (; n != NULL; n = n->queue) {
		e->part = n->above == nth + 1 && n->open && strcmp(n->id, e->blocked) != 0;
		if (e->part || strcmp(n->id, e->blocked) == 0) {
			strings_add(&e->cycle, e->blocked);
			node_path(n, &e->cycle);
			return 0;
		}
		if (node_read(net, n, err) == -1)
			return -1;
		for (size_t i = 0; i < n->count; i++)
			last = search_reach(last, n->waits[i], n, nth + 1);
		for (size_t i = 0; id != NULL && i < count; i++)
			if (i != nth && !edge_bad(&edge[i]) && strcmp(edge[i].blocked, n->id) == 0)
				last =
				    search_reach(last, net_node(net, edge[i].blocker), n, nth + 1);
	}
	return 0;
}

int
graph_check_edges(graph_waits *waits, void *arg, const char *id, struct graph_edge *edge,
    size_t count, struct error *err)
{
	struct net net = { .waits = waits, .arg = arg };
	int rc = 0;

	for (size_t i = 0; rc == 0 && id != NULL && i < count; i++) {
		struct node *other = net_node(
		    &net, strcmp(edge[i].blocked, id) == 0 ? edge[i].blocker : edge[i].blocked);

		if (edge_bad(&edge[i]))
			continue;
		rc = node_read(&net, other, err);
		edge[i].unknown = other->missing;
	}
	for (size_t i = 0; rc == 0 && i < count; i++)
		if (!edge_bad(&edge[i]))
			rc = edge_search(&net, id, edge, count, i, err);
	mem_tree_free(net.nodes, node_free);
	return rc;
}

static int
open_waits(void *arg, const char *id, struct graph_task *g, struct error *err)
{
	const struct task_index *ids = arg;
	size_t at = task_index_find(ids, id);

	(void)err;
	if (at == TASK_NOWHERE)
		return 0;
	graph_task_fill(g, &ids->set->item[at]);
	if (!g->open)
		strings_free(&g->blocked_by);
	return 1;
}

bool
graph_waits_for_whole(const struct task_index *ids, const struct task *t, struct strings *chain)
{
	size_t count = t->blocked_by.count;
	struct graph_edge *edge;
	struct error ignored;

	if (count == 0 || t->parent == NULL || !task_open(t))
		return false;
	edge = mem_alloc(count * sizeof(*edge));
	for (size_t i = 0; i < count; i++)
		edge[i] = (struct graph_edge){ .blocked = t->id, .blocker = t->blocked_by.item[i] };
	(void)graph_check_edges(open_waits, (void *)ids, NULL, edge, count, &ignored);
	for (size_t i = 0; i < count; i++) {
		if (edge[i].part && chain->count == 0)
			strings_add_all(chain, &edge[i].cycle);
		strings_free(&edge[i].cycle);
	}
	free(edge);
	return chain->count > 0;
}

void
graph_name(struct buf *out, const char *id, const struct strings *fresh)
{
	if (strings_has(fresh, id)) {
		buf_puts(out, "the new task");
		return;
	}
	buf_putc(out, '#');
	text_show(out, id, strlen(id), TEXT_LINE, 60);
}

int
graph_refuse_missing(const char *id, const char *what, struct error *err)
{
	static const struct strings none;
	struct buf name = { 0 };

	graph_name(&name, id, &none);
	error_set(err, ERROR_REFUSED, "there is no task %s; create it first, or leave %s out",
	    buf_text(&name), what);
	buf_free(&name);
	return -1;
}

/* ", which waits for #4, and be a part of #1: ..." */
static void
part_text(struct buf *b, const struct graph_edge *e, const struct strings *fresh)
{
	const char *whole = e->cycle.item[e->cycle.count - 1];

	for (size_t i = 2; i < e->cycle.count; i++) {
		buf_puts(b, ", which waits for ");
		graph_name(b, e->cycle.item[i], fresh);
	}
	buf_puts(b, e->cycle.count > 2 ? ", and be a part of " : " and be a part of ");
	graph_name(b, whole, fresh);
	buf_puts(b, ", which is completed after its parts; leave out one of the two");
	if (strings_has(fresh, e->blocked))
		return;
	buf_puts(b, " (to remove what is there: claude-tasks depend ");
	task_id_word(b, e->blocked);
	buf_puts(b, " --drop ");
	task_id_word(b, e->blocker);
	buf_puts(b, ", or claude-tasks update ");
	task_id_word(b, e->blocked);
	buf_puts(b, " --parent '')");
}

int
graph_edge_refuse(
    const struct graph_edge *e, const char *id, const struct strings *fresh, struct error *err)
{
	const char *other = strcmp(e->blocked, id) == 0 ? e->blocker : e->blocked;
	struct buf text = { 0 };

	if (!edge_bad(e))
		return 0;
	if (e->unknown)
		return graph_refuse_missing(other, "that dependency", err);
	buf_puts(&text, strings_has(fresh, e->blocked) ? "" : "task ");
	graph_name(&text, e->blocked, fresh);
	buf_puts(&text, " cannot wait for ");
	if (strcmp(e->blocked, e->blocker) == 0)
		buf_puts(&text, "itself");
	else
		graph_name(&text, e->blocker, fresh);
	if (e->part)
		part_text(&text, e, fresh);
	for (size_t i = 0; !e->part && i < e->cycle.count; i++) {
		buf_puts(&text, i > 0 ? " -> " : ": that would close the cycle ");
		graph_name(&text, e->cycle.item[i], fresh);
	}
	error_set(err, ERROR_REFUSED, "%s", buf_text(&text));
	buf_free(&text);
	return -1;
}
