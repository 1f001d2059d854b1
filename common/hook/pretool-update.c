/*
 * pretool: TaskUpdate.
 *
 * The client checks nothing: it starts blocked tasks, completes other agents'
 * tasks, closes cycles.  Here the facts are gathered (one task and its
 * blockers, not the list) and judged by the policy; a start is claimed under
 * the list's lock, so that of two agents exactly one gets the task.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/text.h"
#include "config/governing.h"
#include "gate/git.h"
#include "gate/verify.h"
#include "hook/hook.h"
#include "hook/policy.h"
#include "hook/pretool.h"
#include "task/macf.h"
#include "json/json-edit.h"
#include "json/json-print.h"

struct update {
	char *id, *status, *owner;
	struct strings blocks, blocked_by;
	json_ref metadata;
};

static void
update_read(struct update *c, const struct event *ev)
{
	static const char *const id_keys[] = { "taskId", "task_id", "id" };
	const struct json *j = &ev->json;

	for (size_t i = 0; i < 3 && c->id == NULL; i++)
		c->id = json_member_string(j, ev->tool_input, id_keys[i]);
	c->status = json_member_string(j, ev->tool_input, "status");
	c->owner = json_member_string(j, ev->tool_input, "owner");
	json_strings(j, json_member(j, ev->tool_input, "addBlocks"), &c->blocks);
	json_strings(j, json_member(j, ev->tool_input, "addBlockedBy"), &c->blocked_by);
	c->metadata = json_member(j, ev->tool_input, "metadata");
}

/* Does the call write the part of a status that is in the metadata? */
static bool
update_marks(const struct hook *h, const struct update *c)
{
	return json_member(&h->in.event.json, c->metadata, "original_status") != JSON_ABSENT;
}

static void
update_free(struct update *c)
{
	free(c->id);
	free(c->status);
	free(c->owner);
	strings_free(&c->blocks);
	strings_free(&c->blocked_by);
}

/* --- facts ------------------------------------------------------------------ */

/* Open tasks that wait for the task `id`. */
struct dependents {
	const char *id;
	struct task_set found;
};

static int
add_if_dependent(void *arg, const struct task *t)
{
	struct dependents *d = arg;

	if (task_open(t) && strings_has(&t->blocked_by, d->id))
		task_copy(task_set_add(&d->found), t);
	return 0;
}

/* --- dependencies ------------------------------------------------------------ */

static int
update_depend(struct hook *h, const struct update *c, struct facts *f, struct error *e)
{
	size_t n = c->blocked_by.count, m = c->blocks.count;
	struct graph_edge *edge = mem_alloc((n + m) * sizeof(*edge));
	int rc;

	for (size_t i = 0; i < n; i++)
		edge[i] = (struct graph_edge){ .blocked = c->id, .blocker = c->blocked_by.item[i] };
	for (size_t i = 0; i < m; i++)
		edge[n + i] = (struct graph_edge){ .blocked = c->blocks.item[i], .blocker = c->id };
	rc = store_check_edges(&h->in.store, c->id, edge, n + m, e);
	if (rc == 0) {
		f->edge = edge;
		f->edges = n + m;
		policy_depend(f, &h->out.decision);
	}
	for (size_t i = 0; i < n + m; i++)
		strings_free(&edge[i].cycle);
	free(edge);
	f->edge = NULL;
	f->edges = 0;
	return rc;
}

/* --- the claim --------------------------------------------------------------- */

static enum config_level
update_level(const struct config *c, enum claim_result r)
{
	switch (r) {
	case CLAIM_TAKEN:
		return c->rules.claimed;
	case CLAIM_RESOLVED:
		return c->rules.resolved;
	case CLAIM_BLOCKED:
		return c->rules.blocked;
	case CLAIM_AGENT_BUSY:
		return c->rules.busy;
	case CLAIM_OTHER_TYPE:
		return c->rules.agent_type;
	default:
		return LEVEL_OFF;
	}
}

