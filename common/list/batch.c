/*
 * Several changes in memory.
 *
 * The tasks concerned are read into memory and changed there, in the order of
 * the operations; each operation finds what those before it did.  Then the
 * other sides of dependencies, the search for cycles, and the rules.  Only when
 * all of that has passed does the layout write, so that what is refused has
 * changed nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "list/batch.h"
#include "list/graph.h"

/* The task's new text, which is taken. */
static int
task_become(struct batch *b, struct batch_task *t, struct buf *text, struct error *err)
{
	buf_free(&t->now.text);
	t->now.text = *text;
	*text = (struct buf){ 0 };
	return task_reread(&t->now, store_dialect(b->store), t->id, err);
}

/* 1 changed, 0 not, -1. */
static int
edit(struct batch *b, struct batch_task *t, const struct change *c, struct error *err)
{
	struct buf text = { 0 };
	int rc = task_edit(&t->now, c, clock_wall_ms(), &text, err);

	if (rc == 1 && task_become(b, t, &text, err) == -1)
		rc = -1;
	buf_free(&text);
	return rc;
}

static int
batch_create(struct batch *b, struct store_op *op, const struct change *c, struct batch_task *t,
    struct error *err)
{
	struct buf text = { 0 };
	int rc;

	if (op->id == NULL && (t->there || t->now.id != NULL))
		/* Another program made it without the lock; choose another number. */
		return error_set(
		    err, ERROR_LOST, "another program made task #%s at the same time", t->id);
	if (t->there || t->now.id != NULL)
		return error_set(err, ERROR_REFUSED, "there is already a task #%.60s", t->id);
	if (op->text != NULL) {
		t->now = op->after;
		op->after = (struct task)TASK_INIT;
		return 1;
	}
	rc = task_make(store_dialect(b->store), t->id, c, clock_wall_ms(), &text, err);
	if (rc == 0)
		rc = task_become(b, t, &text, err);
	buf_free(&text);
	return rc == -1 ? -1 : 1;
}

/* The task that the operation names: 1 changed, 0 not, -1. */
static int
change_own(struct batch *b, size_t i, struct error *err)
{
	struct store_op *op = &b->op[i];
	struct batch_task *t = batch_find(b, b->id[i]);
	struct change own = CHANGE_INIT;

	if (op->change != NULL) {
		own = *op->change;
		if (own.status != TASK_NO_STATUS)
			t->to_blocked = own.status == TASK_BLOCKED;
		t->follows = own.follows;
		if (t->to_blocked)
			own.status = TASK_NO_STATUS;
	}
	if (op->kind == STORE_CREATE)
		return batch_create(b, op, &own, t, err);
	if (t->now.id == NULL && t->bad != NULL) {
		*err = *t->bad;
		return -1;
	}
	if (t->now.id == NULL)
		return error_set(err, ERROR_NOT_FOUND, "there is no task #%.60s", t->id);
	if (op->kind == STORE_UPDATE)
		return edit(b, t, &own, err);
	task_free(&t->now);
	return 1;
}

/* ---- the other tasks ---- */

struct edges {
	struct graph_edge *item;
	size_t *op; /* beside them */
	size_t count;
};

/* Add or remove ids in the dependency lists of one task: 1 changed, 0 not, -1. */
static int
edit_ids(
    struct batch *b, struct batch_task *t, const char *id, bool blocks, bool add, struct error *err)
{
	struct strings one = { (char *[]){ (char *)id }, 1 };
	struct change c = CHANGE_INIT;

	/* A document keeps one side of a dependency. */
	if ((add && blocks && t->now.dialect == TASK_DOCUMENT) ||
	    strings_has(blocks ? &t->now.blocks : &t->now.blocked_by, id) == add)
		return 0;
	c.add_blocks = add && blocks ? &one : NULL;
	c.add_blocked_by = add && !blocks ? &one : NULL;
	c.remove_blocks = !add && blocks ? &one : NULL;
	c.remove_blocked_by = !add && !blocks ? &one : NULL;
	return edit(b, t, &c, err);
}

