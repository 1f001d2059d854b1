#include "hook/tell.h"

#include <string.h>

#include "agent/note.h"
#include "base/text.h"
#include "list/team.h"

#define READY_MAX 12

void
tell_ready(struct buf *b, const struct strings *ids)
{
	for (size_t i = 0; i < ids->count && i < READY_MAX; i++) {
		buf_puts(b, i == 0 ? " Ready now: #" : ", #");
		text_show(b, ids->item[i], strlen(ids->item[i]), TEXT_LINE, 128);
	}
	if (ids->count > 0)
		buf_puts(b, ids->count > READY_MAX ? ", ..." : ".");
}

static void
add_paragraph(struct buf *b, const char *text)
{
	if (b->len > 0)
		buf_putc(b, '\n');
	buf_puts(b, text);
}

/* Can the caller be told in this answer?  Not a subagent. */
static bool
listens(const struct hook *h)
{
	enum event_kind kind = h->in.event.kind;

	return (kind == EVENT_PRE_TOOL_USE || kind == EVENT_POST_TOOL_USE ||
		   kind == EVENT_POST_TOOL_USE_FAILURE) &&
	       (hook_is_lead(h) || h->in.self.name != NULL);
}

/* The teammates of the list's team, or of the team of the session that acts. */
static void
add_teammates(const struct hook *h, const struct strings *not_to, struct strings *to)
{
	struct team team;

	(void)team_find(&team, h->in.list.config, h->in.list.name, h->in.event.session_id);
	for (size_t i = 0; i < team.count; i++)
		if (!team.item[i].lead && !strings_has(not_to, team.item[i].name) &&
		    !(listens(h) && text_equal(team.item[i].name, h->in.self.name)))
			strings_add(to, team.item[i].name);
	team_free(&team);
}

void
tell(struct hook *h, const struct news *news)
{
	struct decision *d = &h->out.decision;
	struct note note = { .text = news->text,
		.lead = !(listens(h) && hook_is_lead(h)),
		.session = news->session };
	struct error e;

	add_paragraph(&d->message, news->text);
	if (d->rule == NULL)
		d->rule = news->rule;
	if (listens(h))
		add_paragraph(&d->context, news->text);
	add_teammates(h, &news->not_to, &note.to);
	(void)note_add(&h->in.list, &note, hook_patience(h), &e);
	strings_free(&note.to);
}

void
tell_waiting(struct hook *h)
{
	struct decision *d = &h->out.decision;
	struct buf text = { 0 };
	struct error e;

	if (h->explain || d->verdict != VERDICT_PASS || !listens(h))
		return;
	if (note_take(&h->in.list, hook_is_lead(h) ? NULL : h->in.self.name, h->in.event.session_id,
		&text, hook_patience(h), &e) == 1) {
		add_paragraph(&d->context, buf_text(&text));
		if (d->rule == NULL)
			d->rule = "note";
	}
	buf_free(&text);
}
