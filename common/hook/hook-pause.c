/*
 * While a person has paused refusals, a refusal is a pass with a warning.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "config/pause.h"
#include "hook/hook.h"
#include "json/out.h"

static bool
find_pause(struct pause *p)
{
	struct error ignored;
	char *dir = list_config_dir(&ignored);
	bool paused = dir != NULL && pause_now(p, dir);

	free(dir);
	return paused;
}

bool
hook_is_paused(void)
{
	struct pause p = { 0 };
	bool paused = find_pause(&p);

	pause_free(&p);
	return paused;
}

void
hook_pause(struct hook *h)
{
	struct decision *d = &h->out.decision;
	struct pause p = { 0 };
	struct buf text = { 0 };

	if (d->verdict != VERDICT_REFUSE)
		return;
	if (find_pause(&p)) {
		buf_printf(&text, "A person has paused refusals until %s (", p.until);
		text_show(&text, p.reason, strlen(p.reason), TEXT_LINE, 300);
		buf_puts(&text, "), so this is only a warning: ");
		buf_add(&text, buf_text(&d->reason), d->reason.len);
		decision_add(&d->message, &text);
		decision_add(&d->context, &text);
		d->verdict = VERDICT_PASS;
		buf_reset(&d->reason);
		h->out.paused = p.reason;
		p.reason = NULL;
	}
	pause_free(&p);
	buf_free(&text);
}

void
hook_pause_note(const struct hook *h, struct json_object *extra)
{
	if (h->out.paused == NULL)
		return;
	out_bool(extra, "paused", true);
	out_string(extra, "pause_reason", h->out.paused);
	if (h->judges)
		out_bool(extra, "completion", true);
}
