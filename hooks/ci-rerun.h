#ifndef HOOKS_CI_RERUN_H
#define HOOKS_CI_RERUN_H

#include "ci-report.h"
#include "list/receipt.h"

struct ci_options {
	const char *input, *list, *tasks, *checkout, *config, *junit, *json;
	int64_t deadline_ms;
	int rerun, trust, allow_forced, allow_empty, github; /* flags, set by getopt_long() */
};

/*
 * Report globs that match no file of the checkout; with --rerun, run the gates of
 * every completed task on this tree, each gate once.
 */
int ci_rerun(const struct ci_options *, struct ci_report *, const struct task_set *,
    const struct receipts *, struct error *);

#endif
