/*
 * The layout is that of JSON.stringify: every member and element on its own
 * line, but {} and [] for empty ones; compact with indent 0.
 */
#include "json/json-print.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "json/json-members.h"
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

static void
print_container(struct buf *out, const struct json *j, json_ref ref, int indent, int depth)
{
	bool object = j->node[ref].kind == JSON_OBJECT;
	const struct json_node *n;

	buf_putc(out, object ? '{' : '[');
	JSON_EACH (j, ref, at) {
		if (at != ref + 1)
			buf_putc(out, ',');
		new_line(out, indent, depth + 1);
		if (object) {
			n = &j->node[at];
			print_string(out, j, n->key, n->key_end, n->key_plain);
			buf_puts(out, indent > 0 ? ": " : ":");
		}
		json_print(out, j, at, indent, depth + 1);
	}
	if (json_count(j, ref) > 0)
		new_line(out, indent, depth);
	buf_putc(out, object ? '}' : ']');
}

void
json_print(struct buf *out, const struct json *j, json_ref ref, int indent, int depth)
{
	const struct json_node *n;

	if (json_kind(j, ref) == JSON_NONE)
		return;
	n = &j->node[ref];
	switch (n->kind) {
	case JSON_ARRAY:
	case JSON_OBJECT:
		print_container(out, j, ref, indent, depth);
		break;
	case JSON_STRING:
		print_string(out, j, n->start, n->end, n->plain);
		break;
	default:
		buf_add(out, j->text + n->start, n->end - n->start);
	}
}

/* Does JavaScript print a number with these digits?  Certain up to 15 digits. */
static bool
script_number(const char *text, size_t len)
{
	size_t sign = text[0] == '-';

	for (size_t i = sign; i < len; i++)
		if (!isdigit((unsigned char)text[i]))
			return false;
	return len <= 15 && (sign == 0 || text[1] != '0');
}

/* Are the keys all different, and none of them an array index?  JavaScript merges the first and
 * moves the others to the front. */
static bool
script_keys(const struct json *j, json_ref object)
{
	struct json_members m;
	bool ok;

	JSON_EACH (j, object, at)
		if (isdigit((unsigned char)j->text[j->node[at].key + 1]))
			return false;
	json_members_load(&m, j, object);
	ok = m.count == json_count(j, object);
	json_members_free(&m);
	return ok;
}

bool
json_script_form(const struct json *j, size_t len)
{
	struct buf printed = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < j->count; i++) {
		const struct json_node *n = &j->node[i];

		if (n->kind == JSON_NUMBER)
			ok = script_number(j->text + n->start, n->end - n->start);
		else if (n->kind == JSON_OBJECT)
			ok = script_keys(j, (json_ref)i);
	}
	if (ok) {
		json_print(&printed, j, JSON_ROOT, 2, 0);
		ok = printed.len == len && memcmp(buf_text(&printed), j->text, len) == 0;
	}
	buf_free(&printed);
	return ok;
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
