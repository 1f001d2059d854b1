#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include "agent/claims.h"
#include "cli.h"
#include "list/graph.h"

/*
 * A list as it is shown: its tasks in the client's order, which are ready, what each waits for, and
 * how a task is printed on one line.
 */
struct view {
	struct task_set tasks; /* the client's internal ones too: they may block */
	struct strings ready;
	struct task_index index; /* of tasks, for view_find() */
	bool *can_start;         /* by position in tasks: is it ready? */
	size_t shown;            /* all but the internal ones */
	size_t pending, in_progress, completed, cancelled;
	size_t blocked; /* open, with an open blocker or set to blocked */
};

/* 0; -1 after cli_error().  A list that does not exist yet is empty. */
int view_load(struct cli *, struct view *);
void view_of(struct view *, struct task_set *); /* takes the tasks */
void view_free(struct view *);

/* A task by its id, or NULL; in constant time (task_set_find() takes linear time). */
const struct task *view_find(const struct view *, const char *id);

/* The ids of open or missing blockers of a task. */
void view_blockers(const struct view *, const struct task *, struct strings *ids);
bool view_ready(const struct view *, const char *id);
/* Its status; blocked if it is pending and has such blockers. */
enum task_status view_status(const struct view *, const struct task *);

/* `#3 [in_progress] Fix parser (backend-2) (for TestEng) [blocked by #2]`, or on a terminal
 * `◼ #3 Fix parser  @backend-2  for TestEng`; fitted to the columns there; no newline. */
void view_line(struct cli *, const struct view *, const struct task *);

/* A subject (or any text) made safe, at most max characters. */
void view_text(struct buf *, const char *, size_t max);

/* The same of a subject, to the output; its dim parts are dim on a terminal with colours. */
void view_subject(struct cli *, const char *, size_t max);

/* The first characters of an id or a hash, made safe, without dots after them. */
void view_head(struct buf *, const char *, size_t max);
/* A time of the journal: "2026-02-06 20:41:00"; nothing if the text is not a time. */
void view_time(struct buf *, const char *iso);

/* Load the claims; a file that cannot be read is reported, and counts as empty. */
void view_claims(struct cli *, struct claims *);

void view_span(struct buf *, int64_t ms); /* "12s", "2m", "3h", "5d" */
/* "2m ago", "3h ago", "2026-02-06" */
void view_ago(struct buf *, int64_t wall_ms);

/* The task as the client has it, whatever the layout of its list. */
struct json_object *view_client_json(const struct task *);
/* What a command did: "created #7 Fix the parser", or with --json the task. */
void view_result(struct cli *, const char *action, const struct task *);

/* "#2, #3" */
void view_ids(struct buf *, const struct strings *);

/* The task for --json: {"id","subject","status","owner"?,"kind"?,"for"?,...}. */
struct json_object *view_json(const struct view *, const struct task *);

#endif
