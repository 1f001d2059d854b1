/*
 * json-c answers NULL or -1 when memory runs out; here that ends the
 * program through mem_exhausted(), like any other allocation.
 *
 * Its printer is not used.  It leaves out what it has no memory for and
 * goes on ({"":"deny"}, a reason without its middle), and says nothing; it
 * prints strings byte for byte, so that one invalid byte would make the
 * whole answer unreadable to the client.
 */
#include "json/out.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "json/json-number.h"
#include "json/json-print.h"

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
		out_add(o, key, must(json_object_new_string(value)));
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
	out_push(array, must(json_object_new_string(s)));
}

void
out_strings(struct json_object *o, const char *key, const struct strings *list)
{
	struct json_object *array = out_array();

	for (size_t i = 0; i < list->count; i++)
		out_push_string(array, list->item[i]);
	out_add(o, key, array);
}

/* A value's text, as the user data of an empty object. */
struct raw {
	size_t len;
	char text[];
};

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
	json_object_set_userdata(o, raw, free_raw);
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

static void print(struct buf *, struct json_object *);

static void
print_object(struct buf *out, struct json_object *o)
{
	const struct raw *raw = json_object_get_userdata(o);
	struct json_object_iterator at = json_object_iter_begin(o), end = json_object_iter_end(o);
	const char *key;

	if (raw != NULL) {
		buf_add(out, raw->text, raw->len);
		return;
	}
	buf_putc(out, '{');
	for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
		key = json_object_iter_peek_name(&at);
		if (out->data[out->len - 1] != '{')
			buf_putc(out, ',');
		json_print_string(out, key, strlen(key));
		buf_putc(out, ':');
		print(out, json_object_iter_peek_value(&at));
	}
	buf_putc(out, '}');
}

static void
print(struct buf *out, struct json_object *o)
{
	switch (json_object_get_type(o)) {
	case json_type_null:
		buf_puts(out, "null");
		break;
	case json_type_boolean:
		buf_puts(out, json_object_get_boolean(o) ? "true" : "false");
		break;
	case json_type_int:
		if (json_object_get_int64(o) < 0)
			buf_printf(out, "%lld", (long long)json_object_get_int64(o));
		else
			buf_printf(out, "%llu", (unsigned long long)json_object_get_uint64(o));
		break;
	case json_type_double:
		json_number_print(out, json_object_get_double(o));
		break;
	case json_type_string:
		json_print_string(
		    out, json_object_get_string(o), (size_t)json_object_get_string_len(o));
		break;
	case json_type_array:
		buf_putc(out, '[');
		for (size_t i = 0; i < json_object_array_length(o); i++) {
			if (i > 0)
				buf_putc(out, ',');
			print(out, json_object_array_get_idx(o, i));
		}
		buf_putc(out, ']');
		break;
	case json_type_object:
		print_object(out, o);
		break;
	}
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

/* Whole, if its layout can be changed at all: it may be nested too deep. */
static void
print_laid_out(struct buf *out, struct json_object *o, int indent)
{
	struct json j = { 0 };
	struct buf b = { 0 }, laid = { 0 };

	print(&b, o);
	json_object_put(o);
	/* a raw value may hold newlines: one line means one line */
	if ((indent > 0 || memchr(b.data, '\n', b.len) != NULL) &&
	    json_parse(&j, b.data, b.len, NULL) == 0) {
		json_print_own(&laid, &j, JSON_ROOT, indent, 0);
		add_escaped(out, laid.data, laid.len);
	} else
		add_escaped(out, b.data, b.len);
	json_free(&j);
	buf_free(&b);
	buf_free(&laid);
}

void
out_text(struct buf *out, struct json_object *o)
{
	print_laid_out(out, o, 0);
}

void
out_pretty(struct buf *out, struct json_object *o)
{
	print_laid_out(out, o, 2);
}