/* The owner to add to a start: if neither the call nor the task has one. */
static const char *
update_owner(const struct hook *h, const struct update *c, const struct task *t)
{
	const struct event *ev = &h->in.event;

	/* The client adds a teammate's name itself, and tells the teammate. */
	if (c->owner != NULL || t->owner != NULL || event_in_process_teammate(ev) ||
	    event_tmux_teammate(ev))
		return NULL;
	return agent_owner(&h->in.self);
}

/* Remove metadata.original_status with the status that it belongs to: the client would leave it. */
static void
update_unmark(struct json_edit *edit, const struct json *input)
{
	json_ref metadata = json_member(input, JSON_ROOT, "metadata");

	if (json_kind(input, metadata) == JSON_OBJECT)
		json_edit_set(edit, metadata, "original_status", "null");
	else
		json_edit_set(edit, JSON_ROOT, "metadata", "{\"original_status\":null}");
}

/* Change the call's input, if there is something to change; all else keeps its bytes. */
static void
update_rewrite(struct hook *h, const struct task *t, const char *owner)
{
	const struct event *ev = &h->in.event;
	struct json input = { 0 };
	struct json_edit edit;
	struct buf value = { 0 };
	struct error e;
	const char *raw;
	size_t len;

	if (owner == NULL && t->original == TASK_NO_STATUS)
		return;
	raw = json_raw(&ev->json, ev->tool_input, &len);
	if (json_parse(&input, raw, len, &e) == 0) {
		json_edit_init(&edit, &input);
		if (owner != NULL) {
			json_print_string(&value, owner, strlen(owner));
			json_edit_set(&edit, JSON_ROOT, "owner", buf_text(&value));
		}
		if (t->original != TASK_NO_STATUS)
			update_unmark(&edit, &input);
		if (h->out.decision.rule == NULL)
			h->out.decision.rule = "unmark";
		json_edit_apply(&edit, &h->out.decision.updated_input);
		json_edit_free(&edit);
	}
	json_free(&input);
	buf_free(&value);
}

/* A fault of the gate file refuses the completion, not the start. */
void
pretool_govern(struct hook *h, struct governing *g)
{
	const char *cwd = h->in.event.cwd, *start = getenv("CLAUDE_PROJECT_DIR");
	const char *places[GOVERNING_PLACES] = { start };
	struct error e;

	*g = (struct governing){ .config = &h->in.config };
	/* Without any gate file there is nothing to bind. */
	if (cwd == NULL ||
	    (h->in.config.project.path == NULL && (start == NULL || text_equal(start, cwd))))
		return;
	if (governing_find(g, &h->in.list, &h->in.config, cwd, places, &e) == -1)
		g->config = &h->in.config;
	(void)verify_bind(g, &h->in.list, true, hook_patience(h), &e);
}

static int
update_claim(struct hook *h, const struct update *c, const struct facts *f, struct error *e)
{
	const struct config *config = &h->in.config;
	struct decision *d = &h->out.decision;
	struct buf reason = { 0 };
	struct governing g = { 0 };
	struct claim_request req = { .task = c->id,
		.tool_use_id = h->in.event.tool_use_id,
		.owner = c->owner,
		.transcript = h->in.event.transcript_path,
		.busy = config->rules.busy != LEVEL_OFF ? CLAIM_BUSY_STARTED : CLAIM_BUSY_NEVER,
		.pass_owner = f->query.pass_owner,
		.pass_blocked = config->rules.blocked != LEVEL_REFUSE,
		.pass_taken = config->rules.claimed != LEVEL_REFUSE,
		.pass_resolved = config->rules.resolved != LEVEL_REFUSE };
	enum claim_result got;
	char *head = NULL;

	pretool_govern(h, &g);
	req.root = governing_root(&g);
	req.gate_file_hash = g.config->project.path != NULL ? g.config->project.hash : NULL;
	if (g.config->gates.count > 0)
		req.head = head = git_head(g.place != NULL ? g.place : h->in.event.cwd);
	agent_client(&h->in.self);
	req.agent = h->in.self;
	got = claim_take(&h->in.list, &h->in.store, &req, &reason, hook_patience(h), e);
	if (got == CLAIM_OK) {
		update_rewrite(h, f->query.task, update_owner(h, c, f->query.task));
		d->recorded = d->context.len == 0;
	} else if (got != CLAIM_FAULT)
		policy_object(d, update_level(config, got), claim_result_name(got), &reason);
	governing_free(&g);
	buf_free(&reason);
	free(head);
	return got == CLAIM_FAULT ? -1 : 0;
}

