#ifndef HOOK_POLICY_H
#define HOOK_POLICY_H

#include "agent/claim.h"
#include "agent/holder.h"
#include "config/config.h"
#include "hook/decision.h"
#include "list/graph.h"

/*
 * From facts to a decision.  Pure: no files, no clock, no environment, so that
 * every rule is a row in a table of tests.
 *
 * The caller fills in the facts that the question needs and leaves the rest
 * zero; a policy adds what it objects to: a refusal (level "refuse"), a remark
 * for the model (level "warn"), or nothing ("off").  The first refusal names
 * the rule; later ones add their reason.
 */
struct facts {
	const struct config *config;
	struct holder_query query;         /* the task, who wants it, who has it */
	const struct blockers *blockers;   /* open or missing ones; NULL: not looked at */
	const struct task_set *subtasks;   /* open ones; NULL */
	const struct task_set *dependents; /* open tasks that wait for it; NULL */
	const struct graph_edge *edge;     /* dependencies that the call asks for, checked */
	size_t edges;
	const char *agent_type; /* of who wants it; NULL: none, or not known */
};

void policy_start(const struct facts *, struct decision *);      /* to in_progress */
void policy_agent_type(const struct facts *, struct decision *); /* the same, by its [SA:type] */
void policy_complete(const struct facts *, struct decision *);   /* to completed */
void policy_delete(const struct facts *, struct decision *);     /* to deleted */
void policy_cancel(const struct facts *, struct decision *);     /* to cancelled */
void policy_reset(const struct facts *, struct decision *);      /* to pending or blocked */
void policy_owner(const struct facts *, struct decision *);      /* owner only */
void policy_depend(const struct facts *, struct decision *);     /* addBlocks, addBlockedBy */

/* TaskCreate. */
struct create_facts {
	const struct config *config;
	const char *subject, *description; /* NULL: not given */
	bool pattern_fails;                /* the subject does not match create.subject_pattern */
	const struct strings *missing;     /* required metadata keys that are not there */
	size_t open;                       /* open tasks in the list */
	const struct task *duplicate;      /* an open task with the same subject; NULL */
};
void policy_create(const struct create_facts *, struct decision *);

/* An agent about to be spawned: the tasks its prompt names. */
struct spawn_task {
	const struct task *task;
	const struct blockers *blockers;
};
/* Can none of them be worked on?  Only then has policy_spawn() something to object to. */
bool policy_spawn_useless(const struct spawn_task *, size_t count);
void policy_spawn(
    const struct config *, const struct spawn_task *, size_t count, struct decision *);
/* The ids that a text names: `#3`, `task 3`, `tasks 3, 4 and #5`; not `issue #3`, `PR #3`. */
void policy_spawn_names(const char *text, struct strings *ids);

/* TodoWrite: the client's list of items, or one task in the form {description, id?, status?,
 * dependencies?}. */
void policy_todo(const struct config *, const struct json *, json_ref input, struct decision *);

/* An objection, filed by its level.  Takes the text. */
void policy_object(struct decision *, enum config_level, const char *rule, struct buf *text);

#endif
