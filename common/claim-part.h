#ifndef COMMON_CLAIM_PART_H
#define COMMON_CLAIM_PART_H

#include "claim.h"

/*
 * What the parts of claims and releases need of each other.
 */

struct claim *claims_add(struct claims *); /* empty */

/* This machine, its boot and the pid namespace, for claim.space; NULL if unknown. */
const char *claim_space(void);

/* What a claim is worth, given its task as it is on disk now. */
enum claim_state {
	CLAIM_HELD,   /* somebody works on it, or is about to */
	CLAIM_BEGUN,  /* the same, and seen on disk for the first time: settle it */
	CLAIM_DEAD,   /* its client is gone: what it left must be given back */
	CLAIM_SPENT,  /* the task is done, gone, put back or in other hands: forget it */
	CLAIM_UNUSED, /* the call never followed: forget it */
};

/* task NULL: there is none.  call_over: transcript_call_over() was asked before the task was
 * read.  now: clock_wall_ms(). */
enum claim_state claim_judge(
    const struct claim *, const struct task *task, bool call_over, int64_t now);
/* The same with a look at the disk; task is filled unless there is none. */
enum claim_state claim_look(
    const struct claim *, struct store *, struct task *, bool *found, struct error *);

/* A store_rule, asked under the task's own lock, which alone stops the client: the task (arg) must
 * still be as it was when we decided, in status and owner.  Else ERROR_LOST: decide again. */
int claim_unchanged(void *task, struct store *, const struct task *now, struct error *);

/* {"status": ..., "owner": ...} of a task, for the journal. */
struct json_object *claim_task_facts(enum task_status, const char *owner);

#endif
