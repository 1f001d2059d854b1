#ifndef SETTINGS_SETTINGS_H
#define SETTINGS_SETTINGS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "json/json.h"

/*
 * Our entries in a settings file of the client.
 *
 * Text in, text out; no files here (see settings-file.h).  An edit changes
 * the bytes of our entries and nothing else, in the file's own indentation.
 * A text that is no JSON object, or whose "hooks" is not what the client
 * expects, is refused: nothing is guessed about a file that a person wrote.
 *
 * An entry is ours if its command is one of our executables, wherever it
 * lies: so it is known again after a move or an update.  What a person added
 * to it (options, another timeout or matcher) stays.
 */
struct settings_hook {
	const char *event;
	const char *matcher; /* NULL: none */
	const char *program; /* name of the executable */
	int timeout;         /* seconds; 0: the client's default */
};

/* Those that `install` registers; the first three are the default's core. */
extern const struct settings_hook settings_hooks[];
extern const size_t settings_hook_count;
const struct settings_hook *settings_hook_find(const char *event);

struct settings_plan {
	const struct settings_hook *const *hooks;
	size_t count;
	const char *bin;             /* directory of the executables, absolute */
	bool shell;                  /* a command line for a shell, for clients without `args` */
	const char *env, *env_value; /* a variable to set in "env"; NULL: none */
};

struct settings_change {
	size_t added, moved, kept, removed;
	bool env; /* the variable was added */
};

/* The text with the plan in force.  0; -1 ERROR_INPUT. */
int settings_install(const char *text, size_t len, const struct settings_plan *, struct buf *out,
    struct settings_change *, struct error *);

/* The text without any of ours (events: only these, NULL all), and without the variable
 * if `env` names it; containers that become empty by it go too. */
int settings_uninstall(const char *text, size_t len, const struct strings *events, const char *env,
    struct buf *out, struct settings_change *, struct error *);

/* One of our entries, as found. */
struct settings_entry {
	char *event, *matcher; /* matcher NULL: none */
	char *path;            /* of the executable, as the client would run it */
	const char *program;   /* its name: one of ours */
	bool exec;             /* exec form (has args) */
	int64_t timeout;       /* 0: not given */
	char *config;          /* --config of its arguments; NULL */
};
struct settings_entries {
	struct settings_entry *item;
	size_t count;
};
int settings_find(const char *text, size_t len, struct settings_entries *, struct error *);
void settings_entries_free(struct settings_entries *);

/* The name of ours that a command line or path runs; NULL: not ours.
 * path, if not NULL, gets the unquoted first word (owned), where ours. */
const char *settings_program(const char *command, bool exec, char **path);

#endif
