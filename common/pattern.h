#ifndef COMMON_PATTERN_H
#define COMMON_PATTERN_H

#include <regex.h>
#include <stdbool.h>

#include "error.h"

/*
 * Regular expressions of the configuration: POSIX extended, bounded.
 *
 * No back references (their matching time has no bound) and no repetition
 * counts whose product is past PATTERN_REPEAT (the compiler multiplies them out).
 * A text is compared up to its first PATTERN_TEXT bytes.
 */
#define PATTERN_MAX 1000
#define PATTERN_REPEAT 1000
#define PATTERN_TEXT (64u << 10)

struct pattern {
	regex_t regex;
	bool compiled;
};

int pattern_compile(struct pattern *, const char *, struct error *);
bool pattern_match(const struct pattern *, const char *text);
void pattern_free(struct pattern *);

int pattern_check(const char *, struct error *);

/* Compile, compare, free. 1 matches, 0 not, -1 malformed. */
int pattern_test(const char *pattern, const char *text, struct error *);

#endif
