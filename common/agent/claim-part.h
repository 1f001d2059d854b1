#ifndef AGENT_CLAIM_PART_H
#define AGENT_CLAIM_PART_H

#include "agent/claim.h"

/*
 * What the files of claim, claims, release and report-apply share.
 */

/* The state of a claim, given its task as it is on disk now. */
enum claim_state {
	CLAIM_HELD,   /* an agent works on the task, or is about to */
	CLAIM_BEGUN,  /* the same, and seen on disk for the first time: mark it as settled */
	CLAIM_DEAD,   /* its client is gone: give the task back */
	CLAIM_SPENT,  /* the task is completed, deleted, pending again or another's: drop the claim
		       */
	CLAIM_UNUSED, /* the client never made the call: drop the claim */
};

/* Reads the task; it is filled in unless there is none. */
enum claim_state claim_look(
    const struct claim *, struct store *, struct task *, bool *found, struct error *);

/* claim_type_text() for the agent that wants the task.  One whose type is not known may be of that
 * type: nothing. */
void claim_type_find(
    struct buf *, const struct task *, const struct claim_request *, const struct list *);

/* Asked under the task's own lock, which the client respects: the task must still have the status
 * and owner that it had (arg) when we decided.  Else ERROR_LOST: decide again. */
store_rule claim_unchanged;

/* {"status": ..., "owner": ...} of a task, for the journal. */
struct json_object *claim_task_facts(enum task_status, const char *owner);
/* {"before": ..., "after": ...}: the task's text, to restore it if its file is lost.  NULL: none.
 */
struct json_object *claim_texts(const char *before, const char *after);

#endif
