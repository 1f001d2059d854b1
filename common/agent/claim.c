/*
 * claim: take a task.
 *
 * The client checks nothing: of two agents that start the same task, both
 * believe they have it.  Here the checks and the record happen under the
 * list's lock.  Each claim is on record before the lock is released, so that
 * "is the agent busy" needs only the record there; tasks that it owns without
 * a claim are looked for before, since a scan would hold the lock too long.
 */
#include "agent/claim.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/claim-part.h"
#include "agent/claims.h"
#include "agent/holder.h"
#include "base/text.h"
#include "list/graph.h"
#include "list/journal.h"
#include "json/out.h"

struct taking {
	const struct list *list;
	const struct claim_request *req;
	const char *owner; /* as it will be written; NULL: none */
	struct deadline deadline;
	struct buf *reason;
	struct strings owned; /* what the agent owned when we looked */
	struct task task;     /* as it was; a new one as requested */
	struct claims claims; /* as they are under the lock */
	struct strings taken; /* tasks with a new claim */
	size_t left;          /* claims to decide about before they are saved */
	struct claim_outcome *outcome;
};

const char *
claim_result_name(enum claim_result result)
{
	switch (result) {
	case CLAIM_OK:
		return "ok";
	case CLAIM_NOT_FOUND:
		return "task_not_found";
	case CLAIM_TAKEN:
		return "already_claimed";
	case CLAIM_RESOLVED:
		return "already_resolved";
	case CLAIM_BLOCKED:
		return "blocked";
	case CLAIM_AGENT_BUSY:
		return "agent_busy";
	case CLAIM_OTHER_TYPE:
		return "agent_type";
	default:
		return "fault";
	}
}

void
claim_outcome_free(struct claim_outcome *o)
{
	strings_free(&o->blocked_by);
	strings_free(&o->busy_with);
	strings_free(&o->warnings);
	*o = (struct claim_outcome){ 0 };
}

static int
note_owned(void *arg, const struct task *t)
{
	if (task_open(t))
		strings_add(arg, t->id);
	return 0;
}

static void
refuse_begin(struct taking *k, enum claim_result result)
{
	k->outcome->result = result;
	buf_puts(k->reason, "Task ");
	task_name(k->reason, &k->task);
}

/* What to do if no agent works on the task. */
static void
add_release(struct taking *k, const char *if_gone)
{
	buf_printf(k->reason, "%s give this one back with: claude-tasks release ", if_gone);
	task_id_word(k->reason, k->task.id);
	buf_putc(k->reason, '.');
}

static void
add_reopen(struct taking *k)
{
	buf_puts(k->reason, " To reopen it: claude-tasks update ");
	task_id_word(k->reason, k->task.id);
	buf_puts(k->reason, " --status pending.");
}

/* For a task in progress, only the session shows that the caller holds it. */
static bool
check_session(struct taking *k, const struct claim *c)
{
	const struct claim_request *req = k->req;

	if (!req->by_session || k->task.status != TASK_IN_PROGRESS ||
	    (c != NULL && text_equal(c->session, req->agent.session)))
		return true;
	refuse_begin(k, CLAIM_TAKEN);
	buf_puts(k->reason, " is in_progress, so it cannot be claimed. ");
	if (c != NULL) {
		buf_puts(k->reason, "It was claimed by ");
		claim_describe(k->reason, c);
		buf_puts(k->reason, ", and this call does not show that it comes from the same "
				    "agent. If the task is yours, go on (to change other fields, "
				    "leave out the status). Else take another task.");
	} else
		buf_puts(k->reason, "Who works on it is not known. Take another task.");
	add_release(k, " If no agent works on it,");
	return false;
}

