#ifndef CLI_CHANGE_H
#define CLI_CHANGE_H

#include "agent/claims.h"
#include "cli.h"
#include "json/json.h"

/*
 * Changes to the list, each with a line in its journal that holds the task before and after, for
 * `log`, `undo` and `restore`.
 *
 * The commands, `call` and `mcp` all use these.  Functions return 0 (or 1 changed, 0 not) or -1
 * with the error filled in; nothing is printed.  If the journal cannot be written the change
 * stays, and cli_note() reports it.
 */

/* Begin a command or a tool call; `undo` undoes its changes together. */
void change_begin(struct cli *);

int change_create(struct cli *, const struct change *, struct task *made, struct error *);
int change_update(struct cli *, const char *id, const struct change *, struct task *before,
    struct task *after, struct error *);
/* `as`: the task as it was before the whole command, for the journal; NULL: as it is now. */
int change_delete(
    struct cli *, const char *id, const struct task *as, struct task *before, struct error *);
int change_depend(struct cli *, const char *blocked, const char *blocker, bool remove,
    struct error *); /* 1 changed, 0 unchanged */

/* Release the claims of agents that are gone, as the hooks do before each claim, and print them on
 * standard error.  Errors are ignored: `release --dead` reports them. */
void change_release_dead(struct cli *);

/*
 * Claim a task: set it in progress, with an owner.  A refusal fills in reason.  If `with` is not
 * NULL its fields are written too, and the owner only if it is one of them, as in the client.
 */
enum claim_result change_claim(struct cli *, const char *id, bool check_busy,
    const struct change *with, struct buf *reason, struct error *);
/* The exit status for a result; for CLAIM_FAULT that of the error. */
int change_claim_exit(enum claim_result, const struct error *);
/* change_claim() as an exit status; reason also gets the text of a fault. */
int change_claim_status(
    struct cli *, const char *id, const struct change *with, struct buf *reason);

/*
 * If no name was passed, act under the name of the task's claim if this session (or a shell) made
 * it.  A person at a shell acts as the owner of a task without a claim.
 */
void change_identify(struct cli *, const struct task *, const struct claims *);

/*
 * Run the gates, then write the status.  unblocked: ids that can start now.  Returns EXIT_DONE, or
 * the exit status of the refusal or fault with its reason.
 */
struct change_complete {
	const char *id;
	bool force;
	const char *why;           /* the reason of a forced completion */
	bool quiet;                /* no progress on the terminal */
	const struct change *with; /* fields to write with it, or NULL */
};
int change_complete(
    struct cli *, const struct change_complete *, struct buf *reason, struct strings *unblocked);

/* Append a line to the journal; before or after may be NULL.  Takes extra. */
void change_record(struct cli *, const char *event, const struct task *before,
    const struct task *after, const char *why, struct json_object *extra);

/* Are two fields the same?  An absent one (NULL) equals an empty one. */
bool change_same(const char *, const char *);

#endif
