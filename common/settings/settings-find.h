#ifndef SETTINGS_SETTINGS_FIND_H
#define SETTINGS_SETTINGS_FIND_H

#include "settings/settings.h"

/*
 * For settings.c: where our handlers are in a parsed settings file.
 */

/* Ends a command line that passes if the program is missing; a shell says 126 or 127 for what it
 * cannot run. */
#define SETTINGS_IF_THERE " || { s=$?; [ $s -ge 126 ] || exit $s; }"

struct settings_place {
	json_ref event, group, handler; /* event: the array of groups */
	const char *program;
	bool exec;
};

/* Parse, and check that hooks, its events and env have the form that we edit. */
int settings_parse(struct json *, const char *text, size_t len, struct error *);

/* What an element of an event's array is. */
enum settings_element { SETTINGS_GROUP, SETTINGS_FLAT, SETTINGS_ODD };

/* The n-th element of this kind; *name: "SubagentStop"[0] (owned). */
bool settings_element(
    const struct json *, enum settings_element, size_t nth, json_ref *element, char **name);

/* The n-th handler of ours (event: only below this one; NULL any).  Of events with one name only
 * the last has handlers, as for the client.  path gets the executable's (owned); may be NULL. */
bool settings_place(
    const struct json *, const char *event, size_t nth, struct settings_place *, char **path);

/* Does its command line pass if the program is missing? */
bool settings_is_if_there(const struct json *, json_ref handler);

/* The first word of a shell command line, quotes taken off, owned; *end: after it. */
char *settings_first_word(const char *line, const char **end);

#endif
