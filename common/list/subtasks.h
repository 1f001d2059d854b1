#ifndef LIST_SUBTASKS_H
#define LIST_SUBTASKS_H

#include "list/list.h"
#include "list/store.h"

/*
 * The open subtasks of a task.
 *
 * A subtask names its parent, so only a scan of the whole list finds them.  In a
 * list of 1,000 tasks that takes 3,000 system calls; all else that PreToolUse
 * does for a completion without gates takes about 50.  Most lists have no subtasks
 * at all: a scan that finds no task with a parent leaves a mark in the list's
 * state, and while it is there PreToolUse does not scan.
 *
 * A tool call or command that gives a task a parent removes the mark.  Other
 * programs do not, so the mark proves nothing.  Every completion is scanned for
 * once: at TaskCompleted, or, if the list has gates, at PreToolUse in spite of the
 * mark.  What finds that a mark is wrong removes it.
 */

/* Always scans.  Adds copies of them to `open`, in the order of their ids; `parents`: some task of
 * the list has a parent. */
int subtasks_open(
    struct store *, const char *id, struct task_set *open, bool *parents, struct error *);

/* The mark.  Setting it can fail; then the next completion scans again. */
bool subtasks_marked_none(const struct list *);
void subtasks_mark_none(const struct list *);
void subtasks_unmark(const struct list *);

/* Remove the mark if the input of a TaskCreate or TaskUpdate may give a task a parent. */
void subtasks_see_call(const struct list *, const struct json *, json_ref input);

#endif
