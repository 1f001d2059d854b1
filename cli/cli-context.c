/*
 * Which list the command works on, and who acts.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli-caller.h"
#include "commands.h"
#include "config/config.h"
#include "gate/verify.h"
#include "hook/mirror.h"
#include "registration.h"
#include "sys/lock.h"

int
cli_list_find(struct list *list, struct list_query q, struct error *err)
{
	const char *session = getenv("CLAUDE_CODE_SESSION_ID");
	const struct registration_file *f;
	struct registration r = { 0 };
	struct error ignored;
	int rc;

	if (q.list == NULL && q.dir == NULL && (session == NULL || *session == '\0') &&
	    registration_load(&r, &ignored) == 0 && (f = registration_list(&r)) != NULL) {
		q.settings = f->list;
		q.settings_file = f->path;
	}
	rc = list_find(list, &q, err);
	registration_free(&r);
	return rc;
}

/* Add the line; 0: it is there already. */
static int
add_told(void *arg, struct buf *text, struct error *err)
{
	char *line = mem_join("\n", arg, "\n", NULL), *all = mem_join("\n", buf_text(text), NULL);
	bool told = strstr(all, line) != NULL;

	(void)err;
	if (!told)
		buf_puts(text, line + 1);
	free(line);
	free(all);
	return !told;
}

bool
cli_tell_once(struct cli *c, const char *file, const char *line)
{
	struct error ignored;

	return !c->json && isatty(STDERR_FILENO) && !cli_by_agent() &&
	       list_state_edit(&c->list, file, add_told, (char *)line, cli_deadline(), &ignored) !=
		   0;
}

int
cli_list(struct cli *c, struct error *err)
{
	struct list_query q = { .list = c->list_name, .dir = c->list_dir, .folder = true };

	list_free(&c->list);
	if (cli_list_find(&c->list, q, err) == -1)
		return -1;
	if (c->list_named)
		return 0;
	c->list_named = true;
	if (c->list.nearby)
		cli_note(c, "claude-tasks: using ./.tasks, %s", c->list.why);
	else if (c->list.settings && cli_tell_once(c, "settings-told", c->list.why))
		cli_note(c, "claude-tasks: using list '%s' (%s)", c->list.name, c->list.why);
	return 0;
}

int
cli_find(struct cli *c)
{
	struct error err;

	if (c->list_name != NULL && c->list_dir != NULL) {
		cli_misuse(c, "--list and --dir cannot be used together");
		return -1;
	}
	if (c->list.name != NULL)
		return 0;
	if (cli_list(c, &err) == 0)
		return 0;
	cli_error(c, &err);
	return -1;
}

void
cli_forget_config(struct cli *c)
{
	if (c->config != NULL)
		config_free(c->config);
	free(c->config);
	c->config = NULL;
}

const struct config *
cli_config(struct cli *c, struct error *err)
{
	struct config_query q = { .config_dir = c->list.config };

	if (c->config != NULL)
		return c->config;
	c->config = mem_alloc(sizeof(*c->config));
	if (config_load(c->config, &q, err) == -1)
		cli_forget_config(c);
	return c->config;
}

void
cli_govern(struct cli *c, struct governing *g)
{
	const char *places[GOVERNING_PLACES] = { NULL };
	const struct config *config;
	struct error ignored;
	char *cwd = getcwd(NULL, 0);

	*g = (struct governing){ 0 };
	if ((config = cli_config(c, &ignored)) != NULL) {
		if (cwd == NULL || governing_find(g, &c->list, config, cwd, places, &ignored) == -1)
			g->config = config;
		(void)verify_bind(g, &c->list, true, cli_deadline(), &ignored);
	}
	free(cwd);
}

/* Errors in the configuration are reported elsewhere. */
void
cli_settings(struct cli *c)
{
	struct error ignored;
	const struct config *config = cli_config(c, &ignored);

	c->syncs = config != NULL && config->mirror_count > 0;
	if (config != NULL)
		c->store.durability = config->durability;
}

/* Run the sync commands on the list that was changed. */
static void
sync_list(struct cli *c)
{
	struct error ignored;
	char *cwd = getcwd(NULL, 0);
	struct mirror m = { .list = &c->list,
		.config = cli_config(c, &ignored),
		.cwd = cwd,
		.event = c->command->name,
		.session = getenv("CLAUDE_CODE_SESSION_ID") };

	if (m.config != NULL)
		mirror_start(&m);
	free(cwd);
}

void
cli_close(struct cli *c)
{
	if (c->store.changed && c->syncs)
		sync_list(c);
	store_close(&c->store);
}

int
cli_open(struct cli *c, bool make)
{
	struct error err;
	int rc;

	if (c->store.dirfd != -1)
		return 1;
	if (cli_find(c) == -1)
		return -1;
	rc = store_open(&c->store, c->list.dir, make, &err);
	if (rc == -1)
		cli_error(c, &err);
	if (rc == 1)
		cli_settings(c);
	return rc;
}

int
cli_open_list(struct cli *c, const char *name, bool make)
{
	cli_close(c);
	list_free(&c->list);
	c->list_name = name;
	return cli_open(c, make);
}

int
cli_open_for(struct cli *c, const char *id)
{
	int rc = cli_open(c, false);

	if (rc == 0)
		cli_no_task(c, id);
	return rc == 1 ? 0 : -1;
}

struct deadline
cli_deadline(void)
{
	return deadline_in(2 * LOCK_PATIENCE_MS);
}

const char *
cli_agent_name(const struct cli *c)
{
	const char *env = getenv("CLAUDE_TASKS_AGENT");

	for (const struct flag *f = c->command->flags; f != NULL && f->name != NULL; f++)
		if (strcmp(f->name, "agent") == 0 && cli_flag(c, "agent"))
			return cli_value(c, "agent");
	if (env != NULL && *env != '\0')
		return env;
	return c->agent_name;
}

void
cli_act_as(struct cli *c, const char *name)
{
	char *copy = mem_string(name);

	free(c->agent_name);
	c->agent_name = copy;
}

const char *
cli_login_name(void)
{
	static const char *const names[] = { "USER", "LOGNAME" };
	const char *name;

	for (size_t i = 0; i < 2; i++)
		if ((name = getenv(names[i])) != NULL && *name != '\0')
			return name;
	return NULL;
}

static void
set_label(char **field, const char *value)
{
	free(*field);
	*field = value != NULL && agent_label_ok(value) ? mem_string(value) : NULL;
}

void
cli_call_from(struct cli *c, const char *client, const char *session)
{
	set_label(&c->client, client);
	set_label(&c->session, session);
}

/* The client's process stays the same; it is looked for once. */
static void
find_client(const struct cli *c, struct agent *a)
{
	static struct agent client;
	static bool known;

	if (!known) {
		cli_caller_from_environment(&client);
		/* The process that started a server is its client. */
		if (strcmp(c->command->name, "mcp") == 0) {
			cli_caller_from_parent(&client);
			client.client = "mcp";
		}
		known = true;
	}
	*a = client;
}

void
cli_agent(const struct cli *c, struct agent *a)
{
	find_client(c, a);
	if (c->client != NULL)
		a->client = c->client;
	if (c->session != NULL)
		a->session = c->session;
	a->name = cli_agent_name(c);
	if (a->name == NULL && a->session == NULL) {
		a->name = a->client != NULL ? a->client : cli_login_name();
		if (a->name == NULL)
			a->name = "me";
	}
}
