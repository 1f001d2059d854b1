#ifndef HOOK_DECISION_H
#define HOOK_DECISION_H

#include "agent/event.h"
#include "base/buf.h"

/*
 * The answer, with the keys of its event.  The zero decision is a silent pass.
 *
 * A refusal is decision JSON on stdout, the same reason on stderr and exit
 * status 2: each client version honours at least one of them.  Besides
 * decision_refuse_plainly(), only decision_write() yields 2 in a hook.
 *
 * Keys that an event does not have are left out: a client drops a whole answer
 * over one key it does not expect.  All texts are bounded and made safe to
 * show here.
 */
enum verdict { VERDICT_PASS, VERDICT_REFUSE };

struct decision {
	enum verdict verdict;
	struct buf reason;        /* of a refusal: facts, then the way out */
	struct buf message;       /* systemMessage: for the person */
	struct buf context;       /* additionalContext: for the model; tool events only */
	struct buf updated_input; /* JSON text; PreToolUse */
	struct json_object *tasks_to_update; /* an array; NULL; SubagentStop */
	const char *rule;                    /* which rule decided, for --explain and the journal */
	const char *task;                    /* which task it is about; borrowed, NULL */
	bool recorded;                       /* the journal has it already */
};

/* A further paragraph of one of its texts; none if it is empty. */
void decision_add(struct buf *to, const struct buf *text);
/* Is there anything to say? */
bool decision_silent(const struct decision *);
/* The JSON alone, no newline; empty for a silent pass. */
void decision_json(const struct decision *, enum event_kind, struct buf *);
/* Returns the exit status: 0, or 2 for a refusal. */
int decision_write(const struct decision *, enum event_kind, int out_fd, int err_fd);
void decision_free(struct decision *);

/*
 * The same refusal with fixed bytes and no allocation, for a process that
 * cannot go on (no memory, a crash, an overrun).
 */
int decision_refuse_plainly(enum event_kind, const char *reason, int out_fd, int err_fd);

#endif
