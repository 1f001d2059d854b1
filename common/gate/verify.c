/*
 * The steps of a verification and their order; see verify.h.
 */
#include "gate/verify.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/claims.h"
#include "base/text.h"
#include "config/glob.h"
#include "config/repository.h"
#include "gate/verify-part.h"

#define RESERVE_MS 2500 /* to kill the gates, read the task again and answer */

/* Make every built-in check that is on; objections of level "refuse" go to reason. */
static int
run_builtins(struct completion *c, const struct config *config, struct buf *reason,
    struct strings *warnings, const char **rule, bool *asked, struct error *e)
{
	int refused = 0;

	for (enum gate_check check = CHECK_NONE + 1; check <= CHECK_COMMITTED; check++) {
		enum config_level level = config_check_level(config, check);
		struct buf text = { 0 };
		int rc;

		if (level == LEVEL_OFF)
			continue;
		*asked = true;
		rc = completion_check(c, check, &text, e);
		if (rc == 0 && check == CHECK_SUBTASKS)
			c->no_subtasks = true;
		if (rc == 1 && level == LEVEL_REFUSE) {
			if (refused++ > 0)
				buf_puts(reason, "\nAlso: ");
			else
				*rule = gate_check_name(check);
			buf_add(reason, text.data, text.len);
		} else if (rc == 1 && warnings != NULL)
			strings_add(warnings, buf_text(&text));
		buf_free(&text);
		if (rc == -1)
			return -1;
	}
	return refused > 0;
}

static struct completion
completion_of(const struct verify_request *req, const struct task *t)
{
	return (struct completion){ .task = t,
		.list = req->list,
		.store = req->store,
		.claims = req->claims,
		.agent = &req->agent,
		.required = &req->config->verify.metadata };
}

int
verify_builtin(const struct verify_request *req, const struct task *t, struct buf *reason,
    struct strings *warnings, const char **rule, struct error *e)
{
	struct completion c = completion_of(req, t);
	struct buf text = { 0 };
	bool asked = false;
	int rc = -1;

	if (completion_open(&c, req->metadata, e) == 0)
		rc = run_builtins(&c, req->config, &text, warnings, rule, &asked, e);
	if (rc == 1) {
		buf_puts(reason, "Task ");
		task_name(reason, t);
		buf_puts(reason, " cannot be completed: ");
		buf_add(reason, text.data, text.len);
	}
	completion_close(&c);
	buf_free(&text);
	return rc;
}

static bool
has_gates(const struct plan *p)
{
	const struct config *c = p->req->config;

	return c->gates.count + c->verify.allow.count > 0;
}

static int
check_builtins(struct plan *p, struct error *e)
{
	struct verify *v = p->verify;
	enum verify_subtasks known = p->req->subtasks;
	bool marked = known == SUBTASKS_MARKED && !has_gates(p);
	struct buf text = { 0 };
	const char *rule = NULL;
	int rc;

	if (p->req->gates_only || p->req->store == NULL)
		return 0;
	p->completion.no_subtasks = known == SUBTASKS_NONE || marked;
	rc = run_builtins(
	    &p->completion, p->req->config, &text, &v->warnings, &rule, &v->checked, e);
	/* A mark proves nothing: TaskCompleted looks for them. */
	v->scanned = p->completion.no_subtasks && !marked;
	if (rc == 1)
		verify_report_refusal(p, rule, buf_text(&text));
	buf_free(&text);
	return rc;
}

/* 0 the commands may run, 1 refused, -1. */
static int
check_gate_file(struct plan *p, struct error *e)
{
	const struct verify_request *req = p->req;
	struct governing *g = &p->verify->governing;

	p->verify->trust = req->trusted ? TRUST_GIVEN : g->trust;
	if (p->verify->trust >= TRUST_UNKNOWN) {
		verify_report_refusal(p, "trust", buf_text(&g->why));
		return 1;
	}
	/* A plan changes nothing. */
	return req->plan_only ? 0 : verify_bind(g, req->list, false, p->until, e);
}

static void
note_gate_file(struct plan *p)
{
	const struct config_file *f = &p->req->config->project;
	const struct claim *c = p->claim;
	char *path;

	if (c == NULL || c->gate_file_hash == NULL || strcmp(c->gate_file_hash, f->hash) == 0)
		return;
	/* Of another project, both files judge. */
	if (f->path != NULL && c->root != NULL && access(c->root, F_OK) == 0 &&
	    !verify_same_project(c->root, f->root))
		return;
	path = f->path != NULL ? text_shown(f->path, 300) : NULL;
	strings_take(&p->verify->warnings,
	    path == NULL
		? mem_string("the gate file was removed after the task was claimed")
		: mem_printf("the gate file '%s' was changed after the task was claimed", path));
	free(path);
}

