#ifndef CONFIG_PATTERN_H
#define CONFIG_PATTERN_H

#include "base/error.h"

/*
 * Regular expressions of the configuration: POSIX extended, bounded.
 *
 * Refused are back references (their matching time has no bound), repetitions
 * that multiply to more than PATTERN_STATES characters (the compiler copies what
 * is repeated: x{3} is xxx, x+ is xx*, and (x+)+ has four x), and repetitions of
 * what can be empty, as in (x*)+: the compiler's work grows four times with each
 * further one around it, (){5,}{0,3}{5,} does not end, and all of them can be
 * written in another way; and what C libraries do not agree on, such as \d and {,3}:
 * a pattern means the same in each build.  A text is compared, as bytes, up to its
 * first PATTERN_TEXT bytes.
 */
#define PATTERN_MAX 1000
#define PATTERN_STATES 2000
#define PATTERN_COUNT 255 /* {n}: that of POSIX, RE_DUP_MAX */
#define PATTERN_DEPTH 32
#define PATTERN_TEXT (16u << 10) /* without a match the time is quadratic: 0.4 s for a+b */

/* Is it well-formed and bounded? */
int pattern_check(const char *pattern, struct error *);

/* 1 matches, 0 not, -1 malformed. */
int pattern_test(const char *pattern, const char *text, struct error *);

#endif
