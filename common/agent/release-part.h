#ifndef AGENT_RELEASE_PART_H
#define AGENT_RELEASE_PART_H

#include "agent/release.h"
#include "list/journal.h"

/* What the files of release share. */
struct releasing {
	const struct list *list;
	const struct agent *agent; /* whose; in release_dead() who looks; NULL */
	const char *why, *ended;
	const struct strings *ids; /* release_tasks() */
	struct deadline deadline;
	struct claims *known; /* see release.h */
	struct released *out;
	size_t from;           /* how many were in there before */
	struct strings owned;  /* tasks that have the agent as their owner */
	struct strings forget; /* tasks whose claims are dropped */
	struct strings settle; /* tasks whose claims are settled */
	struct strings unused; /* tasks whose claim was never used */
	struct task_set give;  /* tasks to give back, as they are */
	struct strings why_so; /* parallel to them */
	struct strings whys;   /* parallel to out->tasks */
	struct strings texts;  /* parallel to out->tasks: as they are now */
	struct claims dropped; /* their claims */
	size_t first, next;    /* the portion of `owned` or `ids`: from, and up to */
	bool more;             /* another portion follows */
	char group[JOURNAL_GROUP];
};

/* Before deciding, also again after a lost lock. */
void release_begin(struct releasing *);
/* Journal what was done, and find out what of it can be started now. */
void release_finish(struct releasing *, struct store *);

#endif
