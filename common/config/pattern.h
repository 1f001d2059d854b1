#ifndef CONFIG_PATTERN_H
#define CONFIG_PATTERN_H

#include <regex.h>
#include <stdbool.h>

#include "base/error.h"

/*
 * Regular expressions of the configuration: POSIX extended, bounded.
 *
 * No back references (their matching time has no bound), and no repetitions
 * that multiply out to more than PATTERN_STATES characters (the compiler does
 * multiply them out: x{3} is xxx, x+ is xx*, and (x+)+ is four of them) or that
 * repeat what can be empty, as (x*)+ does (its work on a few of those, one in
 * the other, doubles with each; they can always be written without).
 * A text is compared up to its first PATTERN_TEXT bytes.
 */
#define PATTERN_MAX 1000
#define PATTERN_STATES 2000
#define PATTERN_DEPTH 32
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