/* The operation's task waits for `other`, or that one for it: 1 changed, 0 not, -1. */
static int
add_edge(
    struct batch *b, size_t i, const char *other, bool up, struct edges *edges, struct error *err)
{
	const struct store_op *op = &b->op[i];
	struct batch_task *t = batch_find(b, b->id[i]), *o = batch_find(b, other);
	struct batch_task *blocked = up ? t : o, *blocker = up ? o : t;
	/* The caller cannot know an id that this batch chooses. */
	struct graph_edge e = { .blocked = blocked->id,
		.blocker = blocker->id,
		.unknown = o->now.id == NULL || strings_has(&b->fresh, other) };
	int down, waits;

	if (op->text != NULL && e.unknown)
		return 0;
	if (op->text == NULL || op->no_circle) {
		if (graph_edge_refuse(&e, b->id[i], &b->fresh, err) == -1)
			return -1;
		edges->item = mem_more(edges->item, edges->count, sizeof(edges->item[0]));
		edges->op = mem_more(edges->op, edges->count, sizeof(edges->op[0]));
		edges->item[edges->count] = e;
		edges->op[edges->count++] = i;
	}
	if ((down = edit_ids(b, blocker, blocked->id, true, true, err)) == -1 ||
	    (waits = edit_ids(b, blocked, blocker->id, false, true, err)) == -1)
		return -1;
	return down | waits;
}

static int
add_edges(struct batch *b, size_t i, const struct strings *others, bool up, struct edges *edges,
    struct error *err)
{
	int changed = 0, rc;

	for (size_t k = 0; others != NULL && k < others->count; k++) {
		if ((rc = add_edge(b, i, others->item[k], up, edges, err)) == -1)
			return -1;
		changed |= rc;
	}
	return changed;
}

/* Remove the id from the lists of those others that exist. */
static int
remove_edges(
    struct batch *b, const char *id, const struct strings *others, bool blocks, struct error *err)
{
	int changed = 0, rc;

	for (size_t k = 0; others != NULL && k < others->count; k++) {
		struct batch_task *t = batch_find(b, others->item[k]);

		if ((rc = t->now.id == NULL ? 0 : edit_ids(b, t, id, blocks, false, err)) == -1)
			return -1;
		changed |= rc;
	}
	return changed;
}

static int
forget(struct batch *b, const char *id, struct error *err)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->task[i]->now.id != NULL &&
		    (edit_ids(b, b->task[i], id, true, false, err) == -1 ||
			edit_ids(b, b->task[i], id, false, false, err) == -1))
			return -1;
	return 0;
}

/* The other sides of an operation's dependencies: 1 changed, 0 not, -1. */
static int
change_others(struct batch *b, size_t i, struct edges *edges, struct error *err)
{
	const struct store_op *op = &b->op[i];
	const struct change *c = op->change;
	const char *id = b->id[i];
	struct strings by = { 0 }, blocks = { 0 };
	int changed = 0, rc = 0;

	if (op->kind == STORE_DELETE)
		return forget(b, id, err);
	if (op->text != NULL) {
		/* Copies: the task's own lists may change meanwhile. */
		strings_add_all(&by, &batch_find(b, id)->now.blocked_by);
		strings_add_all(&blocks, &batch_find(b, id)->now.blocks);
	} else {
		strings_add_all(&by, c->add_blocked_by);
		strings_add_all(&blocks, c->add_blocks);
	}
	if ((rc = add_edges(b, i, &by, true, edges, err)) != -1) {
		changed |= rc;
		rc = add_edges(b, i, &blocks, false, edges, err);
	}
	if (rc != -1 && c != NULL) {
		changed |= rc;
		if ((rc = remove_edges(b, id, c->remove_blocked_by, true, err)) != -1) {
			changed |= rc;
			rc = remove_edges(b, id, c->remove_blocks, false, err);
		}
	}
	strings_free(&by);
	strings_free(&blocks);
	return rc == -1 ? -1 : changed | rc;
}

