/*
 * verify, receipts.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "change.h"
#include "list/receipt.h"
#include "progress.h"
#include "view.h"

static struct json_object *
verify_json(const struct verify *v)
{
	struct json_object *o = out_object(), *gates, *g;

	out_bool(o, "passed", v->passed);
	out_bool(o, "checked", v->checked);
	out_string(o, "rule", v->rule);
	out_string(o, "reason", v->reason.len > 0 ? buf_text(&v->reason) : NULL);
	gates = out_add(o, "gates", out_array());
	for (size_t i = 0; i < v->count; i++) {
		const struct gate_result *r = &v->result[i];

		g = out_push(gates, out_object());
		out_string(g, "gate", r->gate->name);
		out_string(g, "verdict", gate_verdict_name(r->verdict));
		out_string(g, "why", r->why);
		out_string(g, "end", r->end);
		out_bool(g, "cached", r->cached);
		out_string(g, "uncached", r->uncached);
		out_int(g, "ms", r->ms);
	}
	return o;
}

static void
verify_text(struct cli *c, const struct verify *v)
{
	for (size_t i = 0; i < v->count; i++) {
		const struct gate_result *r = &v->result[i];

		cli_print(c, "%.60s: ", r->gate->name);
		progress_result(c, &c->out, r);
		if (r->uncached != NULL)
			cli_print(c, " (not remembered: %.200s)", r->uncached);
		buf_putc(&c->out, '\n');
	}
	for (size_t i = 0; i < v->warnings.count; i++)
		cli_print(c, "warning: %.500s\n", v->warnings.item[i]);
	if (!v->passed) {
		text_show(&c->out, buf_text(&v->reason), v->reason.len, TEXT_BLOCK, TEXT_REASON);
		buf_putc(&c->out, '\n');
	} else if (!v->checked) {
		buf_printf(&c->out, "no gate or check applies to #%s\n", v->task.id);
	} else {
		cli_print(c, "#%s can be completed now\n", v->task.id);
	}
}

/* Is every gate of --gate in the gate file that governs the task? */
static int
check_names(struct cli *c, const struct verify_request *request, const struct strings *only)
{
	const struct claim *claim = claims_find(request->claims, request->task);
	const char *places[GOVERNING_PLACES] = { claim != NULL ? claim->root : NULL };
	char *cwd = getcwd(NULL, 0);
	struct governing g = { .config = request->config };
	struct error err;
	int status = EXIT_DONE;

	if (only->count > 0 && cwd != NULL &&
	    governing_find(&g, request->list, request->config, cwd, places, &err) == -1)
		status = cli_error(c, &err);
	for (size_t i = 0; status == EXIT_DONE && i < only->count; i++)
		if (gates_find(&g.config->gates, only->item[i]) == NULL)
			status = cli_misuse(c,
			    "unknown gate '%s'; 'claude-tasks verify %s --dry-run' lists the gates",
			    only->item[i], request->task);
	governing_free(&g);
	free(cwd);
	return status;
}

/* The options of `verify` in its request; `only` gets --gate. */
static int
verify_options(struct cli *c, struct verify_request *request, struct strings *only)
{
	cli_values(c, "gate", only);
	if (check_names(c, request, only) != EXIT_DONE)
		return c->status;
	request->only = only->count > 0 ? only : NULL;
	request->gates_only = only->count > 0;
	request->no_cache = cli_flag(c, "no-cache");
	request->plan_only = cli_flag(c, "dry-run");
	request->deadline =
	    cli_flag(c, "no-deadline") ? DEADLINE_NEVER : deadline_in(request->config->deadline_ms);
	cli_agent(c, &request->agent);
	return EXIT_DONE;
}

static int
verify_and_report(struct cli *c, struct verify_request request)
{
	struct verify v = VERIFY_INIT;
	struct progress progress;
	struct error err;
	int status = EXIT_DONE, rc;

	progress_begin(&progress, c, c->json);
	progress.table = true;
	request.progress = progress_report;
	request.progress_arg = &progress;
	rc = verify_task(&v, &request, &err);
	progress_end(&progress);
	if (rc == -1) {
		status = cli_task_error(c, request.task, &err);
	} else {
		if (c->json)
			cli_json(c, verify_json(&v));
		else
			verify_text(c, &v);
		if (!v.passed)
			status = v.rule != NULL && strcmp(v.rule, "trust") == 0 ? EXIT_UNTRUSTED
										: EXIT_GATE;
	}
	verify_free(&v);
	return status;
}

