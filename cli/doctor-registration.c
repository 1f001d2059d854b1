/*
 * Are our hooks registered in the settings that apply here: once, for the right tools?  Does the
 * model have Task tools?
 */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/pause.h"
#include "doctor.h"
#include "install.h"
#include "settings/guard.h"

static void
check_files(struct doctor *d)
{
	const char *path = registration_disabled(&d->registration);

	doctor_checked(d, "hooks.settings");
	for (int i = 0; i < SCOPES; i++)
		if (d->registration.file[i].broken != NULL)
			doctor_add(d, "hooks.settings", LEVEL_PROBLEM,
			    mem_printf("%s: %s", d->registration.file[i].path,
				d->registration.file[i].broken),
			    "the client ignores the whole file",
			    mem_printf("correct %s", d->registration.file[i].path));
	doctor_checked(d, "hooks.disabled");
	if (path != NULL)
		doctor_add(d, "hooks.disabled", LEVEL_PROBLEM,
		    mem_printf("%s disables the hooks", path), "no rules are enforced",
		    mem_printf("remove disableAllHooks (or allowManagedHooksOnly) from %s", path));
}

/* install corrects the group, but it also registers the hooks in that file: only where that file
 * has them already, or no file has. */
static char *
group_fix(const struct registration *r, const struct registration_file *f)
{
	bool elsewhere = registration_plugin(r) != NULL;

	for (int i = 0; i < SCOPES; i++)
		elsewhere |= r->file[i].entries.count > 0;
	if (f->scope == SCOPE_MANAGED || (elsewhere && f->entries.count == 0))
		return mem_printf("write {\"hooks\": [...]} around it in %s", f->path);
	return mem_printf("claude-tasks install --%s, or write {\"hooks\": [...]} around it",
	    scope_name(f->scope));
}

/* Hooks without their group, and other elements that are not a group. */
static void
check_groups(struct doctor *d)
{
	static const char why[] = "client 2.1.197 then ignores every hook of the file without a "
				  "message, client 2.1.325 only this one";

	doctor_checked(d, "hooks.group");
	for (int i = 0; i < SCOPES; i++) {
		const struct registration_file *f = &d->registration.file[i];

		for (size_t k = 0; k < f->entries.flat.count; k++)
			doctor_add(d, "hooks.group", LEVEL_PROBLEM,
			    mem_printf("%s: %s is a hook without the group around it", f->path,
				f->entries.flat.item[k]),
			    why, group_fix(&d->registration, f));
		for (size_t k = 0; k < f->entries.odd.count; k++)
			doctor_add(d, "hooks.group", LEVEL_PROBLEM,
			    mem_printf(
				"%s: %s has no array \"hooks\"", f->path, f->entries.odd.item[k]),
			    why, mem_printf("remove it from %s, or give it one", f->path));
	}
}

static void
check_events(struct doctor *d)
{
	const char *event;

	doctor_checked(d, "hooks.event");
	for (int i = 0; i < SCOPES; i++) {
		const struct registration_file *f = &d->registration.file[i];

		if ((event = registration_late_event(f, d->client)) != NULL)
			doctor_add(d, "hooks.event", LEVEL_PROBLEM,
			    mem_printf("%s: client %s does not know the event %s", f->path,
				d->client, event),
			    "it ignores every hook of the file without a message",
			    mem_printf("update the client, or remove %s from %s", event, f->path));
	}
}

/* How many entries all files have for this hook. */
static size_t
registered(const struct registration *r, const struct settings_hook *h)
{
	size_t n = 0;

	for (int i = 0; i < SCOPES; i++)
		for (size_t k = 0; k < r->file[i].entries.count; k++)
			n += settings_is(h, &r->file[i].entries.item[k]);
	return n;
}

