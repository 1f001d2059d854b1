#ifndef HOOKS_CI_GATES_H
#define HOOKS_CI_GATES_H

#include "ci-report.h"
#include "config/config.h"
#include "list/receipt.h"

struct ci_options {
	const char *input, *list, *tasks, *checkout, *config, *junit, *json, *base, *signers;
	int64_t deadline_ms;
	int rerun, trust, allow_forced, allow_empty, github; /* flags, set by getopt_long() */
};

/*
 * The gate file that a list is judged by.
 */
struct ci_file {
	struct config config; /* as a run in CI uses it */
	struct config judge;  /* the same, with every gate of a completion also for CI */
	struct config each;   /* the same, with every gate for every task */
	char *commit;         /* of the base's history, for an earlier version; NULL */
	const char *other;    /* its path, if it is the gate file of another place; NULL */
	bool in_base; /* of another place: the base has the same file, or there is no base */
};

struct ci_gates {
	char *cwd;            /* the checkout, absolute */
	char *top;            /* of its work tree; NULL: it is not in a repository */
	char *config_dir;     /* the user's */
	struct ci_file here;  /* of the checkout, or --config */
	char *base;           /* the commit before the branch; NULL: not known */
	const char *since;    /* `changed` counts from there; NULL: everything has changed */
	bool differs;         /* the gate file of the base is another one, or there is one */
	struct ci_file then;  /* of the base, if it differs */
	struct ci_file *past; /* earlier versions of it, by which receipts were made */
	size_t past_count;
	struct ci_file *other; /* gate files of other places, by which receipts were made */
	size_t other_count;
};

/*
 * The base is the merge base of HEAD and --base, or the target branch that GitHub or
 * GitLab names in the environment of a pull or merge request.
 */
int ci_gates_load(struct ci_gates *, const struct ci_options *, struct ci_report *, struct error *);
void ci_gates_free(struct ci_gates *);

/* The gate file may have been changed after a receipt was made: its versions in the history of the
 * base judge the receipts that were made by them, those of the branch alone do not. */
int ci_gates_read_past(struct ci_gates *, const struct receipts *, struct error *);

/* A repository may have gate files in several places: find those in HEAD that receipts were made
 * by. They are proof only with --rerun, which runs the gates of the checkout too. */
int ci_gates_read_others(struct ci_gates *, const struct receipts *, struct error *);

/* The file with this hash (NULL: no file); NULL: CI uses no such file. */
const struct ci_file *ci_gates_of(const struct ci_gates *, const char *hash);

/* Must this gate have passed before a completion, as far as its file decides? */
bool ci_gate_blocks(const struct gate *);

#endif
