#ifndef AGENT_PENDING_CALL_H
#define AGENT_PENDING_CALL_H

#include <json-c/json.h>

#include "agent/event.h"
#include "list/list.h"

/*
 * What is kept of a completing TaskUpdate from its PreToolUse to its TaskCompleted:
 * its metadata, which the client has not written to the task yet when that event
 * fires, and what the verification has found.  Once the transcript shows that the call
 * is over, pending_call_find() does not find it.
 */
struct pending_call {
	struct buf metadata; /* JSON text; empty: none was sent */
	struct buf verdict;  /* JSON text; see verify_kept; empty: none */
};

/* metadata: JSON text; NULL.  Takes the verdict; NULL. */
int pending_call_keep(const struct list *, const char *task, const struct event *,
    const char *metadata, struct json_object *verdict, struct error *);
/* 1, 0 none for this task and agent. */
int pending_call_find(
    const struct list *, const char *task, const struct event *, struct pending_call *);
void pending_call_drop(const struct list *, const char *task);
void pending_call_free(struct pending_call *);

#endif
