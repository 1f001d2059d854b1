/*
 * While a person has paused refusals, a refusal is a pass with a warning.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "config/pause.h"
#include "hook/hook.h"
#include "json/out.h"

static void
add_warning(struct buf *to, const struct buf *text)
{
	if (to->len > 0)
		buf_putc(to, '\n');
	buf_add(to, buf_text(text), text->len);
}

/* Was a task about to be completed? */
static bool
is_completion(const struct event *ev)
{
	return ev->kind == EVENT_TASK_COMPLETED
		   ? !event_turn_end(ev)
		   : ev->kind == EVENT_PRE_TOOL_USE &&
			 json_equals(&ev->json, json_member(&ev->json, ev->tool_input, "status"),
			     "completed");
}

void
hook_pause(struct hook *h)
{
	struct decision *d = &h->out.decision;
	struct pause p = { 0 };
	struct buf text = { 0 };
	struct error ignored;
	char *dir;

	if (d->verdict != VERDICT_REFUSE || (dir = list_config_dir(&ignored)) == NULL)
		return;
	if (pause_now(&p, dir)) {
		buf_printf(&text, "A person has paused refusals until %s (", p.until);
		text_show(&text, p.reason, strlen(p.reason), TEXT_LINE, 300);
		buf_puts(&text, "), so this is only a warning: ");
		buf_add(&text, buf_text(&d->reason), d->reason.len);
		add_warning(&d->message, &text);
		add_warning(&d->context, &text);
		d->verdict = VERDICT_PASS;
		buf_reset(&d->reason);
		h->out.paused = p.reason;
		p.reason = NULL;
	}
	pause_free(&p);
	buf_free(&text);
	free(dir);
}

void
hook_pause_note(const struct hook *h, struct json_object *extra)
{
	if (h->out.paused == NULL)
		return;
	out_bool(extra, "paused", true);
	out_string(extra, "pause_reason", h->out.paused);
	if (is_completion(&h->in.event))
		out_bool(extra, "completion", true);
}
