/*
 * Edits are collected and become replacements of bytes only in apply, when
 * everything that happens to a container is known: whether a comma stays
 * depends on every other member that is added or removed.
 *
 * White space around a member belongs to its place, not to the member: what
 * precedes the first member stays in front of the one that is first
 * afterwards, and what precedes the closing bracket stays there.  So a
 * removal takes [key, next key), and at the end of a container [end of the
 * last value kept, end of the last value).
 *
 * An edit inside a value that is itself replaced or removed has no effect.
 */
#include "json/json-edit.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "json/json-print.h"

enum splice_op { REPLACE, REMOVE, ADD };

struct json_splice {
	enum splice_op op;
	json_ref at; /* the value; the container for ADD */
	json_ref up; /* the container of what is added or removed */
	char *key;   /* ADD to an object */
	char *text;  /* new value */
};

void
json_edit_init(struct json_edit *e, const struct json *j)
{
	*e = (struct json_edit){ .json = j };
}

void
json_edit_free(struct json_edit *e)
{
	for (size_t i = 0; i < e->count; i++) {
		free(e->splice[i].key);
		free(e->splice[i].text);
	}
	free(e->splice);
	*e = (struct json_edit){ 0 };
}

static void
splice_add(struct json_edit *e, enum splice_op op, json_ref at, json_ref up, const char *key,
    const char *text)
{
	if (at == JSON_ABSENT)
		return;
	e->splice = mem_more(e->splice, e->count, sizeof(*e->splice));
	e->splice[e->count++] =
	    (struct json_splice){ op, at, up, mem_string(key), mem_string(text) };
}

static struct json_splice *
splice_find(struct json_edit *e, enum splice_op op, json_ref at, const char *key)
{
	struct json_splice *s;

	for (size_t i = e->count; i-- > 0;) {
		s = &e->splice[i];
		if (s->op == op && s->at == at &&
		    (key == NULL || (s->key != NULL && strcmp(s->key, key) == 0)))
			return s;
	}
	return NULL;
}

static void
splice_set(struct json_splice *s, const char *text)
{
	char *copy = mem_string(text);

	free(s->text);
	s->text = copy;
}

void
json_edit_replace(struct json_edit *e, json_ref at, const char *text)
{
	struct json_splice *s = splice_find(e, REPLACE, at, NULL);

	if (s != NULL)
		splice_set(s, text);
	else
		splice_add(e, REPLACE, at, JSON_ABSENT, NULL, text);
}

void
json_edit_set(struct json_edit *e, json_ref object, const char *key, const char *value)
{
	json_ref at = json_member(e->json, object, key);
	struct json_splice *s = splice_find(e, ADD, object, key);

	if (s != NULL)
		splice_set(s, value);
	else if (at != JSON_ABSENT && splice_find(e, REMOVE, at, NULL) == NULL)
		json_edit_replace(e, at, value);
	else if (json_kind(e->json, object) == JSON_OBJECT)
		splice_add(e, ADD, object, object, key, value);
}

void
json_edit_remove(struct json_edit *e, json_ref object, const char *key)
{
	struct json_splice *s = splice_find(e, ADD, object, key);

	if (json_kind(e->json, object) != JSON_OBJECT)
		return;
	if (s != NULL) {
		free(s->key);
		free(s->text);
		e->count--;
		memmove(s, s + 1, (size_t)(e->splice + e->count - s) * sizeof(*s));
	}
	JSON_EACH (e->json, object, at)
		if (json_key_equals(e->json, at, key))
			splice_add(e, REMOVE, at, object, NULL, NULL);
}

void
json_edit_append(struct json_edit *e, json_ref array, const char *value)
{
	if (json_kind(e->json, array) == JSON_ARRAY)
		splice_add(e, ADD, array, array, NULL, value);
}

void
json_edit_drop(struct json_edit *e, json_ref array, json_ref element)
{
	if (json_kind(e->json, array) == JSON_ARRAY)
		splice_add(e, REMOVE, element, array, NULL, NULL);
}

/* Bytes of the text. */
struct span {
	uint32_t start, end;
};

