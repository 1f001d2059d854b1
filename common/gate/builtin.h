#ifndef GATE_BUILTIN_H
#define GATE_BUILTIN_H

#include "agent/agent.h"
#include "agent/claim.h"
#include "config/gate.h"
#include "gate/verify-task.h"
#include "list/store.h"

/*
 * The checks that need no command.  Each looks at the task, the list and who
 * asks; on an objection it appends facts, then the way out.
 */
struct builtin {
	const struct list *list;
	struct store *store;
	const struct subject *subject;
	const struct agent *agent;
	const struct strings *required; /* metadata keys */
};

/* 0 fine, 1 an objection was appended to reason, -1 fault. */
int builtin_check(const struct builtin *, enum gate_check, struct buf *reason, struct error *);

#endif
