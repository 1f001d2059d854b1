#ifndef GATE_VERIFY_H
#define GATE_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/agent.h"
#include "agent/claim.h"
#include "config/config.h"
#include "config/gate.h"
#include "config/governing.h"
#include "list/store.h"
#include "json/out.h"

/*
 * May this task be completed?  Used by the hook, for completions reported at a
 * stop, by the command line and by CI.
 *
 *	struct verify v = VERIFY_INIT;
 *	if (verify_task(&v, &request, &err) == -1)
 *		a fault: the caller's on_fault says what it means
 *	v.passed, or v.reason says why not
 *	verify_record(&v, &request, &err)   the receipt or the refusal, journalled
 *	verify_free(&v);
 *
 * Order: the task is read; built-in checks; trust; the gates that apply are
 * chosen; their passes are looked up in the cache; the rest runs, in parallel,
 * without any lock held; the tree must not have changed meanwhile; the task
 * is read again and must still be the same and still pass the built-in checks
 * (unless it was given).
 * Every way to fail is a refusal or a fault, never a pass.
 */
struct gate_result {
	const struct gate *gate; /* borrowed from the config, or from verify.own */
	enum gate_verdict verdict;
	char *why; /* of a skip, a failed check, or why it could not run; NULL */
	char *end; /* "exit 1", "killed by SIGSEGV"; NULL if it did not run */
	int exit;  /* exit status; -1 */
	int tries;
	bool cached;
	char *uncached;    /* why a pass cannot be cached; NULL */
	char *dir;         /* where it ran, see verify_place(); NULL: not chosen */
	const char *since; /* what its `changed` was counted from: the tree on which it was
			      "proven", the "merge-base", the "claim", "head", a "base" that CI
			      gave, or "everything" counts; NULL: that was not asked */
	int64_t ms;
	uint64_t output_total;
	struct buf tail; /* of the last try's output */
	char digest[HASH_HEX];
	char key[HASH_HEX];      /* in the cache; "" none */
	char call_key[HASH_HEX]; /* for verify_kept */
};

/* RUNS: about twice a second; the result has the time so far, and in tail the end of the
 * output. */
enum verify_moment { VERIFY_GATE_STARTS, VERIFY_GATE_RUNS, VERIFY_GATE_ENDS };

/* Does the list have open subtasks of the task? */
enum verify_subtasks {
	SUBTASKS_SCAN,   /* the check of that name looks for them */
	SUBTASKS_MARKED, /* no, by the list's mark: that is enough if there are no gates */
	SUBTASKS_NONE,   /* no: a scan for this call has just shown it */
};

/*
 * What PreToolUse of a completing call has found, kept for the TaskCompleted of that call: see
 * pending_call.  Each result that still fits is used instead of a run of its gate.
 */
struct verify_kept {
	struct json json;
	int64_t time_ms;
	bool scanned; /* there were no open subtasks */
	bool paused;  /* it refused, and a person's pause let the call pass */
	char *told;   /* hash of the message; NULL: there was none */
};

struct verify_request {
	unsigned on; /* GATE_COMPLETE, GATE_STOP or GATE_CI */
	const struct config *config;
	const struct list *list;
	struct store *store;
	const struct claims *claims; /* of the list, just read; NULL without a store */
	const char *task;            /* id */
	/* The task itself, as read elsewhere (CI: store may be NULL), or as it will be written by a
	 * call that completes it and changes more.  The writer checks it again under the lock.
	 * NULL. */
	const struct task *given;
	const struct task *disk; /* the task, just read from the list; NULL: it is read */
	enum verify_subtasks subtasks;
	const char *since; /* CI: the commit that `changed` counts from; NULL: the claim's */
	const char
	    *metadata; /* JSON object text sent with the completing call, not on disk yet; NULL */
	struct agent agent;
	const char *cwd;            /* of the event */
	const char *project_dir;    /* where its session was started (hooks); NULL */
	const char *client_version; /* NULL */
	struct deadline deadline;
	bool trusted;    /* CI: --trust was given */
	bool hook;       /* asked by a hook: its passes are kept in the cache, no one else's */
	bool no_cache;   /* use no pass of the cache; new ones are still kept */
	bool plan_only;  /* choose and look up, but run nothing (--explain, --dry-run) */
	bool second;     /* of the work tree of the claim, after that of the event: not counted */
	bool gates_only; /* no built-in checks of the config (verify by hand of a pending task) */
	const struct strings *only;     /* names of gates; NULL all */
	const struct verify_kept *kept; /* by PreToolUse of this call; NULL */
	struct json_object *ran;        /* an array: gets what ran, for verify_kept_json(); NULL */
	void (*begin)(void *);          /* called before the first gate or git may run; NULL */
	void *begin_arg;
	void (*progress)(
	    void *, enum verify_moment, const struct gate *, const struct gate_result *);
	void *progress_arg;
};

