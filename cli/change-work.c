/*
 * Claim and complete tasks, with the same claims and verdicts as the hooks.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/claims.h"
#include "agent/holder.h"
#include "agent/release.h"
#include "base/clock.h"
#include "change-part.h"
#include "gate/verify.h"
#include "progress.h"
#include "view.h"

void
change_release_dead(struct cli *c)
{
	struct released back = { 0 };
	struct agent self;
	struct error ignored;

	cli_agent(c, &self);
	(void)release_dead(&c->list, &c->store, NULL, &self, NULL, &back, cli_deadline(), &ignored);
	for (size_t i = 0; i < back.tasks.count; i++)
		cli_note(c, "claude-tasks: released #%s: the agent that claimed it is gone",
		    back.tasks.item[i].id);
	released_free(&back);
}

int
change_claim(struct cli *c, const char *id, struct change_batch *b, struct buf *reason)
{
	struct change change = { .status = TASK_IN_PROGRESS };
	struct store_op op = { STORE_UPDATE, id, .change = &change, .rule = claim_rule };
	struct agent agent;
	int status;

	cli_agent(c, &agent);
	change.owner = agent_owner(&agent);
	b->op = &op; /* cppcheck-suppress autoVariables ; until we return */
	b->count = 1;
	status = change_apply(c, b, reason);
	store_ops_free(&op, 1);
	b->op = NULL;
	b->count = 0;
	return status;
}

void
change_outcome(struct cli *c, const char *id, int status, const struct claim_outcome *outcome,
    struct json_object *o)
{
	struct task t = TASK_INIT;
	struct error ignored;

	out_bool(o, "success", status == EXIT_DONE);
	if (status != EXIT_DONE)
		out_string(o, "reason", cli_status_name(status));
	if (id != NULL && status != EXIT_UNKNOWN && c->store.dirfd != -1 &&
	    store_get(&c->store, id, &t, &ignored) == 1)
		out_add(o, "task", view_client_json(&t));
	if (outcome->result == CLAIM_BLOCKED)
		out_strings(o, "blockedByTasks", &outcome->blocked_by);
	if (outcome->result == CLAIM_AGENT_BUSY)
		out_strings(o, "busyWithTasks", &outcome->busy_with);
	task_free(&t);
}

/* Act under the name of a claim that was made from here; false: it was not. */
static bool
act_as_claimer(struct cli *c, const struct claim *claim)
{
	struct agent self;

	cli_agent(c, &self);
	if (claim->agent_id != NULL || !claim_is_from(claim, &self))
		return false;
	if (claim->name != NULL)
		cli_act_as(c, claim->name);
	return true;
}

bool
change_resume(struct cli *c, const char *id)
{
	struct claims claims = { 0 };
	const struct claim *claim = NULL;
	struct error ignored;
	bool ours;

	if (claims_load(&c->list, &claims, &ignored) == 0)
		claim = claims_find(&claims, id);
	ours = claim != NULL && act_as_claimer(c, claim);
	claims_free(&claims);
	return ours;
}

/* If no name was passed, act under the name of the claim; a person at a shell acts as the owner of
 * a task without a claim. */
static void
change_identify(struct cli *c, const struct task *t, const struct claims *claims)
{
	const struct claim *claim = claims_find(claims, t->id);
	struct agent self;

	if (cli_agent_name(c) != NULL)
		return;
	cli_agent(c, &self);
	if (claim != NULL)
		(void)act_as_claimer(c, claim);
	else if (self.session == NULL && self.client == NULL)
		cli_act_as(c, t->owner);
}

/* ---- changing what another agent has ---- */

/* Refuse it to all but the agent that has the task. */
static int
check_held(
    struct cli *c, struct store *s, const struct task *t, const char *action, struct error *err)
{
	struct claims claims;
	struct agent self;
	struct holder_query q = { .task = t, .self = &self };
	struct buf text = { 0 };
	int rc = 0;

	if (claims_load(&c->list, &claims, err) == -1)
		return -1;
	change_identify(c, t, &claims);
	cli_agent(c, &self);
	holder_look(&q, &c->list, &claims);
	q.claim = claim_standing(&claims, s, t->id);
	if ((q.claim != NULL || t->status == TASK_IN_PROGRESS) && holder_of(&q) == HOLDER_OTHER) {
		task_name(&text, t);
		buf_printf(&text, " cannot be %s: it is %s by ", action,
		    t->status == TASK_IN_PROGRESS ? "in progress" : "claimed");
		holder_describe(&text, &q);
		buf_puts(&text, ". If that agent is gone: claude-tasks release ");
		task_id_word(&text, t->id);
		rc = error_set(err, ERROR_TAKEN, "%s", buf_text(&text));
	}
	buf_free(&text);
	claims_free(&claims);
	return rc;
}

static int
check_owner_held(struct cli *c, struct store *s, const struct task *now, const struct task *then,
    struct error *err)
{
	return change_same(now->owner, then->owner)
		   ? 0
		   : check_held(c, s, now, "given to another agent", err);
}