int
verify_main(struct cli *c)
{
	struct config config;
	struct config_query q = { 0 };
	struct strings only = { 0 };
	struct claims claims = { 0 };
	struct error err;
	struct verify_request request = { .on = GATE_COMPLETE,
		.config = &config,
		.list = &c->list,
		.store = &c->store,
		.claims = &claims };
	int status;

	if ((request.task = cli_id(c, 0)) == NULL || cli_open_for(c, request.task) == -1)
		return c->status;
	q.config_dir = c->list.config;
	if (config_load(&config, &q, &err) == -1 || claims_load(&c->list, &claims, &err) == -1)
		status = cli_error(c, &err);
	else if ((status = verify_options(c, &request, &only)) == EXIT_DONE)
		status = verify_and_report(c, request);
	strings_free(&only);
	claims_free(&claims);
	config_free(&config);
	return status;
}

static void
receipt_text(struct cli *c, const struct receipt *r)
{
	cli_print(c, "#%s %s ", r->task, r->time != NULL ? r->time : "");
	if (r->forced_by != NULL) {
		cli_print(c, "forced by %.60s: %.200s\n", r->forced_by,
		    r->forced_why != NULL ? r->forced_why : "");
		return;
	}
	for (size_t i = 0; i < r->gates.count; i++)
		cli_print(c, "%s%.80s", i > 0 ? ", " : "", r->gates.item[i]);
	if (r->gates.count == 0)
		buf_printf(&c->out, "%zu built-in checks", r->checks.count);
	if (r->head != NULL)
		buf_printf(&c->out, " at %.12s", r->head);
	buf_putc(&c->out, '\n');
}

static struct json_object *
receipt_json(const struct receipt *r)
{
	struct json_object *o = out_object();

	out_string(o, "task", r->task);
	out_string(o, "time", r->time);
	out_string(o, "agent", r->agent);
	out_string(o, "head", r->head);
	out_string(o, "tree", r->tree);
	out_string(o, "forced_by", r->forced_by);
	out_string(o, "forced_why", r->forced_why);
	out_strings(o, "gates", &r->gates);
	return o;
}

/* Write the export, and its signature beside it. */
static int
write_export(struct cli *c, const char *path, const struct buf *text)
{
	const char *key = cli_value(c, "sign");
	char *beside = mem_printf("%s" RECEIPT_SIGNATURE, path);
	struct buf signature = { 0 };
	struct error err;
	int status;

	if (key != NULL && receipt_sign(key, buf_text(text), text->len, &signature, &err) == -1)
		status = cli_error(c, &err);
	else
		status = cli_write_file(c, path, text);
	if (status == EXIT_DONE && key != NULL)
		status = cli_write_file(c, beside, &signature);
	buf_free(&signature);
	free(beside);
	return status;
}

static int
receipts_export(struct cli *c)
{
	struct buf text = { 0 };
	struct error err;
	const char *path = c->operands > 1 ? c->operand[1] : "-";
	int status = EXIT_DONE, rc;

	if (cli_flag(c, "sign") && strcmp(path, "-") == 0)
		return cli_misuse(c, "'--sign' writes FILE.sig: give the export a FILE");
	rc = cli_open(c, false);
	if (rc != 1)
		return rc == -1
			   ? c->status
			   : cli_fail(c, EXIT_UNKNOWN,
				 "there is no list '%s' (try: claude-tasks lists)", c->list.name);
	if (receipt_export(&c->list, &c->store, &text, &err) == -1)
		status = cli_error(c, &err);
	else
		status = write_export(c, path, &text);
	if (status == EXIT_DONE && strcmp(path, "-") != 0 && !c->json)
		buf_printf(&c->out, "wrote %s\n", path);
	buf_free(&text);
	return status;
}

static void
receipts_print(struct cli *c, const struct receipts *all, const char *only)
{
	struct json_object *a = c->json ? out_array() : NULL;

	for (size_t i = 0; i < all->count; i++) {
		const struct receipt *r = &all->item[i];

		if (r->task == NULL || (only != NULL && strcmp(r->task, only) != 0))
			continue;
		if (a != NULL)
			out_push(a, receipt_json(r));
		else
			receipt_text(c, r);
	}
	if (a != NULL)
		cli_json(c, a);
	else if (c->out.len == 0)
		buf_printf(&c->out, "no receipts in list '%s'\n", c->list.name);
}

int
receipts_main(struct cli *c)
{
	struct receipts all = { 0 };
	struct error err;
	const char *only = NULL;
	int fd;

	if (c->operands > 0 && strcmp(c->operand[0], "export") == 0)
		return receipts_export(c);
	if (cli_flag(c, "sign"))
		return cli_misuse(c, "'--sign' is for 'receipts export'");
	if (c->operands > 1)
		return cli_misuse(c, "'receipts' takes a task, or 'export [FILE]'");
	if ((c->operands == 1 && (only = cli_id(c, 0)) == NULL) || cli_find(c) == -1)
		return c->status;
	fd = list_state(&c->list, false, &err);
	if (fd == -1 ? err.kind != ERROR_NOT_FOUND : receipts_read(fd, &all, &err) == -1)
		return cli_error(c, &err);
	receipts_print(c, &all, only);
	receipts_free(&all);
	return EXIT_DONE;
}
