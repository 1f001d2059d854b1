#ifndef CLI_CHANGE_H
#define CLI_CHANGE_H

#include "agent/claims.h"
#include "cli.h"
#include "json/json.h"

/*
 * Changes to the list: all changes of a call or none (of more than STORE_PORTION those of the first
 * portions, if a later one fails, or is refused because another process changed the list after the
 * check), and a line in the journal for each changed task, with the task before and after, for
 * `log`, `undo` and `restore`.
 *
 *	struct store_op op = { STORE_UPDATE, id, .change = &change };
 *	struct change_batch b = { .op = &op, .count = 1 };
 *	status = change_apply(c, &b, &reason)
 *	change_end(&b)
 *
 * The commands, `call` and `mcp` all use these.  Nothing is printed.  If the journal cannot be
 * written the change stays, and cli_note() reports it.
 *
 * The rule of an operation says what it is: claim_rule (claim.h) claims the task;
 * change_completes completes it after its gates, which run before anything is locked or written.
 * Any other operation of a tool call gets the rule change_allowed: what another agent has is not
 * deleted, and keeps its status and its owner.  A person may change it with a command.
 */
store_rule change_completes;
store_rule *change_rule(enum task_status to); /* of a change to this status; NULL */
store_rule change_allowed;

/* What a line of the journal says besides the task before and after. */
struct change_note {
	const char *event, *why;   /* event NULL: what the operation is; why may be NULL */
	struct json_object *extra; /* taken; may be NULL */
};

struct change_batch {
	struct store_op *op;
	struct change_note *note; /* parallel to op; may be NULL */
	size_t count;
	bool check_busy; /* refuse a claim if the agent has another open task */
	bool by_session; /* of a tool call: see claim_request, change_allowed */
	bool reopen;     /* a completed task can be claimed */
	int (*guard)(void *, struct store *, struct error *); /* as in struct store; NULL */
	void *guard_arg;
	const char *other_list; /* of a move between two: for the journal; NULL */
	bool quiet;             /* no progress of gates on the terminal */
	bool force;             /* complete without the gates */
	const char *why;        /* the reason of a forced completion */
	/* Set by change_apply(): */
	struct claim_outcome claim;
	struct strings unblocked; /* ids that can start now, after a completion */
};

/* EXIT_DONE, or the exit status of the refusal or fault with its reason; the result of the
 * refused operation is -1. */
int change_apply(struct cli *, struct change_batch *, struct buf *reason);
/* Frees what was filled in, here and in the operations. */
void change_end(struct change_batch *);
/* change_apply() of one operation, which the caller frees. */
int change_one(struct cli *, struct store_op *, struct buf *reason);
/* Prints the reason, or that there is no such task; returns the status. */
int change_failed(struct cli *, const struct change_batch *, int status, const struct buf *reason);

/* Begin a command or a tool call; `undo` undoes its changes together. */
void change_begin(void);

/* Remove every task of the list, also those that the client does not show: how many, or -1. */
int change_clear(struct cli *, struct error *);

/* Release the claims of agents that are gone, as the hooks do before each claim, and print them on
 * standard error.  Errors are ignored: `release --dead` reports them. */
void change_release_dead(struct cli *);

/* Claim a task: set it in progress, with an owner.  The batch has no operations, and is ended by
 * the caller.  Returns as change_apply(). */
int change_claim(struct cli *, const char *id, struct change_batch *, struct buf *reason);
/* What became of a claim, for programs: success, reason, the task as the client has it,
 * blockedByTasks, busyWithTasks.  The status is that of change_apply(). */
void change_outcome(
    struct cli *, const char *id, int status, const struct claim_outcome *, struct json_object *);

/* Was the task's claim made from here (claim_is_from())?  Then, if no name was passed, act under
 * the name of the claim. */
bool change_resume(struct cli *, const char *id);

/* Are two fields the same?  An absent one (NULL) equals an empty one. */
bool change_same(const char *, const char *);

#endif
