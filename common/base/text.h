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
 * or stay (TEXT_BLOCK), the rest becomes U+FFFD.  A control sequence (ESC [
 * up to its last byte) is removed as a whole if it only sets how text looks,
 * else replaced by one U+FFFD.  In tags of the client's own
 * ("</system-reminder>") the '<' becomes '['.  The length is limited in
 * characters; a cut is marked with "...".
 */
enum text_form {
	TEXT_LINE,  /* one line */
	TEXT_BLOCK, /* newlines and tabs stay */
	TEXT_DIM,   /* one line; dim text stays so, by TEXT_DIM_ON and TEXT_DIM_OFF */
};

#define TEXT_DIM_ON "\033[2m"
#define TEXT_DIM_OFF "\033[22m"

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

/* The control sequence at the start of a text: its length, 0 if there is none.
 * look: it only sets how text looks (colour, bold, dim). */
size_t text_sequence(const char *, const char *end, bool *look);

/* A copy in which ESC and control sequences are as text_show() leaves them, all else as it is;
 * owned. */
char *text_plain(const char *);

/* Columns on a terminal: wide characters 2, combining ones 0, control sequences 0. */
int text_width(const char *);

/* Adds the text, at most 1000 characters of it, cut to `max` columns, "..." (or a one-column
 * ellipsis) included.  The form is TEXT_LINE or TEXT_DIM. */
void text_fit(struct buf *, const char *, enum text_form, int max, bool ascii);

/* The candidate with the smallest edit distance, NULL if none is close. */
const char *text_nearest(const char *word, const char *const *candidates, size_t count);

/* The last such byte of the first len; NULL if there is none. */
const char *text_last(const char *, size_t len, char);

bool text_equal(const char *a, const char *b); /* neither is NULL, and they are equal */

/* Not empty, and only characters that mean nothing special to a shell? */
bool text_plain_word(const char *);

/* The value of an option: a whole number from min to max; not 1e3, 0.5 or nan. */
bool text_number(const char *, int64_t min, int64_t max, int64_t *);

/* Are two subjects the same apart from case, white space and control sequences? */
bool text_same(const char *, const char *);
/* Does the text have this part, compared in the same way? */
bool text_contains(const char *text, const char *part);

#endif
