#ifndef FORM_CONVERT_H
#define FORM_CONVERT_H

#include "list/store.h"

/*
 * Converts tasks from one form into another, and reports what is lost.
 *
 *	native	   one file per task, as the client has it
 *	document   { "tasks": [...], "version": 2, "last_updated": ... }
 *	exported   [ task, ... ] with priority, dependencies, metadata.subagent_id
 *	folder	   one file per task below .tasks/, owner null, no metadata
 *	checklist  Markdown: - [x] #1 Subject
 *
 * What a form has no field for goes into the metadata (parent_id, priority,
 * activeForm, created_at, updated_at, original_status); what it cannot hold
 * at all is reported, one line each: `#3 "Ship": metadata.tags is lost`.
 * In the exported form a pending task that waits for others is blocked.
 *
 *	struct task_set tasks = { 0 };
 *	struct convert_report report = { 0 };
 *	convert_read(form, text, len, &tasks, &report, &err)	from a text, or
 *	store_load(&store, &tasks, &err)			from a list
 *	convert_print(form, &tasks, now, &out, &report, &err)	to a text, or
 *	convert_put(&store, &tasks, &report, deadline, &err)	to a list
 */
enum convert_form {
	CONVERT_NATIVE,
	CONVERT_DOCUMENT,
	CONVERT_EXPORTED,
	CONVERT_FOLDER,
	CONVERT_CHECKLIST,
	CONVERT_UNKNOWN
};

const char *convert_form_name(enum convert_form);   /* "document" */
enum convert_form convert_form_parse(const char *); /* also "tasks.json", "markdown", ... */
enum convert_form convert_form_of(const char *text, size_t len); /* by its content */

struct convert_report {
	struct strings lost;        /* what the target cannot hold */
	struct strings changed;     /* ids that had to change: "task.1 is now 4" */
	struct strings skipped;     /* entries that are not tasks, and why */
	struct strings skipped_ids; /* those that they have */
};
void convert_report_free(struct convert_report *);

/*
 * The tasks of a text.  CONVERT_NATIVE and CONVERT_FOLDER take a single
 * task or an array of them (or one per line); entries that are not tasks are
 * skipped and reported.
 */
int convert_read(enum convert_form, const char *text, size_t len, struct task_set *,
    struct convert_report *, struct error *);

/* All of them as one text: document, exported (array), checklist, or an array of the others. */
int convert_print(enum convert_form, const struct task_set *, int64_t now_wall_ms, struct buf *out,
    struct convert_report *, struct error *);

/*
 * The Task[] of a list, whatever its layout: id, subject, description, status,
 * priority, owner, dependencies, blockedBy (those that are open), and in
 * metadata subagent_id, created_at, updated_at.  The client's internal tasks
 * are left out.  plain: subjects and descriptions without control sequences, for
 * readers; without it an import has the same texts again.  compact: on one line, without a newline.
 */
int convert_export(struct store *, bool plain, bool compact, struct buf *out, struct error *);

/*
 * Removes the dependencies and parents that name neither a task of the set nor one of the list
 * (NULL: only the set counts), and reports each as lost; quiet: only the parents.
 */
int convert_settle(
    struct task_set *, struct store *to, bool quiet, struct convert_report *, struct error *);

/*
 * Into a list, under their own ids where these are valid and free, else under new ones, which
 * dependencies then name: the operations for store_apply(), in an order in which each task comes
 * after those that it waits for.  All is checked; tasks that wait for each other in a circle, or
 * are parts of each other, are refused.
 */
int convert_check(const struct task_set *, struct error *); /* for such a circle alone */

struct convert_batch {
	struct store_op *op;
	size_t count;
	struct strings ids, texts; /* what they borrow */
};
int convert_begin(struct convert_batch *, struct store *, const struct task_set *,
    struct convert_report *, struct deadline, struct error *);
void convert_end(struct convert_batch *);

/* All of it: how many, or -1. */
int convert_put(struct store *, const struct task_set *, struct convert_report *, struct deadline,
    struct error *);

/* Makes an empty list of this layout in a directory (created if missing); refused if the directory
 * has a list. */
int convert_make(const char *dir, enum store_layout, struct error *);

#endif
