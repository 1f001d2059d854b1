/*
 * Journal the outcome of a verification: a receipt, or a refusal, which is counted.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/text.h"
#include "gate/verify-part.h"
#include "list/journal.h"
#include "list/tally.h"
#include "json/out.h"

#define WAIT_MS 5000 /* for the journal, if the deadline allows */
#define WAIT_LEAST_MS 500
#define SUBJECT_CHARS 200

static char *
attempts_key(const char *task)
{
	return mem_printf("refused:%s", task);
}

int64_t
verify_attempts(const struct list *list, const char *task)
{
	char *key = attempts_key(task);
	int64_t n = tally_get(list, key);

	free(key);
	return n < 0 ? 0 : n;
}

/* A text from outside, made harmless. */
static void
out_shown(struct json_object *o, const char *key, const char *text, size_t max)
{
	struct buf b = { 0 };

	text_show(&b, text, strlen(text), TEXT_LINE, max);
	out_string(o, key, buf_text(&b));
	buf_free(&b);
}

char *
verify_place(const char *root, const char *dir)
{
	char *from = realpath(root, NULL), *at = realpath(dir, NULL), *place;
	size_t len = from != NULL ? strlen(from) : 0;

	if (from == NULL || at == NULL)
		place = mem_string(dir);
	else if (strcmp(from, at) == 0)
		place = mem_string(".");
	else if (len > 1 && strncmp(at, from, len) == 0 && at[len] == '/')
		place = mem_string(at + len + 1);
	else
		place = mem_string(at);
	free(from);
	free(at);
	return place;
}

static struct json_object *
gate_object(const struct gate_result *r)
{
	struct json_object *o = out_object();

	out_string(o, "name", r->gate->name);
	out_string(o, "verdict", gate_verdict_name(r->verdict));
	if (r->gate->check != CHECK_NONE)
		out_string(o, "check", gate_check_name(r->gate->check));
	else
		out_strings(o, "argv", &r->gate->argv);
	if (r->gate->check == CHECK_NONE && r->dir != NULL)
		out_shown(o, "dir", r->dir, 1000);
	out_string(o, "since", r->since);
	if (r->gate->warn)
		out_string(o, "severity", "warn");
	if (r->why != NULL)
		out_shown(o, "why", r->why, 500);
	if (r->verdict == GATE_SKIPPED)
		return o;
	if (r->exit >= 0)
		out_int(o, "exit", r->exit);
	out_string(o, "end", r->end);
	out_int(o, "ms", r->ms);
	if (r->cached)
		out_bool(o, "cached", true);
	else
		out_int(o, "tries", r->tries);
	if (r->digest[0] != '\0') {
		out_int(o, "output", (int64_t)r->output_total);
		out_string(o, "digest", r->digest);
	}
	return o;
}

/* The built-in checks that can refuse. */
static struct json_object *
checks_array(const struct verify_request *req)
{
	struct json_object *a = out_array();

	if (req->gates_only || req->store == NULL)
		return a;
	for (enum gate_check check = CHECK_NONE + 1; check <= CHECK_COMMITTED; check++)
		if (config_check_level(req->config, check) == LEVEL_REFUSE)
			out_push_string(a, gate_check_name(check));
	return a;
}

static const char *
or_null(const char *s)
{
	return s != NULL && *s != '\0' ? s : NULL;
}

