/*
 * trust, untrust: may the gate file of a project run its commands?
 *
 * Only a person may trust a gate file, or stop trusting it: see cli-person.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "commands.h"
#include "config/trust.h"
#include "view.h"

/* The project's file, or the one named. */
static int
load_config(struct cli *c, struct config *config, char **dir)
{
	struct config_query q = { .file = c->operands > 0 ? c->operand[0] : NULL };
	struct error err;

	*dir = list_config_dir(&err);
	q.config_dir = *dir;
	config_default(config);
	if (*dir != NULL && config_load(config, &q, &err) == 0)
		return 0;
	cli_error(c, &err);
	return -1;
}

/* The commands of this file alone, without those of the user's settings. */
static void
show_commands(struct cli *c, const struct config_file *file)
{
	struct buf line = { 0 };
	struct config own;
	struct error ignored;

	(void)config_parse(&own, file->path, file->text.data, file->text.len, &ignored);
	for (size_t i = 0; i < own.gates.count; i++) {
		const struct gate *g = &own.gates.item[i];

		buf_reset(&line);
		if (g->check != CHECK_NONE)
			buf_printf(&line, "(built in: %s)", gate_check_name(g->check));
		else
			gate_command(&line, g);
		cli_print(c, "  gate %s%s: %s\n", g->name, g->warn ? " (warning only)" : "",
		    buf_text(&line));
	}
	for (size_t i = 0; i < own.mirror_count; i++) {
		cli_print(c, "  sync %s:", own.mirror[i].name);
		for (size_t k = 0; k < own.mirror[i].argv.count; k++)
			cli_print(c, " %.500s", own.mirror[i].argv.item[k]);
		buf_putc(&c->out, '\n');
	}
	for (size_t i = 0; i < own.verify.allow.count; i++)
		cli_print(c, "  tasks may run: %.500s\n", own.verify.allow.item[i]);
	config_free(&own);
	buf_free(&line);
}

static void
show_difference(struct cli *c, const char *dir, const struct config *config)
{
	struct trusts all = { 0 };
	struct buf text = { 0 };
	struct error err;
	char *real = realpath(config->project.path, NULL); /* as trust_add() keeps it */

	if (real != NULL && trust_load(dir, &all, &err) == 0)
		for (size_t i = 0; i < all.count; i++)
			if (strcmp(all.item[i].path, real) == 0 &&
			    strcmp(all.item[i].hash, config->project.hash) != 0) {
				const char *old = all.item[i].text != NULL ? all.item[i].text : "";

				trust_difference(&text, old, strlen(old),
				    buf_text(&config->project.text), config->project.text.len);
				buf_puts(&c->out, "changed since it was trusted: ");
				text_show(&c->out, buf_text(&text), text.len, TEXT_BLOCK, 2000);
				buf_putc(&c->out, '\n');
			}
	trusts_free(&all);
	buf_free(&text);
	free(real);
}

static void
trusts_text(struct cli *c, const struct trusts *all)
{
	for (size_t i = 0; i < all->count; i++) {
		view_head(&c->out, all->item[i].hash, 12);
		cli_print(c, " %s %.500s\n", all->item[i].time != NULL ? all->item[i].time : "?",
		    all->item[i].path);
	}
}

static void
trusts_json(struct cli *c, const struct trusts *all)
{
	struct json_object *a = out_array(), *o;

	for (size_t i = 0; i < all->count; i++) {
		o = out_push(a, out_object());
		out_string(o, "path", all->item[i].path);
		out_string(o, "hash", all->item[i].hash);
		out_string(o, "time", all->item[i].time);
	}
	cli_json(c, a);
}

static int
trust_show(struct cli *c)
{
	struct trusts all = { 0 };
	struct error err;
	char *dir = list_config_dir(&err);
	int status = EXIT_DONE;

	if (dir == NULL || trust_load(dir, &all, &err) == -1)
		status = cli_error(c, &err);
	else
		(c->json ? trusts_json : trusts_text)(c, &all);
	trusts_free(&all);
	free(dir);
	return status;
}

static int
trust_file(struct cli *c, const char *dir, const struct config *config)
{
	const struct config_file *file = &config->project;
	struct json_object *o;
	struct error err;

	if (file->path == NULL)
		return cli_fail(c, EXIT_UNKNOWN,
		    "there is no .claude/task-hooks.json here (try: claude-tasks init)");
	if (!c->json) {
		buf_printf(&c->out, "%s\n", file->path);
		show_commands(c, file);
		for (size_t i = 0; i < config->loosened.count; i++)
			cli_print(c, "  makes less strict: %s\n", config->loosened.item[i]);
		show_difference(c, dir, config);
	}
	if (!cli_confirm(c, "let these commands run?"))
		return c->status;
	if (trust_add(dir, file->path, file->text.data, file->text.len, cli_deadline(), &err) == -1)
		return cli_error(c, &err);
	cli_person_record(c, "trust", file->path);
	if (c->json) {
		o = out_object();
		out_string(o, "trusted", file->path);
		out_string(o, "hash", file->hash);
		cli_json(c, o);
	} else {
		buf_printf(&c->out, "trusted %.12s\n", file->hash);
	}
	return EXIT_DONE;
}

int
trust_main(struct cli *c)
{
	struct config config;
	char *dir = NULL;
	int status;

	if (cli_flag(c, "show"))
		return trust_show(c);
	if (cli_person_only(c, "trust a gate file", "'claude-tasks trust'") != EXIT_DONE)
		return c->status;
	if (load_config(c, &config, &dir) == -1)
		status = c->status;
	else
		status = trust_file(c, dir, &config);
	config_free(&config);
	free(dir);
	return status;
}

/* The file that was passed, or the project's; owned.  NULL: there is none. */
static char *
untrust_path(const struct cli *c, const struct config *config)
{
	char *path;

	if (c->operands == 0)
		return mem_string(config->project.path);
	path = realpath(c->operand[0], NULL);
	return path != NULL ? path : mem_string(c->operand[0]); /* the file may be gone */
}

int
untrust_main(struct cli *c)
{
	struct config config;
	struct error err;
	struct json_object *o;
	char *dir = NULL, *path = NULL;
	int rc = -1, status = EXIT_DONE;

	if (cli_person_only(c, "end the trust in a gate file", "'claude-tasks untrust'") !=
	    EXIT_DONE)
		return c->status;
	config_default(&config);
	if (c->operands == 0 && load_config(c, &config, &dir) == -1) {
		status = c->status;
		goto out;
	}
	if (c->operands == 1)
		dir = list_config_dir(&err);
	path = untrust_path(c, &config);
	if (dir != NULL)
		rc = path == NULL ? 0 : trust_remove(dir, path, cli_deadline(), &err);
	if (rc == 1)
		cli_person_record(c, "untrust", path);
	if (rc == -1) {
		status = cli_error(c, &err);
	} else if (rc == 0) {
		status = cli_fail(c, EXIT_UNKNOWN,
		    "'%s' is not trusted (try: claude-tasks trust --show)",
		    path != NULL ? path : ".claude/task-hooks.json");
	} else if (c->json) {
		o = out_object();
		out_bool(o, "untrusted", true);
		cli_json_line(c, o);
	} else {
		buf_printf(&c->out, "trust removed: %s\n", path);
	}
out:
	config_free(&config);
	free(dir);
	free(path);
	return status;
}
