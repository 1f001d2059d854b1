/*
 * holder: the same answer for the hooks, the claim under the lock and the
 * check at completion.
 */
#include "agent/holder.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/claims.h"
#include "base/mem.h"
#include "base/text.h"
#include "list/tally.h"

/* A subagent may continue what the main thread that started it holds. */
static bool
claimed_by_parent(const struct claim *c, const struct agent *self)
{
	return self->id != NULL && self->name == NULL && c->agent_id == NULL &&
	       text_equal(c->session, self->session);
}

bool
holder_is_agent_id(const char *s)
{
	const char *dash = strrchr(s, '-'), *hex = dash != NULL ? dash + 1 : s + 1;
	bool digit = false;
	size_t n;

	if (s[0] != 'a')
		return false;
	for (n = 0; isxdigit((unsigned char)hex[n]); n++)
		digit |= isdigit((unsigned char)hex[n]) != 0;
	return hex[n] == '\0' && (dash != NULL ? n == 16 : n >= 6 && n <= 16 && digit);
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
	if (text_equal(owner, self->name) || text_equal(owner, self->id) ||
	    text_equal(owner, self->type))
		return HOLDER_SELF;
	return q->pass_owner && !holder_is_agent_id(owner) ? HOLDER_LABEL : HOLDER_OTHER;
}

static char *
label_key(const struct agent *self, const char *task, const char *owner)
{
	return mem_printf("label:%s:%s:%s", self->session, task, owner);
}

int
holder_label(const struct list *list, const struct agent *self, const char *task, const char *owner,
    struct deadline deadline, struct error *e)
{
	char *key;
	int rc = 0;

	if (self->session == NULL || self->id != NULL || strlen(owner) > 200)
		return 0;
	key = label_key(self, task, owner);
	if (tally_get(list, key) == 0 && tally_add(list, key, deadline, e) == -1)
		rc = -1;
	free(key);
	return rc;
}

/* Is there an agent of this name? */
static bool
owner_is_agent(const struct list *list, const struct claims *claims, const struct agent *self,
    const char *owner)
{
	for (size_t i = 0; i < claims->count; i++)
		if (text_equal(claims->item[i].name, owner))
			return true;
	return agent_has_teammate(self, list, owner, NULL);
}

void
holder_look(struct holder_query *q, const struct list *list, const struct claims *claims)
{
	const struct agent *self = q->self;
	const char *owner = q->task->owner;
	char *key;
	bool ours;

	q->pass_owner = false;
	q->claim = claims_find(claims, q->task->id);
	if (q->claim != NULL && (!claims_alive(q->claim) || !task_open(q->task)))
		q->claim = NULL;
	if (q->claim != NULL || owner == NULL || text_equal(owner, self->name) ||
	    text_equal(owner, self->id))
		return;
	ours = q->task->status == TASK_PENDING && text_equal(owner, q->owner);
	if (!ours && self->session != NULL && (self->id == NULL || self->name == NULL)) {
		key = label_key(self, q->task->id, owner);
		ours = tally_get(list, key) > 0;
		free(key);
	}
	q->pass_owner = ours && !owner_is_agent(list, claims, self, owner);
}

void
holder_describe(struct buf *b, const struct holder_query *q)
{
	const struct claim *c = q->claim;
	const char *owner = q->task->owner;

	if (c == NULL) {
		text_quote(b, owner != NULL ? owner : "", TEXT_SUBJECT);
		return;
	}
	claim_describe(b, c);
	if (owner != NULL && !text_equal(owner, c->name) && !text_equal(owner, c->agent_id)) {
		buf_puts(b, " as ");
		text_quote(b, owner, TEXT_SUBJECT);
	}
}
