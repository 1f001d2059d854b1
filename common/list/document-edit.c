/*
 * The text of tasks.json, edited.
 *
 * As with single tasks: what is not edited keeps its bytes.  A document in
 * the form of JSON.stringify(x, null, 2) comes out in that form (a task's
 * own edit does not know how deep it is nested), any other keeps its form.
 */
#include "list/document-edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "task/task.h"
#include "json/json-edit.h"
#include "json/json-print.h"

#define VERSION_NOW 2

static struct document_entry *
entry_new(struct document *d, json_ref ref)
{
	size_t at = d->tasks.count - 1; /* the count has grown already */

	d->entry = mem_more(d->entry, at, sizeof(d->entry[0]));
	d->entry[at] = (struct document_entry){ .ref = ref };
	return &d->entry[at];
}

int
document_parse(struct document *d, const char *text, size_t len, struct error *err)
{
	struct error why;
	const char *raw;
	json_ref el;
	size_t size, index = 0;

	buf_reset(&d->text);
	buf_add(&d->text, text, len);
	if (json_parse(&d->json, buf_text(&d->text), d->text.len, err) == -1)
		return error_prefix(err, "invalid JSON");
	d->list = json_member(&d->json, JSON_ROOT, "tasks");
	if (json_kind(&d->json, d->list) != JSON_ARRAY)
		return error_set(err, ERROR_INPUT, "it has no array 'tasks'");
	for (el = json_first(&d->json, d->list); el != JSON_ABSENT;
	     el = json_next(&d->json, d->list, el), index++) {
		raw = json_raw(&d->json, el, &size);
		if (task_read(task_set_add(&d->tasks), TASK_DOCUMENT, NULL, raw, size, &why) == 0) {
			entry_new(d, el);
			continue;
		}
		d->tasks.count--;
		strings_take(&d->bad, mem_printf("tasks[%zu]: %s", index, why.text));
	}
	return 0;
}

void
document_free(struct document *d)
{
	json_free(&d->json);
	buf_free(&d->text);
	task_set_free(&d->tasks);
	strings_free(&d->bad);
	free(d->entry);
	memset(d, 0, sizeof(*d));
}

size_t
document_find(const struct document *d, const char *id)
{
	size_t i;

	for (i = 0; i < d->tasks.count; i++)
		if (!d->entry[i].gone && strcmp(d->tasks.item[i].id, id) == 0)
			return i;
	return DOCUMENT_NONE;
}

/* Gives a task its new text, which is taken. */
static int
set_text(struct document *d, size_t index, struct buf *text, struct error *err)
{
	struct task *t = &d->tasks.item[index];
	char *id = mem_string(t->id);
	int rc;

	buf_free(&t->text);
	t->text = *text;
	*text = (struct buf){ 0 };
	rc = task_reread(t, TASK_DOCUMENT, id, err);
	d->entry[index].changed = true;
	free(id);
	return rc;
}

int
document_edit(
    struct document *d, size_t index, const struct change *change, int64_t now, struct error *err)
{
	struct buf text = { 0 };
	int rc = task_edit(&d->tasks.item[index], change, now, &text, err);

	if (rc == 1 && set_text(d, index, &text, err) == -1)
		rc = -1;
	buf_free(&text);
	return rc;
}

int
document_set(struct document *d, size_t index, const struct buf *text, struct error *err)
{
	struct buf copy = { 0 };

	buf_add(&copy, text->data, text->len);
	return set_text(d, index, &copy, err);
}

int
document_add(struct document *d, const char *text, size_t len, struct error *err)
{
	if (task_read(task_set_add(&d->tasks), TASK_DOCUMENT, NULL, text, len, err) == -1) {
		d->tasks.count--;
		return -1;
	}
	entry_new(d, JSON_ABSENT)->changed = true;
	return 0;
}

void
document_remove(struct document *d, size_t index)
{
	d->entry[index].gone = true;
}

static bool
waits(const struct document *d, const struct task_index *index, const struct task *t)
{
	size_t i, at;

	for (i = 0; i < t->blocked_by.count; i++) {
		at = task_index_find(index, t->blocked_by.item[i]);
		if (at == TASK_NOWHERE || d->entry[at].gone || task_open(&d->tasks.item[at]))
			return true;
	}
	return false;
}

