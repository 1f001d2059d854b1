#ifndef COMMON_DECISION_H
#define COMMON_DECISION_H

#include "buf.h"
#include "event.h"

/*
 * The answer, in its event's dialect.  The zero decision is a silent pass.
 *
 * A refusal is armed twice: decision JSON on stdout, the same reason on
 * stderr, exit status 2.  decision_write() is the only function in the
 * suite that may yield 2.
 */
enum verdict { VERDICT_PASS, VERDICT_REFUSE };

struct decision {
	enum verdict verdict;
	struct buf reason;          /* of a refusal: facts, then the way out */
	struct buf message;         /* systemMessage: for the person */
	struct buf context;         /* additionalContext: for the model */
	struct buf updated_input;   /* JSON text; PreToolUse */
	struct buf tasks_to_update; /* JSON array text; SubagentStop */
	const char *rule;           /* which rule decided, for --explain and the journal */
};

/* Returns the exit status: 0, or 2 for a refusal. */
int decision_write(const struct decision *, const struct event *, int out_fd, int err_fd);
void decision_free(struct decision *);

#endif
