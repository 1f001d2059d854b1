#ifndef AGENT_NOTE_H
#define AGENT_NOTE_H

#include "base/buf.h"
#include "base/clock.h"
#include "list/list.h"

/*
 * Notes for the lead: what was released and what became ready, told to the
 * model once, at its next call that a hook answers.
 *
 * notes.jsonl in the list's state, a line each.  A note is for one session, or
 * (session NULL) for the first main thread that makes a call.
 */
int note_add(
    const struct list *, const char *session, const char *text, struct deadline, struct error *);
/* Appends those for `session` to text and forgets them; 1, 0 there was none, -1. */
int note_take(
    const struct list *, const char *session, struct buf *text, struct deadline, struct error *);

#endif
