/*
 * Putting tasks into a list.
 *
 * The ids of all tasks are chosen first, so that dependencies can name them:
 * a task keeps its id if the target can hold it and it is free.  Then all of
 * it is checked.  New numbers are reserved by raising the watermark, last: what
 * is refused has changed nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "form/convert-part.h"
#include "list/document-edit.h"
#include "list/document.h"
#include "list/graph.h"
#include "list/watermark.h"
#include "json/json-print.h"

void
convert_context_make(struct convert_context *c, const struct task_set *all)
{
	memset(c, 0, sizeof(*c));
	c->all = all;
	task_index_make(&c->index, all);
}

const char *
convert_id(const struct convert_context *c, const char *id)
{
	size_t at;

	if (id == NULL || c->id == NULL)
		return id;
	at = task_index_find(&c->index, id);
	return at == TASK_NOWHERE ? id : c->id[at];
}

void
convert_context_edges(struct convert_context *c)
{
	size_t i, k, at;

	c->blocks = mem_alloc((c->all->count + 1) * sizeof(c->blocks[0]));
	c->blocked_by = mem_alloc((c->all->count + 1) * sizeof(c->blocked_by[0]));
	for (i = 0; i < c->all->count; i++) {
		const struct task *t = &c->all->item[i];

		for (k = 0; k < t->blocked_by.count; k++)
			if ((at = task_index_find(&c->index, t->blocked_by.item[k])) !=
			    TASK_NOWHERE)
				strings_add(&c->blocks[at], convert_id(c, t->id));
		for (k = 0; k < t->blocks.count; k++)
			if ((at = task_index_find(&c->index, t->blocks.item[k])) != TASK_NOWHERE)
				strings_add(&c->blocked_by[at], convert_id(c, t->id));
	}
}

void
convert_context_free(struct convert_context *c)
{
	size_t i;

	for (i = 0; c->all != NULL && i < c->all->count; i++) {
		if (c->id != NULL)
			free(c->id[i]);
		if (c->blocks != NULL) {
			strings_free(&c->blocks[i]);
			strings_free(&c->blocked_by[i]);
		}
	}
	free(c->id);
	free(c->blocks);
	free(c->blocked_by);
	task_index_free(&c->index);
	memset(c, 0, sizeof(*c));
}

const char *
convert_body(const struct task *t)
{
	size_t line;

	if (t->dialect != TASK_DOCUMENT ||
	    json_member(&t->json, JSON_ROOT, "subject") != JSON_ABSENT)
		return t->description;
	line = strlen(t->subject);
	/* "subject\n\nbody"; a text of one line is both */
	if (t->description[line] == '\0')
		return t->description;
	if (strncmp(t->description + line, "\n\n", 2) == 0)
		return t->description + line + 2;
	return t->description;
}

/* ---- ids ---- */

/* New numbers: as many as needed, from `first` on. */
struct reservation {
	size_t count;
	double next, first;
};

/* Under the list's lock. */
static int
reserve_numbers(void *arg, struct store *s, struct error *err)
{
	const struct reservation *r = arg;
	char id[32];

	if (watermark_next(s, id, err) == -1)
		return -1;
	if (watermark_number(id) != r->next)
		return error_set(
		    err, ERROR_LOST, "another program made task #%s at the same time", id);
	watermark_print(id, r->first + (double)r->count - 1);
	return watermark_raise(s, id, err);
}

static void
new_id(const struct store *s, const struct reservation *r, size_t nth, char id[64])
{
	if (store_ops(s)->numbers)
		watermark_print(id, r->first + (double)nth);
	else if (s->layout == STORE_FOLDER)
		snprintf(
		    id, 64, "task_%lld_%08x", (long long)(clock_wall_ms() / 1000), arc4random());
	else
		document_new_id(id);
}

static int
choose_ids(struct store *s, struct convert_context *c, struct reservation *r,
    struct convert_report *report, struct error *err)
{
	size_t i, nth = 0, count = c->all->count;
	char id[64];

	c->id = mem_alloc((count + 1) * sizeof(c->id[0]));
	for (i = 0; i < count; i++) {
		const char *own = c->all->item[i].id;

		if (store_id_ok(s, own) && !store_id_taken(s, own)) {
			c->id[i] = mem_string(own);
			/* new numbers must be higher than those kept */
			if (watermark_number(own) >= r->first)
				r->first = watermark_number(own) + 1;
		} else
			r->count++;
	}
	if (r->count > 0 && store_ops(s)->numbers) {
		if (watermark_next(s, id, err) == -1)
			return -1;
		r->next = watermark_number(id);
		if (r->next > r->first)
			r->first = r->next;
	}
	for (i = 0; i < count; i++) {
		if (c->id[i] != NULL)
			continue;
		new_id(s, r, nth++, id);
		c->id[i] = mem_string(id);
		strings_take(&report->changed, mem_printf("%s is now %s", c->all->item[i].id, id));
	}
	return 0;
}

