#ifndef CLI_WIRING_H
#define CLI_WIRING_H

#include "settings-file.h"

/*
 * Which of our hooks the client would run here, and what stands in the way:
 * every settings file that applies, read once.
 */
struct wiring_file {
	enum scope scope;
	char *path;
	bool there;
	char *broken; /* why it cannot be used; NULL */
	struct settings_entries entries;
	bool disabled; /* disableAllHooks, or (managed) allowManagedHooksOnly */
	bool plugin;   /* enables our plugin */
	char *model;   /* "model"; NULL */
	char *todo;    /* env.CLAUDE_CODE_ENABLE_TODO_TOOLS; NULL */
};

struct wiring {
	struct wiring_file file[SCOPES];
	char *project; /* directory */
	char *config;  /* {config} */
};

#define TODO_TOOLS "CLAUDE_CODE_ENABLE_TODO_TOOLS"

int wiring_load(struct wiring *, struct error *); /* only {config} can be an error */
void wiring_free(struct wiring *);

bool wiring_plugin(const struct wiring *, const char **path);
bool wiring_disabled(const struct wiring *, const char **path);
/* Is the variable set, by the environment or a settings file? */
bool wiring_todo_tools(const struct wiring *);

/* Would the client (its version; NULL: a current one) offer no Task tools here? */
bool wiring_tools_off(const struct wiring *, const char *client);

/* Where our executables are: beside this one, or `given`; owned.  NULL and the error if one
 * of them is missing. */
char *wiring_bin(const char *given, struct error *);

/* Since which version current models have no Task tools unless told. */
#define TODO_TOOLS_SINCE "2.1.233"
/* The oldest version that is known to take a hook as command and args.  Older ones
 * ignore args and give the command to a shell, which is the same for a plain path. */
#define EXEC_FORM_SINCE "2.1.197"

#endif
