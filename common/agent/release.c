/*
 * release: give tasks back.
 *
 * Every release is decided under the list's lock, on the claims and the task
 * as they are then: since they were read without it, the task may have been
 * completed, or claimed by an agent that is alive.
 *
 * Dead agents are found by their claims alone: every task that was begun
 * through our hooks has one, and without claims nothing is read, so that this
 * costs a hook run little.
 */
#include "agent/release-part.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/claim-part.h"
#include "agent/claims.h"
#include "base/text.h"
#include "list/graph.h"
#include "list/journal.h"

void
release_begin(struct releasing *r)
{
	strings_free(&r->forget);
	strings_free(&r->settle);
	strings_free(&r->unused);
	task_set_free(&r->give);
	strings_free(&r->why_so);
	claims_free(&r->dropped);
	r->next = r->first;
	r->more = false;
}

/* Is the portion full?  A document is written once for all. */
static bool
release_full(struct releasing *r, const struct store *s)
{
	if (r->give.count >= store_portion(s))
		r->more = true;
	return r->more;
}

static void
release_give_back(struct releasing *r, const struct task *t, const char *why)
{
	task_copy(task_set_add(&r->give), t);
	strings_add(&r->why_so, why);
}

/* All of them to pending, without owner; a task that was set to blocked stays so.  The caller holds
 * the list's lock. */
static int
release_write(struct releasing *r, struct store *s, struct error *err)
{
	static const struct change pending = { .status = TASK_PENDING, .owner = "" };
	static const struct change held = { .status = TASK_NO_STATUS, .owner = "" };
	size_t count = r->give.count;
	struct store_op *op = mem_alloc((count + 1) * sizeof(*op));
	int rc = 0;

	for (size_t i = 0; i < count; i++) {
		struct task *t = &r->give.item[i];

		op[i] = (struct store_op){ STORE_UPDATE, t->id,
			.change = task_held(t) ? &held : &pending, .rule = claim_unchanged,
			.arg = t };
	}
	if (count > 0)
		rc = store_apply(s, op, count, r->deadline, err);
	if (rc == -1 && err->kind == ERROR_NOT_FOUND)
		err->kind = ERROR_LOST; /* the client has deleted it: decide again */
	for (size_t i = 0; i < count; i++)
		if (op[i].result == 1) {
			task_copy(task_set_add(&r->out->tasks), &op[i].before);
			strings_add(&r->whys, r->why_so.item[i]);
			strings_add(&r->texts, buf_text(&op[i].after.text));
		}
	store_ops_free(op, count);
	free(op);
	return rc == -1 ? -1 : 0;
}

/* Drops and settles the claims that were decided about; `claims` are locked. */
static int
release_update_claims(struct releasing *r, struct claims *claims, struct error *err)
{
	bool changed = false;
	size_t i;

	for (i = 0; i < claims->count;) {
		if (strings_has(&r->forget, claims->item[i].task)) {
			*claims_add(&r->dropped) = claims->item[i];
			claims->item[i] = (struct claim){ 0 };
			claims_drop(claims, i);
			changed = true;
			continue;
		}
		if (!claims->item[i].settled && strings_has(&r->settle, claims->item[i].task))
			changed = claims->item[i].settled = true;
		i++;
	}
	return changed ? claims_save(claims, err) : 0;
}

/* Portion by portion, each decided, written and journalled by itself. */
static int
release_run(struct releasing *r, struct store *s,
    int (*held)(void *, struct store *, struct error *), struct error *err)
{
	bool more;
	int rc;

	journal_group(r->group);
	do {
		r->from = r->out->tasks.count;
		rc = store_locked(s, held, r, r->deadline, err);
		more = rc == 0 && r->more;
		r->first = r->next;
		release_finish(r, s);
	} while (more);
	return rc;
}

/* ---- one agent ---- */

static int
note_unfinished(void *arg, const struct task *t)
{
	struct strings *ids = arg;

	if (task_open(t) && !strings_has(ids, t->id))
		strings_add(ids, t->id);
	return 0;
}

/* An agent without a session is only a name that a person gave: it may be any agent's. */
static bool
is_its_claim(const struct claim *c, const struct agent *a)
{
	if (a->session == NULL)
		return text_equal(c->name, a->name) || text_equal(c->agent_id, a->id);
	return claim_is_by(c, a);
}

static int
release_claimed(struct releasing *r, struct store *s, const struct claim *c, struct error *err)
{
	struct task t = TASK_INIT;
	int rc = store_get(s, c->task, &t, err);

	strings_add(&r->forget, c->task);
	if (rc == 1 && task_begun(&t) && (t.owner == NULL || text_equal(t.owner, c->owner)))
		release_give_back(r, &t, r->why);
	else if (rc == -1 && err->kind == ERROR_INPUT)
		rc = 0;
	task_free(&t);
	return rc == -1 ? -1 : 0;
}

