#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdint.h>

#include "base/buf.h"

/* The next code point of UTF-8 in [*p, end), -1 for invalid bytes; moves *p past it. */
int32_t utf8_next(const char **p, const char *end);
void utf8_put(struct buf *, uint32_t code_point);

#endif
