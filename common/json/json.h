#ifndef JSON_JSON_H
#define JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"

/*
 * Reads JSON that others wrote: validates a text and indexes where the bytes
 * of each value are.  (JSON of our own is built with json-c: out.h.)
 *
 * json-c's parser loses part of what it reads (numbers past 2^64, lone
 * surrogates, NUL in keys, duplicate keys) and does not tell where a value
 * was.  This reader accepts exactly what JSON.parse accepts after the
 * client's UTF-8 decoding: an invalid byte inside a string is allowed and
 * decodes to U+FFFD; a byte order mark is refused.  It stores positions, not
 * values, and decodes on request.
 *
 *	struct json j = { 0 };
 *	if (json_parse(&j, text, len, &err) == -1) ...
 *	json_ref subject = json_member(&j, JSON_ROOT, "subject");
 *	if (json_kind(&j, subject) == JSON_STRING)
 *		s = json_string(&j, subject);
 *	json_free(&j);
 *
 * The text is borrowed and must outlive the index.  A struct json can be
 * parsed into again and again; it keeps its memory (scans do that).
 */
enum json_kind {
	JSON_NONE,
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT
};

typedef int json_ref; /* a value; JSON_ABSENT where there is none */
#define JSON_ROOT 0
#define JSON_ABSENT (-1)
#define JSON_DEPTH 512 /* nesting accepted */

struct json_node {
	uint32_t start, end;   /* bytes of the value */
	uint32_t key, key_end; /* of the member's key with its quotes; 0, 0 elsewhere */
	uint32_t next;         /* the node after this whole value */
	uint32_t count;        /* members or elements */
	uint8_t kind;
	uint8_t plain; /* string: no escape and valid UTF-8 */
	uint8_t key_plain;
};

struct json {
	const char *text;
	size_t len;
	struct json_node *node;
	size_t count, room;
	size_t error_at; /* the byte at which json_parse() failed */
};

/* Kind ERROR_INPUT: "byte 17: expected ':'". */
int json_parse(struct json *, const char *text, size_t len, struct error *);
void json_free(struct json *);

/* Every query accepts JSON_ABSENT and then returns JSON_NONE, JSON_ABSENT, NULL, 0 or false. */
enum json_kind json_kind(const struct json *, json_ref);
json_ref json_member(const struct json *, json_ref object, const char *key); /* last one wins */
json_ref json_first(const struct json *, json_ref container);
json_ref json_next(const struct json *, json_ref container, json_ref child);
/* A loop over the members or elements; `at` is declared by it. */
#define JSON_EACH(j, container, at)                                     \
	for (json_ref at = json_first(j, container); at != JSON_ABSENT; \
	     at = json_next(j, container, at))
size_t json_count(const struct json *, json_ref container);
const char *json_raw(const struct json *, json_ref, size_t *len); /* the value's own bytes */
char *json_raw_copy(const struct json *, json_ref);               /* owned */

/* Decoded.  Lone surrogates become U+FFFD; NUL stays (json_string_len). */
char *json_string(const struct json *, json_ref); /* owned; NULL if not a string */
char *json_word(const struct json *, json_ref);   /* the same, NULL also if empty */
char *json_string_len(const struct json *, json_ref, size_t *len);
char *json_key(const struct json *, json_ref member); /* owned */
bool json_equals(
    const struct json *, json_ref, const char *); /* a string with this text, no allocation */
bool json_key_equals(const struct json *, json_ref member, const char *);
/* The key's bytes if it has no escapes, without a copy; else NULL. */
const char *json_key_plain(const struct json *, json_ref, size_t *len);
bool json_true(const struct json *, json_ref);
/* The value of a number's text, infinite if it is too large.  LC_NUMERIC must be "C". */
double json_number(const char *text, size_t len);
int json_int(
    const struct json *, json_ref, int64_t *); /* 0; -1 if not an integer number that fits */
void json_strings(const struct json *, json_ref array, struct strings *); /* the string elements */
void json_keys(const struct json *, json_ref object, struct strings *);   /* those not there yet */

/* Does JSON.parse give the same for both (in any order of keys)? */
bool json_same(const struct json *, json_ref, const struct json *, json_ref);

/* A member of an object as an owned string, NULL if absent or not a string. */
char *json_member_string(const struct json *, json_ref object, const char *key);

#endif
