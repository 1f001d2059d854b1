/*
 * The parser: one pass, no recursion, no values.
 *
 * Nodes are stored in the order in which their values begin, so a container
 * is followed by what it holds, and `next` leads past it.  While a container
 * is open, its `next` is the container around it: that is the stack.
 *
 * Bytes from 0x80 up never change the structure (an invalid one decodes to
 * U+FFFD and takes no ASCII with it), so they matter only to `plain`.
 */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

#define NOWHERE UINT32_MAX

enum { SPACE = 1, DIGIT = 2, STOP = 4 };

/* clang-format off */
#define C0 STOP, STOP, STOP, STOP, STOP, STOP, STOP, STOP
#define HIGH STOP, STOP, STOP, STOP, STOP, STOP, STOP, STOP
#define HIGH64 HIGH, HIGH, HIGH, HIGH, HIGH, HIGH, HIGH, HIGH
/* STOP: a byte that ends the quick run through a string. */
static const unsigned char class[256] = {
	C0, STOP, SPACE | STOP, SPACE | STOP, STOP, STOP, SPACE | STOP, STOP, STOP, C0, C0,
	[' '] = SPACE, ['"'] = STOP, ['\\'] = STOP,
	['0'] = DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT, DIGIT,
	[128] = HIGH64, HIGH64,
};
#undef C0
#undef HIGH
#undef HIGH64
/* clang-format on */

/* Where and why parsing failed. */
struct fail {
	const char *at, *why;
};

static inline int
is(char c, int what)
{
	return class[(unsigned char)c] & what;
}

static inline const char *
skip_space(const char *p, const char *end)
{
	while (p < end && is(*p, SPACE))
		p++;
	return p;
}

