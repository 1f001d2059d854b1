#ifndef CLI_HISTORY_H
#define CLI_HISTORY_H

#include "cli.h"

/*
 * The lines of the journal, oldest first, each with the task's text before and after if the line
 * holds them.
 */
struct history_entry {
	int64_t seq;
	char *event, *task, *group, *time, *why;
	char *other_list;     /* of a move between two; NULL */
	char *before, *after; /* texts of the task; NULL: none, or not recorded */
	char *from, *to;      /* JSON of the fields that changed; NULL */
	char *claim;          /* JSON of the claim that a release took away; NULL */
	bool undone;
	bool other_refused; /* a refusal of something else than a completion */
};

struct history {
	struct history_entry *item;
	size_t count;
};

/* 0, also if there is no journal; -1 after cli_error(). */
int history_load(struct cli *, struct history *);
void history_free(struct history *);

#endif