static int
release_owned(struct releasing *r, struct store *s, const char *id, struct error *err)
{
	struct task t = TASK_INIT;
	int rc = store_get(s, id, &t, err);

	if (rc == 1 && task_open(&t) &&
	    (text_equal(t.owner, r->agent->name) || text_equal(t.owner, r->agent->id))) {
		release_give_back(r, &t, r->why);
		strings_add(&r->forget, id);
	} else if (rc == -1 && err->kind == ERROR_INPUT)
		rc = 0;
	task_free(&t);
	return rc == -1 ? -1 : 0;
}

static int
release_agent_held(void *arg, struct store *s, struct error *err)
{
	struct releasing *r = arg;
	const struct claim *c;
	struct claims claims;
	size_t i;
	int rc;

	release_begin(r);
	if (claims_lock(r->list, &claims, r->known, r->deadline, err) == -1)
		return -1;
	rc = store_cache(s, err);
	for (i = 0; rc == 0 && i < claims.count && !release_full(r, s); i++)
		if (is_its_claim(&claims.item[i], r->agent))
			rc = release_claimed(r, s, &claims.item[i], err);
	for (; rc == 0 && r->next < r->owned.count && !release_full(r, s); r->next++) {
		const char *id = r->owned.item[r->next];

		/* A claim by another agent of the same name stays. */
		c = claims_find(&claims, id);
		if (task_set_find(&r->give, id) == NULL && (c == NULL || is_its_claim(c, r->agent)))
			rc = release_owned(r, s, id, err);
	}
	store_uncache(s);
	if (rc == 0)
		rc = release_write(r, s, err);
	if (rc == 0)
		rc = release_update_claims(r, &claims, err);
	claims_move(r->known, &claims);
	return rc;
}

static bool
has_claim(const struct claims *claims, const struct agent *agent)
{
	for (size_t i = 0; i < claims->count; i++)
		if (is_its_claim(&claims->item[i], agent))
			return true;
	return false;
}

int
release_agent(const struct list *list, struct store *s, const struct agent *agent, const char *why,
    struct claims *known, struct released *out, struct deadline deadline, struct error *err)
{
	struct claims own = { 0 };
	struct releasing r = {
		.list = list,
		.agent = agent,
		.why = why,
		.deadline = deadline,
		.known = known != NULL ? known : &own,
		.out = out,
	};
	int rc = known != NULL ? 0 : claims_load(list, &own, err);

	if (rc != -1 && agent->name != NULL)
		rc = store_scan(s, agent->name, note_unfinished, &r.owned, err);
	if (rc != -1 && agent->id != NULL)
		rc = store_scan(s, agent->id, note_unfinished, &r.owned, err);
	if (rc != -1 && (r.owned.count > 0 || has_claim(r.known, agent)))
		rc = release_run(&r, s, release_agent_held, err);
	strings_free(&r.owned);
	claims_free(&own);
	return rc;
}

/* ---- by their ids ---- */

static int
release_named(struct releasing *r, struct store *s, const char *id, struct error *err)
{
	struct task t = TASK_INIT;
	int rc = store_get(s, id, &t, err);

	if (rc == 0)
		rc = error_set(err, ERROR_NOT_FOUND, "there is no task #%.40s", id);
	else if (rc == 1 && !task_open(&t))
		rc =
		    error_set(err, ERROR_REFUSED, "task #%s is %s", id, task_status_name(t.status));
	else if (rc == 1 && task_set_find(&r->give, id) == NULL) {
		release_give_back(r, &t, r->why);
		strings_add(&r->forget, id);
	}
	task_free(&t);
	return rc == -1 ? -1 : 0;
}

static int
release_tasks_held(void *arg, struct store *s, struct error *err)
{
	struct releasing *r = arg;
	struct claims claims;
	int rc;

	release_begin(r);
	rc = store_cache(s, err);
	for (; rc == 0 && r->next < r->ids->count && !release_full(r, s); r->next++)
		rc = release_named(r, s, r->ids->item[r->next], err);
	store_uncache(s);
	if (rc == -1 || claims_lock(r->list, &claims, NULL, r->deadline, err) == -1)
		return -1;
	if ((rc = release_write(r, s, err)) == 0)
		rc = release_update_claims(r, &claims, err);
	claims_free(&claims);
	return rc;
}

