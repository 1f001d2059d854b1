#ifndef HOOK_HOOK_H
#define HOOK_HOOK_H

#include <json-c/json.h>

#include "agent/agent.h"
#include "agent/claim.h"
#include "agent/claims.h"
#include "agent/event.h"
#include "agent/release.h"
#include "config/config.h"
#include "hook/decision.h"
#include "list/list.h"
#include "list/store.h"

/*
 * The frame of every hook.
 *
 *	int
 *	main(int argc, char *argv[])
 *	{
 *		return hook_main(&spec, argc, argv);
 *	}
 *
 * hook_main() reads the options and one bounded event, calls spec->run(),
 * and writes the decision.  run() asks for what it needs, so that an event
 * that no rule is about costs little:
 *
 *	hook_list()	which list, opened; 1, 0 there is none, -1
 *	hook_config()	the settings in force; 0, -1
 *	hook_self()	who acts
 *	hook_claims()	the claims on record
 *
 * Each does its work once.  A fault anywhere ends in hook_fault(), which does
 * what `on_fault` says for this hook.
 *
 * With --explain nothing is changed: run() must ask hook->explain before it
 * writes, and say with hook_would() what it would have written.
 */
enum hook_name { HOOK_VERIFY, HOOK_PRETOOLUSE, HOOK_STOP };

struct hook;
typedef int hook_run(struct hook *, struct error *);

struct hook_spec {
	const char *name;        /* of the executable */
	enum hook_name hook;     /* whose on_fault, whose rules */
	enum event_kind dialect; /* whose keys answer an event that could not be read */
	bool supervised;         /* a crash or an overrun is answered by a parent: always */
	const char *summary;     /* for --help: one line */
	hook_run *run;
	int (*ci)(int argc, char *argv[]); /* --ci; NULL */
};

/* What came in.  The accessors below fill it in, each once. */
struct hook_input {
	const char *config_file, *list_name, *dir; /* from the command line */
	struct event event;
	struct list list;
	struct store store;
	struct config config; /* the defaults until hook_config() */
	struct claims claims;
	struct agent self;
	char *self_name; /* owned by us, where the event does not hold it */
	bool have_list, have_config, have_claims, have_self;
};

/* What goes out. */
struct hook_output {
	struct decision decision;
	struct buf facts, would;      /* --explain */
	struct task_set given;        /* --explain: tasks that would be given back first */
	char *paused;                 /* why a person has paused refusals, if this was one; NULL */
	bool changed;                 /* a task was changed by us */
	void (*after)(struct hook *); /* once the answer is out; NULL */
};

struct hook {
	const struct hook_spec *spec;
	struct hook_input in;
	struct hook_output out;
	bool explain;
	bool judges;      /* a task is about to be completed: see hook_judges() */
	bool supervised;  /* by a parent */
	int64_t start_ms; /* see hook_deadline(); 0 not asked for yet */
	int64_t limit_ms; /* --deadline; 0 as the settings say */
};

int hook_main(const struct hook_spec *, int argc, char *argv[]);

/* Its three steps: set up, with faults answered from here on; fork if supervised; read, run,
 * answer. */
void hook_guard(struct hook *, const struct hook_spec *);
int hook_run_supervised(struct hook *); /* the exit status */

int hook_list(struct hook *, struct error *);
int hook_config(struct hook *, struct error *);
int hook_claims(struct hook *, struct error *);
void hook_self(struct hook *);

/* From here on a completion is judged: a fault does what on_fault.verify says. */
void hook_judges(struct hook *);
/* A crash or an overrun is answered by a parent from here on (not with --explain). */
void hook_supervise(struct hook *);

bool hook_list_open(const struct hook *); /* hook_list() has found one */
/* Does the main thread of a session act, and not a subagent or a teammate?  After hook_self(). */
bool hook_is_lead(const struct hook *);

/* When the whole run must be over.  Counted from the first call of this function. */
struct deadline hook_deadline(struct hook *);

/* How long to wait for a lock: the configured patience, within the deadline. */
struct deadline hook_patience(struct hook *);

/* Run the sync commands, if there are any, once the answer is out.  After hook_config(). */
void hook_mirror(struct hook *);

bool hook_is_paused(void); /* has a person paused refusals? */
/* If the decision is a refusal, and a person has paused refusals, make it a warning. */
void hook_pause(struct hook *);
/* For the journal: the pause, and whether a task was about to be completed. */
void hook_pause_note(const struct hook *, struct json_object *extra);

/* For --explain; nothing otherwise. */
#define hook_fact(h, ...) hook_line(h, &(h)->out.facts, __VA_ARGS__)
#define hook_would(h, ...) hook_line(h, &(h)->out.would, __VA_ARGS__)
void hook_line(struct hook *, struct buf *, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
