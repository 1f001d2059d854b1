/*
 * The order of things in a verification; see verify.h.
 */
#include "gate/verify.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/claims.h"
#include "base/hash.h"
#include "config/glob.h"
#include "gate/verify-part.h"

#define RESERVE_MS 2500 /* to kill, look again, and answer */

static const char *const verdict_names[] = { "passed", "failed", "timed out", "skipped", "flaky",
	"could not run" };

const char *
gate_verdict_name(enum gate_verdict v)
{
	return verdict_names[v];
}

bool
gate_verdict_good(enum gate_verdict v)
{
	return v == GATE_PASSED || v == GATE_FLAKY;
}

void
verify_subject_hash(const struct task *t, char out[65])
{
	struct hash h;

	hash_begin(&h);
	hash_field(&h, t->subject);
	hash_field(&h, t->description);
	hash_end(&h, out);
}

/* Every built-in check that is on; objections of level "refuse" go to reason. */
static int
ask_builtins(const struct builtin *b, const struct config *c, struct buf *reason,
    struct strings *warnings, const char **rule, bool *asked, struct error *e)
{
	const struct {
		enum gate_check check;
		enum config_level level;
	} rows[] = {
		{ CHECK_OWNER, c->verify.owner },
		{ CHECK_BLOCKERS, c->verify.blockers },
		{ CHECK_SUBTASKS, c->verify.subtasks },
		{ CHECK_CHECKLIST, c->verify.checklist },
		{ CHECK_METADATA, c->verify.metadata.count > 0 ? LEVEL_REFUSE : LEVEL_OFF },
	};
	int refused = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf text = { 0 };
		int rc = 0;

		if (rows[i].level == LEVEL_OFF)
			continue;
		*asked = true;
		rc = builtin_check(b, rows[i].check, &text, e);
		if (rc == 1 && rows[i].level == LEVEL_REFUSE) {
			if (refused++ > 0)
				buf_puts(reason, "\nAlso: ");
			else
				*rule = gate_check_name(rows[i].check);
			buf_add(reason, text.data, text.len);
		} else if (rc == 1 && warnings != NULL)
			strings_add(warnings, buf_text(&text));
		buf_free(&text);
		if (rc == -1)
			return -1;
	}
	return refused > 0;
}

int
verify_builtin(const struct verify_request *req, const struct task *t, struct buf *reason,
    struct strings *warnings, const char **rule, struct error *e)
{
	struct subject s;
	struct builtin b = { .list = req->list,
		.store = req->store,
		.subject = &s,
		.agent = &req->agent,
		.required = &req->config->verify.metadata };
	struct buf text = { 0 };
	bool asked = false;
	int rc = -1;

	if (subject_open(&s, t, req->metadata, e) == 0)
		rc = ask_builtins(&b, req->config, &text, warnings, rule, &asked, e);
	if (rc == 1) {
		buf_puts(reason, "Task ");
		task_name(reason, t);
		buf_puts(reason, " cannot be completed: ");
		buf_add(reason, text.data, text.len);
	}
	subject_close(&s);
	buf_free(&text);
	return rc;
}

static int
check_builtins(struct plan *p, struct error *e)
{
	struct verify *v = p->verify;
	struct buf text = { 0 };
	const char *rule = NULL;
	int rc;

	if (p->req->gates_only || p->req->store == NULL)
		return 0;
	rc = ask_builtins(&p->builtin, p->req->config, &text, &v->warnings, &rule, &v->checked, e);
	if (rc == 1)
		report_refusal(p, rule, buf_text(&text));
	buf_free(&text);
	return rc;
}

/* 0 may run, 1 refused, -1. */
static int
check_trust(struct plan *p, struct error *e)
{
	const struct verify_request *req = p->req;
	struct buf why = { 0 };
	int rc = 0;

	if (req->trusted) {
		p->verify->trust = TRUST_GIVEN;
		return 0;
	}
	if (trust_check(req->list != NULL ? req->list->config : NULL, req->config, p->cwd,
		&p->verify->trust, &why, e) == -1)
		rc = -1;
	else if (p->verify->trust >= TRUST_UNKNOWN) {
		report_refusal(p, "trust", buf_text(&why));
		rc = 1;
	}
	buf_free(&why);
	return rc;
}

