/*
 * What a verification leaves behind: a receipt, or a refusal that counts.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/claims.h"
#include "base/text.h"
#include "gate/verify-part.h"
#include "list/journal.h"
#include "list/tally.h"
#include "json/out.h"

#define WAIT_MS 5000 /* for the journal, if the deadline allows */

static char *
attempts_key(const char *task)
{
	return mem_printf("refused:%s", task);
}

int64_t
attempts_read(const struct list *list, const char *task)
{
	char *key = attempts_key(task);
	int64_t n = tally_get(list, key);

	free(key);
	return n < 0 ? 0 : n;
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
	if (r->gate->warn)
		out_string(o, "severity", "warn");
	if (r->why != NULL) {
		struct buf b = { 0 };

		text_show(&b, r->why, strlen(r->why), TEXT_LINE, 500);
		out_string(o, "why", buf_text(&b));
		buf_free(&b);
	}
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

/* The built-in checks that were on. */
static struct json_object *
checks_array(const struct verify_request *req)
{
	const struct config *c = req->config;
	struct json_object *a = out_array();

	if (req->gates_only || req->store == NULL)
		return a;
	if (c->verify.owner == LEVEL_REFUSE)
		out_push_string(a, "owner");
	if (c->verify.blockers == LEVEL_REFUSE)
		out_push_string(a, "blockers");
	if (c->verify.subtasks == LEVEL_REFUSE)
		out_push_string(a, "subtasks");
	if (c->verify.checklist == LEVEL_REFUSE)
		out_push_string(a, "checklist");
	if (c->verify.metadata.count > 0)
		out_push_string(a, "metadata");
	return a;
}

static const char *
known(const char *s)
{
	return s != NULL && *s != '\0' ? s : NULL;
}

static struct json_object *
receipt_object(const struct verify *v, const struct verify_request *req)
{
	struct json_object *o = out_object(), *gates = out_array(), *tree;
	const struct config_file *f = &req->config->project;
	struct buf subject = { 0 };

	text_show(&subject, v->task.subject, strlen(v->task.subject), TEXT_LINE, 200);
	out_string(o, "subject", buf_text(&subject));
	buf_free(&subject);
	out_string(o, "subject_hash", v->subject_hash);
	for (size_t i = 0; i < v->count; i++)
		out_push(gates, gate_object(&v->result[i]));
	out_add(o, "gates", gates);
	out_add(o, "checks", checks_array(req));
	out_string(o, "head", v->head);
	if (v->tree_before[0] != '\0' || v->tree_after[0] != '\0') {
		tree = out_object();
		out_string(tree, "before", known(v->tree_before));
		out_string(tree, "after", known(v->tree_after));
		out_add(o, "tree", tree);
	}
	if (f->path != NULL)
		out_string(o, "gate_file", f->hash);
	out_string(o, "agent_type", req->agent.type);
	out_string(o, "client", req->client_version);
	out_int(o, "ms", v->ms);
	if (v->warnings.count > 0)
		out_strings(o, "warnings", &v->warnings);
	return o;
}

static struct deadline
patience(const struct verify_request *req)
{
	/* After a long run the deadline may be near: an answer needs its record. */
	struct deadline least = deadline_in(500), most = deadline_in(WAIT_MS);

	if (req->deadline.at_ms < least.at_ms)
		return least;
	return deadline_first(req->deadline, most);
}

static int
append(const struct verify_request *req, struct journal_entry *entry, struct error *e)
{
	return journal_append(req->list, req->config->durability, entry, patience(req), e);
}

/* A claim remembers where the work began; CI counts changes from there. */
static void
add_base(const struct verify_request *req, const char *task, struct json_object *o)
{
	struct claims claims = { 0 };
	const struct claim *c;
	struct error e;

	if (claims_load(req->list, &claims, &e) == 0 && (c = claims_find(&claims, task)) != NULL)
		out_string(o, "base", c->head);
	claims_free(&claims);
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

	add_base(req, v->task.id, entry.extra);
	/* The client may clear a list once all of it is completed: this brings it back. */
	if (v->task.text.len > 0)
		out_string(entry.extra, "before", buf_text(&v->task.text));
	if (attempts_read(req->list, v->task.id) > 0)
		tally_forget(req->list, key, patience(req));
	free(key);
	return append(req, &entry, e);
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
	(void)tally_add(req->list, key, patience(req), e);
	free(key);
	/* The refusal stands, recorded or not. */
	(void)append(req, &entry, e);
	buf_free(&why);
	return 0;
}

int
verify_record(const struct verify *v, const struct verify_request *req, struct error *e)
{
	return v->passed ? record_pass(v, req, e) : record_refusal(v, req, e);
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
	char hash[65];
	struct buf subject = { 0 };

	verify_subject_hash(t, hash);
	text_show(&subject, t->subject, strlen(t->subject), TEXT_LINE, 200);
	out_string(entry.extra, "subject", buf_text(&subject));
	out_string(entry.extra, "subject_hash", hash);
	out_string(entry.extra, "by", who);
	buf_free(&subject);
	return append(req, &entry, e);
}
