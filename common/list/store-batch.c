/*
 * Several changes in memory.
 *
 * The tasks concerned are read into memory and changed there, in the order of
 * the operations; what one does to a task the next one finds.  Then the other
 * sides of dependencies, the search for circles, and the rules.  Only when all
 * of that has passed does the layout write, so that what is refused has changed
 * nothing.
 *
 * Which tasks are concerned is known before any of them is read: a layout can
 * lock them first, and read each once.
 */
#include <stdlib.h>
#include <string.h>

#include "list/graph.h"
#include "list/store-part.h"

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
sort_ids(struct strings *ids)
{
	if (ids->count > 1)
		qsort(ids->item, ids->count, sizeof(ids->item[0]), by_text);
}

/* ---- which tasks ---- */

static void
gather(struct strings *ids, const struct strings *more)
{
	for (size_t i = 0; more != NULL && i < more->count; i++)
		strings_add(ids, more->item[i]);
}

static int
gather_fresh(struct batch *b, struct error *err)
{
	const char *last = b->fresh.count > 0 ? b->fresh.item[b->fresh.count - 1] : NULL;
	char id[64];

	do
		if (store_ops(b->store)->new_id(b->store, last, id, err) == -1)
			return -1;
	while (strings_has(&b->fresh, id));
	strings_add(&b->fresh, id);
	return 0;
}

static int
gather_text(struct batch *b, struct store_op *op, struct error *err)
{
	const char *name = b->store->layout == STORE_DOCUMENT ? NULL : op->id;

	task_free(&op->after);
	if (task_read(&op->after, store_dialect(b->store), name, op->text, op->len, err) == -1)
		return error_prefix(err, "task #%s", op->id);
	if (strcmp(op->after.id, op->id) != 0)
		return error_set(err, ERROR_INPUT, "the task says that it is #%.60s, not #%.60s",
		    op->after.id, op->id);
	return 0;
}

static int
gather_op(struct batch *b, size_t i, struct strings *ids, struct error *err)
{
	struct store_op *op = &b->op[i];
	const struct change *c = op->change;

	if (op->id == NULL && gather_fresh(b, err) == -1)
		return -1;
	if (op->id != NULL && op->kind == STORE_CREATE && !store_id_ok(b->store, op->id))
		return error_set(
		    err, ERROR_INPUT, "'%.40s' cannot be the id of a task in this list", op->id);
	b->id[i] = op->id != NULL ? op->id : b->fresh.item[b->fresh.count - 1];
	strings_add(ids, b->id[i]);
	if (op->text != NULL) {
		if (gather_text(b, op, err) == -1)
			return -1;
		gather(ids, &op->after.blocks);
		gather(ids, &op->after.blocked_by);
	}
	if (c != NULL) {
		gather(ids, c->add_blocks);
		gather(ids, c->add_blocked_by);
		gather(ids, c->remove_blocks);
		gather(ids, c->remove_blocked_by);
	}
	return 0;
}

struct mention {
	struct strings gone; /* sorted */
	struct strings *by;
};

static int
note_mention(void *arg, const struct task *t)
{
	struct mention *m = arg;
	const struct strings *const lists[] = { &t->blocks, &t->blocked_by };

	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < lists[k]->count; i++)
			if (bsearch(&lists[k]->item[i], m->gone.item, m->gone.count,
				sizeof(m->gone.item[0]), by_text) != NULL) {
				strings_add(m->by, t->id);
				return 0;
			}
	return 0;
}

/* Who names a task that is to go? */
static int
gather_mentions(struct batch *b, struct strings *ids, struct error *err)
{
	struct mention m = { .by = ids };
	char *needle = NULL;
	int rc = 0;

	for (size_t i = 0; i < b->ops; i++)
		if (b->op[i].kind == STORE_DELETE)
			strings_add(&m.gone, b->id[i]);
	sort_ids(&m.gone);
	for (size_t i = 0; m.gone.count > 0 && b->all != NULL && i < b->all->count; i++)
		(void)note_mention(&m, &b->all->item[i]);
	if (m.gone.count > 0 && b->all == NULL) {
		if (m.gone.count == 1)
			needle = mem_printf("\"%s\"", m.gone.item[0]);
		rc = store_ops(b->store)->scan(b->store, needle, note_mention, &m, err);
	}
	free(needle);
	strings_free(&m.gone);
	return rc;
}

