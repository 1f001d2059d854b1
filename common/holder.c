/*
 * holder: one answer for the hooks, the claim under the lock, and the
 * check at completion, so that none of them lets through what another
 * would refuse.
 */
#include "holder.h"

#include <ctype.h>
#include <string.h>

#include "text.h"

static bool
same(const char *a, const char *b)
{
	return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* No agent of its own: the main thread of a session, named or not. */
static bool
main_thread(const struct agent *a)
{
	return a->id == NULL && (a->name == NULL || a->type == NULL);
}

/* A subagent works for the main thread that sent it: what that one holds, it may take up. */
static bool
claimed_by_parent(const struct claim *c, const struct agent *self)
{
	return self->id != NULL && self->name == NULL && c->agent_id == NULL &&
	       same(c->session, self->session);
}

enum holder
holder_of(const struct holder_query *q)
{
	const char *owner = q->task->owner;
	const struct agent *self = q->self;

	if (q->claim != NULL)
		return claim_is_by(q->claim, self) || claimed_by_parent(q->claim, self)
			   ? HOLDER_SELF
			   : HOLDER_OTHER;
	if (owner == NULL)
		return HOLDER_NONE;
	if (same(owner, self->name) || same(owner, self->id) || same(owner, self->type))
		return HOLDER_SELF;
	if (q->owner_is_agent || holder_is_agent_id(owner))
		return HOLDER_OTHER;
	return main_thread(self) || same(owner, q->owner) ? HOLDER_LABEL : HOLDER_OTHER;
}

bool
holder_is_agent_id(const char *s)
{
	size_t len = strlen(s);

	if (len < 17 || s[0] != 'a' || (len > 17 && s[len - 17] != '-'))
		return false;
	for (size_t i = len - 16; i < len; i++)
		if (!isxdigit((unsigned char)s[i]))
			return false;
	return true;
}

void
holder_describe(struct buf *b, const struct holder_query *q)
{
	const struct claim *c = q->claim;
	const char *owner = q->task->owner;
	struct agent a;

	if (c == NULL) {
		buf_puts(b, "owner ");
		text_quote(b, owner != NULL ? owner : "", TEXT_SUBJECT);
		return;
	}
	a = (struct agent){
		.id = c->agent_id, .type = c->agent_type, .name = c->name, .session = c->session
	};
	agent_describe(b, &a);
	if (owner != NULL && !same(owner, c->name) && !same(owner, c->agent_id)) {
		buf_puts(b, " as ");
		text_quote(b, owner, TEXT_SUBJECT);
	}
}