/* Set pending and blocked as the dependencies say; tasks in progress stay so. */
static int
statuses_in_step(struct document *d, int64_t now, struct error *err)
{
	struct change change = CHANGE_INIT;
	struct task_index index;
	const struct task *t;
	size_t i;
	int rc = 0;

	/* An edit changes a status, never an id: the index stays good. */
	task_index_make(&index, &d->tasks);
	for (i = 0; rc != -1 && i < d->tasks.count; i++) {
		t = &d->tasks.item[i];
		if (d->entry[i].gone || (t->status != TASK_PENDING && t->status != TASK_BLOCKED))
			continue;
		change.status = waits(d, &index, t) ? TASK_BLOCKED : TASK_PENDING;
		if (change.status != t->status)
			rc = document_edit(d, i, &change, now, err);
	}
	task_index_free(&index);
	return rc == -1 ? -1 : 0;
}

/* The fields that version 1 did not have. */
static int
upgrade(struct document *d, struct error *err)
{
	struct task *t;
	struct json_edit edit;
	struct buf text = { 0 };
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < d->tasks.count; i++) {
		t = &d->tasks.item[i];
		json_edit_init(&edit, &t->json);
		if (json_member(&t->json, JSON_ROOT, "dependencies") == JSON_ABSENT)
			json_edit_set(&edit, JSON_ROOT, "dependencies", "[]");
		if (json_member(&t->json, JSON_ROOT, "metadata") == JSON_ABSENT)
			json_edit_set(&edit, JSON_ROOT, "metadata", "{}");
		json_edit_apply(&edit, &text);
		json_edit_free(&edit);
		rc = set_text(d, i, &text, err);
	}
	return rc;
}

static bool
is_printed(const struct document *d)
{
	size_t len = d->text.len;

	while (len > 0 && d->text.data[len - 1] == '\n')
		len--;
	return json_script_form(&d->json, len);
}

/* Again in JavaScript's form; the newline at the end, if there was one, stays. */
static int
print_again(const struct document *d, struct buf *out, struct error *err)
{
	struct json j = { 0 };
	struct buf printed = { 0 };
	bool newline = d->text.len > 0 && d->text.data[d->text.len - 1] == '\n';

	if (json_parse(&j, buf_text(out), out->len, err) == -1)
		return -1;
	json_print(&printed, &j, JSON_ROOT, 2, 0);
	if (newline)
		buf_putc(&printed, '\n');
	json_free(&j);
	buf_free(out);
	*out = printed;
	return 0;
}

int
document_print(struct document *d, int64_t now, struct buf *out, struct error *err)
{
	struct json_edit edit;
	char iso[CLOCK_ISO], stamp[CLOCK_ISO + 2];
	int64_t version = 1;
	size_t i;

	(void)json_int(&d->json, json_member(&d->json, JSON_ROOT, "version"), &version);
	if (version < VERSION_NOW && upgrade(d, err) == -1)
		return -1;
	if (statuses_in_step(d, now, err) == -1)
		return -1;
	json_edit_init(&edit, &d->json);
	for (i = 0; !d->clear && i < d->tasks.count; i++) {
		const struct document_entry *e = &d->entry[i];
		const char *text = buf_text(&d->tasks.item[i].text);

		if (e->gone && e->ref != JSON_ABSENT)
			json_edit_drop(&edit, d->list, e->ref);
		else if (!e->gone && e->ref == JSON_ABSENT)
			json_edit_append(&edit, d->list, text);
		else if (!e->gone && e->changed)
			json_edit_replace(&edit, e->ref, text);
	}
	if (d->clear)
		json_edit_set(&edit, JSON_ROOT, "tasks", "[]");
	if (version < VERSION_NOW)
		json_edit_set(&edit, JSON_ROOT, "version", "2");
	clock_iso_seconds(iso, now);
	snprintf(stamp, sizeof(stamp), "\"%s\"", iso);
	json_edit_set(&edit, JSON_ROOT, "last_updated", stamp);
	json_edit_apply(&edit, out);
	json_edit_free(&edit);
	return is_printed(d) ? print_again(d, out, err) : 0;
}

void
document_empty(struct buf *out, int64_t now)
{
	char iso[CLOCK_ISO];

	clock_iso_seconds(iso, now);
	buf_printf(
	    out, "{\n  \"tasks\": [],\n  \"version\": 2,\n  \"last_updated\": \"%s\"\n}", iso);
}
