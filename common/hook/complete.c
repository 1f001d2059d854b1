/*
 * complete: TaskCompleted, and PreToolUse of the call that causes it.
 *
 * Both make the same checks.  A refusal at PreToolUse cannot be lost: the client also refuses
 * when that hook is missing or dies, if its settings say so.  Then TaskCompleted uses what was
 * found and writes the receipt; where PreToolUse did not run it does all the work.
 *
 * TaskCompleted has two meanings.  With permission_mode the client asks, at the
 * end of a teammate's turn, about each task that it still has in progress: no
 * gate runs and no completion is recorded.  Without, a task is about to become
 * completed, and every fault from here on is a refusal.
 */
#include "hook/complete.h"

#include "hook/hook.h"

#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/note.h"
#include "agent/pending-call.h"
#include "agent/transcript.h"
#include "gate/verify.h"
#include "hook/give-back.h"
#include "list/subtasks.h"
#include "list/tally.h"

static void
complete_nudge(struct hook *h)
{
	struct decision *d = &h->out.decision;
	struct task t = TASK_INIT;
	struct error e;
	char *key;

	if (store_get(&h->in.store, h->in.event.task_id, &t, &e) != 1 ||
	    t.status != TASK_IN_PROGRESS) {
		task_free(&t);
		return;
	}
	key = mem_printf("nudge:%s:%s", h->in.event.task_id,
	    h->in.self.name != NULL ? h->in.self.name : h->in.event.session_id);
	if (tally_get(&h->in.list, key) >= h->in.config.verify.nudges)
		hook_fact(h, "already nudged about this task");
	else if (h->explain)
		hook_would(h, "tally.json: %s counted", key);
	/* Only if it was counted: else it would be asked for ever. */
	else if (tally_add(&h->in.list, key, hook_patience(h), &e) != -1) {
		d->verdict = VERDICT_REFUSE;
		d->rule = "turn_end";
		d->task = h->in.event.task_id;
		buf_puts(&d->reason, "Your turn ends with ");
		task_name(&d->reason, &t);
		buf_puts(&d->reason, " still in progress. Go on with it; if it is done, set it to "
				     "completed; if you cannot, set it to pending and say why.");
	}
	free(key);
	task_free(&t);
}

static int
complete_turn_end(struct hook *h)
{
	struct error e;

	hook_fact(h, "a question at the end of a turn, not a completion");
	if (hook_list(h, &e) != 1)
		return 0;
	if (!h->explain)
		(void)agent_learn(&h->in.event, &h->in.list, hook_patience(h), &e);
	if (hook_config(h, &e) == -1) {
		buf_printf(&h->out.decision.message, "%s: %s", h->spec->name, e.text);
		return 0;
	}
	hook_self(h);
	if (h->in.config.verify.turn_end == TURN_END_NUDGE)
		complete_nudge(h);
	return 0;
}

/* TaskCompleted cannot tell the model anything when it passes: the next answer to a call of the
 * agent does. */
static void
complete_advise(struct hook *h, const struct verify *v)
{
	struct note note = { .text = buf_text(&v->advice),
		.lead = hook_is_lead(h),
		.session = h->in.event.session_id };
	struct error ignored;

	if (v->advice.len == 0 || h->explain)
		return;
	if (!note.lead && h->in.self.name != NULL)
		strings_add(&note.to, h->in.self.name);
	if (note.lead || note.to.count > 0)
		(void)note_add(&h->in.list, &note, hook_patience(h), &ignored);
	strings_free(&note.to);
}

struct verify_request
complete_request(struct hook *h, unsigned on, const char *task)
{
	return (struct verify_request){ .on = on,
		.config = &h->in.config,
		.list = &h->in.list,
		.store = &h->in.store,
		.claims = &h->in.claims,
		.task = task,
		.agent = h->in.self,
		.cwd = h->in.event.cwd,
		.project_dir = getenv("CLAUDE_PROJECT_DIR"),
		.deadline = hook_deadline(h),
		.hook = true,
		.plan_only = h->explain };
}

/* The verdict as the answer to the event. */
static void
complete_answer(struct hook *h, const struct verify *v)
{
	struct decision *d = &h->out.decision;

	d->task = h->in.event.task_id;
	if (!v->passed) {
		d->verdict = VERDICT_REFUSE;
		d->rule = v->rule;
		decision_add(&d->reason, &v->reason);
		/* Subtasks may be the reason: remove the mark, so that PreToolUse scans. */
		if (!h->explain)
			subtasks_unmark(&h->in.list);
	}
	decision_add(&d->message, &v->message);
	for (size_t i = 0; i < v->count; i++)
		hook_fact(h, "gate %s: %s", v->result[i].gate->name,
		    gate_verdict_name(v->result[i].verdict));
}

/* --- PreToolUse --------------------------------------------------------------- */

static void
supervise_gates(void *h)
{
	hook_supervise(h);
}

/* For TaskCompleted, which writes the receipt.  Of a pass without gates and warnings nothing is
 * kept: that is checked again at no cost. */
