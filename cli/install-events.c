/*
 * Which hooks install registers.
 */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "install.h"

/* Are there sync commands where this file applies?  For the user's: not those of one project. */
static bool
has_sync(enum scope scope)
{
	struct error ignored;
	char *dir = list_config_dir(&ignored);
	struct config_query q = { .config_dir = dir };
	struct config config;
	bool found = false;

	if (config_load(&config, &q, &ignored) == 0)
		for (size_t i = 0; i < config.mirror_count; i++)
			found |= scope != SCOPE_USER || !config.mirror[i].project;
	config_free(&config);
	free(dir);
	return found;
}

/* --events: are the names known, and for this file? */
static int
check_asked(struct cli *c, enum scope scope, struct strings *events)
{
	const char *names[SETTINGS_HOOKS];
	const struct settings_hook *h;
	size_t n = 0;

	for (size_t i = 0; i < SETTINGS_HOOKS; i++)
		if (settings_hook_find(settings_hooks[i].name) == &settings_hooks[i])
			names[n++] = settings_hooks[i].name;
	for (size_t i = 0; i < events->count; i++) {
		h = settings_hook_find(events->item[i]);
		if (h == NULL)
			return cli_unknown(c, "event", events->item[i], names, n);
		if ((h->flags & SETTINGS_USERS) != 0 && scope != SCOPE_USER)
			return cli_misuse(
			    c, "%s is registered in the user's settings only: use --user", h->name);
	}
	return EXIT_DONE;
}

int
install_events(struct cli *c, enum scope scope, struct settings_plan *plan)
{
	struct strings events = { 0 };
	bool all, sync = has_sync(scope);
	int status;

	cli_values(c, "events", &events);
	all = events.count == 1 && strcmp(events.item[0], "all") == 0;
	if (all)
		strings_free(&events);
	status = check_asked(c, scope, &events);
	for (size_t i = 0; i < SETTINGS_HOOKS && status == EXIT_DONE; i++) {
		const struct settings_hook *h = &settings_hooks[i];
		bool usual = (all || strcmp(h->name, "Stop") != 0) &&
			     (sync || strcmp(h->name, SETTINGS_SYNC) != 0) &&
			     (scope == SCOPE_USER || (h->flags & SETTINGS_USERS) == 0);

		if (events.count == 0 ? usual : strings_has(&events, h->name))
			plan->hooks[plan->count++] = h;
	}
	strings_free(&events);
	return status;
}

void
install_drop_late(struct cli *c, const struct registration_file *f, const char *version,
    struct settings_plan *plan)
{
	size_t n = 0;

	if (version != NULL && version_compare(version, UNKNOWN_EVENT_SINCE) >= 0)
		return;
	for (size_t i = 0; i < plan->count; i++) {
		const struct settings_hook *h = plan->hooks[i];

		if ((h->flags & SETTINGS_LATE) == 0 ||
		    (version == NULL && strings_has(&f->entries.late, h->event))) {
			plan->hooks[n++] = h;
		} else if (version == NULL) {
			cli_note(c,
			    "claude-tasks: %s is not registered, because an old client would "
			    "ignore every hook of %s, and the version of the client is not known "
			    "(to register it: claude-tasks install --client FILE)",
			    h->event, f->path);
		}
	}
	plan->count = n;
}

bool
install_plugin_lacks(const struct settings_plan *plan)
{
	return plan->count == 0 ||
	       (plan->count == 1 && strcmp(plan->hooks[0]->name, SETTINGS_SYNC) == 0);
}

const char *
install_open_advice(const struct settings_entry *e)
{
	return e->failure != NULL ? "set its \"onFailure\" to \"block\""
				  : "give it a group of its own with the matcher "
				    "TaskCreate|TaskUpdate, and run claude-tasks install again";
}

void
install_warn_open(struct cli *c, const struct registration_file *f,
    const struct settings_plan *plan, const struct buf *text)
{
	struct settings_entries all = { 0 };
	struct error ignored;
	bool closed = false;

	for (size_t i = 0; i < plan->count; i++)
		closed |= (plan->hooks[i]->flags & SETTINGS_CLOSED) != 0;
	if (!closed || plan->if_there || plan->open ||
	    settings_find(text->data, text->len, &all, &ignored) == -1)
		return;
	for (size_t i = 0; i < all.count; i++) {
		const struct settings_entry *e = &all.item[i];

		if (settings_is_open(e))
			cli_note(c,
			    "claude-tasks: %s: the PreToolUse entry with the matcher '%s' lets "
			    "calls pass when its program is missing or fails (to refuse them: %s)",
			    f->path, e->matcher != NULL ? e->matcher : "", install_open_advice(e));
	}
	settings_entries_free(&all);
}
