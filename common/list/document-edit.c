/*
 * Edits the text of tasks.json.
 *
 * As with single tasks: what is not edited keeps its bytes.  The text of a
 * task has no indentation of its own here, as if it were a file: it is taken
 * away when the task is read, and put back when the document is printed.  So
 * a document in the form of JSON.stringify(x, null, 2) keeps that form.
 */
#include "list/document-edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "list/document.h"
#include "task/task.h"
#include "json/json-edit.h"
#include "json/json-print.h"
#include "json/out.h"

#define VERSION_NOW 2

#define INLINE ((size_t)-1)

/* The blanks before this byte, if it is the first one of its line. */
static size_t
indent_at(const struct document *d, const char *at)
{
	size_t n = 0;

	while (at > d->text.data && at[-1] == ' ') {
		at--;
		n++;
	}
	return at > d->text.data && at[-1] == '\n' ? n : INLINE;
}

/* Gives a text on several lines this many blanks more on each but the first. */
static void
indent_add(struct buf *out, const char *text, size_t indent)
{
	for (; *text != '\0'; text++) {
		buf_putc(out, *text);
		for (size_t i = 0; *text == '\n' && i < indent; i++)
			buf_putc(out, ' ');
	}
}

/* The reverse; false if not every line has so many. */
static bool
indent_remove(struct buf *out, const char *text, size_t len, size_t indent)
{
	const char *end = text + len, *line;

	while ((line = memchr(text, '\n', (size_t)(end - text))) != NULL) {
		buf_add(out, text, (size_t)(line + 1 - text));
		text = line + 1;
		for (size_t i = 0; i < indent; i++, text++)
			if (text == end || *text != ' ')
				return false;
	}
	buf_add(out, text, (size_t)(end - text));
	return true;
}

bool
document_id_ok(const char *id)
{
	return *id != '\0' && strlen(id) <= TASK_ID_MAX;
}

/* A task of this text, with an id by which it can be found. */
static int
read_task(struct document *d, const struct document_entry *e, const char *text, size_t len,
    struct error *err)
{
	struct task *t = task_set_add(&d->tasks);
	int rc = task_read(t, TASK_DOCUMENT, NULL, text, len, err);

	/* A string with a NUL or half a surrogate pair is another one when it is decoded. */
	if (rc == 0 && (!document_id_ok(t->id) ||
			   !json_equals(&t->json, json_member(&t->json, JSON_ROOT, "id"), t->id)))
		rc = error_set(err, ERROR_INPUT,
		    "its id is empty, longer than %d bytes or not valid text", TASK_ID_MAX);
	if (rc == -1) {
		task_free(t);
		d->tasks.count--;
		return -1;
	}
	d->entry = mem_more(d->entry, d->tasks.count - 1, sizeof(d->entry[0]));
	d->entry[d->tasks.count - 1] = *e;
	return 0;
}

/* An element, without its indentation where it has one. */
static int
read_element(struct document *d, json_ref el, struct error *err)
{
	struct document_entry e = { .ref = el };
	struct buf text = { 0 };
	size_t size;
	const char *raw = json_raw(&d->json, el, &size);
	int rc;

	e.indent = indent_at(d, raw);
	if (e.indent == INLINE || !indent_remove(&text, raw, size, e.indent)) {
		e.indent = 0;
		buf_reset(&text);
		buf_add(&text, raw, size);
	}
	rc = read_task(d, &e, buf_text(&text), text.len, err);
	buf_free(&text);
	return rc;
}

int
document_parse(struct document *d, const char *text, size_t len, struct error *err)
{
	struct error why;
	json_ref el;
	size_t index = 0;

	buf_reset(&d->text);
	buf_add(&d->text, text, len);
	if (json_parse(&d->json, buf_text(&d->text), d->text.len, err) == -1)
		return error_prefix(err, "invalid JSON");
	d->list = json_member(&d->json, JSON_ROOT, "tasks");
	if (json_kind(&d->json, d->list) != JSON_ARRAY)
		return error_set(err, ERROR_INPUT, "it has no array 'tasks'");
	for (el = json_first(&d->json, d->list); el != JSON_ABSENT;
	     el = json_next(&d->json, d->list, el), index++)
		if (read_element(d, el, &why) == -1)
			strings_take(&d->bad, mem_printf("tasks[%zu]: %s", index, why.text));
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

/* Replaces a task's text; takes the new one. */
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
	struct document_entry e = { .ref = JSON_ABSENT, .changed = true };

	return read_task(d, &e, text, len, err);
}

void
document_remove(struct document *d, size_t index)
{
	d->entry[index].gone = true;
}

