#ifndef LIST_LIST_H
#define LIST_LIST_H

#include <limits.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "sys/file.h"

/*
 * Which task list an event or a command line is about, and why.
 *
 * explicit --dir or --list  >  CLAUDE_CODE_TASK_LIST_ID  >  the team's list
 * >  the session's list  >  (no session at all) the list that the client's
 * settings give to sessions (`settings`)  >  the project's name: "name" of
 * the nearest package.json, or the directory that holds .git  >  the current
 * directory's name  >  "default".
 *
 * No event names the list.  The candidates are computed as the client does (a
 * trimmed and an untrimmed environment value, session-<8 hex> with its
 * .session-list redirect, the lead's list for a teammate, the session's id),
 * and the first that exists is taken; if none exists, the first.  A symbolic
 * link is not followed: ERROR_REFUSED if it would have been taken.
 * The rules of teams are in team.h.
 *
 * With `folder` set, a directory .tasks in the working directory is used where there is no session
 * and no list of the project's name.
 */
struct list_query {
	const char *list, *dir; /* from the command line; NULL */
	const char *session_id; /* from the event; NULL: CLAUDE_CODE_SESSION_ID */
	const char *team_name;  /* from the event */
	const char *cwd;        /* NULL: the process's */
	/* The hooks, which get the variable from the client, set neither of these. */
	bool folder;                          /* see above */
	const char *settings, *settings_file; /* a name, sanitised, and where it is set; NULL */
};

struct list {
	char *config; /* $CLAUDE_CONFIG_DIR or ~/.claude */
	char *name;   /* sanitised: one path component */
	char *dir;    /* where its tasks are; may not exist yet */
	char *why;    /* "CLAUDE_CODE_TASK_LIST_ID is 'lab'" */
	bool exists;
	bool foreign;   /* outside {config}/tasks; its name ends in a path's hash */
	bool nearby;    /* the .tasks of the working directory, which no option named */
	bool settings;  /* named by the client's settings */
	bool has_state; /* list_state() has opened statefd */
	int statefd;
};

int list_find(struct list *, const struct list_query *, struct error *);
void list_free(struct list *);

/* {config} alone; owned.  NULL if neither CLAUDE_CONFIG_DIR nor HOME is set. */
char *list_config_dir(struct error *);

/* As the client does: every UTF-16 unit outside [A-Za-z0-9_-] becomes '-'. */
char *list_sanitise(const char *raw);
char *list_trim(const char *raw); /* JavaScript's trim() */

/* Our state for the list: {config}/task-hooks/{name}, 0700.  Its descriptor, which is opened
 * once and closed by list_free(); with make false -1 and ERROR_NOT_FOUND if there is none.
 * Refuses a directory of another user, a symbolic link, or one that others may write to. */
int list_state(const struct list *, bool make, struct error *);

/* A file of it: 1 read, 0 there is none, -1. */
int list_state_read(const struct list *, const char *file, struct buf *, struct error *);

/* The same, and sets the mark. */
int list_state_read_mark(
    const struct list *, const char *file, struct buf *, struct file_mark *, struct error *);

/*
 * Edit a file of it under a lock of its own (FILE.lock).  edit() gets the text, "" if there is no
 * file, and returns 1 to have it written (an empty text removes the file), 0 to leave the file as
 * it is, or -1; so does list_state_edit().  Not synced: the edit may be lost in a power cut.
 */
int list_state_edit(const struct list *, const char *file,
    int (*edit)(void *, struct buf *, struct error *), void *, struct deadline, struct error *);

/* Is there such a file in it?  One system call; its type is not checked. */
bool list_state_has(const struct list *, const char *file);

/* The names of all lists below {config}/tasks, sorted. */
int list_names(const char *config, struct strings *, struct error *);

/*
 * Remember that this session's list is this one: for a teammate in tmux,
 * when one of its events has named the team.  Kept below {config}/task-hooks.
 */
int list_learn(const struct list *, const char *session, struct error *);

#endif
