#ifndef LIST_TALLY_H
#define LIST_TALLY_H

#include "base/clock.h"
#include "list/list.h"

/*
 * Counters that a hook run keeps for later ones: how often an agent was sent
 * back ("stop:a1b2"), which ready task was offered ("idle:5"), which label a
 * lead gave to a task ("label:...", 1 or not there).  tally.json in the list's
 * state; a key is a kind and a name.  Each kind keeps its newest 2000 keys, so
 * that many keys of one kind do not remove those of another.
 */
int64_t tally_get(const struct list *, const char *key); /* 0 if there is none */
/* Adds one; returns the new count, or -1. */
int64_t tally_add(const struct list *, const char *key, struct deadline, struct error *);
void tally_forget(const struct list *, const char *key, struct deadline);

#endif
