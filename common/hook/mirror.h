#ifndef HOOK_MIRROR_H
#define HOOK_MIRROR_H

#include "config/config.h"
#include "list/list.h"

/*
 * Runs the commands of `sync` after a change, by a hook or by claude-tasks.
 *
 * Each gets the Task[] of the list (convert_export()) on its standard input.
 * They see the states of the list in order, and at last the latest one, except
 * what a command itself changes in the second round: that is sent at the next
 * change.  A command that was given this state already is not run.  Those of a
 * project that is not trusted do not run.  Failures are in the journal.
 */
struct mirror {
	const struct list *list;
	const struct config *config;
	const char *cwd;     /* where the project's file was looked for */
	const char *event;   /* for TASK_HOOKS_EVENT: of the client, or the name of our command */
	const char *session; /* for the journal; NULL */
};

/* The event of a failure in the journal; the line's "command" is the name. */
#define MIRROR_FAILED "sync"

/* When the command last succeeded, or was refused; 0: never.  state: list_state(). */
int64_t mirror_succeeded_ms(int state, const struct config_mirror *);

/* Start them, detached, and return.  Nothing to do without commands. */
void mirror_start(const struct mirror *);

#endif