int
change_allowed(
    void *arg, struct store *s, const struct task *now, const struct task *then, struct error *err)
{
	if (then == NULL)
		return check_held(arg, s, now, "deleted", err);
	if (then->status != now->status)
		return check_held(arg, s, now,
		    then->status == TASK_PENDING ? "set to pending"
						 : task_status_name(then->status),
		    err);
	return check_owner_held(arg, s, now, then, err);
}

/* ---- completing ---- */

struct completing {
	struct verify_call *call;
	struct verify_request request;
	struct verify verdict; /* of its gates */
	struct task then;      /* as the gates see it */
	struct task now;       /* as it was before; no id: there was none */
};

/* What the completions of a call share. */
struct verify_call {
	const struct config *config;
	struct strings ids; /* the tasks that it completes */
	bool force;
	struct cli *tool; /* of a tool call; NULL */
};

/* The task as the call makes it, but with the status and the owner that it has now: they decide
 * who may complete it.  Tasks that the same call completes do not block it. */
static int
make_view(struct task *view, const struct task *now, const struct task *then,
    const struct strings *completed, struct error *err)
{
	struct change back = { .status = TASK_PENDING, .remove_blocked_by = completed };
	struct buf text = { 0 };
	int rc;

	if (now != NULL) {
		back.status = now->status;
		back.follows = !task_held(now);
		back.owner = now->owner != NULL ? now->owner : "";
	}
	if ((rc = task_edit(then, &back, clock_wall_ms(), &text, err)) == 0)
		task_copy(view, then);
	else if (rc == 1)
		rc = task_read(view, then->dialect, then->id, buf_text(&text), text.len, err);
	buf_free(&text);
	return rc == -1 ? -1 : 0;
}

/*
 * The task may have been changed between the verdict and the write: check the built-in rules
 * again under the lock.
 */
static int
check_builtin(const struct completing *k, const struct task *view, struct error *err)
{
	struct verify_request request = k->request;
	struct claims claims;
	struct buf reason = { 0 };
	struct strings warnings = { 0 };
	const char *rule;
	int rc;

	request.claims = &claims;
	if (k->verdict.governing.config != NULL)
		request.config = k->verdict.governing.config;
	if ((rc = claims_load(request.list, &claims, err)) == 0)
		rc = verify_builtin(&request, view, &reason, &warnings, &rule, err);
	claims_free(&claims);
	if (rc == 1)
		rc = error_set(err, ERROR_REFUSED, "%s", buf_text(&reason));
	strings_free(&warnings);
	buf_free(&reason);
	return rc;
}

int
change_completes(
    void *arg, struct store *s, const struct task *now, const struct task *then, struct error *err)
{
	const struct completing *k = arg;
	struct task view = TASK_INIT;
	int rc;

	if (k->call->tool != NULL && now != NULL &&
	    check_owner_held(k->call->tool, s, now, then, err) == -1)
		return -1;
	if (k->call->force)
		return 0;
	if (now != NULL &&
	    (now->status != k->now.status || !change_same(now->subject, k->now.subject) ||
		!change_same(now->description, k->now.description)))
		return error_set(err, ERROR_REFUSED,
		    "task #%s cannot be completed: its subject, description or status was changed "
		    "while its gates ran. Read it again, then complete it",
		    now->id);
	if ((rc = make_view(&view, now, then, &k->call->ids, err)) == 0)
		rc = check_builtin(k, &view, err);
	task_free(&view);
	return rc;
}

store_rule *
change_rule(enum task_status to)
{
	return to == TASK_IN_PROGRESS ? claim_rule : to == TASK_COMPLETED ? change_completes : NULL;
}

static int
verdict_status(const struct verify *v)
{
	if (v->trust >= TRUST_UNKNOWN && v->rule != NULL && strcmp(v->rule, "trust") == 0)
		return EXIT_UNTRUSTED;
	if (v->rule != NULL && strcmp(v->rule, "blockers") == 0)
		return EXIT_BLOCKED;
	return EXIT_GATE;
}

/* The gates' verdict: EXIT_DONE, the status of a refusal with its reason, or -1. */
static int
run_task_gates(struct cli *c, const struct change_batch *b, struct completing *k,
    struct buf *reason, struct error *err)
{
	struct verify_request *request = &k->request;
	struct verify *v = &k->verdict;
	struct progress progress;
	int rc;

	*v = (struct verify)VERIFY_INIT;
	progress_begin(&progress, c, b->quiet);
	request->progress = c->progress != NULL ? c->progress : progress_report;
	request->progress_arg = c->progress != NULL ? c->progress_arg : &progress;
	rc = verify_task(v, request, err);
	progress_end(&progress);
	if (rc == -1 || (!v->passed && verify_record(v, request, err) == -1))
		return -1;
	if (v->message.len > 0 && !b->quiet)
		cli_note(c, "%s", buf_text(&v->message));
	if (v->passed)
		return EXIT_DONE;
	buf_puts(reason, buf_text(&v->reason));
	return verdict_status(v);
}