/* The type of the agent is looked for only if the task names one. */
static void
update_agent_type(struct hook *h, struct facts *f)
{
	char *wanted = macf_agent_type(f->query.task->subject), *type = NULL;

	if (wanted != NULL && h->in.config.rules.agent_type != LEVEL_OFF) {
		f->agent_type = type = agent_find_type(&h->in.self, &h->in.list);
		policy_agent_type(f, &h->out.decision);
		f->agent_type = NULL;
	}
	free(wanted);
	free(type);
}

static int
update_start(struct hook *h, const struct update *c, struct facts *f, struct error *e)
{
	struct decision *d = &h->out.decision;
	struct blockers blockers = { 0 };
	struct task then = *f->query.task;
	int rc;

	/* The dependencies that the call itself adds count already. */
	then.blocked_by = (struct strings){ 0 };
	strings_add_all(&then.blocked_by, &f->query.task->blocked_by);
	strings_add_all(&then.blocked_by, &c->blocked_by);
	rc = store_blockers(&h->in.store, &then, &blockers, e);
	strings_free(&then.blocked_by);
	if (rc == -1)
		return -1;
	f->blockers = &blockers;
	policy_start(f, d);
	f->blockers = NULL;
	blockers_free(&blockers);
	if (d->verdict == VERDICT_REFUSE) {
		claim_add_ready(&d->reason, &h->in.store, &h->in.claims, c->id);
		return 0;
	}
	if (f->query.task->status == TASK_IN_PROGRESS && f->query.claim != NULL &&
	    claim_is_by(f->query.claim, &h->in.self))
		return 0; /* it has it already */
	update_agent_type(h, f);
	if (d->verdict == VERDICT_REFUSE)
		return 0;
	if (d->rule == NULL)
		d->rule = "claim";
	if (!h->explain)
		return update_claim(h, c, f, e);
	hook_would(h, "claims.json: task %s claimed", c->id);
	update_rewrite(h, f->query.task, update_owner(h, c, f->query.task));
	return 0;
}

/* --- the other ends ----------------------------------------------------------- */

/* The call deletes or cancels the task. */
static int
update_drop(struct hook *h, const struct update *c, struct facts *f,
    void (*policy)(const struct facts *, struct decision *), struct error *e)
{
	struct dependents s = { .id = c->id };
	int rc = store_scan(&h->in.store, NULL, add_if_dependent, &s, e);

	f->dependents = &s.found;
	if (rc != -1)
		policy(f, &h->out.decision);
	f->dependents = NULL;
	task_set_free(&s.found);
	return rc == -1 ? -1 : 0;
}

static void
update_explain(struct hook *h, const struct facts *f)
{
	struct buf b = { 0 };

	agent_describe(&b, &h->in.self);
	buf_puts(&b, "; task ");
	task_describe(&b, f->query.task);
	if (f->query.claim != NULL) {
		buf_puts(&b, "; claimed by ");
		holder_describe(&b, &f->query);
	}
	hook_fact(h, "agent: %s", buf_text(&b));
	buf_free(&b);
}

