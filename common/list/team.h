#ifndef LIST_TEAM_H
#define LIST_TEAM_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Teams, as far as the client writes them down: teams/<name>/config.json
 * exists as long as the lead runs.
 *
 * The tool events of a teammate in tmux name only a session of its own.  Its
 * place in a team is found from the command line of the client
 * that started us (--team-name, --agent-name), or from a config whose lead
 * is this session or this process, or which has a member in this pane.
 */
struct team_seat {
	char *team; /* also the name of its list; NULL: in no team */
	char *name; /* the teammate's; NULL for the lead */
	char *type; /* its subagent type; NULL if unknown */
};

/* Never fails: a team that cannot be read is skipped. */
void team_seat_find(struct team_seat *, const char *config, const char *session);
void team_seat_free(struct team_seat *);

bool team_name_ok(const char *); /* the client's own rule for a teammate's name */

/* Everyone in a team, the lead too. */
struct team_member {
	char *agent_id; /* name@team */
	char *name, *type, *color;
	bool active; /* in a terminal of its own, and its turn is under way */
	bool lead;
};

struct team {
	struct team_member *item;
	size_t count;
	char *lead_session;
	bool over; /* the process of its lead is gone */
};

/* False: there is no such team, or its file cannot be read. */
bool team_load(struct team *, const char *config, const char *name);
/* The team of this name (a team's list has it), or else the one of the session's process. */
bool team_find(struct team *, const char *config, const char *name, const char *session);
void team_free(struct team *);

/* Is `name` a member of the team?  type: its subagent type, owned, NULL if it has none; may be
 * NULL. */
bool team_has_member(const char *config, const char *team, const char *name, char **type);

#endif
