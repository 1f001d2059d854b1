#ifndef GATE_COMPLETION_H
#define GATE_COMPLETION_H

#include "agent/agent.h"
#include "agent/claim.h"
#include "config/gate.h"
#include "list/store.h"
#include "task/task.h"
#include "json/json.h"

/*
 * A task that someone wants to complete, and the checks that need no command.
 *
 * The task is seen as it would be after the completing call: what is on disk,
 * with the metadata that was sent along laid over it.
 *
 *	struct completion c = { .task = ..., ... };
 *	completion_open(&c, metadata, &err)
 *	completion_check(&c, CHECK_OWNER, &reason, &err)
 *	completion_close(&c)
 */
struct completion {
	const struct task *task;
	const struct list *list;
	struct store *store;
	const struct claims *claims;
	const struct agent *agent;      /* who completes it */
	const struct strings *required; /* metadata keys */
	bool no_subtasks;               /* there are no open ones: none are looked for */
	struct json sent;               /* the metadata sent; no nodes: none */
};

/* Parse the metadata sent (JSON text, borrowed; NULL: none). */
int completion_open(struct completion *, const char *metadata, struct error *);
void completion_close(struct completion *);

/* The value of metadata.KEY; JSON_ABSENT if there is none (or null). */
json_ref completion_metadata(const struct completion *, const char *key, const struct json **);

/* 0 fine; 1 an objection (facts, then what to do) was appended to reason; -1 fault. */
int completion_check(
    const struct completion *, enum gate_check, struct buf *reason, struct error *);

/* The SHA-256 that ties a receipt to a task's subject and description. */
void completion_hash(const struct task *, char out[HASH_HEX]);

#endif
