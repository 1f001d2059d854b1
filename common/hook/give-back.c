/*
 * give-back: give back the tasks of agents whose client process is gone.
 *
 * The client fires no event when an agent is killed, runs out of turns or
 * dies with its client.  So every run checks whether the process of each claim
 * on record still lives.
 */
#include "hook/give-back.h"

#include <string.h>

#include "agent/claims.h"
#include "hook/tell.h"

void
give_back_tell(
    struct hook *h, const struct released *r, const char *who, bool terminated, const char *session)
{
	struct news news = { .rule = "release", .session = session };
	struct buf text = { 0 };

	if (r->tasks.count == 0)
		return;
	release_message(&text, who, terminated, r);
	tell_ready(&text, &r->ready);
	news.text = buf_text(&text);
	strings_add(&news.not_to, who);
	for (size_t i = 0; i < r->tasks.count; i++)
		if (r->tasks.item[i].owner != NULL)
			strings_add(&news.not_to, r->tasks.item[i].owner);
	tell(h, &news);
	strings_free(&news.not_to);
	buf_free(&text);
	h->out.changed = true;
}

/* --explain: the rules are to see the claims and tasks as they would be afterwards. */
static void
give_back_plan(struct hook *h, const char *ended)
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
give_back_dead(struct hook *h, const char *ended)
{
	struct released r = { 0 };
	struct error e;

	if (!hook_list_open(h) || hook_claims(h, &e) == -1 || h->in.claims.count == 0)
		return;
	hook_self(h);
	if (h->explain) {
		give_back_plan(h, ended);
		return;
	}
	if (release_dead(&h->in.list, &h->in.store, ended, &h->in.self, &h->in.claims, &r,
		hook_patience(h), &e) != -1 &&
	    r.tasks.count > 0)
		give_back_tell(h, &r, released_from(&r), true, NULL);
	released_free(&r);
}
