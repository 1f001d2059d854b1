#ifndef CONFIG_GATE_H
#define CONFIG_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "json/json.h"

/*
 * A gate: a command or a built-in check that must pass before a task is
 * completed, and when it applies.  Only the definition; verify.h runs them.
 */
enum gate_event { /* bits of gate_when.on */
	GATE_COMPLETE = 1,
	GATE_STOP = 2, /* a completion reported when an agent stops */
	GATE_CI = 4,
};

enum gate_check { /* built in, in the order they are made */
	CHECK_NONE,
	CHECK_OWNER,     /* the completing agent is the owner */
	CHECK_BLOCKERS,  /* every blocker is completed */
	CHECK_SUBTASKS,  /* every subtask is completed */
	CHECK_CHECKLIST, /* no unchecked "- [ ]" box in the description */
	CHECK_METADATA,  /* the required keys are there */
	CHECK_COMMITTED, /* nothing in scope is uncommitted */
};

enum gate_since {     /* what `changed` counts from */
	SINCE_PROVEN, /* the last tree on which the gate passed */
	SINCE_CLAIM,  /* the commit at which the task was claimed */
	SINCE_HEAD,
};
/* The word, as in the configuration. */
const char *gate_since_name(enum gate_since);

enum gate_verdict {
	GATE_PASSED,
	GATE_FAILED,
	GATE_TIMED_OUT,
	GATE_SKIPPED, /* did not apply, or what it needs did not pass */
	GATE_FLAKY,   /* passed after a retry */
	GATE_NOT_RUN, /* no such program, no such directory, fork failed */
};
/* "passed" "failed" "timed out" "skipped" "flaky" "could not run" */
const char *gate_verdict_name(enum gate_verdict);
bool gate_verdict_good(enum gate_verdict); /* passed or flaky */

struct gate_pair {
	char *key;
	char *value; /* JSON text */
};

struct gate_when {
	char *subject, *description;                /* extended regular expressions; NULL: any */
	struct strings owner, teammate, agent_type; /* any of these (glob); empty: any */
	struct gate_pair *equals;                   /* metadata.KEY is VALUE */
	size_t equals_count;
	struct strings has;     /* metadata.KEY is there and not null */
	struct strings changed; /* path globs from the repository root; empty: any */
	enum gate_since since;
	unsigned on; /* enum gate_event bits */
};

struct gate {
	char *name;
	struct strings argv; /* run; a string is { "/bin/sh", "-c", string } */
	char *shell;         /* run as written, if it was a string */
	enum gate_check check;
	char *cwd;           /* absolute, or relative to root; NULL: root */
	char *root;          /* of the file that defines it; NULL: the event's work tree */
	int at_event;        /* 1: it runs where the event was */
	struct strings env;  /* NAME=value, added */
	struct strings pass; /* variables kept that child_env() would remove */
	int64_t timeout_ms;
	int warn;  /* 1: severity "warn"; 0: "block" */
	char *fix; /* what to tell the agent; NULL */
	struct strings needs;
	char *group; /* gates of one group run one after the other; NULL */
	int64_t retries;
	bool cache;
	int64_t ttl_ms;        /* -1: the configured one */
	struct strings files;  /* globs: what it reads (the cache's scope); empty: the whole tree */
	struct strings inputs; /* globs: ignored files that it reads too */
	struct strings writes; /* globs: what it may write; left out of the scope */
	struct gate_when when;
	bool project; /* from the project's file: runs only if that is trusted */
};

struct gates {
	struct gate *item;
	size_t count;
};

void gate_free(struct gate *);
void gates_free(struct gates *);
struct gate *gates_find(const struct gates *, const char *name); /* NULL */

#define CONFIG_WORD 12 /* bytes of a word that is the value of a setting, with its NUL */

/* The names of the checks, in the order of enum gate_check without CHECK_NONE; ends with "". */
extern const char gate_checks[][CONFIG_WORD];
extern const char gate_sinces[][CONFIG_WORD];
const char *gate_check_name(enum gate_check);

/* The command as a person would type it: `make test`, `sh -c '...'`. */
void gate_command(struct buf *, const struct gate *);

/* SHA-256 of the whole definition. */
void gate_hash(const struct gate *, char out[HASH_HEX]);

/* -1 if a gate needs one that does not exist, or needs itself by way of others. */
int gates_check(const struct gates *, struct error *);

#endif