static int
is_hex(char c)
{
	return is(c, DIGIT) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* Past the escape at p (a backslash), or NULL. */
static const char *
skip_escape(const char *p, const char *end, struct fail *fail)
{
	fail->at = p;
	fail->why = "bad escape";
	if (end - p < 2)
		return NULL;
	if (p[1] != 'u')
		return strchr("\"\\/bfnrt", p[1]) != NULL && p[1] != '\0' ? p + 2 : NULL;
	if (end - p < 6 || !is_hex(p[2]) || !is_hex(p[3]) || !is_hex(p[4]) || !is_hex(p[5]))
		return NULL;
	return p + 6;
}

#define EIGHT(byte) (0x0101010101010101u * (byte))

/*
 * To the first STOP, eight bytes at a time: most bytes of an event and of a task
 * are in strings.  A STOP has its high bit set, or gets it by the subtraction: one
 * below 0x20, or a quote or backslash, which is 0 then.  Only a STOP borrows from
 * the byte after it, so the first high bit is that of the first STOP.
 */
static inline const char *
skip_plain(const char *p, const char *end)
{
	for (; end - p >= 8; p += 8) {
		uint64_t v, stops;

		memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		v = __builtin_bswap64(v);
#endif
		stops = v | (v - EIGHT(' ')) | ((v ^ EIGHT('"')) - EIGHT(1)) |
			((v ^ EIGHT('\\')) - EIGHT(1));
		if ((stops &= EIGHT(0x80)) != 0)
			return p + __builtin_ctzll(stops) / 8;
	}
	while (p < end && !is(*p, STOP))
		p++;
	return p;
}

/* Past the string that begins at p (its quote), or NULL. */
static inline const char *
skip_string(const char *p, const char *end, uint8_t *plain, struct fail *fail)
{
	*plain = 1;
	for (p++;;) {
		p = skip_plain(p, end);
		if (p == end) {
			fail->at = p;
			fail->why = "unfinished string";
			return NULL;
		}
		if (*p == '"')
			return p + 1;
		if ((unsigned char)*p >= 0x80) {
			if (utf8_next(&p, end) == -1)
				*plain = 0;
		} else if (*p == '\\') {
			*plain = 0;
			if ((p = skip_escape(p, end, fail)) == NULL)
				return NULL;
		} else {
			fail->at = p;
			fail->why = "control character in a string";
			return NULL;
		}
	}
}

static const char *
skip_digits(const char *p, const char *end, struct fail *fail)
{
	if (p == end || !is(*p, DIGIT)) {
		fail->at = p;
		fail->why = "expected a digit";
		return NULL;
	}
	while (p < end && is(*p, DIGIT))
		p++;
	return p;
}

static const char *
skip_number(const char *p, const char *end, struct fail *fail)
{
	if (*p == '-')
		p++;
	if (p < end && *p == '0')
		p++;
	else if ((p = skip_digits(p, end, fail)) == NULL)
		return NULL;
	if (p < end && *p == '.' && (p = skip_digits(p + 1, end, fail)) == NULL)
		return NULL;
	if (p < end && (*p | 0x20) == 'e') {
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		p = skip_digits(p, end, fail);
	}
	return p;
}

static const char *
skip_word(const char *p, const char *end, const char *word, size_t len, struct fail *fail)
{
	if ((size_t)(end - p) >= len && memcmp(p, word, len) == 0)
		return p + len;
	fail->at = p;
	fail->why = "expected a value";
	return NULL;
}

/* A value that holds no others; sets the node's kind. */
static inline const char *
skip_scalar(const char *p, const char *end, struct json_node *node, struct fail *fail)
{
	switch (*p) {
	case '"':
		node->kind = JSON_STRING;
		return skip_string(p, end, &node->plain, fail);
	case 't':
		node->kind = JSON_TRUE;
		return skip_word(p, end, "true", 4, fail);
	case 'f':
		node->kind = JSON_FALSE;
		return skip_word(p, end, "false", 5, fail);
	case 'n':
		node->kind = JSON_NULL;
		return skip_word(p, end, "null", 4, fail);
	default:
		if (*p == '-' || is(*p, DIGIT)) {
			node->kind = JSON_NUMBER;
			return skip_number(p, end, fail);
		}
		fail->at = p;
		fail->why = "expected a value";
		return NULL;
	}
}

static struct json_node *
node_new(struct json *j)
{
	if (j->count == j->room) {
		j->room = j->room > 0 ? 2 * j->room : 64;
		j->node = mem_grow(j->node, j->room, sizeof(*j->node));
	}
	j->node[j->count] = (struct json_node){ .next = (uint32_t)j->count + 1 };
	return &j->node[j->count++];
}

/* A member's key and colon; to the start of its value.  The node is made
 * here and filled by the value. */
static const char *
skip_key(struct json *j, const char *p, const char *end, struct fail *fail)
{
	struct json_node *node = node_new(j);

	fail->at = p;
	fail->why = "expected a key";
	if (p == end || *p != '"')
		return NULL;
	node->key = (uint32_t)(p - j->text);
	if ((p = skip_string(p, end, &node->key_plain, fail)) == NULL)
		return NULL;
	node->key_end = (uint32_t)(p - j->text);
	p = skip_space(p, end);
	fail->at = p;
	fail->why = "expected ':'";
	if (p == end || *p != ':')
		return NULL;
	return skip_space(p + 1, end);
}

/* After a value: closes the containers that end here.  To the ',' before the next item; NULL after
 * an error, and at the end of the text (fail->at is then NULL). */
static inline const char *
close_containers(
    struct json *j, uint32_t *open, int *depth, const char *p, const char *end, struct fail *fail)
{
	struct json_node *node;
	uint32_t up;
	char close;

	for (;;) {
		p = skip_space(p, end);
		fail->at = p;
		if (*open == NOWHERE) {
			fail->why = "expected the end";
			if (p == end)
				fail->at = NULL;
			return NULL;
		}
		if (p < end && *p == ',')
			return p;
		node = &j->node[*open];
		close = node->kind == JSON_OBJECT ? '}' : ']';
		if (p == end || *p != close) {
			fail->why = close == '}' ? "expected ',' or '}'" : "expected ',' or ']'";
			return NULL;
		}
		node->end = (uint32_t)(++p - j->text);
		up = node->next;
		node->next = (uint32_t)j->count;
		*open = up;
		--*depth;
	}
}

/* The whole text; fail->at is NULL if it is valid. */
static void
parse(struct json *j, struct fail *fail)
{
	const char *text = j->text, *end = text + j->len, *p = skip_space(text, end);
	struct json_node *node = node_new(j);
	uint32_t open = NOWHERE;
	int depth = 0;
	bool done; /* nothing more follows in this value */

	for (;;) {
		fail->at = p;
		fail->why = "expected a value";
		if (p == end)
			return;
		node->start = (uint32_t)(p - text);
		done = true;
		if (*p == '{' || *p == '[') {
			fail->why = "nested too deep";
			if (++depth > JSON_DEPTH)
				return;
			node->kind = *p == '{' ? JSON_OBJECT : JSON_ARRAY;
			node->next = open;
			open = (uint32_t)(node - j->node);
			p = skip_space(p + 1, end);
			done = p < end && (*p == '}' || *p == ']');
		} else {
			if ((p = skip_scalar(p, end, node, fail)) == NULL)
				return;
			node->end = (uint32_t)(p - text);
		}
		if (done) {
			if ((p = close_containers(j, &open, &depth, p, end, fail)) == NULL)
				return;
			p = skip_space(p + 1, end);
		}
		j->node[open].count++;
		if (j->node[open].kind == JSON_ARRAY)
			node = node_new(j);
		else if ((p = skip_key(j, p, end, fail)) == NULL)
			return;
		else
			node = &j->node[j->count - 1];
	}
}

int
json_parse(struct json *j, const char *text, size_t len, struct error *err)
{
	struct fail fail = { 0 };

	j->text = text = len > 0 ? text : ""; /* an empty text may be NULL */
	j->len = len;
	j->count = j->error_at = 0;
	if (len >= NOWHERE)
		return error_set(err, ERROR_INPUT, "larger than 4 GB");
	parse(j, &fail);
	if (fail.at == NULL)
		return 0;
	j->count = 0;
	j->error_at = (size_t)(fail.at - text);
	if (j->error_at < len && *fail.at == '/')
		fail.why = "a comment, which JSON does not have";
	return error_set(err, ERROR_INPUT, "byte %zu: %s%s", j->error_at, fail.why,
	    j->error_at == len ? ", but the text ends" : "");
}

void
json_free(struct json *j)
{
	free(j->node);
	*j = (struct json){ 0 };
}