/* Refuse a task that another agent has. */
static bool
check_holder(struct taking *k, const struct claim *c)
{
	const struct claim_request *req = k->req;
	struct holder_query q = { .task = &k->task,
		.self = &req->agent,
		.owner = req->owner,
		.claim = c,
		.pass_owner = req->pass_owner };
	bool open = task_open(&k->task);

	if (req->pass_taken)
		return true;
	if (holder_of(&q) != HOLDER_OTHER)
		return check_session(k, c);
	refuse_begin(k, CLAIM_TAKEN);
	buf_printf(k->reason, open ? " is already claimed (%s) by " : " is already %s, by ",
	    task_status_name(k->task.status));
	holder_describe(k->reason, &q);
	buf_puts(k->reason, ". Take another task.");
	if (open)
		add_release(k, " If that agent is gone,");
	else
		add_reopen(k);
	return false;
}

/* then: the task with the dependencies that it will have. */
static int
recheck_blockers(struct taking *k, struct store *s, const struct task *then, struct error *err)
{
	struct blockers b;

	if (k->req->pass_blocked)
		return 1;
	if (task_held(&k->task)) {
		refuse_begin(k, CLAIM_BLOCKED);
		claim_held_text(k->reason, &k->task);
		return 0;
	}
	if (store_blockers(s, then, &b, err) == -1)
		return -1;
	if (b.count > 0) {
		refuse_begin(k, CLAIM_BLOCKED);
		buf_puts(k->reason, " cannot start: blocked by ");
		blockers_describe(k->reason, &b);
		buf_putc(k->reason, '.');
		for (size_t i = 0; i < b.count; i++)
			strings_add(&k->outcome->blocked_by, b.item[i].id);
	}
	blockers_free(&b);
	return k->outcome->result == CLAIM_OK;
}

/* Is the agent busy with this task?  It owns it, or has a claim on it. */
static void
note_busy(struct taking *k, struct store *s, const char *id)
{
	struct strings *busy = &k->outcome->busy_with;
	struct task t = TASK_INIT;
	struct error ignored;

	if (strcmp(id, k->task.id) == 0 || strings_has(busy, id))
		return;
	if (store_get(s, id, &t, &ignored) == 1 &&
	    (t.status == TASK_IN_PROGRESS ||
		(k->req->busy == CLAIM_BUSY_OWNER && task_open(&t) &&
		    text_equal(t.owner, agent_owner(&k->req->agent))))) {
		if (busy->count == 0) {
			refuse_begin(k, CLAIM_AGENT_BUSY);
			buf_puts(k->reason, " cannot start: you have ");
			task_describe(k->reason, &t);
		}
		strings_add(busy, id);
	}
	task_free(&t);
}

static bool
check_busy(struct taking *k, struct store *s)
{
	const struct claims *claims = &k->claims;
	size_t i;

	if (k->req->busy == CLAIM_BUSY_NEVER)
		return true;
	for (i = 0; i < k->owned.count; i++)
		note_busy(k, s, k->owned.item[i]);
	for (i = 0; i < claims->count; i++)
		if (claim_is_by(&claims->item[i], &k->req->agent))
			note_busy(k, s, claims->item[i].task);
	if (k->outcome->busy_with.count == 0)
		return true;
	if (k->outcome->busy_with.count > 1)
		buf_printf(k->reason, " and %zu more", k->outcome->busy_with.count - 1);
	buf_puts(k->reason, " open. ");
	buf_puts(k->reason, k->req->busy == CLAIM_BUSY_OWNER
				? "Complete it, or give it back with: claude-tasks release "
				: "Complete it or set it to pending first");
	if (k->req->busy == CLAIM_BUSY_OWNER)
		task_id_word(k->reason, k->outcome->busy_with.item[0]);
	buf_putc(k->reason, '.');
	return false;
}

