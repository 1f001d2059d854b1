#ifndef JSON_JSON_PRINT_H
#define JSON_JSON_PRINT_H

#include "json/json.h"

/*
 * JSON as JavaScript prints it.
 *
 * json_print() gives the bytes of JSON.stringify(JSON.parse(text), null, 2)
 * (indent 2; 0 for the compact form), numbers through doubles, integer-like
 * keys first, duplicate keys merged, lone surrogates as \ud800: what the
 * client would write.  `depth` is the indentation level the value's first
 * line stands at.
 */
void json_print(struct buf *, const struct json *, json_ref, int indent, int depth);

/* The same layout around the values' own bytes: order of keys, doubled keys,
 * texts of numbers and escapes stay as they are. */
void json_print_own(struct buf *, const struct json *, json_ref, int indent, int depth);

/* A string with quotes, escaped as JavaScript does. Input is UTF-8; invalid
 * bytes become U+FFFD. */
void json_print_string(struct buf *, const char *, size_t len);

/* ["1", "2"] in the layout of the given indent and depth. */
void json_print_strings(struct buf *, const struct strings *, int indent, int depth);

#endif
