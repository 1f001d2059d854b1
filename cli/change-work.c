/*
 * Claiming and completing, with the same claims and verdicts as the hooks.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/claims.h"
#include "agent/release.h"
#include "change.h"
#include "gate/git.h"
#include "gate/verify.h"
#include "progress.h"
#include "view.h"

void
change_sweep(struct cli *c)
{
	struct released back = { 0 };
	struct agent self;
	struct error ignored;

	cli_agent(c, &self);
	(void)release_dead(&c->list, &c->store, NULL, &self, NULL, &back, cli_patience(), &ignored);
	for (size_t i = 0; i < back.tasks.count; i++)
		cli_note(c, "claude-tasks: released #%s: the agent that had it is gone",
		    back.tasks.item[i].id);
	released_free(&back);
}

enum claim_result
change_claim(struct cli *c, const char *id, bool check_busy, const struct change *with,
    struct buf *reason, struct error *err)
{
	struct claim_request r = { .task = id, .check_busy = check_busy, .write = with == NULL };
	struct change change;
	struct config config;
	struct config_query q = { .config_dir = c->list.config };
	enum claim_result result;
	char *head;
	struct error ignored;

	change_sweep(c);
	cli_agent(c, &r.agent);
	/* The gate file and the commit at the time of the claim: a later verdict compares with
	 * them. */
	if (config_load(&config, &q, &ignored) == 0 && config.project.path != NULL)
		r.gate_file_hash = config.project.hash;
	head = git_head(".");
	r.head = head;
	result = claim_take(&c->list, &c->store, &r, reason, cli_patience(), err);
	if (result == CLAIM_OK && with != NULL) {
		change = *with;
		change.status = TASK_IN_PROGRESS;
		if (change_update(c, id, &change, NULL, NULL, err) == -1) {
			(void)claims_forget(&c->list, id, cli_patience(), &ignored);
			result = CLAIM_FAULT;
		}
	}
	free(head);
	config_free(&config);
	return result;
}

int
change_claim_status(struct cli *c, const char *id, const struct change *with, struct buf *reason)
{
	struct error err = { 0 };
	enum claim_result r = change_claim(c, id, false, with, reason, &err);

	if (r == CLAIM_FAULT)
		buf_puts(reason, err.text);
	return change_claim_exit(r, &err);
}

void
change_identify(struct cli *c, const struct task *t, const struct claims *claims)
{
	const struct claim *claim = claims_find(claims, t->id);
	const char *session = getenv("CLAUDE_CODE_SESSION_ID");
	bool shell = session == NULL || *session == '\0';

	if (cli_agent_name(c) != NULL)
		return;
	if (claim == NULL && shell)
		cli_act_as(c, t->owner);
	else if (claim != NULL && claim->agent_id == NULL && claim->name != NULL &&
		 (claim->session == NULL) == shell &&
		 (shell || strcmp(claim->session, session) == 0))
		cli_act_as(c, claim->name);
}

/*
 * The task may have been changed between the verdict and the write: check the built-in rules
 * again under the lock.
 */
static int
check_builtin(
    void *arg, struct store *s, const struct task *t, const struct task *then, struct error *err)
{
	struct verify_request request = *(const struct verify_request *)arg;
	struct claims claims;
	struct buf reason = { 0 };
	struct strings warnings = { 0 };
	const char *rule;
	int rc;

	(void)s, (void)then;
	request.claims = &claims;
	if ((rc = claims_load(request.list, &claims, err)) == 0)
		rc = verify_builtin(&request, t, &reason, &warnings, &rule, err);
	claims_free(&claims);
	if (rc == 1)
		rc = error_set(err, ERROR_REFUSED, "%s", buf_text(&reason));
	strings_free(&warnings);
	buf_free(&reason);
	return rc;
}

static int
write_completed(struct cli *c, const struct change_complete *how, struct verify_request *request,
    struct strings *unblocked, struct error *err)
{
	struct change change = CHANGE_INIT;
	struct task before = TASK_INIT, after = TASK_INIT;
	struct task_set all = { 0 };
	struct json_object *extra = NULL;
	struct error ignored;
	int rc;

