#ifndef AGENT_CLAIMS_H
#define AGENT_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "list/list.h"

/*
 * The record of who has claimed what: claims.json in the list's state
 * directory.  claim.h has the rules by which a claim is made.
 */
struct claim {
	char *task, *agent_id, *agent_type, *name, *session,
	    *owner;        /* owner: as asked to be written */
	char *tool_use_id; /* the call the claim was made for */
	char *space; /* where its pid means something: machine, boot, pid namespace; NULL: here */
	char *transcript; /* of its session; says whether that call is over (transcript.h) */
	int64_t pid;
	uint64_t pid_start;
	int64_t time_ms;
	bool settled;         /* seen on disk as in_progress since */
	char *gate_file_hash; /* of the gate file when claimed; NULL */
	char *head;           /* git HEAD when claimed; NULL */
};

struct claims {
	struct claim *item;
	size_t count, room;
};
int claims_load(
    const struct list *, struct claims *, struct error *); /* none: count 0, and no cost */
void claims_free(struct claims *);
const struct claim *claims_find(const struct claims *, const char *task);
/* Change the ledger under its lock: fn edits in place; saved if it returns 1. */
int claims_edit(const struct list *, int (*fn)(void *, struct claims *), void *, struct deadline,
    struct error *);
void claims_drop(struct claims *, size_t index);
int claims_forget(const struct list *, const char *task, struct deadline, struct error *);

/* Does this claim's client process still live (pid and start time)?  True if that cannot be
 * told: no pid, or one of another machine or container. */
bool claims_alive(const struct claim *);

struct claim *claims_add(struct claims *); /* empty */

/* This machine, its boot and the pid namespace, for claim.space; NULL if unknown. */
const char *claims_space(void);

#endif
