#include "registration.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/os.h"
/* The plugin that scripts/plugin makes, from any marketplace. */
#define PLUGIN "task-hooks@"

/* The list that a value of LIST_ID names; takes it.  NULL: none. */
static char *
list_name(char *value)
{
	char *trimmed, *name = NULL;

	if (value != NULL) {
		trimmed = list_trim(value);
		name = list_sanitise(trimmed);
		free(trimmed);
	}
	free(value);
	return name;
}

/* Are they one file?  Those that do not exist: one path? */
static bool
is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	if (stat(a, &x) == -1 || stat(b, &y) == -1)
		return strcmp(a, b) == 0;
	return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Is the project's file that of the user, as in the home directory? */
static bool
is_users(const struct registration *r)
{
	char *dir = mem_printf("%s/.claude", r->project);
	bool is = is_same_file(dir, r->config) ||
		  is_same_file(r->file[SCOPE_PROJECT].path, r->file[SCOPE_USER].path);

	free(dir);
	return is;
}

static void
read_settings(struct registration_file *f, const struct buf *text)
{
	struct json j = { 0 };
	struct error err;
	json_ref plugins, env;

	if (settings_find(text->data, text->len, &f->entries, &err) == -1) {
		f->broken = mem_string(err.text);
		return;
	}
	if (json_parse(&j, text->data, text->len, &err) == 0) {
		f->disabled =
		    json_true(&j, json_member(&j, JSON_ROOT, "disableAllHooks")) ||
		    (f->scope == SCOPE_MANAGED &&
			json_true(&j, json_member(&j, JSON_ROOT, "allowManagedHooksOnly")));
		f->model = json_member_string(&j, JSON_ROOT, "model");
		env = json_member(&j, JSON_ROOT, "env");
		f->todo = json_member_string(&j, env, TODO_TOOLS);
		f->tasks = json_member_string(&j, env, TASKS_SWITCH);
		f->list = list_name(json_member_string(&j, env, LIST_ID));
		f->statusline =
		    json_member_string(&j, json_member(&j, JSON_ROOT, "statusLine"), "command");
		plugins = json_member(&j, JSON_ROOT, "enabledPlugins");
		JSON_EACH (&j, plugins, p) {
			char *name = json_key(&j, p);

			/* true, or a list of versions */
			if (strncmp(name, PLUGIN, strlen(PLUGIN)) == 0 &&
			    json_kind(&j, p) != JSON_FALSE)
				f->plugin = true;
			free(name);
		}
	}
	json_free(&j);
}

int
registration_load(struct registration *r, struct error *err)
{
	struct buf text = { 0 };
	struct error why;
	int rc;

	*r = (struct registration){ 0 };
	r->config = list_config_dir(err);
	if (r->config == NULL)
		return -1;
	r->project = project_dir();
	for (int i = 0; i < SCOPES; i++) {
		struct registration_file *f = &r->file[i];

		f->scope = (enum scope)i;
		f->path = scope_path(f->scope, r->config, r->project);
		f->users = i == SCOPE_PROJECT && is_users(r);
		if (f->users)
			continue;
		rc = settings_read(f->path, &text, &why);
		f->there = rc == 1;
		if (rc == -1)
			f->broken = mem_string(why.text);
		else if (rc == 1)
			read_settings(f, &text);
	}
	buf_free(&text);
	return 0;
}

void
registration_free(struct registration *r)
{
	for (int i = 0; i < SCOPES; i++) {
		free(r->file[i].path);
		free(r->file[i].broken);
		free(r->file[i].model);
		free(r->file[i].todo);
		free(r->file[i].tasks);
		free(r->file[i].list);
		free(r->file[i].statusline);
		settings_entries_free(&r->file[i].entries);
	}
	free(r->project);
	free(r->config);
	*r = (struct registration){ 0 };
}

const char *
registration_plugin(const struct registration *r)
{
	for (int i = 0; i < SCOPES; i++)
		if (r->file[i].plugin)
			return r->file[i].path;
	return NULL;
}

const char *
registration_disabled(const struct registration *r)
{
	for (int i = 0; i < SCOPES; i++)
		if (r->file[i].disabled)
			return r->file[i].path;
	return NULL;
}

const char *
registration_late_event(const struct registration_file *f, const char *client)
{
	return f->entries.late.count > 0 && client != NULL &&
		       version_compare(client, UNKNOWN_EVENT_SINCE) < 0
		   ? f->entries.late.item[0]
		   : NULL;
}

static bool
switched_on(const char *v)
{
	return v != NULL && *v != '\0' && !settings_off(v);
}

/* The client sets the variables of its settings over those of its environment, the managed ones
 * last. */
const char *
registration_tasks_off(const struct registration *r)
{
	const char *v = getenv(TASKS_SWITCH);

	for (int i = SCOPES - 1; i >= 0; i--)
		if (r->file[i].tasks != NULL)
			return settings_off(r->file[i].tasks) ? r->file[i].path : NULL;
	return v != NULL && settings_off(v) ? "the environment" : NULL;
}

const struct registration_file *
registration_list(const struct registration *r)
{
	for (int i = SCOPES - 1; i >= 0; i--)
		if (r->file[i].list != NULL)
			return *r->file[i].list != '\0' ? &r->file[i] : NULL;
	return NULL;
}

bool
registration_todo_tools(const struct registration *r)
{
	if (switched_on(getenv(TODO_TOOLS)))
		return true;
	for (int i = 0; i < SCOPES; i++)
		if (switched_on(r->file[i].todo))
			return true;
	return false;
}

/*
 * The client offers no Task tools to Opus 4.8, Sonnet 5 and the models released
 * with or after them.  A name without a version means the current model.
 */
static bool
model_has_tools(const char *model)
{
	const char *p;

	if (model == NULL)
		return false;
	if (strstr(model, "claude-3") != NULL || strstr(model, "haiku") != NULL)
		return true;
	if ((p = strstr(model, "opus-4-")) != NULL)
		/* opus-4-20250514 is 4.0 */
		return strlen(p) > 9 || atoi(p + strlen("opus-4-")) < 8;
	return strstr(model, "sonnet-4") != NULL;
}

bool
registration_tools_off(const struct registration *r, const char *client)
{
	const char *model = getenv("ANTHROPIC_MODEL");

	if (client != NULL && version_compare(client, TODO_TOOLS_SINCE) < 0)
		return false;
	/* The settings nearest to the project determine the model. */
	for (int i = SCOPE_LOCAL; i >= SCOPE_USER && model == NULL; i--)
		model = r->file[i].model;
	return !registration_todo_tools(r) && !model_has_tools(model);
}

char *
registration_bin(const char *dir, struct error *err)
{
	char self[PATH_MAX], *bin, *path, *slash;

	if (dir != NULL) {
		bin = realpath(dir, NULL);
		if (bin == NULL) {
			error_sys(err, "cannot find '%s'", dir);
			return NULL;
		}
	} else {
		if (!os_self(self)) {
			error_sys(err, "cannot find out where this program is (try: --bin DIR)");
			return NULL;
		}
		slash = strrchr(self, '/');
		*slash = '\0';
		bin = mem_string(self);
	}
	for (size_t i = 0; i < SETTINGS_HOOKS; i++) {
		path = mem_printf("%s/%s", bin, settings_hooks[i].program);
		if (access(path, X_OK) == -1) {
			error_set(err, ERROR_NOT_FOUND,
			    "there is no executable '%s' (try: make install, or --bin DIR)", path);
			free(path);
			free(bin);
			return NULL;
		}
		free(path);
	}
	return bin;
}