static bool
check_type(struct taking *k)
{
	struct buf text = { 0 };

	claim_type_find(&text, &k->task, k->req, k->list);
	if (text.len > 0 && k->req->type == CLAIM_TYPE_REFUSE) {
		k->outcome->result = CLAIM_OTHER_TYPE;
		buf_puts(k->reason, buf_text(&text));
	} else if (text.len > 0) {
		strings_take(
		    &k->outcome->warnings, mem_printf("Let through, but: %s", buf_text(&text)));
	}
	buf_free(&text);
	return k->outcome->result == CLAIM_OK;
}

static void
claim_record(struct taking *k)
{
	const struct claim_request *req = k->req;
	const struct claim *old = claims_find(&k->claims, k->task.id);
	struct claim *c;

	if (old != NULL)
		claims_drop(&k->claims, (size_t)(old - k->claims.item));
	c = claims_add(&k->claims);
	c->task = mem_string(k->task.id);
	c->agent_id = mem_string(req->agent.id);
	c->agent_type = mem_string(req->agent.type);
	c->name = mem_string(req->agent.name);
	c->session = mem_string(req->agent.session);
	c->client = mem_string(req->agent.client);
	c->owner = mem_string(k->owner);
	c->tool_use_id = mem_string(req->tool_use_id);
	c->transcript = mem_string(req->transcript);
	c->gate_file_hash = mem_string(req->gate_file_hash);
	c->head = mem_string(req->head);
	c->root = mem_string(req->root);
	c->pid = req->agent.pid;
	c->pid_start = req->agent.pid_start;
	c->space = c->pid > 0 ? mem_string(claims_space()) : NULL;
	c->time_ms = clock_wall_ms();
	strings_add(&k->taken, k->task.id);
}

static void
refuse_missing(struct taking *k, const char *id)
{
	k->outcome->result = CLAIM_NOT_FOUND;
	buf_puts(k->reason, "There is no task #");
	text_show(k->reason, id, strlen(id), TEXT_LINE, 40);
	buf_printf(k->reason, " in the list '%s'.", k->list->name);
}

/* 1 claimed, 0 refused, -1.  The last one saves the record. */
static int
take_one(struct taking *k, struct store *s, const struct task *now, const struct task *then,
    struct error *err)
{
	const struct claim *c;
	bool own;
	int rc;

	/* The client does not show its internal tasks.  Its own calls on them are not refused. */
	if (now != NULL && now->internal && k->req->op != NULL) {
		refuse_missing(k, now->id);
		return 0;
	}
	task_copy(&k->task, now != NULL ? now : then);
	c = now != NULL ? claim_standing(&k->claims, s, now->id) : NULL;
	if (now != NULL && !check_holder(k, c))
		return 0;
	if (now != NULL && !task_open(now) && !k->req->pass_resolved) {
		refuse_begin(k, CLAIM_RESOLVED);
		buf_printf(k->reason, " is already %s.", task_status_name(now->status));
		add_reopen(k);
		return 0;
	}
	if ((rc = recheck_blockers(k, s, then, err)) != 1)
		return rc;
	own = c != NULL && now->status == TASK_IN_PROGRESS && claim_is_by(c, &k->req->agent);
	if ((!own && !check_type(k)) || !check_busy(k, s))
		return 0;
	/* Its own claim stays as it was made: later verdicts compare with that time. */
	if (!own)
		claim_record(k);
	return --k->left == 0 && k->taken.count > 0 && claims_save(&k->claims, err) == -1 ? -1 : 1;
}

int
claim_rule(
    void *arg, struct store *s, const struct task *now, const struct task *then, struct error *err)
{
	struct taking *k = arg;
	int rc = take_one(k, s, now, then, err);

	if (rc == 0)
		error_set(err, ERROR_REFUSED, "%s", buf_text(k->reason));
	return rc == 1 ? 0 : -1;
}

/* The client's call will write the task. */
static int
take_call(struct taking *k, struct store *s, struct error *err)
{
	struct task t = TASK_INIT;
	int rc = store_get(s, k->req->task, &t, err);

	k->left = 1;
	if (rc == -1 && err->kind != ERROR_INPUT)
		return -1;
	if (rc == 1)
		rc = take_one(k, s, &t, &t, err);
	else
		refuse_missing(k, k->req->task);
	task_free(&t);
	return rc == -1 && k->outcome->result == CLAIM_OK ? -1 : 0;
}

