#ifndef LIST_SUBTASKS_H
#define LIST_SUBTASKS_H

#include "list/list.h"
#include "list/store.h"

/*
 * The open subtasks of a task, without reading the whole list each time.
 *
 * A subtask names its parent, so only a scan finds them all.  The first
 * scan leaves marks in the list's state (`parents`, empty if no task has any,
 * and a file `parent-<id>` for each task that has subtasks); from then on a
 * task without a mark needs no scan.  A call that gives a task a parent sets the mark before
 * the client writes.  Subtasks made in other ways are seen when the marks are
 * renewed (SUBTASKS_SECONDS), and by the check at completion, which always looks.
 */
#define SUBTASKS_SECONDS 600

/* remember: marks may be written.  Copies of the open ones are added to found. */
int subtasks_open(const struct list *, struct store *, const char *id, bool remember,
    struct task_set *found, struct error *);

/* This call's metadata may name a parent. */
void subtasks_note(const struct list *, const struct json *, json_ref metadata);

/* Parents were changed without subtasks_note(): scan again next time. */
void subtasks_forget(const struct list *);

#endif
