/*
 * Layout is JSON.stringify's: every member and element on its own line,
 * but {} and [] for empty ones; compact with indent 0.  Strings that
 * need no escape, and integers that a double holds exactly, are their own
 * bytes.
 */
#include "json/json-print.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "json/json-members.h"
#include "json/json-number.h"
#include "json/json-string.h"

static void
put_char(struct buf *out, int32_t c)
{
	static const char shorthand[] = "\b\t\n\f\r\"\\", letter[] = "btnfr\"\\";
	const char *at;

	if (c == 0 || (c < 0x20 && strchr(shorthand, c) == NULL) || (c >= 0xd800 && c <= 0xdfff))
		buf_printf(out, "\\u%04x", (unsigned int)c);
	else if (c < 0x80 && (at = strchr(shorthand, c)) != NULL) {
		buf_putc(out, '\\');
		buf_putc(out, letter[at - shorthand]);
	} else
		utf8_put(out, (uint32_t)c);
}

void
json_print_string(struct buf *out, const char *s, size_t len)
{
	const char *end = s + len;
	int32_t c;

	buf_need(out, len + 2);
	buf_putc(out, '"');
	while (s < end) {
		c = utf8_next(&s, end);
		put_char(out, c == -1 ? 0xfffd : c);
	}
	buf_putc(out, '"');
}

/* The bytes [start, end) are a string with its quotes. */
static void
print_string(struct buf *out, const struct json *j, uint32_t start, uint32_t end, bool plain)
{
	const char *p = j->text + start + 1, *stop = j->text + end - 1;

	if (plain) {
		buf_add(out, j->text + start, end - start);
		return;
	}
	buf_putc(out, '"');
	while (p < stop)
		put_char(out, json_char(&p, stop));
	buf_putc(out, '"');
}

static void
print_number(struct buf *out, const char *text, size_t len)
{
	bool exact = len <= 15 && (len == 1 || text[0] != '-' || text[1] != '0');

	for (size_t i = 0; exact && i < len; i++)
		exact = text[i] == '-' || (text[i] >= '0' && text[i] <= '9');
	if (exact)
		buf_add(out, text, len);
	else
		json_number_print(out, json_number(text, len));
}

static void
new_line(struct buf *out, int indent, int depth)
{
	size_t blanks = (size_t)indent * (size_t)depth;

	if (indent == 0)
		return;
	buf_need(out, blanks + 1);
	buf_putc(out, '\n');
	memset(out->data + out->len, ' ', blanks);
	out->len += blanks;
	out->data[out->len] = '\0';
}

/* How to print: JavaScript's idea of the values, or their own bytes. */
struct style {
	int indent;
	bool own;
};

static void print_value(struct buf *, const struct json *, json_ref, const struct style *, int);

static void
print_member(struct buf *out, const struct json *j, json_ref name, json_ref value,
    const struct style *style, int depth)
{
	const struct json_node *n = &j->node[name];

	new_line(out, style->indent, depth);
	if (n->key_end > 0) {
		print_string(out, j, n->key, n->key_end, n->key_plain || style->own);
		buf_puts(out, style->indent > 0 ? ": " : ":");
	}
	print_value(out, j, value, style, depth);
}

static void
print_container(
    struct buf *out, const struct json *j, json_ref ref, const struct style *style, int depth)
{
	bool object = j->node[ref].kind == JSON_OBJECT, merge = object && !style->own;
	struct json_members m = { 0 };
	json_ref at;

	buf_putc(out, object ? '{' : '[');
	if (merge) {
		json_members_load(&m, j, ref, JSON_AS_SCRIPT);
		for (size_t i = 0; i < m.count; i++) {
			if (i > 0)
				buf_putc(out, ',');
			print_member(out, j, m.item[i].first, m.item[i].value, style, depth + 1);
		}
		json_members_free(&m);
	} else {
		for (at = json_first(j, ref); at != JSON_ABSENT; at = json_next(j, ref, at)) {
			if (at != ref + 1)
				buf_putc(out, ',');
			print_member(out, j, at, at, style, depth + 1);
		}
	}
	if (json_count(j, ref) > 0)
		new_line(out, style->indent, depth);
	buf_putc(out, object ? '}' : ']');
}

static void
print_value(
    struct buf *out, const struct json *j, json_ref ref, const struct style *style, int depth)
{
	const struct json_node *n = &j->node[ref];

	if (n->kind == JSON_ARRAY || n->kind == JSON_OBJECT)
		print_container(out, j, ref, style, depth);
	else if (n->kind == JSON_STRING)
		print_string(out, j, n->start, n->end, n->plain || style->own);
	else if (n->kind == JSON_NUMBER && !style->own)
		print_number(out, j->text + n->start, n->end - n->start);
	else
		buf_add(out, j->text + n->start, n->end - n->start);
}

void
json_print(struct buf *out, const struct json *j, json_ref ref, int indent, int depth)
{
	struct style style = { indent, false };

	if (json_kind(j, ref) != JSON_NONE)
		print_value(out, j, ref, &style, depth);
}

void
json_print_own(struct buf *out, const struct json *j, json_ref ref, int indent, int depth)
{
	struct style style = { indent, true };

	if (json_kind(j, ref) != JSON_NONE)
		print_value(out, j, ref, &style, depth);
}

void
json_print_strings(struct buf *out, const struct strings *list, int indent, int depth)
{
	buf_putc(out, '[');
	for (size_t i = 0; i < list->count; i++) {
		if (i > 0)
			buf_putc(out, ',');
		new_line(out, indent, depth + 1);
		json_print_string(out, list->item[i], strlen(list->item[i]));
	}
	if (list->count > 0)
		new_line(out, indent, depth);
	buf_putc(out, ']');
}