/* A receipt proves a completion, and `restore` completes what has one: none is written for a
 * completion that is refused or fails.  If we are killed before, --ci finds that it is missing. */
void
change_verify_record(struct cli *c, const struct change_batch *b, struct completing *k)
{
	const char *who = cli_login_name() != NULL ? cli_login_name() : "unknown";
	struct error err;
	int rc;

	for (size_t i = 0; k != NULL && i < b->count; i++) {
		if (k[i].call == NULL)
			continue;
		if (b->force)
			rc = verify_force(&k[i].request, &k[i].then, who, b->why, &err);
		else
			rc = verify_record(&k[i].verdict, &k[i].request, &err);
		if (rc == -1)
			cli_note(c,
			    "claude-tasks: #%s is completed, but its receipt could not be written: "
			    "%s",
			    k[i].then.id, err.text);
	}
}

/* One task: EXIT_DONE, the status of a refusal with its reason, or -1. */
static int
verify_one(struct cli *c, const struct change_batch *b, struct completing *k, struct buf *reason,
    struct error *err)
{
	struct verify_request *request = &k->request;
	struct claims claims = { 0 };
	int status;

	if (claims_load(&c->list, &claims, err) == -1)
		return -1;
	*request = (struct verify_request){ .on = GATE_COMPLETE,
		.config = k->call->config,
		.list = &c->list,
		.store = &c->store,
		.task = k->then.id,
		.given = &k->then,
		.claims = &claims,
		.deadline = deadline_in(k->call->config->deadline_ms) };
	change_identify(c, k->now.id != NULL ? &k->now : &k->then, &claims);
	cli_agent(c, &request->agent);
	status = b->force ? EXIT_DONE : run_task_gates(c, b, k, reason, err);
	request->claims = NULL;
	claims_free(&claims);
	return status;
}

static bool
is_resolved(const struct task *t, struct buf *reason)
{
	if (t->id == NULL || task_open(t))
		return false;
	task_name(reason, t);
	buf_printf(reason, " is %s already", task_status_name(t->status));
	if (t->status == TASK_CANCELLED) {
		buf_puts(reason, ". To reopen it: claude-tasks update ");
		task_id_word(reason, t->id);
		buf_puts(reason, " --status pending");
	}
	return true;
}

/* What the operation would make of its task, for its gates. */
static int
prepare(struct change_batch *b, size_t i, struct completing *k, struct error *err)
{
	struct store_op *op = &b->op[i];
	bool is_new = op->before.id == NULL;

	op->arg = k;
	if (!is_new)
		task_copy(&k->now, &op->before);
	if (make_view(&k->then, is_new ? NULL : &op->before, &op->after, &k->call->ids, err) == -1)
		return -1;
	/* Create the task under the number that its gates saw, or fail. */
	if (op->id == NULL)
		op->id = k->then.id;
	return 0;
}

/* Plan the changes: what is refused anyway needs no gates. */
static int
plan(struct cli *c, struct change_batch *b, struct verify_call *call, struct error *err)
{
	call->force = b->force;
	call->tool = b->by_session ? c : NULL;
	if ((call->config = cli_config(c, err)) == NULL ||
	    store_plan(&c->store, b->op, b->count, err) == -1)
		return -1;
	for (size_t i = 0; i < b->count; i++)
		if (b->op[i].rule == change_completes)
			strings_add(&call->ids, b->op[i].after.id);
	return EXIT_DONE;
}

int
change_verify(
    struct cli *c, struct change_batch *b, struct completing **completing, struct buf *reason)
{
	struct completing *k = *completing = mem_alloc((b->count + 1) * sizeof(*k));
	struct verify_call *call = k[b->count].call = mem_alloc(sizeof(*call));
	struct error err = { 0 };
	int status = plan(c, b, call, &err);

	for (size_t i = 0; status == EXIT_DONE && i < b->count; i++) {
		if (b->op[i].rule != change_completes)
			continue;
		k[i].call = call;
		if (is_resolved(&b->op[i].before, reason))
			status = EXIT_RESOLVED;
		else if (prepare(b, i, &k[i], &err) == -1)
			status = -1;
		else
			status = verify_one(c, b, &k[i], reason, &err);
		if (status != EXIT_DONE)
			b->op[i].result = -1;
	}
	if (status == -1) {
		buf_puts(reason, err.text);
		status = cli_status(err.kind);
	}
	return status;
}

void
change_verify_end(struct completing *k, struct change_batch *b)
{
	if (k == NULL)
		return;
	for (size_t i = 0; i < b->count; i++) {
		if (b->op[i].id == k[i].then.id)
			b->op[i].id = NULL;
		verify_free(&k[i].verdict);
		task_free(&k[i].then);
		task_free(&k[i].now);
	}
	strings_free(&k[b->count].call->ids);
	free(k[b->count].call);
	free(k);
}
