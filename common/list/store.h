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
 * Every change is whole, of one task or of many: it locks, reads again, checks
 * everything, stages, verifies the locks, commits and unlocks within one
 * deadline; after ERROR_LOST it starts over by itself.  What is refused has
 * changed nothing.  An update of one task takes that task's lock, like the
 * client's own; any other change (a dependency, a rule, several tasks) takes
 * the list's lock first.  Files that the client does not show are not changed;
 * see store_bad().
 */
enum store_layout { STORE_NATIVE, STORE_DOCUMENT, STORE_FOLDER };
#define STORE_LAYOUTS 3
extern const char *const store_layouts[STORE_LAYOUTS]; /* their names */

struct store {
	int dirfd;
	char *dir;
	enum store_layout layout;
	enum durability durability;
	bool made;    /* the directory: it is removed again if it stays empty */
	bool changed; /* a task was written or deleted, or that was tried */
	/* Set by a caller that replaces what it has read, or NULL: asked under the list's lock,
	 * before the rules.  Then all operations are one portion. */
	int (*guard)(void *, struct store *, struct error *);
	void *guard_arg;
	/* Added to by store_apply(): tasks that no operation names, but whose blockedBy changed, in
	 * layouts where the other side need not name them.  See store_forget_others(). */
	struct store_op *other;
	size_t others;
	/* private: */
	struct task_set *cached; /* of store_cache() */
	struct task_index cache_index;
	struct buf scratch; /* reused by scans */
	struct lock lock;   /* the list's */
	int depth;          /* nested store_enter() calls */
	int *pin;           /* of store_pin() */
	size_t pins;
	bool in_task; /* a task's lock is held */
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

/* The dialect of the layout. */
enum task_dialect store_dialect(const struct store *);

/* Can a task of this list have this id?  Where ids become names of files: files_name(). */
bool store_id_ok(const struct store *, const char *id);

/* Reading.  A torn file is tried again, then under its lock.  1 read; 0 no such
 * task, whatever the id; -1, with ERROR_INPUT for a file that the client does not show, and
 * why. */
int store_get(struct store *, const char *id, struct task *, struct error *);
int store_load(struct store *, struct task_set *, struct error *); /* all valid tasks, sorted */
/* Before many calls of store_get(): a document is read once for all, until store_uncache(). */
int store_cache(struct store *, struct error *);
void store_uncache(struct store *);

/* Visit every valid task, in no order, without keeping them.  0, or what fn returned
 * to stop.  owner not NULL: only tasks of this owner (most files are not even parsed). */
int store_scan(struct store *, const char *owner, int (*fn)(void *, const struct task *), void *,
    struct error *);

/* The same of all tasks that have a parent, perhaps of some others: see task_parent(). */
int store_scan_children(
    struct store *, int (*fn)(void *, const struct task *), void *, struct error *);

/* Visit valid tasks in the order of their ids (a document: by status first) until fn returns
 * non-zero, and return that.  All of this status, perhaps some of others. */
int store_walk(struct store *, enum task_status, int (*fn)(void *, const struct task *), void *,
    struct error *);

/*
 * When a task was made and changed last.  Only a task of tasks.json says when it was changed;
 * for the others that is the time of the file, which an import sets (store_op.changed_ms).  A task
 * that does not say when it was made is as old as its file, which our changes make anew.
 */
void store_times(struct store *, const struct task *, char **made, char **changed); /* owned */

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
 * A rule that is asked under the lock, on the task as it is then on disk and as the change would
 * make it; NULL: there is none (now: of a create, then: of a delete).  Returns 0 to go on, or
 * error_set(err, ERROR_REFUSED, ...) or ERROR_TAKEN.
 */
typedef int store_rule(
    void *, struct store *, const struct task *now, const struct task *then, struct error *);

/*
 * Changes of several tasks as one.
 *
 *	struct store_op op[] = {
 *		{ STORE_UPDATE, "3", .change = &c },
 *		{ .kind = STORE_DELETE, .id = "4" },
 *	};
 *	store_apply(&store, op, 2, deadline, &err)
 *	store_ops_free(op, 2)
 *
 * They are made in memory, one after the other, and the outcome is checked: unknown tasks,
 * circles, the rules.  Then all of it is written.  Dependencies are written on both sides.
 * Where a change to blocked only follows from the dependencies, the task is stored as pending.
 */
enum store_kind { STORE_CREATE, STORE_UPDATE, STORE_DELETE };

struct store_op {
	enum store_kind kind;
	const char *id; /* create: NULL, it is chosen (native: max(files, .highwatermark) + 1) */
	const struct change *change;
	/* create: the whole text instead of a change (restore, undo, import).  Its dependencies on
	 * tasks that are not there stay as they are. */
	const char *text;
	size_t len;
	bool no_circle; /* refuse a text that closes one (what is put back may have been in one) */
	int64_t changed_ms; /* when the task was changed, for store_times(); 0: now */
	store_rule *rule;
	void *arg;
	/* Filled in; store_ops_free() frees them. */
	struct task before, after; /* of the whole; no id: there is none */
	int result;                /* 1 changed, 0 not; -1: what it was refused for */
};

/* More are checked as a whole and then written in portions of this many, in their order, so that no
 * lock is held for long: each portion is whole.  ERROR_PARTLY: a later one failed, and the text
 * says how many are written.  A document has one portion. */
#define STORE_PORTION 50
size_t store_portion(const struct store *);

/* 1 changed, 0 nothing to change, -1; ERROR_NOT_FOUND. */
int store_apply(struct store *, struct store_op *, size_t count, struct deadline, struct error *);
/* The same without the rules, and nothing is locked or written: what would become of them? */
int store_plan(struct store *, struct store_op *, size_t count, struct error *);
void store_ops_free(struct store_op *, size_t count);
void store_forget_others(struct store *);

/* One update.  before, after may be NULL. */
int store_update(struct store *, const char *id, const struct change *, store_rule *, void *,
    struct task *before, struct task *after, struct deadline, struct error *);

/* `blocked` waits for `blocker` (add) or no longer does (remove). */
int store_depend(struct store *, const char *blocked, const char *blocker, bool remove,
    struct deadline, struct error *);

/*
 * Remove every task, also those that the client does not show, as the client's own clear does:
 * under the list's lock, and the next number stays.  `tasks` gets those that were valid; `others`
 * the name and the text of each other file, alternating (a document: "tasks[3]").  How many, or -1.
 */
int store_clear(struct store *, struct task_set *tasks, struct strings *others, struct deadline,
    struct error *);

/* Hold the list lock around several operations (claims, busy check).  fn must be quick,
 * and may be called again: after ERROR_LOST from it. */
int store_locked(struct store *, int (*fn)(void *, struct store *, struct error *), void *,
    struct deadline, struct error *);

#endif
