#ifndef TASK_TASK_H
#define TASK_TASK_H

#include <stdbool.h>

#include "base/mem.h"
#include "json/json.h"

/*
 * One task: what its fields mean, and the bytes it came from.
 *
 * A task keeps its own JSON text and index, so that unknown fields survive
 * our writes.  The decoded fields below are for reading only; a change goes
 * through task_edit(), which splices.
 *
 * The dialects, the forms a task's text can have:
 *	native	  the client's file: id subject description activeForm owner
 *		  status blocks blockedBy metadata
 *	document  an element of tasks.json: description assignee dependencies
 *		  parent_id created_at updated_at, status may be "blocked"
 *	exported  an element of a Task[]: priority, dependencies beside
 *		  blockedBy, metadata.subagent_id, "cancelled"
 *	folder	  a file below .tasks/: owner may be null, no blocks
 *
 * A status that the status field of a dialect cannot have (the client does not
 * list a task with such a status) is kept in metadata.original_status:
 * "cancelled" beside completed, "blocked" beside pending.  It counts only while
 * the field has that status, and our next change of the status removes it.
 */
enum task_dialect { TASK_NATIVE, TASK_DOCUMENT, TASK_EXPORTED, TASK_FOLDER };
enum task_status {
	TASK_PENDING,
	TASK_IN_PROGRESS,
	TASK_COMPLETED,
	TASK_BLOCKED,
	TASK_CANCELLED,
	TASK_NO_STATUS
};

struct task {
	char *id;      /* as the list knows it: the file's name without .json */
	char *subject; /* document: first line of the description */
	char *title;   /* the subject as text_plain() gives it: for all that shows or searches it */
	char *description;                  /* "" if absent */
	char *active_form, *owner, *parent; /* NULL if absent; owner "" counts as absent */
	enum task_status status;
	enum task_status original; /* metadata.original_status: cancelled, blocked, or none */
	struct strings blocks, blocked_by; /* document, exported: dependencies */
	bool internal;                     /* metadata._internal: the client does not list it */
	enum task_dialect dialect;
	struct buf text;
	struct json json;
};

#define TASK_INIT                                                    \
	{                                                            \
		.status = TASK_NO_STATUS, .original = TASK_NO_STATUS \
	}

/*
 * Reads a task.  `id` is its file's name without .json, NULL to take the id
 * from the text.  The text is copied.  -1 with ERROR_INPUT names the rule that
 * the text breaks ("owner is null, not a string (or left out)"): the client
 * does not list such a file.
 */
int task_read(
    struct task *, enum task_dialect, const char *id, const char *text, size_t len, struct error *);
/* The same with the text already in task->text; reuses memory (for scans). */
int task_reread(struct task *, enum task_dialect, const char *id, struct error *);
void task_free(struct task *); /* leaves TASK_INIT */
void task_copy(struct task *to, const struct task *from);

const char *task_status_name(enum task_status);   /* "in_progress" */
enum task_status task_status_parse(const char *); /* TASK_NO_STATUS if none */
bool task_open(const struct task *);              /* neither completed nor cancelled */
/* Does a task that depends on this one have to wait?  NULL: on one that is missing. */
bool task_blocks(const struct task *);
/* Blocked by request, not by its dependencies: it cannot start until its status is set again. */
bool task_held(const struct task *);
/* In progress, or blocked, which a task of a document becomes while somebody works on it. */
bool task_begun(const struct task *);
json_ref task_metadata(const struct task *); /* JSON_ABSENT if none */
/* Does it lack created_at or updated_at, which its dialect requires?  It is read all the same; the
 * next edit, even one that changes nothing, adds them. */
bool task_lacks_times(const struct task *);
char *task_metadata_string(const struct task *, const char *key);
/* created_at, updated_at: at its top or in the metadata; NULL; owned. */
char *task_time(const struct task *, const char *key);
/* A value of metadata.priority: low, medium, high, or absent. */
bool task_priority_ok(const struct json *, json_ref);

#define TASK_ID_MAX 1024 /* bytes of any id */
/* An id that may become a file name: [A-Za-z0-9_-][A-Za-z0-9._-]{0,127}. */
bool task_id_ok(const char *);
/* An id as a word of a shell command, quoted if it must be, safe to show: in the form $'...' of
 * bash and zsh if a part of it is not. */
void task_id_word(struct buf *, const char *id);
int task_id_compare(const char *, const char *); /* numeric ones by number, before the others */

/*
 * A change to a task.  CHANGE_INIT changes nothing.
 * Strings are borrowed.
 */
struct change {
	enum task_status status; /* TASK_NO_STATUS: leave */
	bool follows;            /* blocked is not a request, where the dependencies say it */
	const char *subject, *description, *active_form; /* NULL: leave */
	bool retitle;         /* keep the marks of MACF before the subject */
	bool verbatim;        /* the texts are those of an earlier state: keep nothing in them */
	const char *owner;    /* NULL: leave; "": remove it */
	bool empty_owner;     /* write owner "" as the client does; native only */
	const char *parent;   /* NULL: leave */
	const char *metadata; /* JSON object text, merged key by key, null deletes; NULL: leave */
	const struct strings *add_blocks,
	    *add_blocked_by; /* ids; the store changes the other side */
	const struct strings *remove_blocks, *remove_blocked_by;
	const struct macf *macf; /* of a new task: its kind, see macf.h; NULL */
};

#define CHANGE_INIT                      \
	{                                \
		.status = TASK_NO_STATUS \
	}

/*
 * The task's text after the change; only the bytes of edited values change (a
 * file in exactly the client's own layout also gets the client's key order, so
 * that the same operation gives the same bytes).  1 if something changed, 0 if
 * not, -1 if the dialect cannot hold the change or the client would not list
 * the result.  A <macf_task_metadata> block (macf.h) is kept with a new
 * description.
 */
int task_edit(const struct task *, const struct change *, int64_t now_wall_ms, struct buf *out,
    struct error *);

/* The text of a new task. */
int task_make(enum task_dialect, const char *id, const struct change *, int64_t now_wall_ms,
    struct buf *out, struct error *);

/* `#4 "Ship"` / `#4 "Ship" (in_progress, owner backend-2)`, safe to show. */
void task_name(struct buf *, const struct task *);
void task_describe(struct buf *, const struct task *);

/* Many tasks, in the order the client lists them. */
struct task_set {
	struct task *item;
	size_t count;
	size_t skipped; /* what is in the list and is not a valid task: store_bad() names it */
};

struct task *task_set_find(const struct task_set *, const char *id); /* NULL */
struct task *task_set_add(struct task_set *);                        /* a fresh TASK_INIT */
void task_set_sort(
    struct task_set *); /* in_progress, pending, (blocked, cancelled,) completed; by id */
void task_set_free(struct task_set *);

/*
 * A hash table of a set's tasks by id.  Valid as long as the set is not
 * changed; of two tasks with the same id it finds the first.
 */
struct task_index {
	const struct task_set *set;
	size_t *slot, mask;
};

#define TASK_NOWHERE ((size_t)-1)

void task_index_make(struct task_index *, const struct task_set *);
size_t task_index_find(const struct task_index *, const char *id);            /* TASK_NOWHERE */
const struct task *task_index_get(const struct task_index *, const char *id); /* NULL */
void task_index_free(struct task_index *);

#endif