/* Does the client run several commands for this hook?  in: which files have one. */
static bool
runs_several(const struct registration *r, const struct settings_hook *h, bool in[SCOPES])
{
	struct strings lines = { 0 };
	bool several;

	for (int i = 0; i < SCOPES; i++)
		for (size_t k = 0; k < r->file[i].entries.count; k++) {
			const struct settings_entry *e = &r->file[i].entries.item[k];

			if (settings_is(h, e) && !strings_has(&lines, e->line)) {
				strings_add(&lines, e->line);
				in[i] = true;
			}
		}
	several = lines.count > 1;
	strings_free(&lines);
	return several;
}

/* Which entries to remove: those of every file but the one that has most. */
static char *
twice_fix(const struct registration *r, const bool in[SCOPES])
{
	struct buf fix = { 0 };
	int keep = -1;

	for (int i = 0; i < SCOPES; i++)
		if (in[i] && (keep == -1 || i == SCOPE_MANAGED ||
				 r->file[i].entries.count > r->file[keep].entries.count))
			keep = i;
	for (int i = 0; i < SCOPES; i++)
		if (in[i] && i != keep)
			buf_printf(&fix, "%sclaude-tasks uninstall --%s", fix.len > 0 ? ", " : "",
			    scope_name((enum scope)i));
	if (fix.len == 0)
		buf_printf(
		    &fix, "remove all but one entry for each event from %s", r->file[keep].path);
	return buf_take(&fix);
}

static void
check_twice(struct doctor *d)
{
	struct strings events = { 0 };
	struct buf what = { 0 };
	bool in[SCOPES] = { false }, any[SCOPES] = { false };

	for (size_t i = 0; i < SETTINGS_HOOKS; i++) {
		memset(in, 0, sizeof(in));
		if (!runs_several(&d->registration, &settings_hooks[i], in))
			continue;
		if (!strings_has(&events, settings_hooks[i].event))
			buf_printf(&what, "%s%s",
			    what.len > 0 ? ", " : "registered more than once: ",
			    settings_hooks[i].event);
		strings_add(&events, settings_hooks[i].event);
		for (int k = 0; k < SCOPES; k++)
			any[k] |= in[k];
	}
	if (what.len > 0)
		doctor_add(d, "hooks.twice", LEVEL_WARNING, mem_string(buf_text(&what)),
		    "the client runs each entry, since their commands differ",
		    twice_fix(&d->registration, any));
	buf_free(&what);
	strings_free(&events);
}

/* Is there an entry that runs the program of this hook for its event, and for this tool (NULL: for
 * any)? */
static bool
runs_for(const struct registration *r, const struct settings_hook *h, const char *tool)
{
	for (int i = 0; i < SCOPES; i++)
		for (size_t k = 0; k < r->file[i].entries.count; k++) {
			const struct settings_entry *e = &r->file[i].entries.item[k];

			if (strcmp(e->event, h->event) == 0 &&
			    strcmp(e->program, h->program) == 0 &&
			    (tool == NULL || settings_matches(e->matcher, tool)))
				return true;
		}
	return false;
}

/* A hook without which calls are not checked: is it registered, for all of its tools? */
static void
check_core(struct doctor *d, const struct settings_hook *h)
{
	bool closed = (h->flags & SETTINGS_CLOSED) != 0;
	char *tools, *rest, *tool;
	struct buf missing = { 0 };

	if (!runs_for(&d->registration, h, NULL)) {
		if (settings_hook_find(h->name) == h)
			doctor_add(d, "hooks.registered", LEVEL_WARNING,
			    mem_printf("%s has no entry for %s", h->event, h->program),
			    "calls that it would refuse are allowed",
			    mem_printf("claude-tasks install --events %s", h->name));
		return;
	}
	tools = rest = mem_string(h->matcher);
	while ((tool = strsep(&rest, "|")) != NULL)
		if (!runs_for(&d->registration, h, tool))
			buf_printf(&missing, "%s%s", missing.len > 0 ? ", " : "", tool);
	if (missing.len > 0)
		doctor_add(d, "hooks.matcher", closed ? LEVEL_WARNING : LEVEL_NOTE,
		    mem_printf("no entry of %s matches %s", h->event, buf_text(&missing)),
		    closed
			? "a matcher is compared with whole names: 'Task' matches only the "
			  "Agent tool"
			: "such a call is not checked, and does not tell the agent of tasks that "
			  "were given back",
		    registered(&d->registration, h) == 0
			? mem_printf("claude-tasks install --events %s", h->name)
			: mem_printf("set \"matcher\": \"%s\"", h->matcher));
	buf_free(&missing);
	free(tools);
}

