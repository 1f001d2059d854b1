#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "config/gate.h"
#include "sys/file.h"

/*
 * The settings of the user and of the project.
 *
 *	defaults
 *	{config}/task-hooks.json	the user's
 *	.claude/task-hooks.json		the project's: the nearest one from the
 *					working directory up to the repository
 *					root (the directory that has .git)
 *	--config FILE			instead of the project's; must exist
 *
 * Later ones win, value by value; gates and sync commands add up (a gate of
 * the same name replaces).  Comments and trailing commas are allowed.
 * An unknown key, a key given twice or a value of the wrong type is an error
 * that names file, line, path and, for a key, the nearest known one: a typing
 * mistake must not switch a gate off unnoticed.
 *
 *	struct config c;
 *	if (config_load(&c, &query, &err) == -1)
 *		c holds the defaults (so on_fault is there); still config_free()
 *
 * The project's file comes with the repository: its commands (gates, sync, allow) may run only
 * after trust_check(), and until a person trusts it its settings count as far as they are stricter
 * than the ones before; `loosened` has the others.
 */
enum config_level { LEVEL_OFF, LEVEL_WARN, LEVEL_REFUSE }; /* "off" "warn" "refuse" */
enum config_fault { FAULT_ALLOW, FAULT_REFUSE };           /* "allow" "refuse" */
enum config_turn_end { TURN_END_IGNORE, TURN_END_NUDGE };
enum config_unfinished { UNFINISHED_RELEASE, UNFINISHED_BLOCK, UNFINISHED_KEEP };

struct config_file {
	char *path;          /* absolute; NULL: there is none */
	char *root;          /* the directory its relative paths start from; NULL: the event's */
	char hash[HASH_HEX]; /* SHA-256 of its bytes */
	struct buf text;
	bool commands; /* has gates, sync commands or an allow list */
};

/* A command that gets the Task[] on its standard input after a change. */
struct config_mirror {
	char *name; /* for the journal; the command itself if not given */
	struct strings argv;
	int64_t timeout_ms;
	bool project; /* from the project's file */
};

struct config {
	struct config_file user, project;
	bool given; /* project is the file named by --config */

	struct { /* on_fault */
		enum config_fault verify, pretooluse, stop;
	} on_fault;
	char *name;              /* of this session, the owner in claims of its main thread; NULL */
	int64_t lock_timeout_ms; /* lock_timeout, seconds */
	int64_t deadline_ms;     /* deadline, seconds: of a whole hook run */
	enum durability durability;

	struct {                              /* rules: on-pretooluse-task */
		enum config_level blocked;    /* start while a blocker is open */
		enum config_level claimed;    /* start another agent's task */
		enum config_level resolved;   /* start what is completed */
		enum config_level busy;       /* start a second task (off) */
		enum config_level agent_type; /* start a task meant for another type (warn) */
		enum config_level
		    complete;             /* complete over open blockers, subtasks, or another's */
		enum config_level delete; /* delete another's task in progress */
		enum config_level steal;  /* change the owner of a task in progress */
		enum config_level cycle;  /* a dependency that closes a cycle, or on itself */
		enum config_level unknown_dependency; /* a dependency on a missing task */
		enum config_level empty;              /* create without subject or description */
		enum config_level duplicates;         /* create an open subject again (warn) */
		enum config_level spawn; /* spawn an agent for a done or blocked task */
		enum config_level todo;  /* a TodoWrite item that is malformed */
	} rules;
	struct {                       /* create */
		char *subject_pattern; /* extended regular expression; NULL */
		struct strings required_metadata;
		int64_t max_open; /* 0: no limit */
	} create;
	struct { /* todo */
		bool one_in_progress;
	} todo;

	struct { /* verify: on-task-completed-verify */
		enum config_level blockers, subtasks, checklist, owner;
		struct strings metadata; /* keys that must be there */
		enum config_turn_end turn_end;
		int64_t nudges;   /* per task, when nudging */
		int64_t attempts; /* refusals after which the reason changes */
		int64_t parallel; /* gates at once */
		bool cache;
		int64_t ttl_ms;
		struct strings
		    allow; /* commands that metadata.verify may name; see verify-allow.h */
	} verify;
	struct { /* stop: on-subagent-stop */
		enum config_unfinished unfinished;
		int64_t max_blocks;
	} stop;
	struct { /* idle */
		bool suggest;
	} idle;

	struct config_mirror *mirror;
	size_t mirror_count;
	struct gates gates;
	struct strings loosened; /* settings of an untrusted project's file that do not count */
};

struct config_query {
	const char *file;       /* --config, NULL */
	const char *cwd;        /* of the event; NULL: the process's */
	const char *config_dir; /* {config}; NULL: no user file */
};

int config_load(struct config *, const struct config_query *, struct error *);
void config_default(struct config *);
void config_free(struct config *);

/* The level of a built-in check; LEVEL_OFF for those that only a gate can ask for. */
enum config_level config_check_level(const struct config *, enum gate_check);

/* One text alone, over the defaults, as if it were a project's file at path. */
int config_parse(struct config *, const char *path, const char *text, size_t len, struct error *);
/* Is it well-formed (doctor, trust, init)? */
int config_check(const char *path, const char *text, size_t len, struct error *);

#endif
