#ifndef HOOK_TELL_H
#define HOOK_TELL_H

#include "hook/hook.h"

/*
 * News for everyone who works on the list.  The person is told now; the agent
 * whose call is being answered, with the answer; the lead and the teammates, at
 * their next call of a task tool (note.h), each once.  Subagents are not told.
 */
struct news {
	const char *text, *rule;
	const char *session;   /* of the lead; NULL: any */
	struct strings not_to; /* teammates that it is about */
};
void tell(struct hook *, const struct news *);

/* Tell the agent whose call is being answered what waits for it, if the call passes. */
void tell_waiting(struct hook *);

/* ` Ready now: #1, #4.`; nothing if there are none. */
void tell_ready(struct buf *, const struct strings *ids);

#endif