/* Where the user's settings have our hooks: do they have those that only they can have? */
static void
check_users(struct doctor *d)
{
	bool late = d->client != NULL && version_compare(d->client, UNKNOWN_EVENT_SINCE) >= 0;
	struct buf missing = { 0 };

	for (size_t i = 0; i < SETTINGS_HOOKS; i++) {
		const struct settings_hook *h = &settings_hooks[i];

		if ((h->flags & SETTINGS_USERS) != 0 && ((h->flags & SETTINGS_LATE) == 0 || late) &&
		    registered(&d->registration, h) == 0)
			buf_printf(&missing, "%s%s", missing.len > 0 ? "," : "", h->name);
	}
	if (missing.len > 0 && d->registration.file[SCOPE_USER].entries.count > 0)
		doctor_add(d, "hooks.registered", LEVEL_NOTE,
		    mem_printf("the user's settings have no entry for %s", buf_text(&missing)),
		    "a change of settings that switches the hooks off is not noticed",
		    mem_printf("claude-tasks install --events %s", buf_text(&missing)));
	buf_free(&missing);
}

static void
check_presence(struct doctor *d)
{
	const char *plugin = registration_plugin(&d->registration);
	size_t all = 0;

	doctor_checked(d, "hooks.registered");
	doctor_checked(d, "hooks.matcher");
	doctor_checked(d, "hooks.twice");
	for (size_t i = 0; i < SETTINGS_HOOKS; i++)
		if (strcmp(settings_hooks[i].name, SETTINGS_SYNC) != 0)
			all += registered(&d->registration, &settings_hooks[i]);
	if (all == 0 && plugin == NULL) {
		doctor_add(d, "hooks.registered", LEVEL_WARNING,
		    mem_string("claude-task-hooks is not registered in any settings file"),
		    "no rules are enforced", mem_string("claude-tasks install"));
		return;
	}
	if (all > 0 && plugin != NULL)
		doctor_add(d, "hooks.twice", LEVEL_PROBLEM,
		    mem_printf(
			"the plugin is enabled (%s) and the settings have entries too", plugin),
		    "the client runs every hook twice", mem_string("claude-tasks uninstall"));
	if (plugin != NULL)
		return;
	for (size_t i = 0; i < SETTINGS_CORE; i++)
		check_core(d, &settings_hooks[i]);
	check_users(d);
	check_twice(d);
}

/* Are the entries and programs those that install recorded? */
static void
check_installed(struct doctor *d)
{
	struct guard g = { .open = client_is_open(d->client) };

	doctor_checked(d, "hooks.lost");
	doctor_checked(d, "hooks.program");
	guard_settings(&g, d->registration.config, d->registration.project, NULL);
	guard_programs(&g, d->registration.config, d->registration.project);
	for (size_t i = 0; i < g.count; i++) {
		const struct guard_finding *f = &g.item[i];

		if (f->kind == GUARD_LOST)
			doctor_add(d, "hooks.lost", LEVEL_PROBLEM, mem_string(f->what),
			    "a session that starts now does not get these hooks",
			    mem_string(f->fix));
		else if (f->kind == GUARD_PROGRAM)
			doctor_add(d, "hooks.program", LEVEL_WARNING, mem_string(f->what),
			    "it may let pass what the installed one refuses", mem_string(f->fix));
	}
	guard_free(&g);
}

