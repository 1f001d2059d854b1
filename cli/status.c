/*
 * status: which of our hooks are registered, where; which list a command uses here.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/pause.h"
#include "install.h"

static void
status_json(struct cli *c, const struct registration *r, const char *version)
{
	struct json_object *o = out_object(), *list, *files, *f, *entries, *e;
	struct pause p;

	out_string(o, "version", VERSION);
	out_string(o, "client", version);
	out_bool(o, "plugin", registration_plugin(r) != NULL);
	out_bool(o, "disabled", registration_disabled(r) != NULL);
	out_bool(o, "todo_tools", registration_todo_tools(r));
	out_string(o, "tasks_off", registration_tasks_off(r));
	if (pause_now(&p, c->list.config))
		out_string(o, "paused_until", p.until);
	pause_free(&p);
	list = out_add(o, "list", out_object());
	out_string(list, "name", c->list.name);
	out_string(list, "why", c->list.why);
	files = out_add(o, "files", out_array());
	for (int i = 0; i < SCOPES; i++) {
		if (r->file[i].users)
			continue;
		f = out_push(files, out_object());
		out_string(f, "scope", scope_name(r->file[i].scope));
		out_string(f, "path", r->file[i].path);
		out_bool(f, "there", r->file[i].there);
		out_string(f, "broken", r->file[i].broken);
		out_strings(f, "flat", &r->file[i].entries.flat);
		entries = out_add(f, "entries", out_array());
		for (size_t k = 0; k < r->file[i].entries.count; k++) {
			const struct settings_entry *s = &r->file[i].entries.item[k];

			e = out_push(entries, out_object());
			out_string(e, "event", s->event);
			out_string(e, "matcher", s->matcher);
			out_string(e, "path", s->path);
			out_bool(e, "executable", access(s->path, X_OK) == 0);
		}
	}
	cli_json(c, o);
}

static void
status_text(struct cli *c, const struct registration *r, const char *version)
{
	const char *plugin = registration_plugin(r), *disabled = registration_disabled(r);
	const char *off = registration_tasks_off(r);
	struct pause p;
	char *list;
	size_t count = 0;

	for (int i = 0; i < SCOPES; i++) {
		const struct registration_file *f = &r->file[i];

		if (f->broken != NULL)
			buf_printf(&c->out, "%s: %s\n", f->path, f->broken);
		for (size_t k = 0; k < f->entries.flat.count; k++)
			cli_print(c,
			    "%s: %s is not in a group; some versions of the client ignore every "
			    "hook of the file (try: claude-tasks doctor)\n",
			    f->path, f->entries.flat.item[k]);
		for (size_t k = 0; k < f->entries.count; k++) {
			const struct settings_entry *e = &f->entries.item[k];
			bool missing = strchr(e->path, '/') != NULL && access(e->path, X_OK) != 0;

			if (k == 0)
				buf_printf(&c->out, "%s\n", f->path);
			buf_printf(&c->out, "  %-14s %s%s\n", e->event, e->path,
			    missing ? "  (missing or not executable)" : "");
		}
		count += f->entries.count;
	}
	if (plugin != NULL)
		buf_printf(&c->out, "the plugin is enabled in %s\n", plugin);
	else if (count == 0)
		buf_puts(&c->out, "no hook is registered (try: claude-tasks install)\n");
	if (disabled != NULL)
		buf_printf(&c->out, "%s disables the hooks\n", disabled);
	if (off != NULL)
		buf_printf(&c->out,
		    "%s switches tasks off (to have them: remove " TASKS_SWITCH " there)\n", off);
	if (pause_now(&p, c->list.config))
		cli_print(c, "refusals are paused until %s: %.500s\n", p.until, p.reason);
	pause_free(&p);
	for (int i = SCOPE_USER; i <= SCOPE_PROJECT && !r->file[i].users; i++) {
		char *skill = install_skill_path(r, (enum scope)i);

		if (install_skill_state(r, (enum scope)i) == SKILL_CURRENT)
			buf_printf(&c->out, "%s: the skill is installed\n", skill);
		free(skill);
	}
	list = cli_list_shown(c);
	cli_print(c, "%s: %s\n", list, c->list.why);
	free(list);
	buf_printf(&c->out, "client %s, Task tools %s\n", version != NULL ? version : "not found",
	    off != NULL                  ? "off"
	    : registration_todo_tools(r) ? "enabled"
					 : "as the client decides");
}

int
status_main(struct cli *c)
{
	struct registration r;
	struct error err;
	char *version;
	bool found;

	if (cli_find(c) == -1)
		return c->status;
	if (registration_load(&r, &err) == -1)
		return cli_error(c, &err);
	version = client_version(cli_value(c, "client"));
	(c->json ? status_json : status_text)(c, &r, version);
	found = registration_plugin(&r) != NULL;
	for (int i = 0; i < SCOPES; i++)
		found |= r.file[i].entries.count > 0;
	free(version);
	registration_free(&r);
	return found ? EXIT_DONE : EXIT_FINDINGS;
}
