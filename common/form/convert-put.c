/*
 * Putting tasks into a list.
 *
 * The ids are chosen first, for all tasks, so that dependencies can follow
 * them: a task keeps its id if the target can hold it and it is free.  New
 * numbers are reserved by raising the watermark before anything is written;
 * then each task is put separately, because a lock held over a thousand files
 * would keep the client waiting.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "form/convert-part.h"
#include "list/document-edit.h"
#include "list/document.h"
#include "list/files.h"
#include "list/watermark.h"

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

static bool
id_fits(const struct store *s, const char *id)
{
	char name[256];

	if (s->layout == STORE_DOCUMENT)
		return *id != '\0';
	return files_name(s, id, name) && strcmp(name, "tasks.json") != 0;
}

static int
id_taken(struct store *s, const struct task_index *there, const char *id)
{
	char name[256];

	if (s->layout == STORE_DOCUMENT)
		return task_index_find(there, id) != TASK_NOWHERE;
	/* also by a file that is not a task */
	return files_name(s, id, name) && file_there(s->dirfd, name);
}

struct reserve {
	size_t count;
	char first[32];
};

/* Reserves `count` numbers.  Under the list's lock. */
static int
reserve_numbers(void *arg, struct store *s, struct error *err)
{
	struct reserve *r = arg;
	char last[32];

	if (watermark_next(s, r->first, err) == -1)
		return -1;
	watermark_print(last, watermark_number(r->first) + (double)r->count - 1);
	return watermark_raise(s, last, err);
}

static void
new_id(const struct store *s, const struct reserve *r, size_t nth, char id[64])
{
	if (s->layout == STORE_NATIVE)
		watermark_print(id, watermark_number(r->first) + (double)nth);
	else if (s->layout == STORE_FOLDER)
		snprintf(
		    id, 64, "task_%lld_%08x", (long long)(clock_wall_ms() / 1000), arc4random());
	else
		document_new_id(id);
}

static int
settle_ids(struct store *s, struct convert_context *c, const struct task_index *there,
    struct convert_report *report, struct deadline deadline, struct error *err)
{
	struct reserve r = { 0 };
	size_t i, nth = 0, count = c->all->count;
	double highest = 0;
	char id[64];

	c->id = mem_alloc((count + 1) * sizeof(c->id[0]));
	for (i = 0; i < count; i++) {
		const char *own = c->all->item[i].id;

		if (id_fits(s, own) && !id_taken(s, there, own)) {
			c->id[i] = mem_string(own);
			/* new numbers must be higher than those kept */
			if (watermark_number(own) > highest)
				highest = watermark_number(own);
		} else
			r.count++;
	}
	if (r.count > 0 && s->layout == STORE_NATIVE) {
		watermark_print(id, highest);
		if ((highest > 0 && watermark_raise(s, id, err) == -1) ||
		    store_locked(s, reserve_numbers, &r, deadline, err) == -1)
			return -1;
	}
	for (i = 0; i < count; i++) {
		if (c->id[i] != NULL)
			continue;
		new_id(s, &r, nth++, id);
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

int
convert_put(struct store *s, const struct task_set *set, struct convert_report *report,
    struct deadline deadline, struct error *err)
{
	struct convert_context c;
	struct task_set there = { 0 };
	struct task_index index = { 0 };
	struct buf text = { 0 };
	size_t i = 0;
	int rc = 0;

	convert_context_make(&c, set);
	if (s->layout == STORE_DOCUMENT && store_load(s, &there, err) == -1)
		rc = -1;
	task_index_make(&index, &there);
	if (rc == 0)
		rc = settle_ids(s, &c, &index, report, deadline, err);
	if (rc == 0)
		convert_context_edges(&c);
	for (; rc == 0 && i < set->count; i++) {
		const struct task *t = &set->item[i];

		if (keeps_text(&c, i, store_dialect(s))) {
			buf_reset(&text);
			buf_add(&text, t->text.data, t->text.len);
		} else
			rc = convert_one(
			    t, store_dialect(s), c.id[i], &c, clock_wall_ms(), &text, report, err);
		if (rc == 0)
			rc = store_put(s, c.id[i], buf_text(&text), text.len, deadline, err);
	}
	convert_context_free(&c);
	task_index_free(&index);
	task_set_free(&there);
	buf_free(&text);
	return rc == -1 ? -1 : (int)i;
}

int
convert_make(const char *dir, enum store_layout layout, struct error *err)
{
	struct store s = STORE_INIT;
	struct task_set set = { 0 };
	struct buf text = { 0 };
	int rc = store_open(&s, dir, true, err);

	if (rc == 1) {
		rc = store_load(&s, &set, err);
		if (rc == 0 && (set.count > 0 || s.layout == STORE_DOCUMENT))
			rc = error_set(err, ERROR_REFUSED, "there is a list in '%s' already", dir);
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
