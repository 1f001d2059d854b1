/*
 * tasks.json as a list: the store's operations.
 */
#include "list/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
		    "'%s/%s' is damaged: %.300s; mend it or put a backup in its place, until then "
		    "nothing is written to it",
		    s->dir, DOCUMENT, why.text);
	buf_free(&text);
	return rc == -1 ? -1 : 0;
}

/* Not all programs lock: what does not parse is tried again, then under the lock. */
static int
read_document(struct store *s, struct document *d, struct error *err)
{
	static const int waits_us[] = { 200, 1000, 5000 };
	struct error busy;
	size_t i = 0;
	int rc;

	while ((rc = document_read_once(s, d, err)) == -1 && err->kind == ERROR_INPUT &&
	       s->depth == 0 && i < sizeof(waits_us) / sizeof(waits_us[0]))
		clock_sleep_us(waits_us[i++]);
	if (rc == -1 && err->kind == ERROR_INPUT && s->depth == 0 &&
	    store_enter(s, deadline_in(LOCK_PATIENCE_MS), &busy) == 0) {
		rc = document_read_once(s, d, err);
		store_leave(s);
	}
	if (rc == -1)
		document_free(d);
	return rc;
}

static int
document_get(struct store *s, const char *id, struct task *t, struct error *err)
{
	struct document d = { 0 };
	size_t at;

	if (read_document(s, &d, err) == -1)
		return -1;
	at = document_find(&d, id);
	if (at != DOCUMENT_NONE)
		task_copy(t, &d.tasks.item[at]);
	document_free(&d);
	return at != DOCUMENT_NONE;
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

/* By status, then by id.  The whole file is parsed anyway, so the needle is not used. */
static int
document_scan(struct store *s, const char *needle, store_visit *fn, void *arg, struct error *err)
{
	struct task_set set = { 0 };
	int rc = document_load(s, &set, err);

	(void)needle;
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

struct lookup {
	const struct document *document;
	struct task_index index;
};

static int
document_task_waits(void *arg, const char *id, struct strings *blocked_by, struct error *err)
{
	const struct lookup *l = arg;
	const struct task_set *set = &l->document->tasks;
	size_t at = task_index_find(&l->index, id);

	(void)err;
	if (at == TASK_NOWHERE || l->document->entry[at].gone)
		return 0;
	for (size_t i = 0; i < set->item[at].blocked_by.count; i++)
		strings_add(blocked_by, set->item[at].blocked_by.item[i]);
	return 1;
}

static int
check_edges(
    const struct document *d, const char *id, const struct change *change, struct error *err)
{
	struct lookup l = { .document = d };
	int rc;

	task_index_make(&l.index, &d->tasks);
	rc = graph_check_change(document_task_waits, &l, id, change, err);
	task_index_free(&l.index);
	return rc;
}

/* A document keeps one side of a dependency: blocked_by. */
static int
add_edges(struct document *d, const char *id, const struct strings *others, bool others_wait,
    struct error *err)
{
	int changed = 0, rc;
	size_t i;

	for (i = 0; others != NULL && i < others->count; i++) {
		const char *blocked = others_wait ? others->item[i] : id;
		const char *blocker = others_wait ? id : others->item[i];
		struct strings one = { (char *[]){ (char *)blocker }, 1 };
		struct change change = { .status = TASK_NO_STATUS, .add_blocked_by = &one };

		rc = document_edit(d, document_find(d, blocked), &change, clock_wall_ms(), err);
		if (rc == -1)
			return -1;
		changed |= rc;
	}
	return changed;
}

static int
remove_edges(struct document *d, const char *id, const struct strings *others, struct error *err)
{
	struct strings one = { (char *[]){ (char *)id }, 1 };
	struct change change = {
		.status = TASK_NO_STATUS, .remove_blocked_by = &one, .remove_blocks = &one
	};
	int changed = 0, rc;
	size_t i, at;

	for (i = 0; others != NULL && i < others->count; i++) {
		if ((at = document_find(d, others->item[i])) == DOCUMENT_NONE)
			continue;
		if ((rc = document_edit(d, at, &change, clock_wall_ms(), err)) == -1)
			return -1;
		changed |= rc;
	}
	return changed;
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

/* The task and its edges; the document is not written yet. */
static int
document_apply(struct document *d, size_t at, const struct change *c, struct error *err)
{
	struct change own = *c;
	char *id = mem_string(d->tasks.item[at].id);
	int rc, by, blocks, gone;

	own.add_blocks = own.add_blocked_by = NULL;
	own.remove_blocks = NULL;
	by = blocks = gone = 0;
	rc = check_edges(d, id, c, err);
	if (rc == 0)
		rc = document_edit(d, at, &own, clock_wall_ms(), err);
	if (rc != -1 && (by = add_edges(d, id, c->add_blocked_by, false, err)) != -1 &&
	    (blocks = add_edges(d, id, c->add_blocks, true, err)) != -1)
		gone = remove_edges(d, id, c->remove_blocks, err);
	free(id);
	if (rc == -1 || by == -1 || blocks == -1 || gone == -1)
		return -1;
	return rc | by | blocks | gone;
}

/* One operation. */
struct request {
	const char *id;
	const struct change *change;
	const char *text; /* document_put() */
	size_t len;
	store_rule *rule;
	void *arg;
	/* For the caller: */
	size_t at; /* of the task, in the document */
	struct task was;
};

/* Edits the document.  1: it is to be written, 0: nothing has changed. */
typedef int document_fn(struct store *, struct document *, struct request *, struct error *);

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

/* `after` gets the task as it is in the end. */
static int
operate(struct store *s, document_fn *fn, struct request *q, struct task *after,
    struct deadline deadline, struct error *err)
{
	struct document d = { 0 };
	int rc, tries = 0;

	do {
		if (store_enter(s, deadline, err) == -1)
			return -1;
		rc = read_document(s, &d, err);
		if (rc == 0)
			rc = fn(s, &d, q, err);
		if (rc == 1 && write_document(s, &d, err) == -1)
			rc = -1;
		store_leave(s);
	} while (store_again(s, rc, &tries, deadline, err));
	if (rc != -1 && after != NULL)
		task_copy(after, &d.tasks.item[q->at]);
	document_free(&d);
	return rc;
}

/* The task of the request; and the rule is asked about it. */
static int
find_task(struct store *s, struct document *d, struct request *q, struct error *err)
{
	if ((q->at = document_find(d, q->id)) == DOCUMENT_NONE)
		return error_set(err, ERROR_NOT_FOUND, "there is no task #%.60s", q->id);
	task_copy(&q->was, &d->tasks.item[q->at]);
	return q->rule != NULL && q->rule(q->arg, s, &q->was, err) != 0 ? -1 : 0;
}

static void
request_done(struct request *q, int rc, struct task *before)
{
	if (rc != -1 && before != NULL)
		task_copy(before, &q->was);
	task_free(&q->was);
}

static int
update(struct store *s, struct document *d, struct request *q, struct error *err)
{
	int rc = find_task(s, d, q, err);

	if (rc == 0)
		rc = document_apply(d, q->at, q->change, err);
	return rc == 1 && check_start(d, q->at, q->was.status, err) == -1 ? -1 : rc;
}

static int
document_update(struct store *s, const char *id, const struct change *change, store_rule *rule,
    void *arg, struct task *before, struct task *after, struct deadline deadline, struct error *err)
{
	struct request q = {
		.id = id, .change = change, .rule = rule, .arg = arg, .was = TASK_INIT
	};
	int rc = operate(s, update, &q, after, deadline, err);

	request_done(&q, rc, before);
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
create(struct store *s, struct document *d, struct request *q, struct error *err)
{
	struct change own = *q->change, edges = CHANGE_INIT;
	struct buf text = { 0 };
	char id[37];
	int rc = -1;

	own.add_blocks = own.add_blocked_by = NULL;
	edges.add_blocks = q->change->add_blocks;
	edges.add_blocked_by = q->change->add_blocked_by;
	document_new_id(id);
	if ((q->rule == NULL || q->rule(q->arg, s, NULL, err) == 0) &&
	    task_make(TASK_DOCUMENT, id, &own, clock_wall_ms(), &text, err) == 0 &&
	    document_add(d, text.data, text.len, err) == 0) {
		q->at = document_find(d, id);
		if (document_apply(d, q->at, &edges, err) != -1 &&
		    check_start(d, q->at, TASK_NO_STATUS, err) == 0)
			rc = 1;
	}
	buf_free(&text);
	return rc;
}

static int
document_create(struct store *s, const struct change *change, store_rule *rule, void *arg,
    struct task *made, struct deadline deadline, struct error *err)
{
	struct request q = { .change = change, .rule = rule, .arg = arg, .was = TASK_INIT };

	return operate(s, create, &q, made, deadline, err) == -1 ? -1 : 0;
}

static int delete (struct store *s, struct document *d, struct request *q, struct error *err)
{
	struct strings all = { 0 };
	size_t i;
	int rc = find_task(s, d, q, err);

	if (rc == -1)
		return -1;
	document_remove(d, q->at);
	for (i = 0; i < d->tasks.count; i++)
		if (i != q->at && (strings_has(&d->tasks.item[i].blocked_by, q->id) ||
				      strings_has(&d->tasks.item[i].blocks, q->id)))
			strings_add(&all, d->tasks.item[i].id);
	rc = remove_edges(d, q->id, &all, err) == -1 ? -1 : 1;
	strings_free(&all);
	return rc;
}

static int
document_delete(struct store *s, const char *id, store_rule *rule, void *arg, struct task *before,
    struct deadline deadline, struct error *err)
{
	struct request q = { .id = id, .rule = rule, .arg = arg, .was = TASK_INIT };
	int rc = operate(s, delete, &q, NULL, deadline, err);

	request_done(&q, rc, before);
	return rc;
}

static int
put(struct store *s, struct document *d, struct request *q, struct error *err)
{
	const char *says;

	(void)s;
	if (document_find(d, q->id) != DOCUMENT_NONE)
		return error_set(err, ERROR_REFUSED, "there is a task #%s already", q->id);
	if (document_add(d, q->text, q->len, err) == -1)
		return -1;
	says = d->tasks.item[d->tasks.count - 1].id;
	if (strcmp(says, q->id) != 0)
		return error_set(
		    err, ERROR_INPUT, "the task says that it is #%.60s, not #%.60s", says, q->id);
	return 1;
}

static int
document_put(struct store *s, const char *id, const char *text, size_t len,
    struct deadline deadline, struct error *err)
{
	struct request q = { .id = id, .text = text, .len = len, .was = TASK_INIT };

	return operate(s, put, &q, NULL, deadline, err) == -1 ? -1 : 0;
}

const struct store_ops document_ops = {
	.lock = document_lock,
	.get = document_get,
	.load = document_load,
	.scan = document_scan,
	.walk = document_scan,
	.bad = document_bad,
	.create = document_create,
	.update = document_update,
	.delete = document_delete,
	.put = document_put,
};
