#ifndef HOOKS_CI_REPORT_H
#define HOOKS_CI_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"

/*
 * What --ci found, and the forms in which it is written.
 */
enum ci_state {
	CI_GOOD,
	CI_NOTE, /* shown, but not a failure */
	CI_BAD,
};

struct ci_row {
	enum ci_state state;
	char *kind; /* "chain" "task" "gate" "glob" "tree" */
	char *name; /* `#3 "Docs"`, a gate's name */
	char *text; /* what was found */
	int64_t ms;
};

struct ci_report {
	char *list; /* its name, from ci_shown() */
	struct ci_row *row;
	size_t count;
	size_t tasks, completed; /* in the list */
	size_t proven;           /* completed ones with a receipt that holds */
	size_t forced;           /* ... that a person let through, and that was allowed */
	size_t gates;            /* gates re-run */
	bool empty_allowed;
};

/* A text from outside as one line that is safe in the log of a CI runner; owned. */
char *ci_shown(const char *);
/* Takes name and text, which may be from outside. */
void ci_add(
    struct ci_report *, enum ci_state, const char *kind, char *name, char *text, int64_t ms);
size_t ci_bad(const struct ci_report *);
int ci_status(const struct ci_report *); /* 0, or 2 */

void ci_table(const struct ci_report *, FILE *);
void ci_github(const struct ci_report *, FILE *); /* workflow commands */
void ci_junit(const struct ci_report *, struct buf *);
void ci_json(const struct ci_report *, struct buf *);
void ci_report_free(struct ci_report *);

#endif
