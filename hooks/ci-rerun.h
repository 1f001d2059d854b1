#ifndef HOOKS_CI_RERUN_H
#define HOOKS_CI_RERUN_H

#include "ci-report.h"
#include "list/receipt.h"

struct ci_options {
	const char *input, *list, *tasks, *checkout, *config, *junit, *json;
	int64_t deadline_ms;
	bool rerun, trust, allow_forced, allow_empty, github;
};

/*
 * The checkout's own part: globs that match nothing are refused, and with
 * --rerun the gates of every completed task run once on this tree.
 */
int ci_rerun(const struct ci_options *, struct ci_report *, const struct task_set *,
    const struct receipts *, struct error *);

#endif