static int
complete_keep(
    struct hook *h, const struct verify *v, const struct verify_request *req, struct error *e)
{
	const struct config *c = v->governing.config;
	struct json_object *verdict = NULL;

	if (!v->passed || c->gates.count + c->verify.allow.count > 0 || v->message.len > 0)
		verdict = verify_kept_json(v, json_object_get(req->ran), !v->passed);
	if (req->metadata == NULL && verdict == NULL) {
		pending_call_drop(&h->in.list, req->task);
		return 0;
	}
	return pending_call_keep(&h->in.list, req->task, &h->in.event, req->metadata, verdict, e);
}

int
complete_before(struct hook *h, const struct task *t, const char *metadata,
    enum verify_subtasks subtasks, struct error *e)
{
	struct verify v = VERIFY_INIT;
	struct verify_request req = complete_request(h, GATE_COMPLETE, h->in.event.task_id);
	int rc;

	req.disk = t;
	req.subtasks = subtasks;
	req.metadata = metadata;
	req.ran = out_array();
	req.begin = supervise_gates;
	req.begin_arg = h;
	if ((rc = verify_task(&v, &req, e)) == 0) {
		complete_answer(h, &v);
		decision_add(&h->out.decision.context, &v.advice);
		if (!h->explain && !v.passed) {
			rc = verify_record(&v, &req, e);
			h->out.decision.recorded = true;
		}
		if (!h->explain && rc == 0 && (v.passed || hook_is_paused()))
			rc = complete_keep(h, &v, &req, e);
	}
	json_object_put(req.ran);
	verify_free(&v);
	return rc;
}

int
complete_paused(struct hook *h, const char *metadata, struct error *e)
{
	struct verify refused = VERIFY_INIT;

	if (h->explain || !hook_is_paused())
		return 0;
	return pending_call_keep(&h->in.list, h->in.event.task_id, &h->in.event, metadata,
	    verify_kept_json(&refused, out_array(), true), e);
}

/* --- TaskCompleted ------------------------------------------------------------- */

static int
complete_check(
    struct hook *h, const struct verify_kept *kept, struct verify_request *req, struct error *e)
{
	struct decision *d = &h->out.decision;
	struct verify v = VERIFY_INIT;
	char *client = NULL;
	int rc;

	if ((rc = verify_task(&v, req, e)) == 0) {
		req->client_version = client = transcript_version(h->in.event.transcript_path);
		if (v.passed && verify_kept_told(kept, &v)) {
			buf_reset(&v.message);
			buf_reset(&v.advice);
		}
		complete_answer(h, &v);
		complete_advise(h, &v);
		/* Refuse if the receipt cannot be written. */
		if (!h->explain && (rc = verify_record(&v, req, e)) == 0)
			d->recorded = !v.passed || d->message.len == 0;
	}
	verify_free(&v);
	free(client);
	return rc;
}

/* The call may have been judged at its PreToolUse. */
static int
complete_call(struct hook *h, struct error *e)
{
	struct verify_request req = complete_request(h, GATE_COMPLETE, h->in.event.task_id);
	struct pending_call call = { 0 };
	struct verify_kept kept = { 0 };
	bool found = pending_call_find(&h->in.list, req.task, &h->in.event, &call) == 1;
	int rc = 0;

	if (call.metadata.len > 0) {
		req.metadata = buf_text(&call.metadata);
		hook_fact(h, "metadata sent with the call: %s", req.metadata);
	}
	if (verify_kept_read(&kept, &call.verdict)) {
		hook_fact(h, "judged at PreToolUse: what ran then is not run again");
		req.kept = &kept;
		req.subtasks = kept.scanned ? SUBTASKS_NONE : SUBTASKS_SCAN;
	}
	if (kept.paused && hook_is_paused())
		hook_fact(h, "refused at PreToolUse, and a person has paused refusals");
	else
		rc = complete_check(h, &kept, &req, e);
	/* Used once: the next attempt is another call. */
	if (!h->explain && found)
		pending_call_drop(&h->in.list, req.task);
	verify_kept_free(&kept);
	pending_call_free(&call);
	return rc;
}

int
complete_run(struct hook *h, struct error *e)
{
	int rc;

	if (h->in.event.kind != EVENT_TASK_COMPLETED)
		return 0;
	if (h->in.event.task_id == NULL || *h->in.event.task_id == '\0')
		return error_set(e, ERROR_INPUT, "the event names no task");
	if (event_turn_end(&h->in.event))
		return complete_turn_end(h);
	hook_judges(h);
	if ((rc = hook_list(h, e)) == -1)
		return -1;
	if (rc == 0)
		return error_set(
		    e, ERROR_NOT_FOUND, "there is no task list at '%s'", h->in.list.dir);
	if (hook_config(h, e) == -1)
		return -1;
	hook_self(h);
	if (!h->explain && agent_learn(&h->in.event, &h->in.list, hook_patience(h), e) == -1)
		return -1;
	give_back_dead(h, NULL);
	if (hook_claims(h, e) == -1)
		return -1;
	return complete_call(h, e);
}
