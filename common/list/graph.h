#ifndef LIST_GRAPH_H
#define LIST_GRAPH_H

#include "list/store.h"
#include "task/task.h"

/*
 * Who waits for whom.  Pure over a task_set, except the first, which reads
 * just the task's blockers instead of the whole list.
 */
struct blocker {
	char *id;
	bool missing; /* no such task: blocks all the same, and is said so */
	char *subject, *owner;
	enum task_status status;
};

struct blockers {
	struct blocker *item;
	size_t count;
};

/* The open or missing blockers of a task, each read from its own file. */
int graph_blockers(struct store *, const struct task *, struct blockers *, struct error *);
void graph_blockers_of(const struct task_set *, const struct task *, struct blockers *);
void blockers_free(struct blockers *);
/* `#2 "Tests" (in_progress, owner backend-2) and #3 "Docs" (pending)` */
void blockers_describe(struct buf *, const struct blockers *);

/* pending, no owner, nothing open before it; in list order. */
void graph_ready(const struct task_set *, struct strings *ids);
/* What becomes ready when `id` completes. */
void graph_unblocked(const struct task_set *, const char *id, struct strings *ids);

/* The path of ids that a new edge blocked->blocker would close (first == last), or 0. */
bool graph_cycle(
    const struct task_set *, const char *blocked, const char *blocker, struct strings *path);
/* That edge refused, with the path. */
int graph_refuse_cycle(
    const char *blocked, const char *blocker, const struct strings *path, struct error *);
bool graph_any_cycle(const struct task_set *, struct strings *path);
/* The same from files, following only the blockers it needs. */
int graph_cycle_on_disk(struct store *, const char *blocked, const char *blocker,
    struct strings *path, struct error *); /* 1 cycle, 0 none, -1 */

/* Subtasks: parent / metadata.parent_id / metadata.parentId. */
void graph_children(const struct task_set *, const char *id, struct strings *ids);

/* The shortest chain of ids that stops `id`: id, blocker, its blocker... up to one that can be
 * worked on. */
void graph_why(const struct task_set *, const char *id, struct strings *chain);

#endif
