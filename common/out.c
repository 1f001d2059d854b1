/*
 * json-c answers NULL or -1 when memory runs out; here that ends the
 * program through mem_exhausted(), like any other allocation.
 *
 * It prints strings byte for byte, so an invalid byte would make the whole
 * answer unreadable to the client: such strings are repaired first.
 */
#include "out.h"

#include <json-c/printbuf.h>
#include <stdlib.h>
#include <string.h>

#include "json-print.h"
#include "text.h"

static struct json_object *
must(struct json_object *o)
{
	if (o == NULL)
		mem_exhausted();
	return o;
}

struct json_object *
out_object(void)
{
	return must(json_object_new_object());
}

struct json_object *
out_array(void)
{
	return must(json_object_new_array());
}

static struct json_object *
new_string(const char *s)
{
	const char *p = s, *end = s + strlen(s);
	struct json_object *o;
	struct buf b = { 0 };
	int32_t c;

	if (utf8_valid(s, (size_t)(end - s)))
		return must(json_object_new_string(s));
	while (p < end) {
		c = utf8_next(&p, end);
		utf8_put(&b, c == -1 ? 0xfffd : (uint32_t)c);
	}
	o = must(json_object_new_string_len(b.data, (int)b.len));
	buf_free(&b);
	return o;
}

void
out_add(struct json_object *o, const char *key, struct json_object *value)
{
	if (value != NULL && json_object_object_add(o, key, value) == -1)
		mem_exhausted();
}

void
out_push(struct json_object *array, struct json_object *value)
{
	if (json_object_array_add(array, value) == -1)
		mem_exhausted();
}

void
out_string(struct json_object *o, const char *key, const char *value)
{
	if (value != NULL)
		out_add(o, key, new_string(value));
}

void
out_int(struct json_object *o, const char *key, int64_t value)
{
	out_add(o, key, must(json_object_new_int64(value)));
}

void
out_bool(struct json_object *o, const char *key, bool value)
{
	out_add(o, key, must(json_object_new_boolean(value)));
}

void
out_push_string(struct json_object *array, const char *s)
{
	out_push(array, new_string(s));
}

void
out_strings(struct json_object *o, const char *key, const struct strings *list)
{
	struct json_object *array = out_array();

	for (size_t i = 0; i < list->count; i++)
		out_push_string(array, list->item[i]);
	out_add(o, key, array);
}

struct raw {
	size_t len;
	char text[];
};

static int
print_raw(struct json_object *o, struct printbuf *out, int level, int flags)
{
	const struct raw *raw = json_object_get_userdata(o);

	(void)level, (void)flags;
	return printbuf_memappend(out, raw->text, (int)raw->len);
}

static void
free_raw(struct json_object *o, void *raw)
{
	(void)o;
	free(raw);
}

struct json_object *
out_raw_text(const char *text, size_t len)
{
	struct json_object *o = must(json_object_new_object());
	struct raw *raw = mem_alloc(sizeof(*raw) + len);

	raw->len = len;
	memcpy(raw->text, text, len);
	json_object_set_serializer(o, print_raw, raw, free_raw);
	return o;
}

struct json_object *
out_raw(const struct json *j, json_ref ref)
{
	const char *text;
	size_t len;

	text = json_raw(j, ref, &len);
	return text != NULL ? out_raw_text(text, len) : NULL;
}

/*
 * Print and index.  json-c loses what it has no memory for and goes on
 * without it, so the text is trusted only once it parses; false if it is
 * nested too deep for that.
 */
static bool
print(struct buf *out, struct json *j, struct json_object *o)
{
	struct error err;
	const char *text;
	size_t len;

	text = json_object_to_json_string_length(
	    o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &len);
	if (text == NULL)
		mem_exhausted();
	buf_add(out, text, len);
	json_object_put(o);
	if (json_parse(j, out->data, out->len, &err) == 0)
		return true;
	if (strstr(err.text, "nested too deep") == NULL)
		mem_exhausted();
	return false;
}

/*
 * In a JSON text such characters can only be inside strings, where an escape
 * means the same; so whoever looks at the text is not deceived, and whoever
 * parses it loses nothing.
 */
static void
add_escaped(struct buf *out, const char *text, size_t len)
{
	const char *p = text, *end = text + len, *from;
	int32_t c;

	while (p < end) {
		from = p;
		c = utf8_next(&p, end);
		if (c < 0x7f || c == 0xfe0f || text_safe(c))
			buf_add(out, from, (size_t)(p - from));
		else if (c < 0x10000)
			buf_printf(out, "\\u%04x", (unsigned int)c);
		else
			buf_printf(out, "\\u%04x\\u%04x",
			    0xd800 + (unsigned int)((c - 0x10000) >> 10),
			    0xdc00 + (unsigned int)((c - 0x10000) & 0x3ff));
	}
}

/* A raw value may hold newlines: one line means one line. */
void
out_text(struct buf *out, struct json_object *o)
{
	struct json j = { 0 };
	struct buf b = { 0 }, line = { 0 };

	if (print(&b, &j, o) && memchr(b.data, '\n', b.len) != NULL)
		json_print_own(&line, &j, JSON_ROOT, 0, 0);
	else
		buf_add(&line, b.data, b.len);
	add_escaped(out, line.data, line.len);
	json_free(&j);
	buf_free(&b);
	buf_free(&line);
}

void
out_pretty(struct buf *out, struct json_object *o)
{
	struct json j = { 0 };
	struct buf b = { 0 }, lines = { 0 };

	if (print(&b, &j, o))
		json_print_own(&lines, &j, JSON_ROOT, 2, 0);
	else
		buf_add(&lines, b.data, b.len);
	add_escaped(out, lines.data, lines.len);
	json_free(&j);
	buf_free(&b);
	buf_free(&lines);
}