/* Owner and status, except a deletion. */
static int
update_change(struct hook *h, const struct update *c, struct facts *f, struct error *e)
{
	struct decision *d = &h->out.decision;
	int rc = 0;

	if (c->owner != NULL && !text_equal(c->status, "in_progress"))
		policy_owner(f, d);
	if (d->verdict == VERDICT_REFUSE)
		return 0;
	if (text_equal(c->status, "in_progress"))
		return update_start(h, c, f, e);
	if (text_equal(c->status, "cancelled"))
		return update_drop(h, c, f, policy_cancel, e);
	if (text_equal(c->status, "completed"))
		rc = pretool_complete(h, f, c->metadata, e);
	else if (text_equal(c->status, "pending") || text_equal(c->status, "blocked"))
		policy_reset(f, d);
	else if (c->status == NULL && f->query.task->status == TASK_CANCELLED && update_marks(h, c))
		policy_complete(f, d); /* without the mark it is completed */
	/* Do not remove the mark of a cancelled task: it would count as completed, unchecked. */
	if (rc == 0 && d->verdict == VERDICT_PASS &&
	    (text_equal(c->status, "pending") ||
		(text_equal(c->status, "completed") && task_open(f->query.task))))
		update_rewrite(h, f->query.task, NULL);
	return rc;
}

static int
update_task(struct hook *h, const struct update *c, const struct task *t, struct error *e)
{
	struct facts f = { .config = &h->in.config,
		.query = { .task = t, .self = &h->in.self, .owner = c->owner } };
	int rc;

	if (hook_config(h, e) == -1 || hook_claims(h, e) == -1)
		return -1;
	holder_look(&f.query, &h->in.list, &h->in.claims);
	h->out.decision.task = h->in.event.task_id;
	if (h->explain)
		update_explain(h, &f);
	if ((c->blocks.count > 0 || c->blocked_by.count > 0) && update_depend(h, c, &f, e) == -1)
		return -1;
	if (h->out.decision.verdict == VERDICT_REFUSE)
		return 0;
	if (text_equal(c->status, "deleted"))
		return update_drop(h, c, &f, policy_delete, e);
	rc = update_change(h, c, &f, e);
	/* A name that was there before was not written by this agent. */
	if (rc == 0 && c->owner != NULL && *c->owner != '\0' && !h->explain &&
	    h->out.decision.verdict == VERDICT_PASS && !text_equal(t->owner, c->owner))
		rc = holder_label(&h->in.list, &h->in.self, c->id, c->owner, hook_patience(h), e);
	return rc;
}

/*
 * A start without a claim could be one of two.  Whoever holds the lock lets go of it, or it is
 * stale in seconds, so this is not a fault, and on_fault does not apply.
 */
static void
update_busy(struct hook *h, const struct error *e)
{
	struct decision *d = &h->out.decision;

	decision_free(d);
	d->verdict = VERDICT_REFUSE;
	d->rule = "busy";
	d->task = h->in.event.task_id;
	buf_puts(&d->reason, "Task ");
	task_id_word(&d->reason, d->task);
	buf_printf(&d->reason,
	    " cannot start: the list is busy: another program holds its lock. Try again in a few "
	    "seconds. If it stays so, tell the person, who can run `claude-tasks doctor` (%s).",
	    e->text);
}

int
pretool_update(struct hook *h, struct error *e)
{
	struct update c = { .metadata = JSON_ABSENT };
	struct task t = TASK_INIT;
	int rc = 0;

	update_read(&c, &h->in.event);
	if (c.id == NULL || !hook_list_open(h) ||
	    (c.status == NULL && c.owner == NULL && c.blocks.count == 0 &&
		c.blocked_by.count == 0 && !update_marks(h, &c)))
		goto out; /* no rule is about it */
	/* If there is no such task, the client says so itself. */
	if ((rc = store_get(&h->in.store, c.id, &t, e)) == 1) {
		free(h->in.event.task_id); /* this event has none of its own */
		h->in.event.task_id = mem_string(c.id);
		if (task_set_find(&h->out.given, c.id) != NULL) {
			/* As release_dead() would leave it. */
			free(t.owner);
			t.owner = NULL;
			t.status = TASK_PENDING;
		}
		rc = update_task(h, &c, &t, e);
		if (rc == -1 && e->kind == ERROR_BUSY && text_equal(c.status, "in_progress")) {
			update_busy(h, e);
			rc = 0;
		}
	} else if (rc == -1 && e->kind == ERROR_INPUT) {
		hook_fact(h, "task %s is not one the client can see: %s", c.id, e->text);
		rc = 0;
	}
out:
	task_free(&t);
	update_free(&c);
	return rc == -1 ? -1 : 0;
}