static bool
is_waiting(const struct document *d, const struct task_index *index, const struct task *t)
{
	size_t i, at;

	for (i = 0; i < t->blocked_by.count; i++) {
		at = task_index_find(index, t->blocked_by.item[i]);
		if (at == TASK_NOWHERE || d->entry[at].gone || task_open(&d->tasks.item[at]))
			return true;
	}
	return false;
}

/* Sets blocked where a task that is not completed has a dependency that is not, also for a task in
 * progress, which keeps its assignee; what is no longer blocked is pending.  A task that was set to
 * blocked stays so. */
static int
update_blocked(struct document *d, int64_t now, struct error *err)
{
	struct change change = { .follows = true };
	struct task_index index;
	const struct task *t;
	size_t i;
	int rc = 0;

	/* An edit changes a status, never an id: the index stays valid. */
	task_index_make(&index, &d->tasks);
	for (i = 0; rc != -1 && i < d->tasks.count; i++) {
		t = &d->tasks.item[i];
		if (d->entry[i].gone || !task_open(t) || task_held(t))
			continue;
		change.status = is_waiting(d, &index, t) ? TASK_BLOCKED : TASK_PENDING;
		if ((t->status == TASK_BLOCKED) != (change.status == TASK_BLOCKED))
			rc = document_edit(d, i, &change, now, err);
	}
	task_index_free(&index);
	return rc == -1 ? -1 : 0;
}

/* Adds the fields that version 1 did not have. */
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

/* Of a task that is added: as deep as its siblings, or one level below the array's key. */
static size_t
indent_new(const struct document *d)
{
	json_ref first = json_first(&d->json, d->list);
	const struct json_node *list = &d->json.node[d->list];
	size_t indent;

	if (first != JSON_ABSENT)
		return indent_at(d, d->text.data + d->json.node[first].start);
	indent = indent_at(d, d->text.data + list->key);
	return indent == INLINE ? INLINE : 2 * indent;
}

/* A new task in the form of the document: on one line if its siblings are. */
static void
print_new(const struct document *d, const struct task *t, struct buf *out)
{
	size_t indent = indent_new(d);
	struct buf printed = { 0 };

	json_print(&printed, &t->json, JSON_ROOT, indent == INLINE ? 0 : 2, 0);
	indent_add(out, buf_text(&printed), indent == INLINE ? 0 : indent);
	buf_free(&printed);
}

int
document_print(struct document *d, int64_t now, struct buf *out, struct error *err)
{
	struct json_edit edit;
	struct buf text = { 0 };
	char iso[CLOCK_ISO], stamp[CLOCK_ISO + 2];
	int64_t version = 1;
	size_t i;

	(void)json_int(&d->json, json_member(&d->json, JSON_ROOT, "version"), &version);
	if (version < VERSION_NOW && upgrade(d, err) == -1)
		return -1;
	if (update_blocked(d, now, err) == -1)
		return -1;
	json_edit_init(&edit, &d->json);
	for (i = 0; !d->clear && i < d->tasks.count; i++) {
		const struct document_entry *e = &d->entry[i];
		const struct task *t = &d->tasks.item[i];

		buf_reset(&text);
		if (e->gone && e->ref != JSON_ABSENT)
			json_edit_drop(&edit, d->list, e->ref);
		else if (!e->gone && e->ref == JSON_ABSENT) {
			print_new(d, t, &text);
			json_edit_append(&edit, d->list, buf_text(&text));
		} else if (!e->gone && e->changed) {
			indent_add(&text, buf_text(&t->text), e->indent);
			json_edit_replace(&edit, e->ref, buf_text(&text));
		}
	}
	if (d->clear)
		json_edit_set(&edit, JSON_ROOT, "tasks", "[]");
	buf_free(&text);
	if (version < VERSION_NOW)
		json_edit_set(&edit, JSON_ROOT, "version", "2");
	clock_iso_seconds(iso, now);
	/* json_edit takes the text of a value; a date has nothing to escape. */
	snprintf(stamp, sizeof(stamp), "\"%s\"", iso);
	json_edit_set(&edit, JSON_ROOT, "last_updated", stamp);
	json_edit_apply(&edit, out);
	json_edit_free(&edit);
	return 0;
}

void
document_empty(struct buf *out, int64_t now)
{
	struct json_object *o = out_object();
	char iso[CLOCK_ISO];

	clock_iso_seconds(iso, now);
	out_add(o, "tasks", out_array());
	out_int(o, "version", VERSION_NOW);
	out_string(o, "last_updated", iso);
	out_pretty(out, o);
}
