#ifndef LIST_GRAPH_H
#define LIST_GRAPH_H

#include "base/error.h"
#include "task/task.h"

/*
 * Which task waits for which: questions about a task_set, and checks of new
 * dependencies, which read tasks through a function of the caller.
 */
struct blocker {
	char *id;
	bool missing; /* there is no such task; it blocks all the same */
	char *subject, *owner;
	enum task_status status;
};

struct blockers {
	struct blocker *item;
	size_t count;
};

/* t: the blocker, NULL if there is no such task. */
void blockers_add(struct blockers *, const char *id, const struct task *t);
/* The open or missing blockers of a task; store_blockers() reads them from the list. */
void graph_blockers_of(const struct task_set *, const struct task *, struct blockers *);
void blockers_free(struct blockers *);
/* `#2 "Tests" (in_progress, owner backend-2) and #3 "Docs" (pending)` */
void blockers_describe(struct buf *, const struct blockers *);

/* Pending or blocked, no owner: ready unless it has an open blocker. */
bool graph_is_free(const struct task *);
/* Those that are free and have no open blocker, in list order. */
void graph_ready(const struct task_set *, struct strings *ids);
/* Tasks whose only open blocker is `id`. */
void graph_unblocked(const struct task_set *, const char *id, struct strings *ids);

/*
 * New dependencies.  Fills in what a task waits for and what it is a part of.  1; 0 there is no
 * such task, or none that the client shows; -1.
 */
struct graph_task {
	struct strings blocked_by;
	char *parent; /* NULL */
	bool open;
};
typedef int graph_waits(void *, const char *id, struct graph_task *, struct error *);
/* For such a function: copies what is asked for. */
void graph_task_fill(struct graph_task *, const struct task *);

struct graph_edge {
	const char *blocked;  /* is to wait ... */
	const char *blocker;  /* ... for this one */
	bool unknown;         /* set: there is no such task (the one that is not `id`) */
	struct strings cycle; /* set: the cycle it would close, first == last; empty: none */
	/* set: the last of the cycle is not the first, but has it as a part, and is completed after
	 * its parts */
	bool part;
};

/*
 * Can these dependencies of the task `id` ("": one that is not made yet) be added together?  Sets
 * `unknown` and `cycle` of each edge; one whose ends are the same has neither.  The caller frees
 * the cycles.  For a list on disk: store_check_edges().  id NULL: waits() already returns
 * these dependencies, and the tasks are known.
 */
int graph_check_edges(
    graph_waits *, void *, const char *id, struct graph_edge *, size_t count, struct error *);
/* "#3", safe to show; "the new task" for those of `fresh`. */
void graph_name(struct buf *, const char *id, const struct strings *fresh);
/* -1: there is no such task; create it first, or leave `what` out. */
int graph_refuse_missing(const char *id, const char *what, struct error *err);
/* 0, or ERROR_REFUSED and why an edge of the task `id` cannot be added.  Those of `fresh` are
 * called "the new task". */
int graph_edge_refuse(
    const struct graph_edge *, const char *id, const struct strings *fresh, struct error *);

/* Does an open task wait for an open one that it is a part of?  The chain from it to that one. */
bool graph_waits_for_whole(const struct task_index *, const struct task *, struct strings *chain);

bool graph_any_cycle(const struct task_set *, struct strings *path);
/* An order (positions in the set) in which each task comes after those that it waits for; false:
 * there is none, and `cycle` says why. */
bool graph_order(const struct task_set *, size_t *order, struct strings *cycle);

/* Subtasks: parent / metadata.parent_id / metadata.parentId. */
void graph_children(const struct task_set *, const char *id, struct strings *ids);

/* A shortest chain of ids that blocks `id`: id, its blocker, that one's blocker, ... up to a task
 * that can be worked on. */
void graph_why(const struct task_set *, const char *id, struct strings *chain);

#endif
