/*
 * Compares claims with agents and with tasks on disk.
 *
 * A claim is recorded before the client writes the task.  If another hook or
 * the user refuses the call, only the transcript shows it, which gets a result
 * for every call; without a transcript the claim expires.  A claim kept too
 * long stops other agents; one dropped too early lets a second agent in, until
 * the client has written the owner to the file.
 */
#include <string.h>

#include "agent/agent.h"
#include "agent/claim-part.h"
#include "agent/claims.h"
#include "agent/transcript.h"
#include "base/text.h"
#include "json/out.h"

#define GRACE_MS (30 * 1000)       /* from the hook to the write, without a transcript */
#define PROMPT_MS (15 * 60 * 1000) /* the same with one: the user may be asked first */

void
claim_describe(struct buf *out, const struct claim *c)
{
	struct agent a = { .id = c->agent_id,
		.type = c->agent_type,
		.name = c->name,
		.session = c->session,
		.client = c->client,
		.pid = c->pid };

	agent_describe(out, &a);
}

static bool
same_process(const struct claim *c, const struct agent *a)
{
	return c->pid > 0 && c->pid == a->pid && c->pid_start == a->pid_start;
}

static bool
same_client(const struct claim *c, const struct agent *a)
{
	if (text_equal(c->session, a->session))
		return true;
	if (a->client != NULL && strcmp(a->client, AGENT_CLAUDE_CODE) != 0)
		return c->session == NULL && a->session == NULL &&
		       text_equal(c->client, a->client) && same_process(c, a);
	/* After a /clear of Claude Code the session has another id but the same process. */
	if (c->pid > 0 && a->pid > 0)
		return same_process(c, a);
	return c->client == NULL && a->client == NULL && (c->session == NULL || a->session == NULL);
}

bool
claim_is_from(const struct claim *c, const struct agent *a)
{
	return a->session != NULL || a->client != NULL ? same_client(c, a)
						       : c->session == NULL && c->client == NULL;
}

bool
claim_is_by(const struct claim *c, const struct agent *a)
{
	if (text_equal(c->agent_id, a->id))
		return true;
	/* Two sessions on one list may each have a teammate of this name. */
	if (c->name != NULL || a->name != NULL)
		return text_equal(c->name, a->name) && same_client(c, a);
	if (c->agent_id != NULL || a->id != NULL)
		return false;
	if ((c->session == NULL) != (a->session == NULL))
		return false;
	return same_client(c, a);
}

/* t NULL: there is none.  call_over: transcript_call_over() was asked before the task was
 * read.  now: clock_wall_ms(). */
static enum claim_state
claim_judge(const struct claim *c, const struct task *t, bool call_over, int64_t now)
{
	int64_t age = now - c->time_ms;

	if (t == NULL || !task_open(t))
		return CLAIM_SPENT;
	if (!claims_alive(c))
		return CLAIM_DEAD;
	if (task_begun(t) &&
	    (t->owner == NULL || text_equal(t->owner, c->owner) || text_equal(t->owner, c->name) ||
		text_equal(t->owner, c->agent_id)))
		return c->settled ? CLAIM_HELD : CLAIM_BEGUN;
	/* Pending again, or given to another agent. */
	if (c->settled)
		return CLAIM_SPENT;
	if (call_over)
		return CLAIM_UNUSED;
	if (age < 0 ||
	    age > (c->transcript != NULL && c->tool_use_id != NULL ? PROMPT_MS : GRACE_MS))
		return CLAIM_UNUSED;
	return CLAIM_HELD;
}

enum claim_state
claim_look(const struct claim *c, struct store *s, struct task *t, bool *found, struct error *err)
{
	struct error e;
	/* In this order: a call that was over before we read the task has written it. */
	bool over = !c->settled && transcript_call_over(c->transcript, c->agent_id, c->tool_use_id);
	int rc = store_get(s, c->task, t, &e);

	*found = rc == 1;
	if (rc == -1 && e.kind != ERROR_INPUT) {
		/* The task cannot be read: assume that the claim holds. */
		*err = e;
		return CLAIM_HELD;
	}
	return claim_judge(c, rc == 1 ? t : NULL, over, clock_wall_ms());
}

const struct claim *
claim_standing(const struct claims *claims, struct store *s, const char *task)
{
	const struct claim *c = claims_find(claims, task);
	struct task t = TASK_INIT;
	enum claim_state state;
	struct error ignored;
	bool found;

	if (c == NULL)
		return NULL;
	state = claim_look(c, s, &t, &found, &ignored);
	task_free(&t);
	return state == CLAIM_HELD || state == CLAIM_BEGUN ? c : NULL;
}

int
claim_unchanged(
    void *arg, struct store *s, const struct task *now, const struct task *then, struct error *err)
{
	const struct task *was = arg;

	(void)s, (void)then;
	if (now->status == was->status &&
	    (text_equal(now->owner, was->owner) || (now->owner == NULL && was->owner == NULL)))
		return 0;
	return error_set(err, ERROR_LOST, "task #%s was changed meanwhile", was->id);
}

struct json_object *
claim_task_facts(enum task_status status, const char *owner)
{
	struct json_object *o = out_object();

	out_string(o, "status", task_status_name(status));
	out_string(o, "owner", owner);
	return o;
}

struct json_object *
claim_texts(const char *before, const char *after)
{
	struct json_object *o = out_object();

	out_string(o, "before", before);
	out_string(o, "after", after);
	return o;
}
