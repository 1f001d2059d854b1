/*
 * Its blockers are read for each candidate: they are few, and most tasks
 * have none.
 */
#include "agent/ready.h"

#include "agent/claims.h"
#include "list/graph.h"

struct search {
	struct buf *out;
	struct store *store;
	const struct claims *claims;
	size_t found;
};

static int
look(void *arg, const struct task *t)
{
	struct search *s = arg;
	struct blockers b;
	struct error ignored;
	bool free;

	/* A document's "blocked" is what its dependencies say: it may be over. */
	if ((t->status != TASK_PENDING && t->status != TASK_BLOCKED) || t->owner != NULL ||
	    t->internal || claims_find(s->claims, t->id) != NULL)
		return 0;
	if (store_blockers(s->store, t, &b, &ignored) == -1)
		return 0;
	free = b.count == 0;
	blockers_free(&b);
	if (!free)
		return 0;
	if (s->found++ == READY_SHOWN)
		return 1;
	buf_puts(s->out, s->found == 1 ? "Ready now: " : ", ");
	task_name(s->out, t);
	return 0;
}

void
ready_describe(struct buf *out, struct store *s, const struct claims *claims)
{
	struct search search = { .out = out, .store = s, .claims = claims };
	struct error ignored;

	/* What was found before a fault is still true. */
	(void)store_walk(s, TASK_PENDING, look, &search, &ignored);
	if (search.found > READY_SHOWN)
		buf_puts(out, " and more");
	if (search.found > 0)
		buf_putc(out, '.');
}
