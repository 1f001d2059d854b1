#ifndef HOOK_SWEEP_H
#define HOOK_SWEEP_H

#include "hook/hook.h"

/*
 * What every run owes the list: claims of agents that are gone are given
 * back, and whoever leads learns of it.  Costs one failed open when
 * nothing is claimed.  Never fails: what could not be swept stays for the next run.
 */
void sweep_dead(struct hook *);
/* The same when a session has ended: its id. */
void sweep_session(struct hook *, const char *session);

/*
 * Tasks were given back: say so to the person now, and to the lead when it
 * next asks (at once, if it is the lead's own call that is being answered).
 * `who` did what: "backend-2", terminated or not.
 */
void sweep_tell(
    struct hook *, const struct released *, const char *who, bool terminated, const char *session);

#endif
