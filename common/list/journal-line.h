#ifndef LIST_JOURNAL_LINE_H
#define LIST_JOURNAL_LINE_H

#include "list/journal.h"

/*
 * One line of the journal: made, taken apart and checked, without the file.
 */
#define JOURNAL_ZEROS "0000000000000000000000000000000000000000000000000000000000000000"

struct journal_tip { /* what the next line needs of the last one */
	uint64_t seq;
	char hash[HASH_HEX];
};

/* Adds the line that follows the tip, newline included, and makes it the tip. */
void journal_line_add(struct buf *, struct journal_tip *, struct journal_entry *);

/* Is this (no newline) a line as we write them?  Then its number and hash.
 * Only its beginning and end are checked, and that it has no NUL. */
bool journal_line_tip(const char *line, size_t len, struct journal_tip *);

/* Does the line's hash match its bytes? */
bool journal_line_true(const char *line, size_t len);

#endif
