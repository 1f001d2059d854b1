/*
 * sweep: the dead tell no tales.
 *
 * The client fires no event when an agent is killed, runs out of turns or
 * dies with its client.  So every run looks, cheaply, whether a claim in
 * the ledger has outlived its process.
 */
#include "hook/sweep.h"

#include <string.h>

#include "agent/claims.h"
#include "agent/note.h"

#define READY_MAX 12

void
sweep_tell(
    struct hook *h, const struct released *r, const char *who, bool terminated, const char *session)
{
	struct decision *d = &h->decision;
	struct buf b = { 0 };
	struct error e;
	bool lead;

	if (r->tasks.count == 0)
		return;
	release_message(&b, who, terminated, r);
	for (size_t i = 0; i < r->ready.count && i < READY_MAX; i++)
		buf_printf(&b, "%s#%s", i == 0 ? " Ready now: " : ", ", r->ready.item[i]);
	if (r->ready.count > 0)
		buf_puts(&b, r->ready.count > READY_MAX ? ", ..." : ".");
	if (d->message.len > 0)
		buf_putc(&d->message, '\n');
	buf_add(&d->message, b.data, b.len);
	if (d->rule == NULL)
		d->rule = "release";
	lead = (h->event.kind == EVENT_PRE_TOOL_USE || h->event.kind == EVENT_POST_TOOL_USE) &&
	       h->event.agent_id == NULL && h->self.name == NULL;
	if (lead) {
		if (d->context.len > 0)
			buf_putc(&d->context, '\n');
		buf_add(&d->context, b.data, b.len);
	} else
		(void)note_add(&h->list, session, buf_text(&b), hook_patience(h), &e);
	buf_free(&b);
	h->changed = true;
}

/* One name for all, if they share one. */
static const char *
whose(const struct released *r)
{
	const char *owner = r->tasks.item[0].owner;

	for (size_t i = 0; i < r->tasks.count; i++) {
		const char *o = r->tasks.item[i].owner;

		if (o == NULL || owner == NULL || strcmp(o, owner) != 0)
			return "An agent that is gone";
	}
	return owner;
}

static void
sweep(struct hook *h, const char *ended)
{
	struct released r = { 0 };
	struct error e;

	if (!h->list_opened || hook_claims(h, &e) == -1 || h->claims.count == 0)
		return;
	if (h->explain) {
		hook_fact(h, "claims in the ledger: %zu", h->claims.count);
		return;
	}
	hook_self(h);
	if (release_dead(&h->list, &h->store, ended, &h->self, &r, hook_patience(h), &e) != -1 &&
	    r.tasks.count > 0)
		sweep_tell(h, &r, whose(&r), true, NULL);
	released_free(&r);
	/* Claims may have been settled or dropped. */
	claims_free(&h->claims);
	h->have_claims = false;
}

void
sweep_dead(struct hook *h)
{
	sweep(h, NULL);
}

void
sweep_session(struct hook *h, const char *session)
{
	sweep(h, session);
}
