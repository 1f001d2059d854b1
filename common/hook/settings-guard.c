#include "hook/settings-guard.h"

#include <stdlib.h>

#include "agent/agent.h"
#include "settings/client-version.h"
#include "settings/guard.h"

#define PATIENCE_MS 2000
#define VERSION_MS 5000

static const char *
project_of(const struct hook *h)
{
	const char *dir = getenv("CLAUDE_PROJECT_DIR");

	return dir != NULL && *dir != '\0' ? dir : h->in.event.cwd;
}

static void
find_lost(const struct hook *h, struct guard *g, const char *config)
{
	const struct event *ev = &h->in.event;
	char *changed = ev->kind == EVENT_CONFIG_CHANGE
			    ? json_member_string(&ev->json, JSON_ROOT, "file_path")
			    : NULL;

	guard_settings(g, config, project_of(h), changed);
	free(changed);
}

/* While install or uninstall is at work, settings and record may differ.  The lock must not be
 * moved, so it is the caller's. */
static void
wait_for_install(struct hook *h, const char *config, struct lock *lock, int *dirfd)
{
	install_record_share(
	    config, lock, dirfd, deadline_first(deadline_in(PATIENCE_MS), hook_deadline(h)));
}

static void
look_again(struct hook *h, struct guard *g, const char *config)
{
	struct lock lock = LOCK_INIT;
	int dirfd;

	if (g->count == 0)
		return;
	wait_for_install(h, config, &lock, &dirfd);
	guard_free(g);
	find_lost(h, g, config);
	install_record_unshare(&lock, dirfd);
}

/*
 * A client that does not know "onFailure" drops it when it writes the file, also if install did not
 * see this client.  It is asked itself: what is written about it can be changed.
 */
static void
allow_old_client(struct hook *h, struct guard *g, const char *config)
{
	struct guard less = { .open = true };
	struct agent self = { 0 };
	char *version = NULL;

	if (g->count == 0)
		return;
	find_lost(h, &less, config);
	if (less.count < g->count) {
		agent_client(&self);
		version = client_running(
		    (pid_t)self.pid, deadline_first(deadline_in(VERSION_MS), hook_deadline(h)));
	}
	if (client_is_open(version)) {
		struct guard all = *g;

		*g = less;
		less = all;
	}
	guard_free(&less);
	free(version);
}

static void
refuse_change(struct hook *h, const struct guard *g)
{
	struct decision *d = &h->out.decision;
	struct error ignored;

	if (g->count == 0)
		return;
	d->verdict = VERDICT_REFUSE;
	d->rule = "settings";
	d->recorded = hook_list(h, &ignored) != 1;
	buf_puts(&d->reason, "Settings that lose hooks are not applied to this session: ");
	for (size_t i = 0; i < g->count; i++)
		buf_printf(&d->reason, "%s (%s). ", g->item[i].what, g->item[i].fix);
	buf_puts(&d->reason, "A person who wants the running session to apply them pauses refusals "
			     "first: claude-tasks pause --for 10m --reason TEXT.");
}

static void
tell_person(struct hook *h, const struct guard *g)
{
	struct buf *b = &h->out.decision.message;

	if (g->count > 0 && b->len == 0)
		h->out.decision.recorded = true; /* or each prompt would be a line of the journal */
	for (size_t i = 0; i < g->count; i++)
		buf_printf(b, "%s%s: %s.%s To correct it: %s.", b->len > 0 ? "\n" : "",
		    h->spec->name, g->item[i].what,
		    g->item[i].kind == GUARD_PROGRAM ? ""
						     : " A running session keeps the hooks, one "
						       "that starts now does not get them.",
		    g->item[i].fix);
}

/* The programs: install may just be replacing them. */
static void
find_replaced(struct hook *h, struct guard *g, const char *config)
{
	struct guard first = { 0 };
	struct lock lock = LOCK_INIT;
	int dirfd;

	guard_programs(&first, config, project_of(h));
	if (first.count > 0) {
		wait_for_install(h, config, &lock, &dirfd);
		guard_programs(g, config, project_of(h));
		install_record_unshare(&lock, dirfd);
	}
	guard_free(&first);
}

/* May it be about settings?  The client asks in the same way when a skill has changed. */
static bool
is_about_settings(const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_CONFIG_CHANGE:
		return !json_equals(
		    &ev->json, json_member(&ev->json, JSON_ROOT, "source"), "skills");
	case EVENT_USER_PROMPT_SUBMIT:
	case EVENT_SESSION_START:
		return true;
	default:
		return false;
	}
}

void
settings_guard(struct hook *h)
{
	enum event_kind kind = h->in.event.kind;
	struct guard g = { 0 };
	struct error ignored;
	char *config;

	if (!is_about_settings(&h->in.event) || (config = list_config_dir(&ignored)) == NULL)
		return;
	find_lost(h, &g, config);
	look_again(h, &g, config);
	allow_old_client(h, &g, config);
	if (kind == EVENT_SESSION_START)
		find_replaced(h, &g, config);
	for (size_t i = 0; i < g.count; i++)
		hook_fact(h, "%s", g.item[i].what);
	if (kind == EVENT_CONFIG_CHANGE)
		refuse_change(h, &g);
	else
		tell_person(h, &g);
	guard_free(&g);
	free(config);
}
