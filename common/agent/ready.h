#ifndef AGENT_READY_H
#define AGENT_READY_H

#include "agent/claim.h"
#include "agent/claims.h"

/*
 * What an agent that was told no can do instead.
 *
 *	Ready now: #5 "Changelog", #7 "Docs" and more.
 *
 * The first few tasks that are pending, have no owner and no claim, and wait
 * for nothing, in the order of their ids; nothing if there is none.  Files
 * are read until enough are found, so that a refusal costs the same in a list
 * of ten thousand.
 */
#define READY_SHOWN 5

void ready_describe(struct buf *, struct store *, const struct claims *);

#endif
