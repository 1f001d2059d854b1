#ifndef GATE_VERIFY_PART_H
#define GATE_VERIFY_PART_H

#include "agent/claims.h"
#include "gate/completion.h"
#include "gate/git.h"
#include "gate/verify.h"
#include "sys/child.h"

/*
 * The state of one verification.  Only for the parts of verify:
 *
 *	verify.c		the steps and their order
 *	verify-select.c		choose the gates that apply
 *	verify-allow.c		is a task's own command allowed?
 *	verify-tree.c		hash the tree; passes from and to the cache
 *	verify-proven.c		the tree on which a gate passed last
 *	verify-base.c		the merge base with the default branch
 *	verify-kept.c		what PreToolUse has found, for TaskCompleted
 *	verify-claimed.c	the place of the claim, if it is another one
 *	verify-run.c		run the gates
 *	verify-report.c		the texts of a refusal
 *	verify-record.c		the receipt or the refusal in the journal
 */
enum plan_state { PLAN_SKIP, PLAN_WAIT, PLAN_RUN, PLAN_DONE };

struct plan_item { /* beside verify.result[i] */
	enum plan_state state;
	char *cwd;            /* where it runs */
	struct strings env;   /* variables added to child_env() */
	char scope[HASH_HEX]; /* hash of what it reads, before it ran; "" unknown */
	struct child child;
	int64_t ms;     /* of earlier tries */
	int64_t began;  /* this try, monotonic */
	char *live;     /* see child.h; NULL: no progress is shown */
	bool unchanged; /* skipped, since nothing has changed since it passed: a remembered pass
			   says more */
	bool cut;       /* its deadline is that of the whole run, not its own */
	bool kept;      /* it ran at PreToolUse of this call, not now */
};

struct plan {
	const struct verify_request *req; /* &governed */
	struct verify_request governed;   /* as asked, with the settings that govern */
	struct verify *verify;
	struct completion completion;
	const struct claim *claim; /* on this task; NULL */
	int statefd;               /* -1: none, so no cache */
	char *event;               /* the directory of the event */
	char *root;                /* of the project that is judged */
	char *cwd;                 /* in its work tree: whose tree is read */
	struct deadline until;     /* for the gates: leaves time to answer */
	struct plan_item *item;

	bool tree_read;
	struct git_tree tree;
	struct git_times times; /* of its files, before the gates ran */
	char *tree_why;         /* why the tree is not known; NULL: it is */
	struct strings changed_head, changed_claim;
	bool head_read, claim_read;
	char *proven; /* the tree or commit that changed_proven counts from; NULL */
	struct strings changed_proven;
	char passed_tree[HASH_HEX]; /* written after the gates passed; "" none */
	char *changed_why;          /* why it is not known what changed; NULL: it is */
	const char *since; /* what verify_tree_changed() has counted from; see gate_result */
};

/* verify-select.c: fills in verify.result and item for every gate. */
void verify_select(struct plan *);

/* verify-tree.c */
void verify_tree_read(struct plan *);   /* read it, once */
void verify_tree_forget(struct plan *); /* the next call reads it again */
const struct strings *verify_tree_changed(struct plan *, const struct gate *); /* NULL: not known */
void verify_tree_begin(struct plan *);    /* the gates run now */
void verify_tree_lookup(struct plan *);   /* passes from the cache */
void verify_tree_remember(struct plan *); /* passes to the cache */
bool verify_tree_moved(
    struct plan *, struct strings *paths); /* the tree changed; which paths, if known */

/* verify-kept.c.  key: that of the cache. */
void verify_kept_key(const struct plan *, const char *key, char out[HASH_HEX]);
void verify_kept_add(const struct plan *);     /* what ran to req->ran */
bool verify_kept_use(struct plan *, size_t i); /* req->kept has a result for gate i */

/* verify-proven.c */
const struct strings *verify_proven_changed(struct plan *, const struct gate *);
void verify_proven_write(struct plan *);    /* the tree, after the gates have passed on it */
void verify_proven_remember(struct plan *); /* it was not changed meanwhile */

/* verify-base.c: its commit, owned; NULL: everything counts as changed. */
char *verify_base(const struct plan *);

/* verify-claimed.c: the gates pass; if the task was claimed in another project, or in another work
 * tree that has what this one does not have, they must pass there too. */
int verify_claimed_tree(struct plan *, struct error *);
/* Are two roots the same place of one repository? */
bool verify_same_project(const char *, const char *);

/* verify-run.c: run everything that is PLAN_WAIT.  -1: told to stop, or a check failed. */
int verify_run(struct plan *, struct error *);

/* verify-report.c: each adds to the reason; the first one sets the rule. */
void verify_report_refusal(struct plan *, const char *rule, const char *text);
void verify_report_gates(struct plan *); /* nothing if all passed */
void verify_report_tree(struct plan *, const struct strings *paths);
void verify_report_attempts(struct plan *);
void verify_report_warnings(struct plan *);

/* verify-record.c: the number of refusals so far. */
int64_t verify_attempts(const struct list *, const char *task);

#endif