int
batch_begin(struct batch *b, struct error *err)
{
	static const struct lock no_lock = LOCK_INIT;
	struct strings ids = { 0 };
	int rc = 0;

	b->id = mem_alloc((b->ops + 1) * sizeof(b->id[0]));
	for (size_t i = 0; rc == 0 && i < b->ops; i++)
		if ((rc = gather_op(b, i, &ids, err)) == -1)
			b->op[i].result = -1;
	if (rc == 0)
		rc = gather_mentions(b, &ids, err);
	sort_ids(&ids);
	b->task = mem_alloc((ids.count + 1) * sizeof(void *));
	for (size_t i = 0; i < ids.count; i++) {
		struct batch_task *t;

		if (b->count > 0 && strcmp(b->task[b->count - 1]->id, ids.item[i]) == 0)
			continue;
		t = b->task[b->count++] = mem_alloc(sizeof(*t));
		t->id = mem_string(ids.item[i]);
		t->lock = no_lock;
	}
	strings_free(&ids);
	return rc;
}

static int
by_id(const void *id, const void *task)
{
	return strcmp(id, (*(struct batch_task *const *)task)->id);
}

struct batch_task *
batch_find(const struct batch *b, const char *id)
{
	struct batch_task **at =
	    b->count > 0 ? bsearch(id, b->task, b->count, sizeof(void *), by_id) : NULL;

	return at != NULL ? *at : NULL;
}

bool
batch_changed(const struct batch_task *t)
{
	return (t->was.id == NULL) != (t->now.id == NULL) || t->was.text.len != t->now.text.len ||
	       (t->was.text.len > 0 &&
		   memcmp(t->was.text.data, t->now.text.data, t->was.text.len) != 0);
}

void
batch_end(struct batch *b)
{
	for (size_t i = 0; i < b->count; i++) {
		struct batch_task *t = b->task[i];

		lock_release(&t->lock);
		file_drop(&t->stage);
		task_free(&t->was);
		task_free(&t->now);
		free(t->bad);
		free(t->id);
		free(t);
	}
	free(b->task);
	free(b->id);
	strings_free(&b->fresh);
	task_index_free(&b->index);
}

/* ---- the changes, in memory ---- */

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
create(struct batch *b, struct store_op *op, const struct change *c, struct batch_task *t,
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
		if (t->to_blocked)
			own.status = TASK_NO_STATUS;
	}
	if (op->kind == STORE_CREATE)
		return create(b, op, &own, t, err);
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

/* Dependencies in the lists of one task come or go: 1 changed, 0 not, -1. */
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
	/* Nobody can mean an id that was not chosen yet. */
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

/* The id goes from the list of each of the others that is there. */
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
		gather(&by, &batch_find(b, id)->now.blocked_by);
		gather(&blocks, &batch_find(b, id)->now.blocks);
	} else {
		gather(&by, c->add_blocked_by);
		gather(&blocks, c->add_blocks);
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

/* A task as it is to be, copied: 1; 0 there is none; -1. */
static int
task_then(struct batch *b, const char *id, struct task *t, struct error *err)
{
	const struct batch_task *own = batch_find(b, id);
	const struct task *then = own != NULL ? &own->now : NULL;
	size_t at;

	if (own == NULL && b->all == NULL)
		return store_get_shown(b->store, id, t, err);
	if (own == NULL && (at = task_index_find(&b->index, id)) != TASK_NOWHERE)
		then = &b->all->item[at];
	if (then == NULL || then->id == NULL)
		return 0;
	task_copy(t, then);
	return 1;
}

/* 1: the dependencies block it; 0, or -1. */
static int
is_blocked(struct batch *b, const struct task *t, struct error *err)
{
	struct task blocker = TASK_INIT;
	int rc = 0, blocked = 0;

	for (size_t i = 0; rc != -1 && !blocked && i < t->blocked_by.count; i++) {
		rc = task_then(b, t->blocked_by.item[i], &blocker, err);
		blocked = rc == 0 || (rc == 1 && task_open(&blocker));
	}
	task_free(&blocker);
	return rc == -1 ? -1 : blocked;
}

/* Sets a task to blocked: to pending, if the dependencies say it; not again, if it was set. */
static int
set_blocked(struct batch *b, struct batch_task *t, struct error *err)
{
	struct change c = { .status = TASK_BLOCKED };
	int rc;

	if (task_held(&t->now))
		return 0;
	if ((rc = is_blocked(b, &t->now, err)) == -1)
		return -1;
	if (rc == 1)
		c.status = TASK_PENDING;
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
batch_waits(void *arg, const char *id, struct strings *blocked_by, struct error *err)
{
	struct task t = TASK_INIT;
	int rc = task_then(arg, id, &t, err);

	if (rc == 1) {
		*blocked_by = t.blocked_by;
		t.blocked_by = (struct strings){ 0 };
	}
	task_free(&t);
	return rc;
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

		if ((rc = graph_edge_refuse(&edges->item[i], b->id[op], &b->fresh, err)) == -1)
			b->op[op].result = -1;
	}
	return rc;
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
		rc = ask_rules(b, err);
	for (size_t i = 0; i < edges.count; i++)
		strings_free(&edges.item[i].cycle);
	free(edges.item);
	free(edges.op);
	return rc == -1 ? -1 : 0;
}
