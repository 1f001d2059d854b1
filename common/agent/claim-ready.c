/*
 * What an agent that was refused is told: why a task cannot start, and what it can start instead.
 */
#include <string.h>

#include "agent/claim-part.h"
#include "base/text.h"
#include "list/graph.h"

struct ready_search {
	struct buf *out;
	struct store *store;
	const struct claims *claims;
	const char *except;
	size_t found;
};

/* Blockers are read for each candidate: they are few, and most tasks have none. */
static int
ready_visit(void *arg, const struct task *t)
{
	struct ready_search *s = arg;
	struct blockers b;
	struct error ignored;
	bool blocked;

	if (!graph_is_free(t) || text_equal(t->id, s->except) ||
	    claims_find(s->claims, t->id) != NULL ||
	    store_blockers(s->store, t, &b, &ignored) == -1)
		return 0;
	blocked = b.count > 0;
	blockers_free(&b);
	if (blocked)
		return 0;
	if (s->found++ == CLAIM_READY_SHOWN)
		return 1;
	buf_puts(s->out, s->found == 1 ? " Ready now: " : ", ");
	task_name(s->out, t);
	return 0;
}

void
claim_held_text(struct buf *reason, const struct task *t)
{
	buf_puts(reason, " cannot start: it was set to blocked. If nothing blocks it any more: "
			 "claude-tasks update ");
	task_id_word(reason, t->id);
	buf_puts(reason, " --status pending.");
}

void
claim_add_ready(
    struct buf *reason, struct store *s, const struct claims *claims, const char *except)
{
	struct ready_search search = {
		.out = reason, .store = s, .claims = claims, .except = except
	};
	struct error ignored;

	/* What was found before a fault is still true. */
	(void)store_walk(s, TASK_PENDING, ready_visit, &search, &ignored);
	if (search.found > CLAIM_READY_SHOWN)
		buf_puts(reason, " and more");
	if (search.found > 0)
		buf_putc(reason, '.');
}