/* ---- the outcome ---- */

/* A task after the batch; NULL and 0 if there is none, or -1.  `read` owns it if it is read. */
static const struct task *
task_then(struct batch *b, const char *id, struct task *read, int *rc, struct error *err)
{
	const struct batch_task *own = batch_find(b, id);

	*rc = 0;
	if (own != NULL)
		return own->now.id != NULL ? &own->now : NULL;
	if (b->all == NULL) {
		*rc = store_get_shown(b->store, id, read, err);
		return *rc == 1 ? read : NULL;
	}
	return task_index_get(&b->index, id);
}

/* 1: the dependencies block it; 0, or -1. */
static int
batch_is_blocked(struct batch *b, const struct task *t, struct error *err)
{
	struct task read = TASK_INIT;
	const struct task *blocker;
	int rc = 0, blocked = 0;

	for (size_t i = 0; rc != -1 && !blocked && i < t->blocked_by.count; i++) {
		blocker = task_then(b, t->blocked_by.item[i], &read, &rc, err);
		blocked = task_blocks(blocker);
	}
	task_free(&read);
	return rc == -1 ? -1 : blocked;
}

/* Sets a task to blocked, which stays until it is set to pending; not again, if it was set.  If the
 * change only repeats what the dependencies say, to pending. */
static int
set_blocked(struct batch *b, struct batch_task *t, struct error *err)
{
	struct change c = { .status = TASK_BLOCKED };
	int rc;

	if (task_held(&t->now))
		return 0;
	if (t->follows && (rc = batch_is_blocked(b, &t->now, err)) != 0) {
		if (rc == -1)
			return -1;
		c.status = TASK_PENDING;
	}
	return edit(b, t, &c, err);
}

/* After all dependencies of the batch: 0, or -1. */
static int
settle_blocked(struct batch *b, size_t i, struct error *err)
{
	struct batch_task *t = batch_find(b, b->id[i]);
	int rc;

	if (!t->to_blocked || t->now.id == NULL)
		return 0;
	t->to_blocked = false;
	if ((rc = set_blocked(b, t, err)) != 0)
		b->op[i].result = rc;
	return rc == -1 ? -1 : 0;
}

static int
batch_waits(void *arg, const char *id, struct graph_task *g, struct error *err)
{
	struct task read = TASK_INIT;
	int rc;
	const struct task *t = task_then(arg, id, &read, &rc, err);

	if (t != NULL)
		graph_task_fill(g, t);
	task_free(&read);
	return t != NULL ? 1 : rc;
}

/* Which operation is refused, if one is; -1 also for a fault. */
static int
check_cycles(struct batch *b, struct edges *edges, struct error *err)
{
	int rc = 0;

	if (edges->count > 0)
		rc = graph_check_edges(batch_waits, b, NULL, edges->item, edges->count, err);
	for (size_t i = 0; rc == 0 && i < edges->count; i++) {
		size_t op = edges->op[i];

		/* An imported task may be a part of a task that it waits for. */
		if (edges->item[i].part && b->op[op].text != NULL)
			continue;
		if ((rc = graph_edge_refuse(&edges->item[i], b->id[op], &b->fresh, err)) == -1)
			b->op[op].result = -1;
	}
	return rc;
}

