/*
 * Compare the reader and the printer with json-c and with each other.
 *
 * A text that we accept must be accepted by json-c, if it is UTF-8, with the
 * same structure, strings and integers, except for what json-c is known to
 * lose (see json.h).  json-c runs in its strict mode, unless the text has valid
 * JSON that the strict mode of this version refuses.  Printed text must be
 * read again with the same values.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fuzz.h"
#include "utf8-valid.h"
#include "json/json-print.h"
#include "json/json-string.h"

/* Does a string have something that json-c changes: a lone surrogate, a NUL? */
static bool
is_lossy(const struct json *j, uint32_t start, uint32_t end)
{
	const char *p = j->text + start + 1, *stop = j->text + end - 1;
	int32_t c;

	while (p < stop) {
		c = json_char(&p, stop);
		if (c == 0 || (c >= 0xd800 && c <= 0xdfff))
			return true;
	}
	return false;
}

static bool
is_double(const char *text, size_t len)
{
	return memchr(text, '.', len) || memchr(text, 'e', len) || memchr(text, 'E', len);
}

static void
agree_number(const struct json *j, json_ref at, struct json_object *o)
{
	const char *text;
	int64_t v;
	size_t len;

	text = json_raw(j, at, &len);
	if (is_double(text, len)) {
		FUZZ_ASSERT(json_object_is_type(o, json_type_double));
		FUZZ_ASSERT(json_number(text, len) == json_object_get_double(o));
	} else if (json_int(j, at, &v) == 0) {
		FUZZ_ASSERT(json_object_is_type(o, json_type_int));
		FUZZ_ASSERT(json_object_get_int64(o) == v);
	}
}

static void
agree(const struct json *j, json_ref at, struct json_object *o)
{
	const struct json_node *n = &j->node[at];
	struct json_object *child;
	json_ref c;
	size_t i = 0, len;
	char *s;

	switch (json_kind(j, at)) {
	case JSON_NULL:
		FUZZ_ASSERT(o == NULL);
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		FUZZ_ASSERT(json_object_is_type(o, json_type_boolean));
		FUZZ_ASSERT(json_object_get_boolean(o) == json_true(j, at));
		break;
	case JSON_NUMBER:
		agree_number(j, at, o);
		break;
	case JSON_STRING:
		FUZZ_ASSERT(json_object_is_type(o, json_type_string));
		if (is_lossy(j, n->start, n->end))
			break;
		s = json_string_len(j, at, &len);
		FUZZ_ASSERT(len == (size_t)json_object_get_string_len(o));
		FUZZ_ASSERT(memcmp(s, json_object_get_string(o), len) == 0);
		FUZZ_ASSERT(json_equals(j, at, s));
		free(s);
		break;
	case JSON_ARRAY:
		FUZZ_ASSERT(json_object_is_type(o, json_type_array));
		FUZZ_ASSERT(json_object_array_length(o) == json_count(j, at));
		for (c = json_first(j, at); c != JSON_ABSENT; c = json_next(j, at, c))
			agree(j, c, json_object_array_get_idx(o, i++));
		FUZZ_ASSERT(i == json_count(j, at));
		break;
	case JSON_OBJECT:
		FUZZ_ASSERT(json_object_is_type(o, json_type_object));
		for (c = json_first(j, at); c != JSON_ABSENT; c = json_next(j, at, c), i++) {
			if (is_lossy(j, j->node[c].key, j->node[c].key_end))
				continue;
			s = json_key(j, c);
			FUZZ_ASSERT(json_key_equals(j, c, s));
			FUZZ_ASSERT(json_object_object_get_ex(o, s, &child));
			/* the last one, unless a key with a NUL is between them */
			if (json_member(j, at, s) == c &&
			    (size_t)json_object_object_length(o) == json_count(j, at))
				agree(j, c, child);
			free(s);
		}
		FUZZ_ASSERT(i == json_count(j, at));
		break;
	default:
		FUZZ_ASSERT(!"a kind");
	}
}

static enum json_tokener_error
read_by_json_c(const char *text, size_t len, int flags, struct json_object **o)
{
	struct json_tokener *tok = json_tokener_new_ex(JSON_DEPTH + 2);
	enum json_tokener_error status;

	json_tokener_set_flags(tok, flags | JSON_TOKENER_VALIDATE_UTF8);
	*o = json_tokener_parse_ex(tok, text, (int)len + 1);
	status = json_tokener_get_error(tok);
	json_tokener_free(tok);
	return status;
}

static bool
strict_refuses(const char *text)
{
	struct json_object *o;
	bool refused =
	    read_by_json_c(text, strlen(text), JSON_TOKENER_STRICT, &o) != json_tokener_success;

	json_object_put(o);
	return refused;
}

/* Integers that json-c clamps, and since 0.17 refuses in strict mode. */
static bool
has_clamped(const struct json *j, const char *text)
{
	const struct json_node *n;

	for (n = j->node; n < j->node + j->count; n++) {
		if (n->kind != JSON_NUMBER || is_double(text + n->start, n->end - n->start))
			continue;
		errno = 0;
		if (text[n->start] == '-')
			(void)strtoll(text + n->start, NULL, 10);
		else
			(void)strtoull(text + n->start, NULL, 10);
		if (errno == ERANGE)
			return true;
	}
	return false;
}

/* json-c 0.18 refuses these in strings in strict mode, as control characters. */
static bool
has_non_ascii(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if ((unsigned char)text[i] > 0x7f)
			return true;
	}
	return false;
}

static void
compare(const struct json *j, const char *text, size_t len)
{
	struct json_object *o;
	bool lenient;

	lenient = (has_clamped(j, text) && strict_refuses("18446744073709551616")) ||
		  (has_non_ascii(text, len) && strict_refuses("\"\xc3\xa9\""));
	FUZZ_ASSERT(read_by_json_c(text, len, lenient ? 0 : JSON_TOKENER_STRICT, &o) ==
		    json_tokener_success);
	agree(j, JSON_ROOT, o);
	json_object_put(o);
}

/* Print, read back, print again. */
static void
round_trip(const struct json *j, int indent)
{
	struct buf once = { 0 }, twice = { 0 };
	struct json back = { 0 };

	json_print(&once, j, JSON_ROOT, indent, 0);
	FUZZ_ASSERT(utf8_valid(once.data, once.len));
	FUZZ_ASSERT(json_parse(&back, once.data, once.len, NULL) == 0);
	FUZZ_ASSERT(json_same(j, JSON_ROOT, &back, JSON_ROOT));
	FUZZ_ASSERT(json_same(&back, JSON_ROOT, j, JSON_ROOT));
	json_print(&twice, &back, JSON_ROOT, indent, 0);
	FUZZ_ASSERT(once.len == twice.len && memcmp(once.data, twice.data, once.len) == 0);

	json_free(&back);
	buf_free(&once);
	buf_free(&twice);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = mem_copy((const char *)data, len), *exact = NULL;
	struct json j = { 0 };
	struct error err;

	/* no NUL after the text */
	if (len > 0) {
		exact = malloc(len);
		memcpy(exact, data, len);
	}
	if (json_parse(&j, exact, len, &err) == 0) {
		FUZZ_ASSERT(json_same(&j, JSON_ROOT, &j, JSON_ROOT));
		round_trip(&j, 2);
		round_trip(&j, 0);
		if (utf8_valid(text, len))
			compare(&j, text, len);
	} else {
		FUZZ_ASSERT(err.kind == ERROR_INPUT && utf8_valid(err.text, strlen(err.text)));
	}
	json_free(&j);
	free(exact);
	free(text);
	return 0;
}
