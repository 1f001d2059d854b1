#ifndef CLI_CHANGE_H
#define CLI_CHANGE_H

#include "agent/claims.h"
#include "cli.h"
#include "json/json.h"

/*
 * Changes to the list: all of a call or nothing of it, and a line in the journal for each task,
 *with the task before and after, for `log`, `undo` and `restore`.
 *
 *	struct store_op op = { STORE_UPDATE, id, .change = &change };
 *	struct change_batch b = { .op = &op, .count = 1 };
 *	status = change_apply(c, &b, &reason)
 *	change_end(&b)
 *
 * The commands, `call` and `mcp` all use these.  Nothing is printed.  If the journal cannot be
 * written the change stays, and cli_note() reports it.
 *
 * The rule of an operation says what it is: claim_rule (claim.h), the task is claimed;
 * change_completes, the task passes its gates first, which run before anything is locked or
 *written.
 */
store_rule change_completes;

/* A line of the journal, beside what the task was and is. */
struct change_note {
	const char *event, *why;   /* NULL: what the operation is */
	struct json_object *extra; /* taken; NULL */
};

struct change_batch {
	struct store_op *op;
	struct change_note *note; /* beside them; NULL */
	size_t count;
	bool check_busy; /* a claim is refused if the agent has another open task */
	bool quiet;      /* no progress of gates on the terminal */
	bool force;      /* a person completes it in spite of the gates ... */
	const char *why; /* ... and says why */
	/* Set: */
	enum claim_result claim;
	struct strings unblocked; /* can start now, by what was completed */
};

/* EXIT_DONE, or the exit status of the refusal or fault, with its reason; result of the operation
 * that it is about is -1. */
int change_apply(struct cli *, struct change_batch *, struct buf *reason);
/* Frees what was filled in, here and in the operations. */
void change_end(struct change_batch *);
/* One operation, which the caller frees. */
int change_one(struct cli *, struct store_op *, struct buf *reason);
/* Prints the reason, or that there is no such task; the status. */
int change_failed(struct cli *, const struct change_batch *, int status, const struct buf *reason);

/* Begin a command or a call of a tool: `undo` takes its changes back together. */
void change_begin(void);

/* Every task of the list is removed, also those that the client does not show: how many, or -1. */
int change_clear(struct cli *, struct error *);

/* Release the claims of agents that are gone, as the hooks do before each claim, and print them on
 * standard error.  Errors are ignored: `release --dead` reports them. */
void change_sweep(struct cli *);

/* Claim it: in progress, with an owner.  As change_apply(); result may be NULL. */
int change_claim(
    struct cli *, const char *id, bool check_busy, enum claim_result *result, struct buf *reason);

/*
 * Who acts on this task, if no name was passed: a person at a shell acts for its owner, and under
 * the name of a claim that was made from here.
 */
void change_identify(struct cli *, const struct task *, const struct claims *);

/* Are two fields the same?  An absent one (NULL) is an empty one. */
bool change_same(const char *, const char *);

#endif