/* The text for a span. */
struct replacement {
	struct span span;
	struct buf text;
};

struct replacements {
	struct replacement *item;
	size_t count;
};

static struct replacement *
replacement_new(struct replacements *list, uint32_t start, uint32_t end)
{
	list->item = mem_more(list->item, list->count, sizeof(*list->item));
	list->item[list->count] = (struct replacement){ .span = { start, end } };
	return &list->item[list->count++];
}

/* Where a member or element begins: at its key, if it has one. */
static uint32_t
place_start(const struct json *j, json_ref at)
{
	return j->node[at].key_end > 0 ? j->node[at].key : j->node[at].start;
}

/* How a container is laid out. */
struct layout {
	struct buf first, next; /* before the first item, before the others */
	struct buf last;        /* before the closing bracket */
	struct buf colon;
};

static void
layout_free(struct layout *s)
{
	buf_free(&s->first);
	buf_free(&s->next);
	buf_free(&s->last);
	buf_free(&s->colon);
}

static json_ref
container_around(const struct json *j, json_ref at)
{
	/* Containers come before what they hold: the nearest one that ends after it. */
	for (json_ref up = at - 1; up >= 0; up--)
		if (j->node[up].next > (uint32_t)at)
			return up;
	return JSON_ABSENT;
}

/* Reads it from a container that has items. */
static void
layout_read(struct layout *s, const struct json *j, json_ref at)
{
	json_ref first = json_first(j, at), second = json_next(j, at, first), last = first, c;
	const struct json_node *n = &j->node[at], *f = &j->node[first];
	uint32_t comma;

	for (c = first; c != JSON_ABSENT; c = json_next(j, at, c))
		last = c;
	buf_add(&s->first, j->text + n->start + 1, place_start(j, first) - n->start - 1);
	buf_add(&s->last, j->text + j->node[last].end, n->end - 1 - j->node[last].end);
	if (f->key_end > 0)
		buf_add(&s->colon, j->text + f->key_end, f->start - f->key_end);
	else
		buf_puts(&s->colon, memchr(buf_text(&s->first), '\n', s->first.len) ? ": " : ":");
	if (second != JSON_ABSENT) {
		for (comma = f->end; j->text[comma] != ',';)
			comma++;
		comma++;
		buf_add(&s->next, j->text + comma, place_start(j, second) - comma);
	} else if (memchr(buf_text(&s->first), '\n', s->first.len) != NULL) {
		buf_add(&s->next, s->first.data, s->first.len);
	} else if (s->colon.len > 0 && s->colon.data[s->colon.len - 1] == ' ') {
		buf_putc(&s->next, ' ');
	}
}

/* Of an empty container: one level deeper than the container around it. */
static void
layout_guess(struct layout *s, const struct json *j, json_ref at)
{
	json_ref up = container_around(j, at);
	struct layout outer = { 0 };
	const char *line;

	if (up == JSON_ABSENT) {
		buf_puts(&s->first, "\n  ");
		buf_puts(&s->next, "\n  ");
		buf_puts(&s->last, "\n");
		buf_puts(&s->colon, ": ");
		return;
	}
	layout_read(&outer, j, up);
	buf_add(&s->colon, buf_text(&outer.colon), outer.colon.len);
	line = outer.next.len > 0 ? text_last(outer.next.data, outer.next.len, '\n') : NULL;
	if (line == NULL) {
		buf_add(&s->next, buf_text(&outer.next), outer.next.len);
	} else {
		/* the items of the outer one are indented by this much more
		 * than its closing bracket */
		size_t step = outer.next.len > outer.last.len ? outer.next.len - outer.last.len : 0;

		buf_add(&s->first, outer.next.data, outer.next.len);
		buf_add(&s->first, outer.next.data + outer.next.len - step, step);
		buf_add(&s->next, buf_text(&s->first), s->first.len);
		buf_add(&s->last, outer.next.data, outer.next.len);
	}
	layout_free(&outer);
}

