#ifndef LIST_STORE_H
#define LIST_STORE_H

#include <stdbool.h>

#include "base/clock.h"
#include "base/error.h"
#include "list/graph.h"
#include "sys/file.h"
#include "sys/lock.h"
#include "task/task.h"

/*
 * A list of tasks on disk: read without locks, changed under the client's.
 *
 * Layouts, detected by the files in the directory:
 *	native	  one file per task, as the client has it (also a new list)
 *	document  one tasks.json (flock on it, written in place)
 *	folder	  a .tasks/ directory of another tool's files
 *
 * Every operation locks, reads again, checks, stages, verifies the lock,
 * commits and unlocks within one deadline; after ERROR_LOST it starts over by
 * itself.  A change never holds two task locks (a dependency is two writes,
 * like the client's, both under the list lock).  The list lock is also held
 * while a rule is asked.  Files that the client does not show are not
 * changed; see store_bad().
 */
enum store_layout { STORE_NATIVE, STORE_DOCUMENT, STORE_FOLDER };

struct store {
	int dirfd;
	char *dir;
	enum store_layout layout;
	enum durability durability;
	/* private: */
	struct buf scratch; /* reused by scans */
	struct lock lock;   /* the list's */
	int depth;          /* nested store_enter() calls */
	bool in_task;       /* a task's lock is held */
};

#define STORE_INIT                                                            \
	{                                                                     \
		.dirfd = -1, .durability = DURABILITY_FILE, .lock = LOCK_INIT \
	}

/* Is the directory called .tasks?  Then it is a folder, whatever is in it. */
bool store_folder_name(const char *dir);

/* 1 opened; 0 there is no such list (with make false); -1. */
int store_open(struct store *, const char *dir, bool make, struct error *);
void store_close(struct store *);

/* Can a task of this list have this id?  Where ids become names of files: task_id_ok(). */
bool store_id_ok(const struct store *, const char *id);

/* Reading.  A torn file is tried again, then under its lock.  1 read; 0 no such
 * task, whatever the id; -1, with ERROR_INPUT for a file that the client does not show, and
 * why. */
int store_get(struct store *, const char *id, struct task *, struct error *);
int store_load(struct store *, struct task_set *, struct error *); /* all valid tasks, sorted */

/* Visit every valid task, in no order, without keeping them.  0, or what fn returned
 * to stop.  owner not NULL: only tasks of this owner (most files are not even parsed). */
int store_scan(struct store *, const char *owner, int (*fn)(void *, const struct task *), void *,
    struct error *);

/* Visit valid tasks in the order of their ids (a document: by status first) until fn returns
 * non-zero, and return that.  All of this status, perhaps some of others. */
int store_walk(struct store *, enum task_status, int (*fn)(void *, const struct task *), void *,
    struct error *);

/*
 * When a task was made and changed last.  Only a task of tasks.json says when it was changed;
 * for the others that is the time of the file, which an import sets (store_set_time()).  A task
 * that does not say when it was made is as old as its file, which our changes make anew.
 */
void store_times(struct store *, const struct task *, char **made, char **changed); /* owned */
void store_set_time(struct store *, const char *id, int64_t wall_ms);

/* The open or missing blockers of a task, each read from its own file. */
int store_blockers(struct store *, const struct task *, struct blockers *, struct error *);
/* The status of a task; blocked if it is pending and has such blockers. */
int store_status(struct store *, const struct task *, enum task_status *, struct error *);
/* graph_check_edges() of the list. */
int store_check_edges(
    struct store *, const char *id, struct graph_edge *, size_t count, struct error *);

/* Files that look like tasks but that the client does not show: name and reason. */
int store_bad(struct store *, void (*fn)(void *, const char *file, const char *reason), void *,
    struct error *);

/*
 * A rule that is asked under the lock, on what is then on disk.  Returns 0
 * to go on, or error_set(err, ERROR_REFUSED, ...).  `task` is NULL in create.
 */
typedef int store_rule(void *, struct store *, const struct task *task, struct error *);

/* id is chosen (native: max(files, .highwatermark) + 1); made gets the task. */
int store_create(struct store *, const struct change *, store_rule *, void *, struct task *made,
    struct deadline, struct error *);

/* 1 changed, 0 nothing to change, -1; ERROR_NOT_FOUND.  before/after may be NULL.
 * To blocked is to pending where the dependencies block the task: then they say it.
 * add_blocks / add_blocked_by are checked (self, unknown, cycle) and written on both sides. */
int store_update(struct store *, const char *id, const struct change *, store_rule *, void *,
    struct task *before, struct task *after, struct deadline, struct error *);

int store_delete(struct store *, const char *id, store_rule *, void *, struct task *before,
    struct deadline, struct error *);

/* Put a task back under its old id (restore, undo, import). Refuses if it exists. */
int store_put(
    struct store *, const char *id, const char *text, size_t len, struct deadline, struct error *);

/* `blocked` waits for `blocker` (add) or no longer does (remove). */
int store_depend(struct store *, const char *blocked, const char *blocker, bool remove,
    struct deadline, struct error *);

/* Hold the list lock around several operations (claims, busy check).  fn must be quick,
 * and may be called again: after ERROR_LOST from it. */
int store_locked(struct store *, int (*fn)(void *, struct store *, struct error *), void *,
    struct deadline, struct error *);

#endif
