#ifndef JSON_JSON_STRING_H
#define JSON_JSON_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * The characters of a JSON string that json_parse() has accepted: its body,
 * without the quotes.
 */

/* The next character in [*p, end), escapes decoded and surrogate pairs
 * joined.  An invalid byte gives U+FFFD; an escaped lone surrogate gives
 * itself (0xd800 to 0xdfff). */
int32_t json_char(const char **p, const char *end);

/* All of them as UTF-8.  Lone surrogates become U+FFFD; with `keep` they are
 * encoded like other characters, which is not valid UTF-8 but keeps different
 * strings different. */
void json_decode(struct buf *, const char *body, size_t len, bool keep);

#endif
