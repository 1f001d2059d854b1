#ifndef HOOKS_CI_RERUN_H
#define HOOKS_CI_RERUN_H

#include "ci-gates.h"
#include "list/receipt.h"

/*
 * Report globs that match no file of the checkout; with --rerun, run the gates of
 * every completed task on this tree, and the other blocking gates too, each gate once.
 */
int ci_rerun(const struct ci_options *, const struct ci_gates *, struct ci_report *,
    const struct task_set *, const struct receipts *, struct error *);

#endif