struct verify {
	bool passed;
	bool checked;       /* at least one gate passed or one built-in check was made */
	bool scanned;       /* and found no open subtasks; see verify_kept */
	bool stop_retrying; /* attempts are used up: reason and message say so */
	struct buf reason;  /* of a refusal */
	struct buf
	    message; /* for the person: systemMessage; a pass has one too if there are warnings */
	struct buf
	    advice;       /* for the agent, of a pass: the output and fix of gates that only warn */
	const char *rule; /* "blockers" "checklist" "trust" "gates" "tree" ...; NULL on a pass */
	int64_t attempts; /* refusals so far, this one included */

	struct gate_result *result;
	size_t count;
	struct strings warnings;
	struct governing governing;
	enum trust trust;
	char tree_before[HASH_HEX], tree_after[HASH_HEX]; /* "" unknown */
	char *head;                                       /* NULL */
	char *base;                  /* the commit at which the task was claimed; NULL */
	char subject_hash[HASH_HEX]; /* SHA-256 of subject NUL description */
	struct gate *own;            /* the gate made of metadata.verify; NULL */
	struct task task;
	int64_t ms;
};

#define VERIFY_INIT               \
	{                         \
		.task = TASK_INIT \
	}

/* The request's config is what was read around cwd; `governing` gets the one that is applied. */
int verify_task(struct verify *, const struct verify_request *, struct error *);

/* Journal the outcome: a receipt for a pass, else a refusal, which counts as an attempt. */
int verify_record(const struct verify *, const struct verify_request *, struct error *);
void verify_free(struct verify *);

/* governing_bind(), and record the merge base that may be counted from.  begins: a task is made or
 * started; a list that is first bound by a completion has none.  0, -1. */
int verify_bind(
    const struct governing *, const struct list *, bool begins, struct deadline, struct error *);

/* What to keep.  Takes the array. */
struct json_object *verify_kept_json(const struct verify *, struct json_object *ran, bool paused);
/* Borrows the text.  False: it is damaged, or more than a minute old. */
bool verify_kept_read(struct verify_kept *, const struct buf *text);
bool verify_kept_told(const struct verify_kept *, const struct verify *); /* its message */
void verify_kept_free(struct verify_kept *);

/* The built-in checks alone: 0 fine, 1 refused with reason and rule, -1 fault.  Cheap enough
 * for a store_rule, under the lock. */
int verify_builtin(const struct verify_request *, const struct task *, struct buf *reason,
    struct strings *warnings, const char **rule, struct error *);

/* Journal that a person forced it: claude-tasks complete N --force --reason. */
int verify_force(const struct verify_request *, const struct task *, const char *who,
    const char *reason, struct error *);

/* A directory as a receipt has it: relative to the root of the gate file ("." is the root), or
 * absolute if it is not below the root; owned. */
char *verify_place(const char *root, const char *dir);

/* Call fn for each glob (`changed` or `files` of a gate) that matches no file of the repository
 * around cwd: probably a typing mistake.  1 there are some, 0 none, -1 git failed. */
int verify_dead_globs(const struct gates *, const char *cwd, struct deadline,
    void (*fn)(void *, const struct gate *, const char *key, const char *glob), void *,
    struct error *);

#endif
