#ifndef AGENT_NOTE_H
#define AGENT_NOTE_H

#include "base/buf.h"
#include "base/clock.h"
#include "list/list.h"

/*
 * Notes for whoever leads: what was released and what became ready, told to
 * the model once, at its next call that a hook answers.
 *
 * notes.jsonl in the list's state, a line each.  A note is for one session,
 * or (session NULL) for the first main thread that comes by.
 */
int note_add(
    const struct list *, const char *session, const char *text, struct deadline, struct error *);
/* Appends those for `session` to text and forgets them; 1, 0 there was none, -1. */
int note_take(
    const struct list *, const char *session, struct buf *text, struct deadline, struct error *);

/*
 * What a call brings that is not on disk yet when its own TaskCompleted
 * fires: the metadata of a completing TaskUpdate, kept from one hook to the
 * next.  One that the transcript knows to be over is not the call that is
 * being judged, and is not found.
 */
struct event;
int call_keep(const struct list *, const char *task, const struct event *, const char *metadata,
    size_t len, struct error *);
/* The metadata's JSON text; 1, 0 none for this task and agent. */
int call_find(const struct list *, const char *task, const struct event *, struct buf *metadata);
void call_drop(const struct list *, const char *task);

#endif
