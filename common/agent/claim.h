#ifndef AGENT_CLAIM_H
#define AGENT_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/agent.h"
#include "agent/claims.h"
#include "list/list.h"
#include "list/store.h"

/*
 * Who works on which task: taking a claim, atomic over the list.
 *
 * A claim is recorded in claims.json in the list's state directory (claims.h),
 * because the task file does not tell: the client writes no owner for the main
 * thread of a session, nor for a subagent.  When an agent stops, or its
 * process is gone, its tasks are found by their claims.
 */
enum claim_result {
	CLAIM_FAULT = -1,
	CLAIM_OK,
	CLAIM_NOT_FOUND,  /* task_not_found */
	CLAIM_TAKEN,      /* already_claimed */
	CLAIM_RESOLVED,   /* already_resolved */
	CLAIM_BLOCKED,    /* blocked */
	CLAIM_AGENT_BUSY, /* agent_busy */
	CLAIM_OTHER_TYPE, /* agent_type */
};
const char *claim_result_name(enum claim_result);

/* What a refusal is about, for programs. */
struct claim_outcome {
	enum claim_result result;
	struct strings blocked_by, busy_with; /* ids of tasks */
	struct strings warnings;              /* of rules that only warn */
};
void claim_outcome_free(struct claim_outcome *);

/* When an agent is busy with other tasks. */
enum claim_busy {
	CLAIM_BUSY_NEVER,
	CLAIM_BUSY_STARTED, /* it has one in progress */
	CLAIM_BUSY_OWNER,   /* it has one in progress, or owns one that is not finished */
};

/* Whether a task is meant for another type of agents (macf.h). */
enum claim_type { CLAIM_TYPE_PASS, CLAIM_TYPE_WARN, CLAIM_TYPE_REFUSE };

struct claim_request {
	const char *task; /* the client's call will write it (hook) */
	/* Or what we write ourselves (CLI), as one: operations whose rule is claim_rule claim their
	 * task; their `arg` is set here.  NULL. */
	struct store_op *op;
	size_t ops;
	struct agent agent;
	enum claim_busy busy;
	enum claim_type type;
	bool by_session; /* of a task in progress only the session that has it may claim it again */
	const char *tool_use_id;
	const char *gate_file_hash, *head, *root;
	const char *owner;      /* the owner the call itself gives; NULL: agent_owner() */
	bool pass_owner;        /* the owner on disk is a label (holder.h) */
	const char *transcript; /* transcript_path of the event; NULL */
	bool pass_blocked, pass_taken, pass_resolved; /* rules that are off or only warn */
	struct claim_outcome *outcome;                /* filled in; NULL: not wanted */
};

/* The agent that made it, as agent_describe() says it. */
void claim_describe(struct buf *, const struct claim *);

bool claim_is_by(const struct claim *, const struct agent *);
/* Was it made in the agent's session, or (without one) by its client, under any name?  A shell
 * without a session is one place. */
bool claim_is_from(const struct claim *, const struct agent *);

/* The claim on the task, if its agent still works on it or is about to start it; NULL. */
const struct claim *claim_standing(const struct claims *, struct store *, const char *task);

/* The rule of an operation that claims its task: see claim_request. */
store_rule claim_rule;

/* On a refusal `reason` says why and names what is ready instead.  With operations a fault may be
 * a refusal of another rule: the error says so.  They are not journalled here. */
enum claim_result claim_take(const struct list *, struct store *, const struct claim_request *,
    struct buf *reason, struct deadline, struct error *);

/* What to say of a task whose [SA:type] names another type than this one (NULL: that of a main
 * thread, which has none); nothing if it does not. */
void claim_type_text(struct buf *, const struct task *, const char *type, bool refuse);

/* ` cannot start: ...`, of a task that was set to blocked (task_held()). */
void claim_held_text(struct buf *reason, const struct task *);

/*
 * What an agent that was refused can do instead, added to the reason: ` Ready now: #5 "Changelog",
 * #7 "Docs" and more.`  The first few tasks without owner, claim and open blockers, in the order
 * of their ids, not `except` (NULL: any); nothing if there is none.  Files are read until enough
 * are found, so that a refusal costs the same in a list of ten thousand.
 */
#define CLAIM_READY_SHOWN 5
void claim_add_ready(struct buf *reason, struct store *, const struct claims *, const char *except);

#endif
