/*
 * What was given back: its lines in the journal, and its message.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/claim-part.h"
#include "agent/release-part.h"
#include "base/text.h"
#include "list/graph.h"
#include "json/out.h"

void
released_free(struct released *r)
{
	task_set_free(&r->tasks);
	strings_free(&r->ready);
}

const char *
released_from(const struct released *r)
{
	const char *owner = r->tasks.count > 0 ? r->tasks.item[0].owner : NULL;

	for (size_t i = 0; i < r->tasks.count; i++)
		if (!text_equal(owner, r->tasks.item[i].owner))
			return "An agent that is gone";
	return owner;
}

/* The additional members of a release's journal line.  A claim that a person took away can be
 * restored: its agent may still live. */
static struct json_object *
release_extra(const struct releasing *r, const struct task *t, const char *text)
{
	struct json_object *extra = claim_texts(buf_text(&t->text), text);
	bool by_hand =
	    r->ids != NULL || (r->why != NULL && r->agent != NULL && r->agent->session == NULL);
	const struct claim *c = by_hand ? claims_find(&r->dropped, t->id) : NULL;

	/* Set only if the agent itself ended. */
	out_bool(extra, "ended", r->ids == NULL);
	out_string(extra, "group", r->group);
	if (c != NULL)
		out_add(extra, "claim", claims_print(c));
	return extra;
}

void
release_finish(struct releasing *r, struct store *s)
{
	size_t released = r->out->tasks.count - r->from, count = released + r->unused.count, i;
	struct journal_entry *entries = mem_grow(NULL, count + 1, sizeof(*entries));
	struct blockers b;
	struct error ignored;

	(void)store_cache(s, &ignored);
	for (i = released; i < count; i++)
		entries[i] = (struct journal_entry){
			.event = "unclaim",
			.task = r->unused.item[i - released],
			.session = r->agent != NULL ? r->agent->session : NULL,
			.why = "the client never made the call",
		};
	for (i = 0; i < released; i++) {
		const struct task *t = &r->out->tasks.item[r->from + i];

		entries[i] = (struct journal_entry){
			.event = "release",
			.task = t->id,
			.agent = t->owner,
			.session = r->agent != NULL ? r->agent->session : NULL,
			.why = r->whys.item[i],
			.from = claim_task_facts(t->status, t->owner),
			.to = claim_task_facts(task_held(t) ? t->status : TASK_PENDING, NULL),
			.extra = release_extra(r, t, r->texts.item[i]),
		};
		if (store_blockers(s, t, &b, &ignored) == 0) {
			if (b.count == 0 && !task_held(t))
				strings_add(&r->out->ready, t->id);
			blockers_free(&b);
		}
	}
	store_uncache(s);
	(void)journal_append_all(r->list, s->durability, entries, count, r->deadline, &ignored);
	free(entries);
	release_begin(r);
	strings_free(&r->whys);
	strings_free(&r->texts);
}

void
release_message(struct buf *out, const char *who, bool terminated, const struct released *r)
{
	size_t i;

	if (who != NULL) {
		text_show(out, who, strlen(who), TEXT_LINE, 120);
		buf_puts(out, terminated ? " was terminated." : " has shut down.");
	}
	if (r->tasks.count == 0)
		return;
	buf_printf(out, "%s%zu task(s) were unassigned: ", who != NULL ? " " : "", r->tasks.count);
	for (i = 0; i < r->tasks.count; i++) {
		if (i > 0)
			buf_puts(out, ", ");
		task_name(out, &r->tasks.item[i]);
	}
	buf_puts(out,
	    ". Use TaskList to check availability and TaskUpdate with owner to reassign them "
	    "to idle teammates.");
}
