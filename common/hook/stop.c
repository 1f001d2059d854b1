/*
 * stop: who has stopped, and what happens to its tasks.
 *
 * Measured: a subagent's SubagentStop is its end; an in-process teammate's
 * fires at the end of every turn, and only the one without last message and
 * permission mode is its end; a teammate in a terminal of its own never fires
 * it, its end is its SessionEnd; Stop is the end of a turn.
 */
#include "hook/stop.h"

#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/claims.h"
#include "agent/transcript.h"
#include "base/text.h"
#include "hook/give-back.h"
#include "list/tally.h"

/* Is this the end of an agent, and not just of its turn? */
static bool
agent_ends(const struct event *ev)
{
	if (ev->kind != EVENT_SUBAGENT_STOP && ev->kind != EVENT_STOP_FAILURE)
		return false;
	if (event_in_process_teammate(ev))
		return event_shut_down(ev);
	return ev->agent_id != NULL;
}

/* --- what is unfinished ------------------------------------------------------- */

struct unfinished {
	const struct hook *hook;
	struct task_set found;
};

static bool
is_mine(const struct hook *h, const struct task *t)
{
	const struct claim *c = claims_find(&h->in.claims, t->id);

	if (c != NULL)
		return claim_is_by(c, &h->in.self);
	return text_equal(agent_owner(&h->in.self), t->owner);
}

static int
add_if_mine(void *arg, const struct task *t)
{
	struct unfinished *s = arg;

	if (t->status == TASK_IN_PROGRESS && is_mine(s->hook, t))
		task_copy(task_set_add(&s->found), t);
	return 0;
}

/* Agents of its own run in the background: the main thread may stop meanwhile. */
static bool
agents_running(const struct event *ev)
{
	const struct json *j = &ev->json;
	json_ref all = json_member(j, JSON_ROOT, "background_tasks");

	JSON_EACH (j, all, t)
		if (json_equals(j, json_member(j, t, "status"), "running"))
			return true;
	return false;
}

static char *
stop_tally_key(const struct hook *h)
{
	return mem_printf("stop:%s", h->in.event.agent_id != NULL     ? h->in.event.agent_id
				     : h->in.event.session_id != NULL ? h->in.event.session_id
								      : "");
}

static void
stop_send_back(struct hook *h, const struct task_set *open)
{
	struct buf *b = &h->out.decision.reason;

	h->out.decision.verdict = VERDICT_REFUSE;
	h->out.decision.rule = "unfinished";
	h->out.decision.task = NULL;
	if (b->len > 0)
		buf_putc(b, '\n');
	buf_puts(b, "You stop with work open: ");
	for (size_t i = 0; i < open->count && i < 20; i++) {
		buf_puts(b, i == 0 ? "" : ", ");
		task_describe(b, &open->item[i]);
	}
	if (open->count > 20)
		buf_printf(b, " and %zu more", open->count - 20);
	buf_puts(b, ". Finish it and set it to completed with TaskUpdate, or set it to pending "
		    "and say what is left. If you stop again, it may be given to others.");
}

/* 1 sent back, 0 not (the limit is reached, or nothing is open), -1. */
static int
stop_block(struct hook *h, struct error *e)
{
	struct unfinished s = { .hook = h };
	char *key = stop_tally_key(h);
	int64_t used;
	int rc = 0;

	if (hook_claims(h, e) == -1 || store_scan(&h->in.store, NULL, add_if_mine, &s, e) == -1)
		rc = -1;
	/* The first stop of a main thread's turn resets the count. */
	if (h->in.event.kind == EVENT_STOP && !h->in.event.stop_hook_active && !h->explain)
		tally_forget(&h->in.list, key, hook_patience(h));
	used = tally_get(&h->in.list, key);
	if (used == 0 && h->in.event.stop_hook_active)
		used = 1; /* it was sent back already, by us or by another hook */
	hook_fact(h, "open tasks of the agent: %zu, sent back %lld of %lld times", s.found.count,
	    (long long)used, (long long)h->in.config.stop.max_blocks);
	if (rc == 0 && s.found.count > 0 && used < h->in.config.stop.max_blocks) {
		/* Without a count this could go on for ever. */
		if (h->explain || tally_add(&h->in.list, key, hook_patience(h), e) != -1) {
			stop_send_back(h, &s.found);
			rc = 1;
		} else
			rc = -1;
	}
	free(key);
	task_set_free(&s.found);
	return rc;
}

static int
stop_would_give_back(struct hook *h, struct error *e)
{
	struct unfinished s = { .hook = h };
	int rc = hook_claims(h, e) == -1 ? -1 : store_scan(&h->in.store, NULL, add_if_mine, &s, e);

	for (size_t i = 0; i < s.found.count; i++)
		hook_would(h, "task %s: pending, no owner", s.found.item[i].id);
	task_set_free(&s.found);
	return rc == -1 ? -1 : 0;
}

static int
stop_give_back(struct hook *h, struct error *e)
{
	struct released r = { 0 };
	struct buf who = { 0 };
	char *key;
	int rc;

	if (hook_claims(h, e) == -1)
		return -1;
	if (h->explain)
		return stop_would_give_back(h, e);
	rc = release_agent(&h->in.list, &h->in.store, &h->in.self,
	    h->in.event.kind == EVENT_STOP_FAILURE  ? "the agent failed"
	    : h->in.event.kind == EVENT_SESSION_END ? "its session has ended"
						    : "the agent stopped",
	    &h->in.claims, &r, hook_patience(h), e);
	if (rc != -1 && r.tasks.count > 0) {
		if (h->in.self.name != NULL)
			buf_puts(&who, h->in.self.name);
		else
			agent_describe(&who, &h->in.self);
		give_back_tell(h, &r, buf_text(&who), h->in.event.kind == EVENT_STOP_FAILURE,
		    event_tmux_teammate(&h->in.event) ? NULL : h->in.event.session_id);
	}
	key = stop_tally_key(h);
	tally_forget(&h->in.list, key, hook_patience(h));
	free(key);
	buf_free(&who);
	released_free(&r);
	return rc == -1 ? -1 : 0;
}

