/*
 * release-dead: give back the tasks of agents whose client process is gone.
 *
 * The client fires no event when an agent is killed, runs out of turns or
 * dies with its client.  So every run checks whether the process of each claim
 * on record still lives.
 */
#include "hook/release-dead.h"

#include <string.h>

#include "agent/claims.h"
#include "agent/note.h"
#include "base/text.h"

#define READY_MAX 12

void
release_dead_tell(
    struct hook *h, const struct released *r, const char *who, bool terminated, const char *session)
{
	struct decision *d = &h->out.decision;
	struct buf b = { 0 };
	struct error e;

	if (r->tasks.count == 0)
		return;
	release_message(&b, who, terminated, r);
	for (size_t i = 0; i < r->ready.count && i < READY_MAX; i++) {
		buf_puts(&b, i == 0 ? " Ready now: #" : ", #");
		text_show(&b, r->ready.item[i], strlen(r->ready.item[i]), TEXT_LINE, 128);
	}
	if (r->ready.count > 0)
		buf_puts(&b, r->ready.count > READY_MAX ? ", ..." : ".");
	if (d->message.len > 0)
		buf_putc(&d->message, '\n');
	buf_add(&d->message, b.data, b.len);
	if (d->rule == NULL)
		d->rule = "release";
	/* The lead's own call is being answered: it learns of it at once. */
	if ((h->in.event.kind == EVENT_PRE_TOOL_USE || h->in.event.kind == EVENT_POST_TOOL_USE) &&
	    hook_is_lead(h)) {
		if (d->context.len > 0)
			buf_putc(&d->context, '\n');
		buf_add(&d->context, b.data, b.len);
	} else
		(void)note_add(&h->in.list, session, buf_text(&b), hook_patience(h), &e);
	buf_free(&b);
	h->out.changed = true;
}

/* The owner, if all have the same. */
static const char *
whose(const struct released *r)
{
	const char *owner = r->tasks.item[0].owner;

	for (size_t i = 0; i < r->tasks.count; i++)
		if (!text_equal(owner, r->tasks.item[i].owner))
			return "An agent that is gone";
	return owner;
}

/* --explain: the rules are to see the claims and tasks as they would be afterwards. */
static void
release_dead_plan(struct hook *h, const char *ended)
{
	struct strings dropped = { 0 };
	struct task_set *given = &h->out.given;

	hook_fact(h, "claims on record: %zu", h->in.claims.count);
	release_plan(&h->in.store, ended, &h->in.self, &h->in.claims, given, &dropped);
	for (size_t i = 0; i < dropped.count; i++)
		hook_would(h, "claims.json: claim on task %s removed", dropped.item[i]);
	for (size_t i = 0; i < given->count; i++)
		hook_would(h, "task %s: pending, no owner", given->item[i].id);
	strings_free(&dropped);
}

void
release_dead_claims(struct hook *h, const char *ended)
{
	struct released r = { 0 };
	struct error e;

	if (!hook_list_open(h) || hook_claims(h, &e) == -1 || h->in.claims.count == 0)
		return;
	hook_self(h);
	if (h->explain) {
		release_dead_plan(h, ended);
		return;
	}
	if (release_dead(&h->in.list, &h->in.store, ended, &h->in.self, &h->in.claims, &r,
		hook_patience(h), &e) != -1 &&
	    r.tasks.count > 0)
		release_dead_tell(h, &r, whose(&r), true, NULL);
	released_free(&r);
}
