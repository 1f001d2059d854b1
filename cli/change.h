#ifndef CLI_CHANGE_H
#define CLI_CHANGE_H

#include "agent/claims.h"
#include "cli.h"
#include "json/json.h"

/*
 * Changes to the list, each with a line in its journal that holds what the
 * task was and what it is, so that `log` can tell, `undo` can take it back
 * and `restore` can bring it back.
 *
 * The commands, `call` and `mcp` all go through here.  Functions return 0 (or
 * 1 changed, 0 not) or -1 with the error filled in; nothing is printed.
 * A journal that cannot be written does not undo the change: it is told by
 * cli_note().
 */

/* One command, one call of a tool: what `undo` takes back together. */
void change_begin(struct cli *);

int change_create(struct cli *, const struct change *, struct task *made, struct error *);
int change_update(struct cli *, const char *id, const struct change *, struct task *before,
    struct task *after, struct error *);
/* `as`: the task as it was before the whole command, for the journal; NULL: as it is now. */
int change_delete(
    struct cli *, const char *id, const struct task *as, struct task *before, struct error *);
int change_depend(struct cli *, const char *blocked, const char *blocker, bool remove,
    struct error *); /* 1 changed, 0 was so already */

/* What every claim owes the list first, as the hooks do: claims of agents that are gone are given
 * back.  Says which on standard error.  Never fails: `release --dead` tells why not. */
void change_sweep(struct cli *);

/*
 * Take it: in progress, with an owner.  On a refusal reason says why.  With
 * `with` these fields are written in the same go, and an owner only if it is
 * among them: as the client's own call would, once its hook has let it through.
 */
enum claim_result change_claim(struct cli *, const char *id, bool check_busy,
    const struct change *with, struct buf *reason, struct error *);
/* The exit status of each; CLAIM_FAULT has its error's. */
int claim_status(enum claim_result, const struct error *);

/*
 * Nobody said who acts on this task: a person at a shell acts for its owner, and
 * who claimed it by this command under a name goes by that name again.
 */
void change_identify(struct cli *, const struct task *, const struct claims *);

/*
 * The verdict of the gates, then the status.  unblocked: ids that can start
 * now.  Returns EXIT_DONE, or the exit status of the refusal with its reason
 * (EXIT_FAULT and the like: the error's text).
 */
struct change_complete {
	const char *id;
	bool force;
	const char *why;           /* of a forced one */
	bool quiet;                /* no progress on the terminal */
	const struct change *with; /* fields to write in the same go, or NULL */
};
int change_complete(
    struct cli *, const struct change_complete *, struct buf *reason, struct strings *unblocked);

/* The journal line itself, and what a change must make others forget; before or after may be NULL.
 */
void change_record(struct cli *, const char *event, const struct task *before,
    const struct task *after, const char *why, struct json_object *extra);

#endif
