#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Makes text from outside safe to show: on a terminal, to a model, in a log.
 *
 * Control characters (C0, DEL, C1, ESC), bidirectional controls, tag
 * characters (U+E0000..), zero-width and line-separator characters and
 * invalid UTF-8 are replaced: newlines and tabs become one blank (TEXT_LINE)
 * or stay (TEXT_BLOCK), the rest becomes U+FFFD.  In tags of the client's own
 * ("</system-reminder>") the '<' becomes '['.  The length is limited in
 * characters; a cut is marked with "...".
 */
enum text_form {
	TEXT_LINE,  /* one line */
	TEXT_BLOCK, /* newlines and tabs stay */
};

#define TEXT_SUBJECT 120                /* characters of a quoted subject */
#define TEXT_REASON 9500                /* characters of a whole reason */
#define TEXT_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

void text_show(struct buf *, const char *, size_t len, enum text_form, size_t max_chars);

/* The same as one line, owned. */
char *text_shown(const char *, size_t max_chars);

/* May this code point be shown as it is? */
bool text_safe(int32_t code_point);

/* "subject", quotes included; inner double quotes become single ones. */
void text_quote(struct buf *, const char *, size_t max_chars);

/* Columns on a terminal: wide characters 2, combining ones 0. */
int text_width(const char *);

/* Adds the text cut to `max` columns, "..." (or a one-column ellipsis) included. */
void text_fit(struct buf *, const char *, int max, bool ascii);

/* The candidate with the smallest edit distance, NULL if none is close. */
const char *text_nearest(const char *word, const char *const *candidates, size_t count);

bool text_equal(const char *a, const char *b); /* both there and the same */

/* Not empty, and only characters that mean nothing special to a shell? */
bool text_plain_word(const char *);

/* The value of an option: a whole number from min to max; not 1e3, 0.5 or nan. */
bool text_number(const char *, int64_t min, int64_t max, int64_t *);

/* Are two subjects the same apart from case and white space? */
bool text_same(const char *, const char *);

#endif
