#ifndef HOOKS_CI_TASK_H
#define HOOKS_CI_TASK_H

#include "ci-gates.h"
#include "list/receipt.h"

struct ci_judge {
	const struct ci_options *options;
	const struct ci_gates *gates;
	const struct receipts *receipts;
	struct ci_report *report;
	bool chain; /* the journal is intact */
};

/* Must this task have a receipt?  A task that the client keeps to itself must if the journal
 * knows it. */
bool ci_must_prove(const struct task *, const struct receipts *);

/* A row for every task that the list or the journal says is completed. */
int ci_tasks(const struct ci_judge *, const struct task_set *, struct error *);

/* `#3 "Docs"`; owned. */
char *ci_task_name(const struct task *);

#endif
