#ifndef CLI_REGISTRATION_H
#define CLI_REGISTRATION_H

#include "settings-file.h"
#include "settings/client-version.h"

/*
 * Which of our hooks the client would run here, and what prevents it: every settings file that
 * applies, read once.
 */
struct registration_file {
	enum scope scope;
	char *path;
	bool there;
	bool users;   /* the project's file is the user's own, and was read as such */
	char *broken; /* why it cannot be used; NULL */
	struct settings_entries entries;
	bool disabled;    /* disableAllHooks, or (managed) allowManagedHooksOnly */
	bool plugin;      /* enables our plugin */
	char *model;      /* "model"; NULL */
	char *todo;       /* env.CLAUDE_CODE_ENABLE_TODO_TOOLS; NULL */
	char *tasks;      /* env.CLAUDE_CODE_ENABLE_TASKS; NULL */
	char *list;       /* env.CLAUDE_CODE_TASK_LIST_ID as the name of a list, "": blank; NULL */
	char *statusline; /* the command of statusLine; NULL */
};

struct registration {
	struct registration_file file[SCOPES];
	char *project; /* directory */
	char *config;  /* {config} */
};

#define TODO_TOOLS "CLAUDE_CODE_ENABLE_TODO_TOOLS"
#define TASKS_SWITCH "CLAUDE_CODE_ENABLE_TASKS"
#define LIST_ID "CLAUDE_CODE_TASK_LIST_ID"

int registration_load(struct registration *, struct error *); /* -1: no {config} */
void registration_free(struct registration *);

/* The settings file that enables our plugin, or disables our hooks; NULL: none. */
const char *registration_plugin(const struct registration *);
const char *registration_disabled(const struct registration *);
/* An event of this file because of which this version of the client (NULL: a current one) ignores
 * all of its hooks; NULL: none. */
const char *registration_late_event(const struct registration_file *, const char *client);
/* What switches the client's tasks off: a settings file, or "the environment"; NULL: nothing. */
const char *registration_tasks_off(const struct registration *);
/* The file that gives the sessions a list, as LIST_ID; NULL: none. */
const struct registration_file *registration_list(const struct registration *);
/* Is TODO_TOOLS set, by the environment or a settings file? */
bool registration_todo_tools(const struct registration *);

/* Would the client (its version; NULL: a current one) offer no Task tools here? */
bool registration_tools_off(const struct registration *, const char *client);

/* Where our executables are: beside this one, or in `dir`; owned.  NULL and the error if one
 * of them is missing. */
char *registration_bin(const char *dir, struct error *);

/* The first version that offers no Task tools to current models unless TODO_TOOLS is set. */
#define TODO_TOOLS_SINCE "2.1.233"
/* The oldest version that is known to accept a hook as command and args.  Older ones
 * ignore args and give the command to a shell, which is the same for a plain path. */
#define EXEC_FORM_SINCE "2.1.197"
/* The oldest version that is known to ignore only the hooks of an event that it does not know. */
#define UNKNOWN_EVENT_SINCE "2.1.197"

#endif
