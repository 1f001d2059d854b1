#ifndef LIST_TALLY_H
#define LIST_TALLY_H

#include "base/clock.h"
#include "list/list.h"

/*
 * Small counts that one hook run leaves for the next: how often an agent was
 * sent back, which ready task was offered to whom.  tally.json in the list's
 * state; a key is a kind and a name ("stop:a1b2", "idle:5").  Each kind keeps
 * its newest 2000 keys, so that counts do not push out labels ("label:...").
 */
int64_t tally_get(const struct list *, const char *key); /* 0 if there is none */
/* One more; the new count, or -1. */
int64_t tally_add(const struct list *, const char *key, struct deadline, struct error *);
void tally_forget(const struct list *, const char *key, struct deadline);

#endif
