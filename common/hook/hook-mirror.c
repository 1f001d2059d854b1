/*
 * The sync commands after an event.
 */
#include "hook/hook.h"
#include "hook/mirror.h"

static void
run_mirror(struct hook *h)
{
	struct mirror m = { .list = &h->in.list,
		.config = &h->in.config,
		.cwd = h->in.event.cwd,
		.event = event_kind_name(h->in.event.kind),
		.session = h->in.event.session_id };

	mirror_start(&m);
}

void
hook_mirror(struct hook *h)
{
	if (h->in.config.mirror_count > 0)
		h->out.after = run_mirror;
}