/* Walk up the parents: refuse one that is missing, or the task itself. */
static int
check_ancestors(struct batch *b, const struct task *t, bool asked, struct error *err)
{
	struct task read = TASK_INIT;
	const struct task *up = t;
	struct strings ids = { 0 }; /* the set borrows them */
	struct buf path = { 0 };
	void *seen = NULL;
	int rc = 0;

	graph_name(&path, t->id, &b->fresh);
	while (rc != -1 && up != NULL && up->parent != NULL) {
		bool first = up == t;
		const char *id;

		strings_add(&ids, up->parent);
		id = ids.item[ids.count - 1];
		if (!strings_first(&seen, id))
			break;
		buf_puts(&path, " -> ");
		graph_name(&path, id, &b->fresh);
		if (strcmp(id, t->id) == 0 && !strings_has(&b->fresh, id)) {
			rc = error_set(err, ERROR_REFUSED,
			    "task #%.60s cannot be a part of itself: its parents would be %.800s; "
			    "name another parent",
			    id, buf_text(&path));
			break;
		}
		up = strings_has(&b->fresh, id) ? NULL : task_then(b, id, &read, &rc, err);
		if (up == NULL && rc == 0 && first && asked)
			rc = graph_refuse_missing(id, "that parent", err);
	}
	strings_forget(seen);
	strings_free(&ids);
	buf_free(&path);
	task_free(&read);
	return rc == -1 ? -1 : 0;
}

/* Refuse a task that waits for one that it will be a part of. */
static int
check_waits(struct batch *b, const struct task *t, struct error *err)
{
	size_t count = t->blocked_by.count;
	struct graph_edge *edge = mem_alloc((count + 1) * sizeof(*edge));
	int rc;

	for (size_t i = 0; i < count; i++)
		edge[i] = (struct graph_edge){ .blocked = t->id, .blocker = t->blocked_by.item[i] };
	rc = graph_check_edges(batch_waits, b, NULL, edge, count, err);
	for (size_t i = 0; i < count; i++) {
		if (rc == 0 && edge[i].part)
			rc = graph_edge_refuse(&edge[i], t->id, &b->fresh, err);
		strings_free(&edge[i].cycle);
	}
	free(edge);
	return rc;
}

/* New parents.  In its metadata a task may have one that is not in the list. */
static int
check_parents(struct batch *b, struct error *err)
{
	for (size_t i = 0; i < b->ops; i++) {
		const struct change *c = b->op[i].change;
		const struct batch_task *t = batch_find(b, b->id[i]);

		if (c != NULL && (c->parent != NULL || c->metadata != NULL) && t->now.id != NULL &&
		    t->now.parent != NULL && !text_equal(t->was.parent, t->now.parent) &&
		    (check_ancestors(b, &t->now, c->parent != NULL, err) == -1 ||
			check_waits(b, &t->now, err) == -1)) {
			b->op[i].result = -1;
			return -1;
		}
	}
	return 0;
}

static int
ask_rules(struct batch *b, struct error *err)
{
	struct store *s = b->store;

	if (!b->plan && s->guard != NULL && s->guard(s->guard_arg, s, err) != 0)
		return -1;
	for (size_t i = 0; i < b->ops && !b->plan; i++) {
		struct store_op *op = &b->op[i];
		const struct batch_task *t = batch_find(b, b->id[i]);

		if (op->rule != NULL && op->rule(op->arg, s, t->was.id != NULL ? &t->was : NULL,
					    t->now.id != NULL ? &t->now : NULL, err) != 0) {
			op->result = -1;
			return -1;
		}
	}
	return 0;
}

int
batch_run(struct batch *b, struct error *err)
{
	struct edges edges = { 0 };
	int rc = 0;

	for (size_t i = 0; rc != -1 && i < b->ops; i++)
		rc = b->op[i].result = change_own(b, i, err);
	for (size_t i = 0; rc != -1 && i < b->ops; i++)
		if ((rc = change_others(b, i, &edges, err)) != 0)
			b->op[i].result = rc;
	for (size_t i = 0; rc != -1 && i < b->ops; i++)
		rc = settle_blocked(b, i, err);
	if (rc != -1)
		rc = check_cycles(b, &edges, err);
	if (rc != -1)
		rc = check_parents(b, err);
	if (rc != -1)
		rc = ask_rules(b, err);
	for (size_t i = 0; i < edges.count; i++)
		strings_free(&edges.item[i].cycle);
	free(edges.item);
	free(edges.op);
	return rc == -1 ? -1 : 0;
}