static void
note_gate_file(struct plan *p)
{
	const struct config_file *f = &p->req->config->project;
	const struct claim *c = p->claim;

	if (c == NULL || c->gate_file_hash == NULL || strcmp(c->gate_file_hash, f->hash) == 0)
		return;
	strings_take(&p->verify->warnings,
	    mem_printf("the gate file %s%s%s was changed after the task was claimed",
		f->path != NULL ? "'" : "", f->path != NULL ? f->path : "is gone: it",
		f->path != NULL ? "'" : ""));
}

/* The same task, still open, and nothing against it? 0, 1 refused, -1. */
static int
look_again(struct plan *p, struct error *e)
{
	struct verify *v = p->verify;
	struct task now = TASK_INIT;
	struct strings again = { 0 };
	struct buf text = { 0 };
	const char *rule = NULL;
	char hash[65];
	bool asked;
	int rc;

	if (p->req->store == NULL)
		return 0;
	if ((rc = store_get(p->req->store, p->req->task, &now, e)) == -1)
		return -1;
	if (rc == 0) {
		report_refusal(p, "changed", "it was deleted while its gates ran.");
		return 1;
	}
	verify_subject_hash(&now, hash);
	rc = 0;
	if (strcmp(hash, v->subject_hash) != 0 || now.status != v->task.status) {
		report_refusal(p, "changed",
		    "its subject, description or status was changed while its gates ran. Look at "
		    "it "
		    "again (TaskGet), then complete it.");
		rc = 1;
	} else if (!p->req->gates_only) {
		struct subject s = p->subject;
		struct builtin b = p->builtin;

		s.task = &now;
		b.subject = &s;
		rc = ask_builtins(&b, p->req->config, &text, &again, &rule, &asked, e);
		if (rc == 1)
			report_refusal(p, rule, buf_text(&text));
	}
	strings_free(&again);
	buf_free(&text);
	task_free(&now);
	return rc;
}

static bool
all_good(const struct plan *p)
{
	for (size_t i = 0; i < p->verify->count; i++)
		if (p->item[i].state != PLAN_SKIP && !p->verify->result[i].gate->warn &&
		    !gate_verdict_good(p->verify->result[i].verdict))
			return false;
	return true;
}

static bool
any_ran(const struct plan *p)
{
	for (size_t i = 0; i < p->verify->count; i++)
		if (p->verify->result[i].tries > 0 &&
		    p->verify->result[i].gate->check == CHECK_NONE)
			return true;
	return false;
}

/* Run once more what ran, or came from the cache, on the tree as it is now. */
static void
start_over(struct plan *p)
{
	for (size_t i = 0; i < p->verify->count; i++) {
		struct gate_result *r = &p->verify->result[i];

		if (p->item[i].state != PLAN_DONE || (r->tries == 0 && !r->cached))
			continue;
		p->item[i].state = PLAN_WAIT;
		p->item[i].ms = 0;
		r->verdict = GATE_SKIPPED;
		r->cached = false;
		r->tries = 0;
	}
}

/*
 * A gate that makes files on its first run (and finds them on the next) and
 * a colleague who saves a file are no reason to refuse at once: if all
 * passed and there is as much time again, the gates get a second run.
 */
static int
run_gates(struct plan *p, struct error *e)
{
	struct verify *v = p->verify;
	struct strings paths = { 0 };
	int rc = 0;

	for (int round = 0; rc == 0; round++) {
		int64_t start = clock_ms();
		char *why;

		plan_tree(p);
		plan_lookup(p);
		if (p->req->plan_only) {
			for (size_t i = 0; i < v->count; i++)
				if (p->item[i].state == PLAN_WAIT)
					v->result[i].why = mem_string("would run");
			break;
		}
		if (p->tree.repository) {
			git_tree_hash(&p->tree, NULL, NULL, v->tree_before, &why);
			free(why);
		}
		if ((rc = plan_run(p, e)) == -1)
			break;
		strings_free(&paths);
		/* Nothing ran: the tree was looked at a moment ago.  Refused, and late: answer. */
		if (!any_ran(p) || (!all_good(p) && deadline_past(p->until)))
			break;
		if (!plan_moved(p, &paths)) {
			plan_remember(p);
			break;
		}
		if (!all_good(p) || round > 0 ||
		    deadline_left(p->until) <= 2 * (clock_ms() - start)) {
			report_gates(p);
			report_tree(p, &paths);
			break;
		}
		start_over(p);
	}
	if (rc == 0 && p->tree.repository) {
		char *why;

		git_tree_hash(&p->tree, NULL, NULL, v->tree_after, &why);
		free(why);
		free(v->head);
		v->head = mem_string(p->tree.head);
	}
	strings_free(&paths);
	return rc;
}

