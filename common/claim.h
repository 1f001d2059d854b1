#ifndef COMMON_CLAIM_H
#define COMMON_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "list.h"
#include "store.h"

/*
 * Who works on what: the claim, atomic over the list, and its record.
 *
 * An agent is known by what its events carry (event_agent()).  A claim is
 * recorded in claims.json in the list's state directory, so that a later
 * stop event, or the absence of one, can be matched: the client shows no owner
 * for the main thread of a session and writes none for a subagent.
 */
struct agent {
	const char *id;      /* agent_id of a subagent or in-process teammate; NULL main thread */
	const char *type;    /* subagent type */
	const char *name;    /* teammate's name, or a configured name of the session; NULL */
	const char *session; /* session_id; NULL at a shell */
	int64_t pid;         /* the client's process, 0 unknown */
	uint64_t pid_start;  /* its start, /proc/<pid>/stat field 22 */
};

/* The word that stands for it in `owner`: name, else id, else NULL (main thread). */
const char *agent_owner(const struct agent *);
/* "subagent a1b2… (general-purpose)", "teammate backend-2", "session 1234abcd" */
void agent_describe(struct buf *, const struct agent *);

struct claim {
	char *task, *agent_id, *agent_type, *name, *session,
	    *owner;        /* owner: as asked to be written */
	char *tool_use_id; /* the call the claim was made for */
	char *space;       /* where its pid means something: host and pid namespace; NULL: here */
	char *transcript;  /* of its session; says whether that call is over (transcript.h) */
	int64_t pid;
	uint64_t pid_start;
	int64_t time_ms;
	bool settled;    /* seen on disk as in_progress since */
	char *gate_hash; /* of the gate file when claimed; NULL */
	char *head;      /* git HEAD when claimed; NULL */
};

enum claim_result {
	CLAIM_FAULT = -1,
	CLAIM_OK,
	CLAIM_NOT_FOUND,  /* task_not_found */
	CLAIM_TAKEN,      /* already_claimed */
	CLAIM_RESOLVED,   /* already_resolved */
	CLAIM_BLOCKED,    /* blocked */
	CLAIM_AGENT_BUSY, /* agent_busy */
};
const char *claim_result_name(enum claim_result);

struct claim_request {
	const char *task;
	struct agent agent;
	bool check_busy; /* refuse if the agent has another open task */
	bool write; /* write status and owner ourselves (CLI); false: the client's call will (hook)
		     */
	const char *tool_use_id;
	const char *gate_hash, *head;
	const char *owner; /* the owner the call itself gives; NULL: agent_owner() */
	bool pass_owner;   /* the owner on disk is a label; see holder.h for who "another" is */
	const char *transcript;                       /* transcript_path of the event; NULL */
	bool pass_blocked, pass_taken, pass_resolved; /* rules that are off or only warn */
};

/* On a refusal `reason` says why and names what is ready instead. */
enum claim_result claim_take(const struct list *, struct store *, const struct claim_request *,
    struct buf *reason, struct deadline, struct error *);

/* The ledger. */
struct claims {
	struct claim *item;
	size_t count, room;
};
int claims_load(
    const struct list *, struct claims *, struct error *); /* none: count 0, and no cost */
void claims_free(struct claims *);
const struct claim *claims_find(const struct claims *, const char *task);
bool claim_is_by(const struct claim *, const struct agent *);
/* Change the ledger under its lock: fn edits in place; saved if it returns 1. */
int claims_edit(const struct list *, int (*fn)(void *, struct claims *), void *, struct deadline,
    struct error *);
void claims_drop(struct claims *, size_t index);
int claim_forget(const struct list *, const char *task, struct deadline, struct error *);

/* Does this claim's client process still live (pid and start time)?  True if that cannot be
 * told: no pid, or one of another machine or container. */
bool claim_alive(const struct claim *);

#endif
