#ifndef HOOK_GIVE_BACK_H
#define HOOK_GIVE_BACK_H

#include "hook/hook.h"

/*
 * Tasks of agents that are gone are given back, and the lead is told.  Every
 * run does this first.  Costs one failed access() when nothing is claimed.  Never
 * fails: what could not be given back stays for the next run.  ended: a session
 * that has ended, whose agents are gone with it; NULL.
 */
void give_back_dead(struct hook *, const char *ended);

/*
 * Tasks were given back: tell the person, the lead and the other teammates
 * (tell.h).  `who` had them; session: whose lead, NULL any.
 */
void give_back_tell(
    struct hook *, const struct released *, const char *who, bool terminated, const char *session);

#endif
