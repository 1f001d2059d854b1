#ifndef SETTINGS_SETTINGS_H
#define SETTINGS_SETTINGS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "json/json.h"

/*
 * Our entries in a settings file of the client.
 *
 * Text in, text out; settings-file.h reads and writes the files.  An edit changes
 * only the bytes of our entries, in the file's own indentation.  A text that is
 * not a JSON object, or whose "hooks" does not have the form that the client
 * expects, is refused.  One mistake is corrected by install: a hook that is in the array of its
 * event without the group around it.
 *
 * An entry is ours if its command is one of our executables, in any directory: so it
 * is found again after a move or an update.  What a person added to it
 * (options, another timeout or matcher) is kept.
 */
struct settings_hook {
	const char *name; /* for install --events: the event, or "sync" */
	const char *event;
	const char *matcher; /* names of tools; NULL: none */
	const char *program; /* name of the executable */
	int timeout;         /* seconds; 0: the client's default */
	unsigned flags;
};
#define SETTINGS_CLOSED 1u /* "onFailure": "block": the client refuses if the program fails */
#define SETTINGS_USERS 2u  /* only in the user's settings */
#define SETTINGS_LATE 4u   /* see settings_entries.late */

/* Those that `install` can register; several can have one name.  Without the first ones calls are
 * not checked. */
#define SETTINGS_HOOKS 12
#define SETTINGS_CORE 4
extern const struct settings_hook settings_hooks[SETTINGS_HOOKS];
const struct settings_hook *settings_hook_find(const char *name); /* the first of this name */
/* The last: only for `sync`, so that the commands see what the main thread does. */
#define SETTINGS_SYNC "sync"

/* Does a matcher (NULL: none) match this tool?  A regular expression is not checked: true. */
bool settings_matches(const char *matcher, const char *tool);
/* Does it match only tools of this list ("A|B")? */
bool settings_only(const char *matcher, const char *tools);

/*
 * Values besides the hooks, by name: "env.CLAUDE_CODE_TASK_LIST_ID" is a member of "env",
 * "statusLine" one of the file itself.  text: JSON; to edit a file in place takes the text.
 */
#define SETTINGS_VALUES 10
struct settings_values {
	struct strings name, text;
};
void settings_values_add(struct settings_values *, const char *name, const char *text);
void settings_values_free(struct settings_values *);
/* Does the client take this value of a variable for "off"?  (It does not use an empty one.) */
bool settings_off(const char *value);

struct settings_plan {
	const struct settings_hook *hooks[SETTINGS_HOOKS];
	size_t count;
	const char *bin;               /* directory of the executables, absolute */
	bool shell;                    /* a command line for a shell, for clients without `args` */
	bool if_there;                 /* a shell line that passes if the executable is missing */
	bool open;                     /* without "onFailure": the client does not know it */
	struct settings_values values; /* set those that the file does not have */
};

struct settings_change {
	size_t added, moved, kept, removed;
	size_t nested;             /* hooks that got a group around them, see settings_find() */
	bool set[SETTINGS_VALUES]; /* the values that were set, or removed */
};

/* Add or move the entries of the plan.  0; -1 ERROR_INPUT. */
int settings_install(const char *text, size_t len, const struct settings_plan *, struct buf *out,
    struct settings_change *, struct error *);

/* Remove our entries (events: only these, NULL all), and the values (NULL: none) that are still the
 * same; containers that become empty are removed too. */
int settings_uninstall(const char *text, size_t len, const struct strings *events,
    const struct settings_values *, struct buf *out, struct settings_change *, struct error *);

/* One of our entries, as found. */
struct settings_entry {
	char *event, *matcher; /* matcher NULL: none */
	char *path;            /* of the executable, as the client would run it */
	const char *program;   /* its name: one of ours */
	bool exec;             /* exec form (has args) */
	int64_t timeout;       /* 0: not given */
	char *failure;         /* "onFailure"; NULL */
	bool if_there;         /* a line of settings_plan.if_there */
	bool alone;            /* in its group */
	char *config;          /* --config of its arguments; NULL */
	int64_t deadline;      /* --deadline, seconds; 0: not given */
	char *line;            /* command and args as written; the client runs the same line once */
	char *whole;           /* all that is written about it, as JSON: event, group, hook */
};
struct settings_entries {
	struct settings_entry *item;
	size_t count;
	size_t size; /* of the `whole` of all */
	/* Elements of events that are not a group, {"matcher": ..., "hooks": [...]}: hooks (flat),
	 * and anything else (odd).  Client 2.1.197 then ignores every hook of the file, 2.1.325
	 * only this element. */
	struct strings flat, odd;
	/* Names of events that client 2.1.34 does not know: it then ignores every hook of the file.
	 */
	struct strings late;
};
/* -1: ERROR_INPUT, or ERROR_REFUSED if our entries are so many that it would take too long. */
int settings_find(const char *text, size_t len, struct settings_entries *, struct error *);
/* Is the entry one of this hook: does it run the program for one of its tools? */
bool settings_is(const struct settings_hook *, const struct settings_entry *);
/* Would the client let a TaskUpdate pass if the program of this entry is missing, although install
 * can register it so that it does not? */
bool settings_is_open(const struct settings_entry *);
/* Does install correct such an entry?  Not one for other tools too, or with another onFailure. */
bool settings_can_close(const struct settings_entry *);
void settings_entries_free(struct settings_entries *);

/* Add a word for a POSIX shell, quoted only if it must be. */
void settings_shell_word(struct buf *, const char *);

#endif
