/*
 * trust, untrust, verify, receipts: the gates by hand.
 *
 * Trusting a gate file is for a person.  Inside the client's shell tool
 * CLAUDECODE is set: there it is refused, so that an agent does not do it in
 * passing.  (Who unsets the variable means to deceive; no program can help that.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "change.h"
#include "config/trust.h"
#include "list/receipt.h"
#include "progress.h"
#include "sys/dir.h"
#include "sys/file.h"
#include "view.h"

bool
cli_by_agent(void)
{
	const char *v = getenv("CLAUDECODE");

	return v != NULL && *v != '\0' && strcmp(v, "0") != 0;
}

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

/* What the file itself would run, whoever names it and whatever the user's own adds. */
static void
show_commands(struct cli *c, const struct config_file *file)
{
	struct buf line = { 0 };
	struct config own, *config = &own;
	struct error ignored;

	(void)config_parse(&own, file->path, file->text.data, file->text.len, &ignored);
	for (size_t i = 0; i < config->gates.count; i++) {
		const struct gate *g = &config->gates.item[i];

		buf_reset(&line);
		if (g->check != CHECK_NONE)
			buf_printf(&line, "(built in: %s)", gate_check_name(g->check));
		else
			gate_command(&line, g);
		buf_printf(&c->out, "  gate %s%s: ", g->name, g->warn ? " (warning only)" : "");
		view_text(&c->out, buf_text(&line), 1000);
		buf_putc(&c->out, '\n');
	}
	for (size_t i = 0; i < config->mirror_count; i++) {
		buf_printf(&c->out, "  sync %s:", config->mirror[i].name);
		for (size_t k = 0; k < config->mirror[i].argv.count; k++) {
			buf_putc(&c->out, ' ');
			view_text(&c->out, config->mirror[i].argv.item[k], 500);
		}
		buf_putc(&c->out, '\n');
	}
	for (size_t i = 0; i < config->verify.allow.count; i++) {
		buf_puts(&c->out, "  tasks may run: ");
		view_text(&c->out, config->verify.allow.item[i], 500);
		buf_putc(&c->out, '\n');
	}
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

static int
list_trusted(struct cli *c)
{
	struct json_object *a = out_array(), *o;
	struct trusts all = { 0 };
	struct error err;
	char *dir = list_config_dir(&err);

	if (dir == NULL || trust_load(dir, &all, &err) == -1) {
		free(dir);
		json_object_put(a);
		return cli_error(c, &err);
	}
	for (size_t i = 0; i < all.count; i++) {
		if (!c->json) {
			buf_printf(&c->out, "%.12s %s ", all.item[i].hash,
			    all.item[i].time != NULL ? all.item[i].time : "?");
			view_text(&c->out, all.item[i].path, 500);
			buf_putc(&c->out, '\n');
			continue;
		}
		o = out_object();
		out_string(o, "path", all.item[i].path);
		out_string(o, "hash", all.item[i].hash);
		out_string(o, "time", all.item[i].time);
		out_push(a, o);
	}
	if (c->json)
		cli_json(c, a);
	else
		json_object_put(a);
	trusts_free(&all);
	free(dir);
	return EXIT_DONE;
}

int
trust_main(struct cli *c)
{
	struct config config;
	struct error err;
	char *dir = NULL, *question;
	int status = EXIT_DONE;
	bool sure;

	if (cli_flag(c, "show"))
		return list_trusted(c);
	if (cli_by_agent())
		return cli_fail(c, EXIT_RULE,
		    "trusting a gate file is for a person: run 'claude-tasks trust' in a terminal "
		    "of your "
		    "own");
	if (load_config(c, &config, &dir) == -1) {
		status = c->status;
		goto out;
	}
	if (config.project.path == NULL) {
		status = cli_fail(c, EXIT_UNKNOWN,
		    "there is no .claude/task-hooks.json here (try: claude-tasks init)");
		goto out;
	}
	if (!c->json) {
		buf_printf(&c->out, "%s\n", config.project.path);
		show_commands(c, &config.project);
		show_difference(c, dir, &config);
	}
	question = mem_printf("let these commands run when a task is completed?");
	sure = cli_confirm(c, question);
	free(question);
	if (!sure) {
		status = c->status;
		goto out;
	}
	if (trust_add(dir, config.project.path, config.project.text.data, config.project.text.len,
		cli_patience(), &err) == -1) {
		status = cli_error(c, &err);
	} else if (c->json) {
		struct json_object *o = out_object();

		out_string(o, "trusted", config.project.path);
		out_string(o, "hash", config.project.hash);
		cli_json(c, o);
	} else {
		buf_printf(&c->out, "trusted %.12s\n", config.project.hash);
	}
out:
	config_free(&config);
	free(dir);
	return status;
}

int
untrust_main(struct cli *c)
{
	struct config config;
	struct error err;
	char *dir = NULL, *path = NULL;
	int rc, status = EXIT_DONE;

	config_default(&config);
	if (c->operands == 1) {
		dir = list_config_dir(&err);
		path = realpath(c->operand[0], NULL);
		if (path == NULL) /* the file may be gone: the record is not */
			path = mem_string(c->operand[0]);
	} else if (load_config(c, &config, &dir) == -1) {
		status = c->status;
		goto out;
	} else if (config.project.path != NULL) {
		path = mem_string(config.project.path);
	}
	if (dir == NULL) {
		status = cli_error(c, &err);
		goto out;
	}
	rc = path == NULL ? 0 : trust_remove(dir, path, cli_patience(), &err);
	if (rc == -1)
		status = cli_error(c, &err);
	else if (rc == 0)
		status = cli_fail(c, EXIT_UNKNOWN,
		    "'%s' is not trusted (try: claude-tasks trust --show)",
		    path != NULL ? path : ".claude/task-hooks.json");
	else if (c->json)
		buf_printf(&c->out, "{\"untrusted\":true}\n");
	else
		buf_printf(&c->out, "no longer trusted: %s\n", path);
out:
	config_free(&config);
	free(dir);
	free(path);
	return status;
}

static struct json_object *
verify_json(const struct verify *v)
{
	struct json_object *o = out_object(), *gates = out_array(), *g;

	out_bool(o, "passed", v->passed);
	out_bool(o, "checked", v->checked);
	out_string(o, "rule", v->rule);
	out_string(o, "reason", v->reason.len > 0 ? buf_text(&v->reason) : NULL);
	for (size_t i = 0; i < v->count; i++) {
		const struct gate_result *r = &v->result[i];

		g = out_object();
		out_string(g, "gate", r->gate->name);
		out_string(g, "verdict", gate_verdict_name(r->verdict));
		out_string(g, "why", r->why);
		out_string(g, "end", r->end);
		out_bool(g, "cached", r->cached);
		out_string(g, "uncached", r->uncached);
		out_int(g, "ms", r->ms);
		out_push(gates, g);
	}
	out_add(o, "gates", gates);
	return o;
}

static void
verify_text(struct cli *c, const struct verify *v)
{
	struct buf line = { 0 };

	for (size_t i = 0; i < v->count; i++) {
		const struct gate_result *r = &v->result[i];

		buf_reset(&line);
		view_text(&line, r->gate->name, 60);
		buf_puts(&line, ": ");
		progress_result(c, &line, r);
		if (r->uncached != NULL) {
			buf_puts(&line, " (not remembered: ");
			view_text(&line, r->uncached, 200);
			buf_putc(&line, ')');
		}
		buf_printf(&c->out, "%s\n", buf_text(&line));
	}
	for (size_t i = 0; i < v->warnings.count; i++) {
		buf_puts(&c->out, "warning: ");
		view_text(&c->out, v->warnings.item[i], 500);
		buf_putc(&c->out, '\n');
	}
	if (!v->passed) {
		text_show(&c->out, buf_text(&v->reason), v->reason.len, TEXT_BLOCK, TEXT_REASON);
		buf_putc(&c->out, '\n');
	} else if (!v->checked) {
		buf_puts(&c->out, "nothing was there to check\n");
	} else {
		buf_printf(&c->out, "#%s could be completed now\n", v->task.id);
	}
	buf_free(&line);
}

int
verify_main(struct cli *c)
{
	struct config config;
	struct config_query q = { 0 };
	struct verify v = VERIFY_INIT;
	struct progress progress;
	struct strings only = { 0 };
	struct error err;
	struct verify_request request = {
		.on = GATE_COMPLETE, .config = &config, .list = &c->list, .store = &c->store
	};
	int status = EXIT_DONE, rc;

	if ((request.task = cli_id(c, 0)) == NULL || (rc = cli_open(c, false)) == -1)
		return c->status;
	if (rc == 0)
		return cli_no_task(c, request.task);
	q.config_dir = c->list.config;
	if (config_load(&config, &q, &err) == -1) {
		status = cli_error(c, &err);
		goto out;
	}
	cli_values(c, "gate", &only);
	for (size_t i = 0; i < only.count; i++)
		if (gates_find(&config.gates, only.item[i]) == NULL) {
			status = cli_misuse(c, "there is no gate '%s'", only.item[i]);
			goto out;
		}
	if (only.count > 0)
		request.only = &only;
	request.no_cache = cli_flag(c, "no-cache");
	request.plan_only = cli_flag(c, "dry-run");
	request.gates_only = only.count > 0;
	request.deadline = deadline_in(config.deadline_ms);
	if (cli_flag(c, "no-deadline"))
		request.deadline = DEADLINE_NEVER;
	cli_agent(c, &request.agent);
	progress_begin(&progress, c, c->json);
	progress.table = true;
	request.progress = progress_tell;
	request.progress_arg = &progress;
	rc = verify_task(&v, &request, &err);
	progress_end(&progress);
	if (rc == -1) {
		status =
		    err.kind == ERROR_NOT_FOUND ? cli_no_task(c, request.task) : cli_error(c, &err);
		goto out;
	}
	if (c->json)
		cli_json(c, verify_json(&v));
	else
		verify_text(c, &v);
	if (!v.passed)
		status =
		    v.rule != NULL && strcmp(v.rule, "trust") == 0 ? EXIT_UNTRUSTED : EXIT_GATE;
out:
	strings_free(&only);
	verify_free(&v);
	config_free(&config);
	return status;
}

static void
receipt_text(struct cli *c, const struct receipt *r)
{
	buf_putc(&c->out, '#');
	view_text(&c->out, r->task, 128);
	buf_printf(&c->out, " %s ", r->time != NULL ? r->time : "");
	if (r->forced_by != NULL) {
		buf_puts(&c->out, "forced by ");
		view_text(&c->out, r->forced_by, 60);
		buf_puts(&c->out, ": ");
		view_text(&c->out, r->forced_why != NULL ? r->forced_why : "", 200);
	} else {
		for (size_t i = 0; i < r->gates.count; i++) {
			buf_puts(&c->out, i > 0 ? ", " : "");
			view_text(&c->out, r->gates.item[i], 80);
		}
		if (r->gates.count == 0)
			buf_printf(&c->out, "%zu built-in checks", r->checks);
		if (r->head != NULL)
			buf_printf(&c->out, " at %.12s", r->head);
	}
	buf_putc(&c->out, '\n');
}

static int
receipts_export(struct cli *c)
{
	struct buf text = { 0 };
	struct error err;
	const char *path = c->operands > 1 ? c->operand[1] : "-", *slash;
	char *dir;
	int fd, rc, status = EXIT_DONE;

	if (receipt_export(&c->list, &c->store, &text, &err) == -1) {
		status = cli_error(c, &err);
	} else if (strcmp(path, "-") == 0) {
		buf_add(&c->out, text.data, text.len);
	} else {
		slash = strrchr(path, '/');
		dir = slash == NULL ? mem_string(".") : mem_copy(path, (size_t)(slash - path + 1));
		fd = dir_open(dir, &err);
		rc = fd == -1 ? -1
			      : file_replace(fd, slash == NULL ? path : slash + 1, text.data,
				    text.len, 0, DURABILITY_FILE, &err);
		if (fd != -1)
			close(fd);
		free(dir);
		if (rc == -1)
			status = cli_error(c, &err);
		else if (!c->json)
			buf_printf(&c->out, "wrote %s\n", path);
	}
	buf_free(&text);
	return status;
}

int
receipts_main(struct cli *c)
{
	struct receipts all = { 0 };
	struct json_object *a, *o;
	struct error err;
	const char *only = NULL;
	int fd, rc;

	if (c->operands > 0 && strcmp(c->operand[0], "export") == 0) {
		rc = cli_open(c, false);
		if (rc == -1)
			return c->status;
		if (rc == 0)
			return cli_fail(c, EXIT_UNKNOWN, "there is no list '%s'", c->list.name);
		return receipts_export(c);
	}
	if (c->operands > 1)
		return cli_misuse(c, "'receipts' takes a task, or 'export [FILE]'");
	if (c->operands == 1 && (only = cli_id(c, 0)) == NULL)
		return c->status;
	if (cli_find(c) == -1)
		return c->status;
	fd = list_state(&c->list, false, &err);
	if (fd == -1 && err.kind != ERROR_NOT_FOUND)
		return cli_error(c, &err);
	rc = fd == -1 ? 0 : receipts_read(fd, &all, &err);
	if (rc == -1)
		return cli_error(c, &err);
	a = out_array();
	for (size_t i = 0; i < all.count; i++) {
		const struct receipt *r = &all.item[i];

		if (r->task == NULL || (only != NULL && strcmp(r->task, only) != 0))
			continue;
		if (!c->json) {
			receipt_text(c, r);
			continue;
		}
		o = out_object();
		out_string(o, "task", r->task);
		out_string(o, "time", r->time);
		out_string(o, "agent", r->agent);
		out_string(o, "head", r->head);
		out_string(o, "tree", r->tree);
		out_string(o, "forced_by", r->forced_by);
		out_string(o, "forced_why", r->forced_why);
		out_strings(o, "gates", &r->gates);
		out_push(a, o);
	}
	if (c->json)
		cli_json(c, a);
	else {
		json_object_put(a);
		if (c->out.len == 0)
			buf_printf(&c->out, "no receipts in list '%s'\n", c->list.name);
	}
	receipts_free(&all);
	return EXIT_DONE;
}
