#ifndef LIST_JOURNAL_LINE_H
#define LIST_JOURNAL_LINE_H

#include "list/journal.h"

/*
 * One line of the journal, apart from where it is kept.
 */
#define JOURNAL_ZEROS "0000000000000000000000000000000000000000000000000000000000000000"

struct journal_tip { /* the last line, and what the next one needs of it */
	uint64_t seq;
	char hash[65];
};

/* Add the line that follows the tip, newline included, and move the tip on. */
void journal_line_add(struct buf *, struct journal_tip *, struct journal_entry *);

/* Is this (no newline) a line as we write them?  Then its number and hash.
 * Looks at its beginning and end only, and for bytes no line has. */
bool journal_line_tip(const char *line, size_t len, struct journal_tip *);

/* Does the line's hash fit its bytes? */
bool journal_line_true(const char *line, size_t len);

#endif
