#ifndef AGENT_NOTE_H
#define AGENT_NOTE_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "list/list.h"

/*
 * Notes: what was released and what became ready, told to a model once, at
 * its next call that a hook answers.
 *
 * notes.jsonl in the list's state has one line per addressee: a teammate by
 * name, the lead of a session, or (neither) the first main thread that makes a
 * call.  A line is removed when it was told, or after a day.
 */
struct note {
	const char *text;
	bool lead;           /* for the lead ... */
	const char *session; /* ... of this session; NULL: of any */
	struct strings to;   /* and for these teammates */
};
int note_add(const struct list *, const struct note *, struct deadline, struct error *);
/* Appends those for the teammate (name NULL: for the lead of the session) to text and forgets them;
 * 1, 0 if there was none, -1.  One system call if there are no notes. */
int note_take(const struct list *, const char *name, const char *session, struct buf *text,
    struct deadline, struct error *);

#endif