int
release_tasks(const struct list *list, struct store *s, const struct strings *ids, const char *why,
    struct released *out, struct deadline deadline, struct error *err)
{
	struct releasing r = {
		.list = list,
		.ids = ids,
		.why = why,
		.deadline = deadline,
		.out = out,
	};
	size_t done = out->tasks.count;
	int rc = store_cache(s, err);

	/* Of more than one portion all are checked first. */
	for (size_t i = 0; rc == 0 && ids->count > STORE_PORTION && i < ids->count; i++)
		rc = release_named(&r, s, ids->item[i], err);
	store_uncache(s);
	if (rc == 0)
		rc = release_run(&r, s, release_tasks_held, err);
	release_begin(&r);
	done = out->tasks.count - done;
	if (rc == -1 && done > 0)
		error_prefix(
		    err, "%zu of %zu tasks are released, the others not", done, ids->count);
	return rc;
}

/* ---- the dead ---- */

/* Has this claim ended with its session?  Not if another process has resumed the same session
 * and holds it there. */
static bool
ended_with(const struct releasing *r, const struct claim *c)
{
	if (!text_equal(c->session, r->ended))
		return false;
	return c->pid <= 0 || r->agent == NULL || r->agent->pid <= 0 || c->pid == r->agent->pid;
}

/* What to do about a claim; `t` is filled if its task must be given back. */
static enum claim_state
release_verdict(
    const struct releasing *r, struct store *s, const struct claim *c, struct task *t, bool *give)
{
	struct error unsure = { 0 };
	bool found;
	enum claim_state state = claim_look(c, s, t, &found, &unsure);

	if (state == CLAIM_HELD || state == CLAIM_BEGUN)
		state = unsure.kind == ERROR_NONE && ended_with(r, c) ? CLAIM_DEAD : state;
	*give = state == CLAIM_DEAD && found && task_begun(t) &&
		(t->owner == NULL || text_equal(t->owner, c->owner) ||
		    text_equal(t->owner, c->name) || text_equal(t->owner, c->agent_id));
	return state;
}

static int
release_dead_held(void *arg, struct store *s, struct error *err)
{
	struct releasing *r = arg;
	struct task t = TASK_INIT;
	struct claims claims;
	size_t i;
	bool give;
	int rc;

	release_begin(r);
	if (claims_lock(r->list, &claims, r->known, r->deadline, err) == -1)
		return -1;
	rc = store_cache(s, err);
	for (i = 0; rc == 0 && i < claims.count && !release_full(r, s); i++) {
		const struct claim *c = &claims.item[i];
		enum claim_state state = release_verdict(r, s, c, &t, &give);

		if (state == CLAIM_BEGUN)
			strings_add(&r->settle, c->task);
		else if (state != CLAIM_HELD)
			strings_add(&r->forget, c->task);
		if (state == CLAIM_UNUSED)
			strings_add(&r->unused, c->task);
		if (give)
			release_give_back(r, &t,
			    claims_alive(c) ? "its session has ended" : "its client is gone");
	}
	store_uncache(s);
	if (rc == 0)
		rc = release_write(r, s, err);
	if (rc == 0)
		rc = release_update_claims(r, &claims, err);
	task_free(&t);
	claims_move(r->known, &claims);
	return rc;
}

int
release_dead(const struct list *list, struct store *s, const char *ended, const struct agent *self,
    struct claims *known, struct released *out, struct deadline deadline, struct error *err)
{
	struct claims own = { 0 };
	struct releasing r = {
		.list = list,
		.agent = self,
		.ended = ended,
		.deadline = deadline,
		.known = known != NULL ? known : &own,
		.out = out,
	};
	struct task t = TASK_INIT;
	bool work = false, give;
	int rc = known != NULL ? 0 : claims_load(list, &own, err);

	for (size_t i = 0; i < r.known->count && !work; i++)
		work = release_verdict(&r, s, &r.known->item[i], &t, &give) != CLAIM_HELD;
	task_free(&t);
	if (work)
		rc = release_run(&r, s, release_dead_held, err);
	claims_free(&own);
	return rc;
}

void
release_plan(struct store *s, const char *ended, const struct agent *self, struct claims *known,
    struct task_set *given, struct strings *dropped)
{
	struct releasing r = { .agent = self, .ended = ended };
	struct task t = TASK_INIT;
	bool give;

	for (size_t i = 0; i < known->count;) {
		enum claim_state state = release_verdict(&r, s, &known->item[i], &t, &give);

		if (state == CLAIM_HELD || state == CLAIM_BEGUN) {
			i++;
			continue;
		}
		strings_add(dropped, known->item[i].task);
		if (give)
			task_copy(task_set_add(given), &t);
		claims_drop(known, i);
	}
	task_free(&t);
}
