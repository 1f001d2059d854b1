/*
 * Which tasks does a batch of changes concern?
 *
 * It is found out before the batch locks anything: a layout can lock those
 * tasks first, and read each once under the lock.  A delete scans the list for
 * the tasks that name the deleted one.
 */
#include <stdlib.h>
#include <string.h>

#include "list/batch.h"

static int
ids_by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
sort_ids(struct strings *ids)
{
	if (ids->count > 1)
		qsort(ids->item, ids->count, sizeof(ids->item[0]), ids_by_text);
}

/* Does an operation of the batch name this id? */
static bool
is_named(const struct batch *b, const char *id)
{
	for (size_t i = 0; i < b->ops; i++)
		if (b->op[i].id != NULL && strcmp(b->op[i].id, id) == 0)
			return true;
	return false;
}

static int
gather_fresh(struct batch *b, struct error *err)
{
	const char *last = b->fresh.count > 0 ? b->fresh.item[b->fresh.count - 1] : NULL;
	char before[64], id[64];

	for (;;) {
		if (store_ops(b->store)->new_id(b->store, last, id, err) == -1)
			return -1;
		if (!strings_has(&b->fresh, id) && !is_named(b, id))
			break;
		strlcpy(before, id, sizeof(before));
		last = before;
	}
	strings_add(&b->fresh, id);
	return 0;
}

static int
gather_text(struct batch *b, struct store_op *op, struct error *err)
{
	const char *name = store_ops(b->store)->one_file ? NULL : op->id;

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
		strings_add_all(ids, &op->after.blocks);
		strings_add_all(ids, &op->after.blocked_by);
	}
	if (c != NULL) {
		strings_add_all(ids, c->add_blocks);
		strings_add_all(ids, c->add_blocked_by);
		strings_add_all(ids, c->remove_blocks);
		strings_add_all(ids, c->remove_blocked_by);
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
				sizeof(m->gone.item[0]), ids_by_text) != NULL) {
				strings_add(m->by, t->id);
				return 0;
			}
	return 0;
}

/* Collect the tasks that name a deleted one. */
static int
gather_mentions(struct batch *b, struct strings *ids, struct error *err)
{
	struct mention m = { .by = ids };
	const char *needles[] = { NULL, NULL };
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
			needles[0] = needle = mem_printf("\"%s\"", m.gone.item[0]);
		rc = store_ops(b->store)->scan(
		    b->store, needle != NULL ? needles : NULL, note_mention, &m, err);
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
batch_by_id(const void *id, const void *task)
{
	return strcmp(id, (*(struct batch_task *const *)task)->id);
}

struct batch_task *
batch_find(const struct batch *b, const char *id)
{
	struct batch_task **at =
	    b->count > 0 ? bsearch(id, b->task, b->count, sizeof(void *), batch_by_id) : NULL;

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
