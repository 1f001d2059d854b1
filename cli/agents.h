#ifndef CLI_AGENTS_H
#define CLI_AGENTS_H

#include "view.h"

/*
 * The agents of a list: who took a task, who has one, and the members of its
 * team.  Known from the claims, the owners of open tasks, the team's file, and
 * (if asked) the journal, which is read once.
 */
enum agents_state {
	AGENTS_RUNNING, /* has a task in progress, or works on something else */
	AGENTS_GONE,    /* ended, and had an unfinished task */
	AGENTS_IDLE,    /* has none in progress: a team member, or one that completed none */
	AGENTS_DONE,    /* has none, completed some, and is not a team member */
};

struct agents_hold {
	char *task;
	int64_t since_ms; /* of the claim; 0 unknown */
};

#define AGENTS_SESSION 8 /* characters of a session's id that are shown */

struct agents_one {
	char *key;  /* what a task has as its owner; of a main thread the session */
	char *from; /* tells callers of one name apart: session, or client and process; NULL: not
		       known, or the key is that of one agent */
	char *id, *type, *session, *color;
	bool main;    /* it has no name and no id */
	bool member;  /* of the list's team ... */
	bool lead;    /* ... which it leads */
	bool active;  /* the team's file says so */
	bool working; /* it has claimed one of the tasks it holds, or one is in progress */
	bool ended;   /* the last thing the journal says of it */
	bool known;   /* more than that it is there */
	bool twice;   /* another one has the same key ... */
	bool alike;   /* ... and the beginning of `from` */
	enum { LIFE_UNKNOWN, LIFE_GONE, LIFE_ALIVE } life;
	struct agents_hold *hold; /* open tasks it has claimed or owns */
	size_t holds;
	int64_t seen_ms; /* 0 never */
	size_t completed;
	char *last;  /* the task of its last claim in the journal; NULL */
	size_t next; /* with the same key: its place in agents.item, counted from 1; 0 none */
};

struct agents {
	bool journal;            /* it was read: completed and seen_ms are known */
	struct agents_one *item; /* those with tasks first, then the team, then the last seen */
	size_t count;
	void *keys; /* tsearch(3): where each is, while they are found */
};

/* 0; -1 after cli_error().  The view is that of c's list. */
int agents_load(struct cli *, struct agents *, const struct view *, bool journal);
void agents_free(struct agents *);

enum agents_state agents_state(const struct agents_one *);

/* `ann #1 12m, bob idle`: who has a task or is in the team, on one line of at most `columns`. */
void agents_line(const struct cli *, struct buf *, const struct agents *, int columns, bool times);
struct json_object *agents_json(
    const struct agents *, const struct agents_one *, const struct view *);

#endif