static struct json_object *
receipt_object(const struct verify *v, const struct verify_request *req)
{
	struct json_object *o = out_object(), *gates = out_array(), *tree;
	const struct config_file *f = &req->config->project;

	out_shown(o, "subject", v->task.subject, SUBJECT_CHARS);
	out_string(o, "subject_hash", v->subject_hash);
	for (size_t i = 0; i < v->count; i++)
		out_push(gates, gate_object(&v->result[i]));
	out_add(o, "gates", gates);
	out_add(o, "checks", checks_array(req));
	out_string(o, "head", v->head);
	if (v->tree_before[0] != '\0' || v->tree_after[0] != '\0') {
		tree = out_add(o, "tree", out_object());
		out_string(tree, "before", or_null(v->tree_before));
		out_string(tree, "after", or_null(v->tree_after));
	}
	if (f->path != NULL)
		out_string(o, "gate_file", f->hash);
	if (req->config->given) /* by --config, which no trust covers */
		out_string(o, "config_given", f->hash);
	out_string(o, "agent_type", req->agent.type);
	out_string(o, "client", req->client_version);
	out_int(o, "ms", v->ms);
	if (v->warnings.count > 0)
		out_strings(o, "warnings", &v->warnings);
	return o;
}

static struct deadline
record_patience(const struct verify_request *req)
{
	/* After a long run the deadline may be near, but the outcome has to be recorded. */
	struct deadline least = deadline_in(WAIT_LEAST_MS), most = deadline_in(WAIT_MS);

	if (req->deadline.at_ms < least.at_ms)
		return least;
	return deadline_first(req->deadline, most);
}

static int
record_append(const struct verify_request *req, struct journal_entry *entry, struct error *e)
{
	return journal_append(req->list, req->config->durability, entry, record_patience(req), e);
}

static int
record_pass(const struct verify *v, const struct verify_request *req, struct error *e)
{
	struct journal_entry entry = { .event = "receipt",
		.task = v->task.id,
		.agent = agent_owner(&req->agent),
		.session = req->agent.session,
		.extra = receipt_object(v, req) };
	char *key = attempts_key(v->task.id);

	out_string(entry.extra, "base", v->base); /* CI counts changes from there */
	/* The client deletes a list when all of it is completed; undo restores from this. */
	if (v->task.text.len > 0)
		out_string(entry.extra, "before", buf_text(&v->task.text));
	if (verify_attempts(req->list, v->task.id) > 0)
		tally_forget(req->list, key, record_patience(req));
	free(key);
	return record_append(req, &entry, e);
}

static int
record_refusal(const struct verify *v, const struct verify_request *req, struct error *e)
{
	struct journal_entry entry = { .event = "refuse",
		.task = v->task.id,
		.agent = agent_owner(&req->agent),
		.session = req->agent.session,
		.extra = out_object() };
	struct json_object *gates = out_array();
	char *key = attempts_key(v->task.id);
	struct buf why = { 0 };

	text_show(&why, buf_text(&v->reason), v->reason.len, TEXT_LINE, 1000);
	entry.why = buf_text(&why);
	out_string(entry.extra, "rule", v->rule);
	out_int(entry.extra, "attempt", v->attempts);
	for (size_t i = 0; i < v->count; i++)
		out_push(gates, gate_object(&v->result[i]));
	out_add(entry.extra, "gates", gates);
	(void)tally_add(req->list, key, record_patience(req), e);
	free(key);
	/* Refuse also if it cannot be recorded. */
	(void)record_append(req, &entry, e);
	buf_free(&why);
	return 0;
}

int
verify_record(const struct verify *v, const struct verify_request *req, struct error *e)
{
	struct verify_request governed = *req;

	if (v->governing.config != NULL)
		governed.config = v->governing.config;
	return v->passed ? record_pass(v, &governed, e) : record_refusal(v, &governed, e);
}

int
verify_force(const struct verify_request *req, const struct task *t, const char *who,
    const char *reason, struct error *e)
{
	struct journal_entry entry = { .event = "forced",
		.task = t->id,
		.agent = agent_owner(&req->agent),
		.session = req->agent.session,
		.why = reason,
		.extra = out_object() };
	char hash[HASH_HEX];

	completion_hash(t, hash);
	out_shown(entry.extra, "subject", t->subject, SUBJECT_CHARS);
	out_string(entry.extra, "subject_hash", hash);
	out_string(entry.extra, "by", who);
	return record_append(req, &entry, e);
}