/* We write it. */
static int
take_ops(struct taking *k, struct store *s, struct error *err)
{
	const struct claim_request *req = k->req;
	int rc;

	k->left = 0;
	for (size_t i = 0; i < req->ops; i++)
		if (req->op[i].rule == claim_rule) {
			req->op[i].arg = k;
			k->left++;
		}
	rc = store_apply(s, req->op, req->ops, k->deadline, err);
	for (size_t i = 0; rc == -1 && i < req->ops; i++)
		if (req->op[i].result == -1 && req->op[i].rule == claim_rule &&
		    err->kind == ERROR_NOT_FOUND)
			refuse_missing(k, req->op[i].id);
	return rc == -1 && k->outcome->result == CLAIM_OK ? -1 : 0;
}

static int
take_held(void *arg, struct store *s, struct error *err)
{
	struct taking *k = arg;
	struct error ignored;
	int rc;

	buf_reset(k->reason);
	claim_outcome_free(k->outcome);
	claims_free(&k->claims);
	strings_free(&k->taken);
	if (claims_lock(k->list, &k->claims, NULL, k->deadline, err) == -1)
		return -1;
	rc = k->req->op != NULL ? take_ops(k, s, err) : take_call(k, s, err);
	claims_unlock(&k->claims);
	/* The record may have been saved, and then the tasks could not be written. */
	if (rc == -1 && k->left == 0)
		(void)claims_forget(k->list, &k->taken, k->deadline, &ignored);
	return rc;
}

static void
take_journal(struct taking *k, enum durability durability)
{
	const struct agent *a = &k->req->agent;
	struct journal_entry entry = {
		.event = "claim",
		.task = k->req->task,
		.agent = agent_owner(a),
		.session = a->session,
		.from = claim_task_facts(k->task.status, k->task.owner),
		.to = claim_task_facts(TASK_IN_PROGRESS, k->owner),
		.extra = claim_texts(buf_text(&k->task.text), NULL),
	};
	struct error ignored;

	/* The claim counts whether or not its line could be written. */
	(void)journal_append(k->list, durability, &entry, k->deadline, &ignored);
}

enum claim_result
claim_take(const struct list *list, struct store *s, const struct claim_request *req,
    struct buf *reason, struct deadline deadline, struct error *err)
{
	struct claim_outcome own = { 0 };
	struct buf scratch = { 0 };
	struct taking k = {
		.list = list,
		.req = req,
		.owner = req->owner != NULL && *req->owner != '\0' ? req->owner
								   : agent_owner(&req->agent),
		.deadline = deadline,
		.reason = reason != NULL ? reason : &scratch,
		.task = TASK_INIT,
		.outcome = req->outcome != NULL ? req->outcome : &own,
	};
	enum claim_result result = CLAIM_FAULT;

	if (req->busy != CLAIM_BUSY_NEVER && agent_owner(&req->agent) != NULL &&
	    store_scan(s, agent_owner(&req->agent), note_owned, &k.owned, err) == -1)
		goto out;
	if (store_locked(s, take_held, &k, deadline, err) == -1)
		goto out;
	result = k.outcome->result;
	if (result == CLAIM_OK && req->op == NULL)
		take_journal(&k, s->durability);
	else if (result != CLAIM_OK && result != CLAIM_AGENT_BUSY)
		claim_add_ready(k.reason, s, &k.claims, k.task.id);
out:
	k.outcome->result = result;
	strings_free(&k.owned);
	strings_free(&k.taken);
	claims_free(&k.claims);
	task_free(&k.task);
	claim_outcome_free(&own);
	buf_free(&scratch);
	return result;
}
