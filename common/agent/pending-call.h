#ifndef AGENT_PENDING_CALL_H
#define AGENT_PENDING_CALL_H

#include "agent/event.h"
#include "list/list.h"

/*
 * The metadata of a completing TaskUpdate, kept from its PreToolUse to its
 * TaskCompleted: the client has not written it to the task yet when that event
 * fires.  Metadata of a call that is over, as the transcript says, is not found.
 */
int pending_call_keep(const struct list *, const char *task, const struct event *,
    const char *metadata, size_t len, struct error *);
/* The metadata's JSON text; 1, 0 none for this task and agent. */
int pending_call_find(
    const struct list *, const char *task, const struct event *, struct buf *metadata);
void pending_call_drop(const struct list *, const char *task);

#endif