	if (how->with != NULL)
		change = *how->with;
	change.status = TASK_COMPLETED;
	rc = store_update(&c->store, how->id, &change, how->force ? NULL : check_builtin, request,
	    &before, &after, cli_patience(), err);
	if (rc == 1) {
		if (how->force) {
			extra = out_object();
			out_bool(extra, "forced", true);
		}
		change_record(c, "complete", &before, &after, how->why, extra);
		(void)claims_forget(&c->list, how->id, cli_patience(), &ignored);
		if (store_load(&c->store, &all, &ignored) == 0)
			graph_unblocked(&all, how->id, unblocked);
	}
	task_set_free(&all);
	task_free(&before);
	task_free(&after);
	return rc;
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
complete_verify(struct cli *c, const struct change_complete *how, struct verify_request *request,
    struct buf *reason, struct error *err)
{
	struct verify v = VERIFY_INIT;
	struct progress progress;
	int status = EXIT_DONE, rc;

	progress_begin(&progress, c, how->quiet);
	request->progress = c->progress != NULL ? c->progress : progress_tell;
	request->progress_arg = c->progress != NULL ? c->progress_arg : &progress;
	rc = verify_task(&v, request, err);
	progress_end(&progress);
	if (rc == -1 || verify_record(&v, request, err) == -1) {
		status = -1;
	} else {
		if (v.message.len > 0 && !how->quiet)
			cli_note(c, "%s", buf_text(&v.message));
		if (!v.passed) {
			buf_puts(reason, buf_text(&v.reason));
			status = verdict_status(&v);
		}
	}
	verify_free(&v);
	return status;
}

static int
complete_task(struct cli *c, const struct change_complete *how, const struct verify_request *asked,
    const struct task *t, struct buf *reason, struct strings *unblocked, struct error *err)
{
	struct claims claims = { 0 };
	struct verify_request request = *asked;
	int status;

	if (claims_load(&c->list, &claims, err) == -1)
		return -1;
	request.claims = &claims;
	change_identify(c, t, &claims);
	cli_agent(c, &request.agent);
	request.deadline = deadline_in(request.config->deadline_ms);
	if (how->force)
		status = verify_force(
		    &request, t, cli_person() != NULL ? cli_person() : "unknown", how->why, err);
	else
		status = complete_verify(c, how, &request, reason, err);
	if (status == EXIT_DONE && write_completed(c, how, &request, unblocked, err) == -1)
		status = -1;
	claims_free(&claims);
	return status;
}

int
change_complete(
    struct cli *c, const struct change_complete *how, struct buf *reason, struct strings *unblocked)
{
	struct config config;
	struct config_query q = { .config_dir = c->list.config };
	struct task t = TASK_INIT;
	struct error err = { 0 };
	struct verify_request request = {
		.on = GATE_COMPLETE,
		.config = &config,
		.list = &c->list,
		.store = &c->store,
		.task = how->id,
		.metadata = how->with != NULL ? how->with->metadata : NULL,
	};
	int status = -1, there = -1;

	if (config_load(&config, &q, &err) == 0)
		there = store_get(&c->store, how->id, &t, &err);
	if (there == 0) {
		buf_printf(reason,
		    "there is no task #%s in list '%s' (try: claude-tasks list --all)", how->id,
		    c->list.name);
		status = EXIT_UNKNOWN;
	} else if (there == 1 && t.status == TASK_COMPLETED) {
		task_name(reason, &t);
		buf_puts(reason, " is completed already");
		status = EXIT_RESOLVED;
	} else if (there == 1) {
		status = complete_task(c, how, &request, &t, reason, unblocked, &err);
	}
	if (status == -1) {
		buf_puts(reason, err.text);
		/* A refusal here is a check of the completion, made again under the lock. */
		status = err.kind == ERROR_REFUSED ? EXIT_GATE : cli_status(err.kind);
	}
	task_free(&t);
	config_free(&config);
	return status;
}