/* Does the task keep its bytes: neither its dialect nor an id in it changes? */
static bool
keeps_text(const struct convert_context *c, size_t i, enum task_dialect to)
{
	const struct task *t = &c->all->item[i];
	size_t k;

	if (t->dialect != to || strcmp(c->id[i], t->id) != 0)
		return false;
	for (k = 0; k < t->blocked_by.count; k++)
		if (strcmp(convert_id(c, t->blocked_by.item[k]), t->blocked_by.item[k]) != 0)
			return false;
	for (k = 0; k < t->blocks.count; k++)
		if (strcmp(convert_id(c, t->blocks.item[k]), t->blocks.item[k]) != 0)
			return false;
	return t->parent == NULL || strcmp(convert_id(c, t->parent), t->parent) == 0;
}

/* When the task says that it was changed; 0: it does not say it. */
static int64_t
time_changed(const struct task *t)
{
	char *updated = task_time(t, "updated_at");
	int64_t ms = 0;

	if (updated != NULL && clock_parse_iso(updated, &ms) == -1)
		ms = 0;
	free(updated);
	return ms;
}

/* The text as the client lays out its files. */
static int
print_pretty(struct buf *text, struct error *err)
{
	struct buf pretty = { 0 };
	struct json j = { 0 };
	int rc = json_parse(&j, text->data, text->len, err);

	if (rc == 0) {
		json_print(&pretty, &j, JSON_ROOT, 2, 0);
		buf_free(text);
		*text = pretty;
	}
	json_free(&j);
	return rc;
}

/* The texts of all tasks, in this order. */
static int
convert_all(struct convert_batch *b, struct store *s, const struct convert_context *c,
    const size_t *order, struct convert_report *report, struct error *err)
{
	struct buf text = { 0 };

	for (; b->count < c->all->count; b->count++) {
		size_t i = order[b->count];
		const struct task *t = &c->all->item[i];

		buf_reset(&text);
		if (keeps_text(c, i, store_dialect(s)))
			buf_add(&text, t->text.data, t->text.len);
		else if (convert_one(t, store_dialect(s), c->id[i], c, clock_wall_ms(), &text,
			     report, err) == -1 ||
			 print_pretty(&text, err) == -1)
			break;
		strings_add(&b->ids, c->id[i]);
		strings_add(&b->texts, buf_text(&text));
		b->op[b->count] = (struct store_op){ STORE_CREATE, b->ids.item[b->count],
			.text = b->texts.item[b->count], .len = text.len, .no_circle = true,
			.changed_ms = time_changed(t) };
	}
	buf_free(&text);
	return b->count < c->all->count ? -1 : 0;
}

static int
refuse_cycle(const struct strings *cycle, const char *how, const char *what, struct error *err)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < cycle->count; i++) {
		buf_puts(&text, i > 0 ? " -> #" : "#");
		text_show(&text, cycle->item[i], strlen(cycle->item[i]), TEXT_LINE, 60);
	}
	error_set(err, ERROR_REFUSED,
	    "these tasks %s in a cycle: %.800s; remove one of these %s first", how, buf_text(&text),
	    what);
	buf_free(&text);
	return -1;
}

/* From a task to its parent and so on, at most as often as there are tasks; does it come back? */
static bool
parents_return(const struct task_index *index, size_t first, struct strings *cycle)
{
	const struct task_set *set = index->set;
	size_t at = first;

	for (size_t i = 0; i < set->count && at != TASK_NOWHERE; i++) {
		strings_add(cycle, set->item[at].id);
		at = set->item[at].parent != NULL ? task_index_find(index, set->item[at].parent)
						  : TASK_NOWHERE;
		if (at == first) {
			strings_add(cycle, set->item[at].id);
			return true;
		}
	}
	strings_free(cycle);
	return false;
}

static int
check_parent_cycles(const struct task_set *set, struct error *err)
{
	struct strings cycle = { 0 };
	struct task_index index;
	int rc = 0;

	task_index_make(&index, set);
	for (size_t i = 0; rc == 0 && i < set->count; i++)
		if (parents_return(&index, i, &cycle))
			rc = refuse_cycle(&cycle, "are parts of each other", "parents", err);
	task_index_free(&index);
	strings_free(&cycle);
	return rc;
}