static bool
by_main_thread(const struct claim *c, const char *session)
{
	return c->agent_id == NULL && c->name == NULL && c->tool_use_id != NULL &&
	       text_equal(c->session, session);
}

/*
 * Old clients do not say in a tool call which agent makes it, so its claim
 * looks like the main thread's.  The agent's own transcript has the call.
 */
static void
stop_adopt_claims(struct hook *h)
{
	const struct event *ev = &h->in.event;
	struct claims claims;
	char *transcript;
	struct error e;
	bool any = false, changed = false;

	if (h->explain || hook_claims(h, &e) == -1)
		return;
	for (size_t i = 0; i < h->in.claims.count; i++)
		any |= by_main_thread(&h->in.claims.item[i], ev->session_id);
	transcript = any ? json_member_string(&ev->json, JSON_ROOT, "agent_transcript_path") : NULL;
	if (transcript == NULL ||
	    claims_lock(&h->in.list, &claims, &h->in.claims, hook_patience(h), &e) == -1) {
		free(transcript);
		return;
	}
	for (size_t i = 0; i < claims.count; i++) {
		struct claim *c = &claims.item[i];

		if (by_main_thread(c, ev->session_id) &&
		    transcript_has_call(transcript, c->tool_use_id)) {
			c->agent_id = mem_string(ev->agent_id);
			changed = true;
		}
	}
	if (changed)
		(void)claims_save(&claims, &e);
	claims_move(&h->in.claims, &claims);
	free(transcript);
}

/* The unfinished tasks of the agent: released, sent back for, or kept. */
static int
stop_unfinished(struct hook *h, struct error *e)
{
	bool ends = agent_ends(&h->in.event);
	int rc;

	if (ends)
		stop_adopt_claims(h);
	hook_fact(h, "the %s", ends ? "agent has ended" : "turn has ended, the agent lives on");
	if (h->in.config.stop.unfinished == UNFINISHED_BLOCK && !event_shut_down(&h->in.event) &&
	    ((ends && h->in.event.kind == EVENT_SUBAGENT_STOP) ||
		(h->in.event.kind == EVENT_STOP && h->in.event.agent_id == NULL &&
		    !event_tmux_teammate(&h->in.event) && !agents_running(&h->in.event)))) {
		if ((rc = stop_block(h, e)) != 0)
			return rc == -1 ? -1 : 0;
	}
	if (!ends || h->in.config.stop.unfinished == UNFINISHED_KEEP)
		return 0;
	return stop_give_back(h, e);
}

/* --- the end of a session ------------------------------------------------------ */

/*
 * After /clear, or when another session is resumed, the process and its agents
 * live on; only the main thread's context is gone.
 */
static int
stop_session_end(struct hook *h, struct error *e)
{
	const char *why = h->in.event.end_reason;
	bool lives_on = text_equal(why, "clear") || text_equal(why, "resume");

	if (h->in.config.stop.unfinished == UNFINISHED_KEEP || h->in.event.session_id == NULL)
		return 0;
	if (stop_give_back(h, e) == -1)
		return -1;
	if (!lives_on)
		give_back_dead(h, h->in.event.session_id);
	return 0;
}

/*
 * The claims of an agent that ends are dropped with its tasks.  Taken as settled, in memory alone,
 * they need not be settled on disk first, which would be one more hold of the locks.
 */
static void
stop_settle_own(struct hook *h)
{
	struct error ignored;

	if (!agent_ends(&h->in.event) || hook_claims(h, &ignored) == -1)
		return;
	for (size_t i = 0; i < h->in.claims.count; i++)
		if (claim_is_by(&h->in.claims.item[i], &h->in.self)) {
			h->in.claims.item[i].settled = true;
			file_unmark(&h->in.claims.mark); /* it differs from the file now */
		}
}

int
stop_run(struct hook *h, struct error *e)
{
	int rc;

	switch (h->in.event.kind) {
	case EVENT_SUBAGENT_STOP:
	case EVENT_STOP:
	case EVENT_STOP_FAILURE:
	case EVENT_SESSION_START:
	case EVENT_SESSION_END:
	case EVENT_TEAMMATE_IDLE:
	case EVENT_TASK_ARRAY:
		break;
	default:
		return 0;
	}
	if ((rc = hook_list(h, e)) != 1)
		return rc;
	if (!h->explain && agent_learn(&h->in.event, &h->in.list, hook_patience(h), e) == -1)
		return -1;
	if (hook_config(h, e) == -1)
		return -1;
	hook_self(h);
	hook_mirror(h);
	stop_settle_own(h);
	give_back_dead(h, NULL);
	switch (h->in.event.kind) {
	case EVENT_SESSION_START:
		return 0;
	case EVENT_SESSION_END:
		return stop_session_end(h, e);
	case EVENT_TEAMMATE_IDLE:
		return stop_idle(h, e);
	case EVENT_TASK_ARRAY:
		return stop_reports(h, e);
	default:
		if (stop_reports(h, e) == -1)
			return -1;
		return stop_unfinished(h, e);
	}
}