static void
check_sync(struct doctor *d, const struct config *config)
{
	bool user = false;

	doctor_checked(d, "hooks.sync");
	for (size_t i = 0; i < config->mirror_count; i++)
		user |= !config->mirror[i].project;
	if (config->mirror_count == 0 ||
	    registered(&d->registration, settings_hook_find(SETTINGS_SYNC)) > 0)
		return;
	doctor_add(d, "hooks.sync", LEVEL_WARNING,
	    mem_string("there are sync commands, but PostToolUse has no entry for TaskCreate and "
		       "TaskUpdate"),
	    "a change by the client's own tools reaches them only at a later event",
	    mem_printf("claude-tasks install --%s --events sync", user ? "user" : "local"));
}

static void
check_tools(struct doctor *d)
{
	const char *off = registration_tasks_off(&d->registration);

	doctor_checked(d, "hooks.tasks");
	if (off != NULL)
		doctor_add(d, "hooks.tasks", LEVEL_PROBLEM,
		    mem_printf(TASKS_SWITCH " in %s switches tasks off", off),
		    "the client has no Task tools, and the hooks check nothing",
		    mem_printf("remove " TASKS_SWITCH " from %s", off));
	doctor_checked(d, "hooks.todo-tools");
	doctor_checked(d, "hooks.client");
	if (d->client == NULL)
		doctor_add(d, "hooks.client", LEVEL_NOTE,
		    mem_string("cannot find out the version of the client"),
		    "its current version is assumed",
		    mem_string("claude-tasks doctor --client FILE"));
	if (registration_tools_off(&d->registration, d->client))
		doctor_add(d, "hooks.todo-tools", LEVEL_NOTE,
		    mem_string("the client offers no Task tools to current models"),
		    "an agent can use the list only through claude-tasks or claude-tasks mcp",
		    mem_string("claude-tasks install --todo-tools, or for claude-tasks: "
			       "claude-tasks install --skill"));
}

static void
check_pause(struct doctor *d)
{
	struct pause p;

	doctor_checked(d, "hooks.paused");
	if (pause_now(&p, d->c->list.config))
		doctor_add(d, "hooks.paused", LEVEL_WARNING,
		    mem_printf("a person has paused refusals until %s: %s", p.until, p.reason),
		    "the hooks only warn until then", mem_string("claude-tasks pause --end"));
	pause_free(&p);
}

static void
check_skill(struct doctor *d)
{
	const enum scope scopes[] = { SCOPE_USER, SCOPE_PROJECT };

	doctor_checked(d, "hooks.skill");
	for (size_t i = 0; i < 2 && !d->registration.file[scopes[i]].users; i++) {
		enum skill_state state = install_skill_state(&d->registration, scopes[i]);
		char *path = install_skill_path(&d->registration, scopes[i]);

		if (state == SKILL_OLD || state == SKILL_MISSING)
			doctor_add(d, "hooks.skill", LEVEL_NOTE,
			    mem_printf("%s, which install made, is %s", path,
				state == SKILL_OLD ? "of another version" : "missing"),
			    "agents do not read how to use this version of claude-tasks",
			    mem_printf("claude-tasks install --skill --%s", scope_name(scopes[i])));
		free(path);
	}
}

void
doctor_registration(struct doctor *d)
{
	struct config_query q = { .config_dir = d->c->list.config };
	struct config config;
	struct error err;

	check_files(d);
	check_groups(d);
	check_events(d);
	check_presence(d);
	check_installed(d);
	if (config_load(&config, &q, &err) == -1)
		config_default(&config);
	doctor_entries(d, config.deadline_ms);
	check_sync(d, &config);
	doctor_sync(d, &config);
	config_free(&config);
	check_tools(d);
	check_pause(d);
	check_skill(d);
}