/* The items added to a container. */
static void
put_added(struct buf *out, const struct json_edit *e, json_ref at, const struct layout *layout,
    bool first)
{
	const struct json_splice *s;

	for (size_t i = 0; i < e->count; i++) {
		s = &e->splice[i];
		if (s->op != ADD || s->at != at)
			continue;
		if (!first)
			buf_putc(out, ',');
		buf_add(out, buf_text(first ? &layout->first : &layout->next),
		    first ? layout->first.len : layout->next.len);
		if (s->key != NULL) {
			json_print_string(out, s->key, strlen(s->key));
			buf_add(out, buf_text(&layout->colon), layout->colon.len);
		}
		buf_puts(out, s->text);
		first = false;
	}
}

/* Everything that is added to or removed from one container. */
static void
edit_container(struct replacements *list, const struct json_edit *e, json_ref at, const char *gone)
{
	const struct json *j = e->json;
	const struct json_node *n = &j->node[at];
	json_ref kept = JSON_ABSENT, last = JSON_ABSENT, from = JSON_ABSENT, c;
	struct layout layout = { 0 };
	struct replacement *r;

	/* `from`: the first of a run of removed items */
	for (c = json_first(j, at); c != JSON_ABSENT; c = json_next(j, at, c)) {
		last = c;
		if (gone[c]) {
			if (from == JSON_ABSENT)
				from = c;
			continue;
		}
		if (from != JSON_ABSENT)
			replacement_new(list, place_start(j, from), place_start(j, c));
		from = JSON_ABSENT;
		kept = c;
	}
	if (last == JSON_ABSENT)
		layout_guess(&layout, j, at);
	else
		layout_read(&layout, j, at);
	if (kept != JSON_ABSENT) {
		r = replacement_new(list, j->node[kept].end, j->node[last].end);
		put_added(&r->text, e, at, &layout, false);
	} else {
		r = replacement_new(list, n->start + 1, n->end - 1);
		put_added(&r->text, e, at, &layout, true);
		if (r->text.len > 0)
			buf_add(&r->text, buf_text(&layout.last), layout.last.len);
	}
	layout_free(&layout);
}

static int
by_start(const void *a, const void *b)
{
	const struct replacement *x = a, *y = b;

	if (x->span.start != y->span.start)
		return x->span.start < y->span.start ? -1 : 1;
	/* the one that contains the others first */
	return (x->span.end < y->span.end) - (x->span.end > y->span.end);
}

static void
collect(struct replacements *list, const struct json_edit *e)
{
	const struct json *j = e->json;
	char *gone = mem_alloc(j->count), *touched = mem_alloc(j->count);
	const struct json_splice *s;
	struct replacement *r;

	for (size_t i = 0; i < e->count; i++) {
		s = &e->splice[i];
		if (s->op == REMOVE)
			gone[s->at] = 1;
		if (s->op != REPLACE)
			touched[s->up] = 1;
	}
	for (size_t i = 0; i < j->count; i++)
		if (touched[i])
			edit_container(list, e, (json_ref)i, gone);
	for (size_t i = 0; i < e->count; i++) {
		s = &e->splice[i];
		if (s->op != REPLACE || gone[s->at])
			continue;
		r = replacement_new(list, j->node[s->at].start, j->node[s->at].end);
		buf_puts(&r->text, s->text);
	}
	free(gone);
	free(touched);
}

void
json_edit_apply(struct json_edit *e, struct buf *out)
{
	struct replacements list = { 0 };
	uint32_t done = 0;

	collect(&list, e);
	if (list.count > 1)
		qsort(list.item, list.count, sizeof(*list.item), by_start);
	buf_reset(out);
	buf_need(out, e->json->len);
	for (size_t i = 0; i < list.count; i++) {
		struct replacement *c = &list.item[i];

		if (c->span.start >= done) {
			buf_add(out, e->json->text + done, c->span.start - done);
			buf_add(out, buf_text(&c->text), c->text.len);
			done = c->span.end;
		}
		buf_free(&c->text);
	}
	buf_add(out, e->json->text + done, e->json->len - done);
	free(list.item);
}
