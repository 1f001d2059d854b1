/*
 * The parser: one pass, no recursion, no values.
 *
 * Nodes are stored in the order their values begin, so a container is
 * followed by what it holds, and `next` jumps over it.  While a container
 * is open its `next` is the container around it: the stack costs nothing
 * and the depth is only a counter.
 *
 * Bytes from 0x80 up never change the structure (an invalid one decodes to
 * U+FFFD and swallows no ASCII), so they matter only to `plain`.
 *
 * Scans of whole lists live from this loop: strings are skipped sixteen
 * bytes at a time where the machine can.
 */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/text.h"
#include "base/utf8.h"

#define NOWHERE UINT32_MAX

enum { SPACE = 1, DIGIT = 2, STOP = 4 };

#define C0 STOP, STOP, STOP, STOP, STOP, STOP, STOP, STOP
#define HIGH STOP, STOP, STOP, STOP, STOP, STOP, STOP, STOP
#define HIGH64 HIGH, HIGH, HIGH, HIGH, HIGH, HIGH, HIGH, HIGH
/* STOP: a byte that ends the quick run through a string. */
static const unsigned char class[256] = {
	C0,
	STOP,
	SPACE | STOP,
	SPACE | STOP,
	STOP,
	STOP,
	SPACE | STOP,
	STOP,
	STOP,
	C0,
	C0,
	[' '] = SPACE,
	['"'] = STOP,
	['\\'] = STOP,
	['0'] = DIGIT,
	['1'] = DIGIT,
	['2'] = DIGIT,
	['3'] = DIGIT,
	['4'] = DIGIT,
	['5'] = DIGIT,
	['6'] = DIGIT,
	['7'] = DIGIT,
	['8'] = DIGIT,
	['9'] = DIGIT,
	[128] = HIGH64,
	HIGH64,
};
#undef C0
#undef HIGH
#undef HIGH64

/* Where and why it went wrong. */
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

/* To the first byte in a string that needs a look. */
static inline const char *
skip_ordinary(const char *p, const char *end)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\'),
		      space = _mm_set1_epi8(0x20);

	while (end - p >= 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		/* signed: bytes from 0x80 up are below the space, too */
		__m128i m = _mm_or_si128(_mm_cmplt_epi8(v, space),
		    _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, slash)));
		int mask = _mm_movemask_epi8(m);

		if (mask != 0)
			return p + __builtin_ctz((unsigned int)mask);
		p += 16;
	}
#endif
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
		p = skip_ordinary(p, end);
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

/* The whole text; NULL in fail->at if it is good. */
static void
parse(struct json *j, struct fail *fail)
{
	const char *text = j->text, *end = text + j->len, *p;
	uint32_t open = NOWHERE, up;
	struct json_node *node;
	int depth = 0;
	char close;

	p = skip_space(text, end);
	node = node_new(j);
value:
	fail->at = p;
	if (p == end) {
		fail->why = "expected a value";
		return;
	}
	node->start = (uint32_t)(p - text);
	if (*p == '{' || *p == '[') {
		if (++depth > JSON_DEPTH) {
			fail->why = "nested too deep";
			return;
		}
		node->kind = *p == '{' ? JSON_OBJECT : JSON_ARRAY;
		node->next = open;
		open = (uint32_t)(node - j->node);
		p = skip_space(p + 1, end);
		if (p < end && (*p == '}' || *p == ']'))
			goto after;
		goto item;
	}
	if ((p = skip_scalar(p, end, node, fail)) == NULL)
		return;
	node->end = (uint32_t)(p - text);
after:
	for (;;) {
		p = skip_space(p, end);
		fail->at = p;
		if (open == NOWHERE) {
			fail->why = "expected the end";
			if (p == end)
				fail->at = NULL;
			return;
		}
		node = &j->node[open];
		close = node->kind == JSON_OBJECT ? '}' : ']';
		if (p < end && *p == ',')
			break;
		if (p == end || *p != close) {
			fail->why = close == '}' ? "expected ',' or '}'" : "expected ',' or ']'";
			return;
		}
		node->end = (uint32_t)(++p - text);
		up = node->next;
		node->next = (uint32_t)j->count;
		open = up;
		depth--;
	}
	p = skip_space(p + 1, end);
item:
	j->node[open].count++;
	if (j->node[open].kind == JSON_OBJECT) {
		if ((p = skip_key(j, p, end, fail)) == NULL)
			return;
		node = &j->node[j->count - 1];
	} else {
		node = node_new(j);
	}
	goto value;
}

int
json_parse(struct json *j, const char *text, size_t len, struct error *err)
{
	struct fail fail = { 0 };

	j->text = text = len > 0 ? text : ""; /* nothing may be NULL */
	j->len = len;
	j->count = j->error_at = 0;
	if (len >= NOWHERE)
		return error_set(err, ERROR_INPUT, "larger than 4 GB");
	parse(j, &fail);
	if (fail.at == NULL)
		return 0;
	j->count = 0;
	j->error_at = (size_t)(fail.at - text);
	return error_set(err, ERROR_INPUT, "byte %zu: %s%s", j->error_at, fail.why,
	    j->error_at == len ? ", but the text ends" : "");
}

void
json_free(struct json *j)
{
	free(j->node);
	*j = (struct json){ 0 };
}
