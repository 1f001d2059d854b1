#ifndef LIST_TEAM_H
#define LIST_TEAM_H

#include <stdbool.h>

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

/* Is `name` a member of the team?  type: its subagent type, owned, NULL if it has none; may be
 * NULL. */
bool team_has_member(const char *config, const char *team, const char *name, char **type);

#endif
