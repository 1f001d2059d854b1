#ifndef JSON_OUT_H
#define JSON_OUT_H

#include <json-c/json.h>

#include "base/buf.h"
#include "json/json.h"

/*
 * JSON that we write ourselves, built and printed with json-c: decisions,
 * journal lines, state files, --json and MCP answers.  The wrappers handle
 * exhausted memory in one place (mem_exhausted), and leave a key out for a
 * NULL string instead of writing null, which the client would reject.
 */
struct json_object *out_object(void);
struct json_object *out_array(void);
void out_string(struct json_object *, const char *key, const char *value); /* NULL: no key */
void out_int(struct json_object *, const char *key, int64_t);
void out_bool(struct json_object *, const char *key, bool);
/* Both take the value and return it, so that what is added can be filled afterwards. */
struct json_object *out_add(
    struct json_object *, const char *key, struct json_object *value); /* NULL: no key */
struct json_object *out_push(struct json_object *array, struct json_object *value);
void out_push_string(struct json_object *array, const char *);
void out_strings(struct json_object *, const char *key, const struct strings *);

/* A value of a parsed text, printed with its own numbers, escapes and keys (json-c would lose
 * some); only white space may change. */
struct json_object *out_raw(const struct json *, json_ref);
struct json_object *out_raw_text(const char *json_text, size_t len);

/*
 * Adds the compact text, without a newline, and frees the object.  Unsafe
 * characters (text_safe()) are written as escapes.
 */
void out_text(struct buf *, struct json_object *);
/* The same with two spaces of indentation, as JSON.stringify(x, null, 2). */
void out_pretty(struct buf *, struct json_object *);

#endif
