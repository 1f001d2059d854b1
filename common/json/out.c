/*
 * json-c builds the tree and prints it, once.  It returns NULL or -1 when
 * memory runs out; here that ends the program through mem_exhausted(), like
 * any other allocation.
 */
#include "json/out.h"

#include <errno.h>
#include <json-c/json_visit.h>
#include <json-c/printbuf.h>
#include <limits.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
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

struct json_object *
out_add(struct json_object *o, const char *key, struct json_object *value)
{
	if (value != NULL && json_object_object_add(o, key, value) == -1)
		mem_exhausted();
	return value;
}

struct json_object *
out_push(struct json_object *array, struct json_object *value)
{
	if (json_object_array_add(array, value) == -1)
		mem_exhausted();
	return value;
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
	struct json_object *array = out_add(o, key, out_array());

	for (size_t i = 0; i < list->count; i++)
		out_push_string(array, list->item[i]);
}

/* Serializer of a value that is JSON text already; the object is a string that holds the text.
 * It is parsed and printed again only to indent it, or to remove its newlines. */
static int
print_raw(struct json_object *o, struct printbuf *pb, int level, int flags)
{
	const char *text = json_object_get_string(o);
	size_t len = (size_t)json_object_get_string_len(o);
	int indent = flags & JSON_C_TO_STRING_PRETTY ? 2 : 0, rc;
	struct json j = { 0 };
	struct buf b = { 0 };

	if ((indent > 0 || memchr(text, '\n', len) != NULL) &&
	    json_parse(&j, text, len, NULL) == 0) {
		json_print(&b, &j, JSON_ROOT, indent, level);
		text = buf_text(&b);
		len = b.len;
	}
	rc = printbuf_memappend(pb, text, (int)len);
	json_free(&j);
	buf_free(&b);
	return rc;
}

struct json_object *
out_raw_text(const char *text, size_t len)
{
	struct json_object *o;

	if (len > INT_MAX)
		mem_exhausted();
	o = must(json_object_new_string_len(text, (int)len));
	json_object_set_serializer(o, print_raw, NULL, NULL);
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

static int
print_empty(struct json_object *o, struct printbuf *pb, int level, int flags)
{
	(void)level, (void)flags;
	return printbuf_memappend(pb, json_object_is_type(o, json_type_array) ? "[]" : "{}", 2);
}

/* Visitor: json-c 0.16 prints an empty container on two lines, the client and newer json-c on one.
 */
static int
mark_empty(struct json_object *o, int flags, struct json_object *parent, const char *key,
    size_t *index, void *arg)
{
	(void)flags, (void)parent, (void)key, (void)index, (void)arg;
	if ((json_object_is_type(o, json_type_object) && json_object_object_length(o) == 0) ||
	    (json_object_is_type(o, json_type_array) && json_object_array_length(o) == 0))
		json_object_set_serializer(o, print_empty, NULL, NULL);
	return JSON_C_VISIT_RETURN_CONTINUE;
}

/*
 * Copies a JSON text.  Unsafe characters can only be inside strings there,
 * where an escape means the same: a person who looks at the text is not
 * deceived, and a parser loses nothing.  Invalid UTF-8 becomes U+FFFD, as
 * the client would read it; json-c prints it as it is.
 */
static void
add_escaped(struct buf *out, const char *p, size_t len)
{
	const char *end = p + len, *from = p, *at;
	int32_t c;

	buf_need(out, len);
	while (p < end) {
		at = p;
		if ((unsigned char)*p < 0x7f) {
			p++;
			continue;
		}
		c = utf8_next(&p, end);
		if (c == 0xfe0f || (c != -1 && text_safe(c)))
			continue;
		buf_add(out, from, (size_t)(at - from));
		from = p;
		if (c == -1)
			buf_puts(out, TEXT_REPLACEMENT);
		else if (c < 0x10000)
			buf_printf(out, "\\u%04x", (unsigned int)c);
		else
			buf_printf(out, "\\u%04x\\u%04x",
			    0xd800 + (unsigned int)((c - 0x10000) >> 10),
			    0xdc00 + (unsigned int)((c - 0x10000) & 0x3ff));
	}
	buf_add(out, from, (size_t)(end - from));
}

static void
print(struct buf *out, struct json_object *o, int flags)
{
	const char *text;
	size_t len;

	/* Where json-c has no memory for a part it prints the rest and reports success: only errno
	 * tells. */
	errno = 0;
	text = json_object_to_json_string_length(o, flags | JSON_C_TO_STRING_NOSLASHESCAPE, &len);
	if (text == NULL || errno == ENOMEM)
		mem_exhausted();
	add_escaped(out, text, len);
	json_object_put(o);
}

void
out_text(struct buf *out, struct json_object *o)
{
	print(out, o, JSON_C_TO_STRING_PLAIN);
}

void
out_pretty(struct buf *out, struct json_object *o)
{
	json_c_visit(o, 0, mark_empty, NULL);
	print(out, o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED);
}