/* order: of all tasks, each after those that it waits for. */
static int
check_order(const struct task_set *set, size_t *order, struct error *err)
{
	struct strings cycle = { 0 };
	int rc = graph_order(set, order, &cycle)
		     ? 0
		     : refuse_cycle(&cycle, "wait for each other", "dependencies", err);

	strings_free(&cycle);
	return rc == 0 ? check_parent_cycles(set, err) : rc;
}

int
convert_check(const struct task_set *set, struct error *err)
{
	size_t *order = mem_grow(NULL, set->count + 1, sizeof(order[0]));
	int rc = check_order(set, order, err);

	free(order);
	return rc;
}

static int
begin_once(struct convert_batch *b, struct store *s, const struct task_set *set,
    struct convert_report *report, struct deadline deadline, struct error *err)
{
	struct convert_context c;
	struct reservation r = { .first = 1 };
	size_t *order = mem_grow(NULL, set->count + 1, sizeof(order[0]));
	int rc = check_order(set, order, err);

	*b = (struct convert_batch){ .op = mem_alloc((set->count + 1) * sizeof(b->op[0])) };
	convert_context_make(&c, set);
	/* What is written at once keeps the order of the tasks. */
	for (size_t i = 0; store_ops(s)->one_file && i < set->count; i++)
		order[i] = i;
	if (rc == 0 && (rc = store_cache(s, err)) == 0)
		rc = choose_ids(s, &c, &r, report, err);
	store_uncache(s);
	if (rc == 0) {
		convert_context_edges(&c);
		rc = convert_all(b, s, &c, order, report, err);
	}
	if (rc == 0 && store_plan(s, b->op, b->count, err) == -1)
		rc = -1;
	if (rc == 0 && r.count > 0 && store_ops(s)->numbers)
		rc = store_locked(s, reserve_numbers, &r, deadline, err);
	convert_context_free(&c);
	free(order);
	return rc;
}

int
convert_begin(struct convert_batch *b, struct store *s, const struct task_set *set,
    struct convert_report *report, struct deadline deadline, struct error *err)
{
	struct convert_report mine = { 0 };
	int rc, tries = 0;

	/* A task of another program may take a number meanwhile. */
	while ((rc = begin_once(b, s, set, &mine, deadline, err)) == -1 &&
	       err->kind == ERROR_LOST && ++tries < LOST_TRIES) {
		convert_end(b);
		convert_report_free(&mine);
	}
	strings_add_all(&report->lost, &mine.lost);
	strings_add_all(&report->changed, &mine.changed);
	convert_report_free(&mine);
	return rc;
}

void
convert_end(struct convert_batch *b)
{
	store_ops_free(b->op, b->count);
	free(b->op);
	strings_free(&b->ids);
	strings_free(&b->texts);
	*b = (struct convert_batch){ 0 };
}

int
convert_put(struct store *s, const struct task_set *set, struct convert_report *report,
    struct deadline deadline, struct error *err)
{
	struct convert_batch b;
	int count = -1;

	if (convert_begin(&b, s, set, report, deadline, err) == 0 &&
	    store_apply(s, b.op, b.count, deadline, err) != -1)
		count = (int)b.count;
	convert_end(&b);
	return count;
}

static void
count_bad(void *arg, const char *file, const char *reason)
{
	size_t *count = arg;

	(void)file;
	(void)reason;
	(*count)++;
}

int
convert_make(const char *dir, enum store_layout layout, struct error *err)
{
	struct store s = STORE_INIT;
	struct task_set set = { 0 };
	struct buf text = { 0 };
	size_t bad = 0;
	int rc = store_open(&s, dir, true, err);

	if (rc == 1) {
		rc = store_load(&s, &set, err);
		if (rc == 0)
			rc = store_bad(&s, count_bad, &bad, err);
		if (rc == 0 && (set.count + bad > 0 || s.layout == STORE_DOCUMENT))
			rc = error_set(err, ERROR_REFUSED,
			    "'%s' already has a list; name another directory", dir);
		if (rc == 0 && layout == STORE_DOCUMENT) {
			document_empty(&text, clock_wall_ms());
			rc = file_replace(
			    s.dirfd, "tasks.json", text.data, text.len, 0, s.durability, err);
		}
	}
	task_set_free(&set);
	s.made = s.made && rc == -1;
	store_close(&s);
	buf_free(&text);
	return rc == -1 ? -1 : 0;
}
