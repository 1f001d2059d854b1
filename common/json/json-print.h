#ifndef JSON_JSON_PRINT_H
#define JSON_JSON_PRINT_H

#include "json/json.h"

/*
 * JSON in the layout of JSON.stringify(value, null, indent); compact with
 * indent 0.  Strings are escaped as JavaScript does it.  Numbers, the order
 * of keys and duplicate keys stay as they are.  `depth` is the level of
 * indentation of the value's first line.
 */
void json_print(struct buf *, const struct json *, json_ref, int indent, int depth);

/* Are the first `len` bytes of the text what JSON.stringify(JSON.parse(text), null, 2) gives?
 * If true, they are.  It is also false for a text with a number that is not an integer of at most
 * 15 characters, or with a key that begins with a digit. */
bool json_script_form(const struct json *, size_t len);

/* A string with quotes, escaped as JavaScript does. Input is UTF-8; invalid
 * bytes become U+FFFD. */
void json_print_string(struct buf *, const char *, size_t len);

/* ["1", "2"] in the layout of the given indent and depth. */
void json_print_strings(struct buf *, const struct strings *, int indent, int depth);

#endif