static bool
any_ran(const struct plan *p)
{
	for (size_t i = 0; i < p->verify->count; i++)
		if (p->verify->result[i].tries > 0 && !p->item[i].kept &&
		    p->verify->result[i].gate->check == CHECK_NONE)
			return true;
	return false;
}

/* Read the task again: is it unchanged, and do the built-in checks still pass?
 * 0, 1 refused, -1. */
static int
check_again(struct plan *p, struct error *e)
{
	struct verify *v = p->verify;
	struct task now = TASK_INIT;
	struct claims claims = { 0 };
	struct strings again = { 0 };
	struct buf text = { 0 };
	const char *rule = NULL;
	char hash[HASH_HEX];
	bool asked;
	int rc;

	if (p->req->given != NULL)
		return 0;
	if ((rc = store_get(p->req->store, p->req->task, &now, e)) == -1)
		return -1;
	if (rc == 0) {
		verify_report_refusal(p, "changed", "it was deleted while its gates ran.");
		return 1;
	}
	completion_hash(&now, hash);
	rc = 0;
	if (strcmp(hash, v->subject_hash) != 0 || now.status != v->task.status) {
		verify_report_refusal(p, "changed",
		    "its subject, description or status was changed while its gates ran. Read it "
		    "again (TaskGet), then complete it.");
		rc = 1;
	} else if (!p->req->gates_only && any_ran(p)) {
		/* If nothing ran, they were made just now; one of them reads the whole list. */
		struct completion c = p->completion;

		c.task = &now;
		c.no_subtasks = false;
		/* A reported completion is checked once more under the lock. */
		if (p->req->on == GATE_COMPLETE) {
			rc = claims_load(c.list, &claims, e);
			c.claims = &claims;
		}
		if (rc == 0)
			rc = run_builtins(&c, p->req->config, &text, &again, &rule, &asked, e);
		if (rc == 1)
			verify_report_refusal(p, rule, buf_text(&text));
	}
	claims_free(&claims);
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

/* Reset what ran or came from the cache, to run it on the tree as it is now. */
static void
start_over(struct plan *p)
{
	for (size_t i = 0; i < p->verify->count; i++) {
		struct gate_result *r = &p->verify->result[i];

		if (p->item[i].state != PLAN_DONE || (r->tries == 0 && !r->cached))
			continue;
		p->item[i].state = PLAN_WAIT;
		p->item[i].kept = false;
		p->item[i].ms = 0;
		r->verdict = GATE_SKIPPED;
		r->cached = false;
		r->tries = 0;
	}
}

/*
 * The tree may change during the run because a gate makes files on its first run,
 * or because somebody saves a file.  If all gates passed and there is time left for
 * as long a run again, they run a second time before the completion is refused.
 */
static int
run_gates(struct plan *p, struct error *e)
{
	struct verify *v = p->verify;
	struct strings paths = { 0 };
	int rc = 0;

	for (int round = 0; rc == 0; round++) {
		int64_t start = clock_ms();

		verify_tree_read(p);
		verify_tree_lookup(p);
		if (p->req->plan_only) {
			for (size_t i = 0; i < v->count; i++)
				if (p->item[i].state == PLAN_WAIT)
					v->result[i].why = mem_string("would run");
			break;
		}
		if (p->tree.repository)
			git_tree_hash(&p->tree, NULL, NULL, v->tree_before, NULL);
		verify_tree_begin(p);
		if ((rc = verify_run(p, e)) == -1)
			break;
		strings_free(&paths);
		/* If nothing ran, the tree was just read.  If a gate failed and time is up, answer.
		 */
		if (!any_ran(p) || (!all_good(p) && deadline_past(p->until)))
			break;
		verify_proven_write(p);
		if (!verify_tree_moved(p, &paths)) {
			verify_tree_remember(p);
			verify_proven_remember(p);
			break;
		}
		if (!all_good(p) || round > 0 ||
		    deadline_left(p->until) <= 2 * (clock_ms() - start)) {
			verify_report_gates(p);
			verify_report_tree(p, &paths);
			break;
		}
		start_over(p);
	}
	if (rc == 0 && p->tree.repository) {
		git_tree_hash(&p->tree, NULL, NULL, v->tree_after, NULL);
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
		if (p->item[i].state != PLAN_SKIP || p->item[i].unchanged)
			return true;
	return false;
}

static int
verify_gates(struct plan *p, struct error *e)
{
	struct verify *v = p->verify;
	int rc;

	if ((rc = check_gate_file(p, e)) != 0)
		return rc == -1 ? -1 : 0;
	note_gate_file(p);
	if (has_gates(p) && p->req->begin != NULL)
		p->req->begin(p->req->begin_arg);
	verify_select(p);
	if (!any_chosen(p))
		return 0;
	if (run_gates(p, e) == -1)
		return -1;
	if (p->req->plan_only)
		return 0;
	for (size_t i = 0; i < v->count; i++)
		v->checked = v->checked || gate_verdict_good(v->result[i].verdict);
	if (v->passed)
		verify_report_gates(p);
	if (v->passed && check_again(p, e) == -1)
		return -1;
	verify_kept_add(p);
	return 0;
}

/* The project of the gate file is judged, whichever directory the agent works in. */
static int
plan_place(struct plan *p, struct error *e)
{
	const struct verify_request *req = p->req;
	struct governing *g = &p->verify->governing;
	const char *places[GOVERNING_PLACES] = { req->project_dir,
		p->claim != NULL ? p->claim->root : NULL };
	const struct config *c;

	p->event = req->cwd != NULL ? mem_string(req->cwd) : getcwd(NULL, 0);
	if (p->event == NULL)
		return error_sys(e, "cannot tell the working directory");
	*g = (struct governing){ .config = req->config };
	if (!req->trusted && governing_find(g, req->list, req->config, p->event, places, e) == -1)
		return -1;
	c = g->config;
	p->governed.config = c;
	if (c->project.path != NULL && !c->given)
		p->root = mem_string(c->project.root);
	else if (c->gates.count > 0)
		p->root = repository_top(p->event);
	p->cwd = mem_string(c->given || p->root == NULL ? p->event : p->root);
	if (p->root == NULL)
		p->root = mem_string(p->event);
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
	if (req->claims != NULL)
		p->claim =
		    claims_find(req->claims, req->given != NULL ? req->given->id : req->task);
	if (plan_place(p, e) == -1)
		return -1;
	if (req->given != NULL || req->disk != NULL)
		task_copy(&v->task, req->given != NULL ? req->given : req->disk);
	else if ((rc = store_get(req->store, req->task, &v->task, e)) == -1)
		return -1;
	else if (rc == 0)
		return error_set(e, ERROR_NOT_FOUND, "there is no task #%s in the list '%s' (%s)",
		    req->task, req->list->name,
		    req->list->why != NULL ? req->list->why : req->list->dir);
	p->completion = completion_of(req, &v->task);
	if (completion_open(&p->completion, req->metadata, e) == -1)
		return -1;
	completion_hash(&v->task, v->subject_hash);
	if (p->claim != NULL)
		v->base = mem_string(p->claim->head);
	if (req->list != NULL && has_gates(p)) {
		struct error why;

		/* Without a state there is no cache; verify_record() reports the error. */
		p->statefd = list_state(req->list, !req->plan_only, &why);
	}
	return 0;
}

static void
plan_close(struct plan *p)
{
	completion_close(&p->completion);
	for (size_t i = 0; i < p->verify->count; i++) {
		free(p->item[i].cwd);
		strings_free(&p->item[i].env);
		child_free(&p->item[i].child);
	}
	free(p->item);
	free(p->event);
	free(p->root);
	free(p->cwd);
	free(p->changed_why);
	strings_free(&p->changed_head);
	strings_free(&p->changed_claim);
	strings_free(&p->changed_proven);
	free(p->proven);
	git_times_free(&p->times);
	verify_tree_forget(p);
}

int
verify_task(struct verify *v, const struct verify_request *req, struct error *e)
{
	struct plan p = { .governed = *req, .verify = v, .statefd = -1 };
	int64_t start = clock_ms();
	int rc = -1;

	p.req = &p.governed;
	if (plan_open(&p, e) == -1)
		goto out;
	v->passed = true;
	if (check_builtins(&p, e) == -1)
		goto out;
	if (v->passed && verify_gates(&p, e) == -1)
		goto out;
	if (v->passed && !req->second && verify_claimed_tree(&p, e) == -1)
		goto out;
	if (!v->passed && !req->second && req->list != NULL) {
		v->attempts = verify_attempts(req->list, v->task.id) + 1;
		verify_report_attempts(&p);
	}
	verify_report_warnings(&p);
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
	buf_free(&v->advice);
	for (size_t i = 0; i < v->count; i++) {
		free(v->result[i].why);
		free(v->result[i].end);
		free(v->result[i].uncached);
		free(v->result[i].dir);
		buf_free(&v->result[i].tail);
	}
	free(v->result);
	strings_free(&v->warnings);
	free(v->head);
	free(v->base);
	governing_free(&v->governing);
	if (v->own != NULL)
		gate_free(v->own);
	free(v->own);
	task_free(&v->task);
	*v = (struct verify)VERIFY_INIT;
}
