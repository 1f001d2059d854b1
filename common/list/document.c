/*
 * tasks.json as a list: the store's operations.
 */
#include "list/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list/batch.h"
#include "list/document-edit.h"
#include "list/document-file.h"
#include "list/graph.h"

static int
document_read_once(struct store *s, struct document *d, struct error *err)
{
	struct buf text = { 0 };
	struct error why;
	int rc = document_read(s, &text, err);

	document_free(d);
	if (rc == 1 && document_parse(d, buf_text(&text), text.len, &why) == -1)
		rc = error_set(err, ERROR_INPUT,
		    "'%s/%s' is damaged: %.300s; correct it or put a backup in its place. Nothing "
		    "is written to it until then",
		    s->dir, DOCUMENT, why.text);
	buf_free(&text);
	return rc == -1 ? -1 : 0;
}

/* Not all programs lock: what does not parse is tried again, then under the lock. */
static int
read_document(struct store *s, struct document *d, struct error *err)
{
	struct error busy;
	size_t tries = 0;
	int rc;

	while ((rc = document_read_once(s, d, err)) == -1 && err->kind == ERROR_INPUT &&
	       s->depth == 0 && clock_wait_again(&tries))
		;
	if (rc == -1 && err->kind == ERROR_INPUT && s->depth == 0 &&
	    store_enter(s, deadline_in(LOCK_PATIENCE_MS), &busy) == 0) {
		rc = document_read_once(s, d, err);
		store_leave(s);
	}
	if (rc == -1)
		document_free(d);
	return rc;
}

/* Is there an entry with this id that is not a valid task?  Then -1 and why. */
static int
find_bad(const struct store *s, const struct document *d, const char *id, struct error *err)
{
	size_t index = 0, bad = 0;

	JSON_EACH (&d->json, d->list, el) {
		char *place = mem_printf("tasks[%zu]:", index++);
		bool is =
		    bad < d->bad.count && strncmp(d->bad.item[bad], place, strlen(place)) == 0;

		free(place);
		if (is && json_equals(&d->json, json_member(&d->json, el, "id"), id))
			return error_set(
			    err, ERROR_INPUT, "'%s/%s': %s", s->dir, DOCUMENT, d->bad.item[bad]);
		bad += is;
	}
	return 0;
}

static int
document_get(struct store *s, const char *id, struct task *t, struct error *err)
{
	struct document d = { 0 };
	size_t at;
	int rc = 1;

	if (read_document(s, &d, err) == -1)
		return -1;
	at = document_find(&d, id);
	if (at != DOCUMENT_NONE)
		task_copy(t, &d.tasks.item[at]);
	else
		rc = find_bad(s, &d, id, err);
	document_free(&d);
	return rc;
}

static int
document_load(struct store *s, struct task_set *set, struct error *err)
{
	struct document d = { 0 };
	size_t i;

	if (read_document(s, &d, err) == -1)
		return -1;
	for (i = 0; i < d.tasks.count; i++) {
		*task_set_add(set) = d.tasks.item[i];
		d.tasks.item[i] = (struct task)TASK_INIT;
	}
	set->skipped += d.bad.count;
	document_free(&d);
	task_set_sort(set);
	return 0;
}

/* By status, then by id.  The whole file is parsed anyway, so the needles are not used. */
static int
document_scan(
    struct store *s, const char *const *needles, store_visit *fn, void *arg, struct error *err)
{
	struct task_set set = { 0 };
	int rc = document_load(s, &set, err);

	(void)needles;
	for (size_t i = 0; rc == 0 && i < set.count; i++)
		rc = fn(arg, &set.item[i]);
	task_set_free(&set);
	return rc;
}

static int
document_bad(struct store *s, void (*fn)(void *, const char *file, const char *reason), void *arg,
    struct error *err)
{
	struct document d = { 0 };
	size_t i;

	if (read_document(s, &d, err) == -1) {
		fn(arg, DOCUMENT, err->text);
		return 0;
	}
	for (i = 0; i < d.bad.count; i++)
		fn(arg, DOCUMENT, d.bad.item[i]);
	document_free(&d);
	return 0;
}

static int
write_document(struct store *s, struct document *d, struct error *err)
{
	struct buf text = { 0 };
	int rc = document_print(d, clock_wall_ms(), &text, err);

	if (rc == 0)
		rc = document_write(s, &d->text, &text, err);
	buf_free(&text);
	return rc;
}

static int
check_start(const struct document *d, size_t at, enum task_status was, struct error *err)
{
	const struct task *t = &d->tasks.item[at];
	struct blockers b;
	struct buf shown = { 0 };
	int rc = 0;

	if (t->status != TASK_IN_PROGRESS || was == TASK_IN_PROGRESS)
		return 0;
	graph_blockers_of(&d->tasks, t, &b);
	blockers_describe(&shown, &b);
	if (b.count > 0)
		rc = error_set(err, ERROR_REFUSED,
		    "task #%s cannot start: blocked by %.700s; complete these first", t->id,
		    buf_text(&shown));
	buf_free(&shown);
	blockers_free(&b);
	return rc;
}

