#ifndef AGENT_CLAIMS_H
#define AGENT_CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "list/list.h"
#include "sys/file.h"
#include "sys/lock.h"

/*
 * The record of who has claimed what: claims.json in the list's state
 * directory.  claim.h has the rules by which a claim is made.
 */
struct claim {
	char *task, *agent_id, *agent_type, *name, *session, *client,
	    *owner;        /* owner: as asked to be written */
	char *tool_use_id; /* the call the claim was made for */
	char *space;       /* where its pid is valid: machine, boot, pid namespace; NULL: here */
	char *transcript;  /* of its session; says whether that call is over (transcript.h) */
	int64_t pid;
	uint64_t pid_start;
	int64_t time_ms;
	bool settled;         /* seen on disk as in_progress since */
	char *gate_file_hash; /* of the gate file when claimed; NULL */
	char *head;           /* git HEAD when claimed; NULL */
	char *root;           /* of the project whose gate file applied then; NULL */
};

struct claims {
	struct claim *item;
	size_t count;
	struct file_mark mark; /* the file that has these claims; not set: none has them */
	/* claims_lock() alone: */
	bool locked;
	const struct list *list;
	struct lock lock;
};

/* Read without a lock.  No record: count 0, at the cost of one failed access(). */
int claims_load(const struct list *, struct claims *, struct error *);
/* Read under its lock, to be changed; the list's lock, if both are held, is taken first.
 * Locked until claims_unlock(), which keeps what was read, or claims_free().  `known` (NULL: none)
 * was read before: if the file has not changed since, those claims are moved instead of a second
 * read.  claims_move() them back afterwards. */
int claims_lock(
    const struct list *, struct claims *, struct claims *known, struct deadline, struct error *);
int claims_save(struct claims *, struct error *);
void claims_unlock(struct claims *);
void claims_free(struct claims *);
/* `to` becomes what `from` was read as; `from` is freed. */
void claims_move(struct claims *to, struct claims *from);

const struct claim *claims_find(const struct claims *, const char *task);
struct claim *claims_add(struct claims *); /* empty */
void claims_drop(struct claims *, size_t index);
/* A claim as the record has it. */
struct json_object *claims_print(const struct claim *);
int claims_parse(struct claims *, const char *text, struct error *); /* adds it */
/* The claims on these tasks are removed from the record: how many, or -1. */
int claims_forget(
    const struct list *, const struct strings *tasks, struct deadline, struct error *);

/* Does this claim's client process still live (pid and start time)?  True if that cannot be
 * told: no pid, or one of another machine or container. */
bool claims_alive(const struct claim *);

/* This machine, its boot and the pid namespace, for claim.space; NULL if unknown. */
const char *claims_space(void);

#endif