static bool
any_chosen(const struct plan *p)
{
	for (size_t i = 0; i < p->verify->count; i++)
		if (p->item[i].state != PLAN_SKIP)
			return true;
	return false;
}

static int
verify_gates(struct plan *p, struct error *e)
{
	struct verify *v = p->verify;
	int rc;

	if ((rc = check_trust(p, e)) != 0)
		return rc == -1 ? -1 : 0;
	note_gate_file(p);
	plan_select(p);
	if (!any_chosen(p))
		return 0;
	if (run_gates(p, e) == -1)
		return -1;
	if (p->req->plan_only)
		return 0;
	for (size_t i = 0; i < v->count; i++)
		v->checked = v->checked || gate_verdict_good(v->result[i].verdict);
	if (v->passed)
		report_gates(p);
	if (v->passed && look_again(p, e) == -1)
		return -1;
	return 0;
}

static int
plan_open(struct plan *p, struct error *e)
{
	const struct verify_request *req = p->req;
	struct verify *v = p->verify;
	int64_t left = deadline_left(req->deadline);
	int rc;

	p->until = req->deadline;
	if (left != INT64_MAX)
		p->until.at_ms -= left / 5 < RESERVE_MS ? left / 5 : RESERVE_MS;
	p->cwd = req->cwd != NULL ? mem_string(req->cwd) : getcwd(NULL, 0);
	if (p->cwd == NULL)
		return error_sys(e, "cannot tell the working directory");
	if (req->given != NULL)
		task_copy(&v->task, req->given);
	else if ((rc = store_get(req->store, req->task, &v->task, e)) == -1)
		return -1;
	else if (rc == 0)
		return error_set(e, ERROR_NOT_FOUND, "there is no task #%s in the list '%s' (%s)",
		    req->task, req->list->name,
		    req->list->why != NULL ? req->list->why : req->list->dir);
	if (subject_open(&p->subject, &v->task, req->metadata, e) == -1)
		return -1;
	verify_subject_hash(&v->task, v->subject_hash);
	p->builtin = (struct builtin){ .list = req->list,
		.store = req->store,
		.subject = &p->subject,
		.agent = &req->agent,
		.required = &req->config->verify.metadata };
	if (req->list != NULL && claims_load(req->list, &p->claims, e) == -1)
		return -1;
	p->claim = claims_find(&p->claims, v->task.id);
	if (req->list != NULL && req->config->gates.count + req->config->verify.allow.count > 0) {
		struct error why;

		/* No state, no cache; what has to be recorded will say so. */
		p->statefd = list_state(req->list, !req->plan_only, &why);
	}
	return 0;
}

static void
plan_close(struct plan *p)
{
	subject_close(&p->subject);
	claims_free(&p->claims);
	for (size_t i = 0; i < p->verify->count; i++) {
		free(p->item[i].cwd);
		strings_free(&p->item[i].env);
		child_free(&p->item[i].child);
	}
	free(p->item);
	free(p->cwd);
	free(p->changed_why);
	strings_free(&p->changed_head);
	strings_free(&p->changed_claim);
	plan_tree_forget(p);
}

int
verify_task(struct verify *v, const struct verify_request *req, struct error *e)
{
	struct plan p = { .req = req, .verify = v, .statefd = -1 };
	int64_t start = clock_ms();
	int rc = -1;

	if (plan_open(&p, e) == -1)
		goto out;
	v->passed = true;
	if (check_builtins(&p, e) == -1)
		goto out;
	if (v->passed && verify_gates(&p, e) == -1)
		goto out;
	if (!v->passed && req->list != NULL) {
		v->attempts = attempts_read(req->list, v->task.id) + 1;
		report_attempts(&p);
	}
	report_warnings(&p);
	rc = 0;
out:
	v->ms = clock_ms() - start;
	if (rc == -1)
		v->passed = false;
	plan_close(&p);
	return rc;
}

void
verify_free(struct verify *v)
{
	buf_free(&v->reason);
	buf_free(&v->message);
	for (size_t i = 0; i < v->count; i++) {
		free(v->result[i].why);
		free(v->result[i].end);
		free(v->result[i].uncached);
		buf_free(&v->result[i].tail);
	}
	free(v->result);
	strings_free(&v->warnings);
	free(v->head);
	if (v->own != NULL)
		gate_free(v->own);
	free(v->own);
	task_free(&v->task);
	*v = (struct verify)VERIFY_INIT;
}