/* UUID, version 4. */
void
document_new_id(char id[37])
{
	unsigned char b[16];

	arc4random_buf(b, sizeof(b));
	b[6] = (b[6] & 0x0f) | 0x40;
	b[8] = (b[8] & 0x3f) | 0x80;
	snprintf(id, 37, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
	    b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
	    b[14], b[15]);
}

static int
document_fresh_id(struct store *s, const char *last, char id[64], struct error *err)
{
	(void)s, (void)last, (void)err;
	document_new_id(id);
	return 0;
}

static int
refuse(struct batch *b, size_t i)
{
	b->op[i].result = -1;
	return -1;
}

/* A new task comes after those that are there; several in the order of the operations. */
static int
add_new(struct document *d, struct batch *b, size_t i, struct error *err)
{
	struct batch_task *t = batch_find(b, b->id[i]);

	if (t->at != DOCUMENT_NONE || t->now.id == NULL)
		return 0;
	t->at = d->tasks.count;
	return document_add(d, t->now.text.data, t->now.text.len, err);
}

/* Put the changed tasks of the batch into the document: 1 changed, 0 not, -1. */
static int
take_over(struct document *d, struct batch *b, struct error *err)
{
	int changed = 0;

	for (size_t i = 0; i < b->count; i++) {
		const struct batch_task *t = b->task[i];

		if (!batch_changed(t))
			continue;
		changed = 1;
		if (t->now.id == NULL)
			document_remove(d, t->at);
		else if (t->at != DOCUMENT_NONE && document_set(d, t->at, &t->now.text, err) == -1)
			return -1;
	}
	for (size_t i = 0; i < b->ops; i++)
		if (add_new(d, b, i, err) == -1)
			return refuse(b, i);
	for (size_t i = 0; i < b->ops; i++) {
		const struct batch_task *t = batch_find(b, b->id[i]);

		/* A restored task becomes blocked if it has open dependencies. */
		if (t->now.id != NULL && b->op[i].text == NULL &&
		    check_start(d, t->at, t->was.status, err) == -1)
			return refuse(b, i);
	}
	return changed;
}

/* The document is read: change it, and write it unless it is a plan. */
static int
apply_to(struct document *d, struct batch *b, struct error *err)
{
	int rc;

	b->all = &d->tasks;
	task_index_make(&b->index, &d->tasks);
	if (batch_begin(b, err) == -1)
		return -1;
	for (size_t i = 0; i < b->count; i++) {
		struct batch_task *t = b->task[i];

		if ((t->at = task_index_find(&b->index, t->id)) == TASK_NOWHERE)
			continue;
		task_copy(&t->was, &d->tasks.item[t->at]);
		task_copy(&t->now, &d->tasks.item[t->at]);
	}
	if (batch_run(b, err) == -1 || (rc = take_over(d, b, err)) == -1 ||
	    (rc == 1 && !b->plan && write_document(b->store, d, err) == -1))
		return -1;
	/* A status may have followed the dependencies. */
	for (size_t i = 0; i < b->count; i++)
		if (b->task[i]->now.id != NULL)
			task_copy(&b->task[i]->now, &d->tasks.item[b->task[i]->at]);
	return 0;
}

static int
document_apply(struct batch *b, struct error *err)
{
	struct document d = { 0 };
	int rc = -1;

	if (!b->plan && store_enter(b->store, b->deadline, err) == -1)
		return -1;
	if (read_document(b->store, &d, err) == 0)
		rc = apply_to(&d, b, err);
	if (!b->plan)
		store_leave(b->store);
	b->all = NULL;
	document_free(&d);
	return rc;
}

static int
document_clear(struct store *s, struct task_set *tasks, struct strings *others, struct error *err)
{
	struct document d = { 0 };
	size_t count = 0;
	int rc = read_document(s, &d, err);

	if (rc == 0) {
		count = d.tasks.count + d.bad.count;
		for (size_t i = 0; i < d.tasks.count; i++)
			task_copy(task_set_add(tasks), &d.tasks.item[i]);
		if (d.bad.count > 0) {
			strings_add(others, DOCUMENT);
			strings_add(others, buf_text(&d.text));
		}
		d.clear = true;
		if (count > 0)
			rc = write_document(s, &d, err);
	}
	document_free(&d);
	return rc == -1 ? -1 : (int)count;
}

const struct store_ops document_ops = {
	.dialect = TASK_DOCUMENT,
	.one_file = true,
	.lock = document_lock,
	.get = document_get,
	.load = document_load,
	.scan = document_scan,
	.walk = document_scan,
	.bad = document_bad,
	.new_id = document_fresh_id,
	.apply = document_apply,
	.clear = document_clear,
};
