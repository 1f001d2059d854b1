#ifndef TESTS_UTF8_VALID_H
#define TESTS_UTF8_VALID_H

#include <stdbool.h>
#include <stddef.h>

#include "base/utf8.h"

static inline bool
utf8_valid(const char *s, size_t len)
{
	const char *end = s + len;

	while (s < end)
		if (utf8_next(&s, end) == -1)
			return false;
	return true;
}

#endif
