/*
 * pretool: before and after a tool call.
 *
 * First what costs nothing: is it one of the tools with rules, are tasks
 * switched on.  Then what every run does for the list (claims of dead clients,
 * notes for the agent), then the tool's own rules.
 */
#include "hook/pretool.h"

#include "agent/agent.h"
#include "base/text.h"
#include "hook/give-back.h"
#include "hook/hook.h"
#include "hook/policy.h"
#include "hook/stop.h"
#include "hook/tell.h"
#include "list/subtasks.h"
#include "json/out.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum tool { TOOL_OTHER, TOOL_UPDATE, TOOL_CREATE, TOOL_SPAWN, TOOL_TODO, TOOL_READ };

static enum tool
tool_of(const char *name)
{
	static const struct {
		char name[12];
		enum tool tool;
	} tools[] = {
		{ "TaskUpdate", TOOL_UPDATE },
		{ "TaskCreate", TOOL_CREATE },
		{ "Agent", TOOL_SPAWN },
		{ "Task", TOOL_SPAWN },
		{ "TodoWrite", TOOL_TODO },
		{ "TaskList", TOOL_READ },
		{ "TaskGet", TOOL_READ },
	};

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (text_equal(tools[i].name, name))
			return tools[i].tool;
	return TOOL_OTHER;
}

static bool
tasks_off(void)
{
	const char *s = getenv("CLAUDE_CODE_ENABLE_TASKS");

	return s != NULL && (strcasecmp(s, "false") == 0 || strcmp(s, "0") == 0 ||
				strcasecmp(s, "no") == 0 || strcasecmp(s, "off") == 0);
}

static int
pretool_todo(struct hook *h, struct error *e)
{
	if (hook_config(h, e) == -1)
		return -1;
	policy_todo(&h->in.config, &h->in.event.json, h->in.event.tool_input, &h->out.decision);
	return 0;
}

/*
 * The call that started a subagent is over, so the agent is too.  Normally its
 * SubagentStop came before; one that ran out of turns has none.  (An agent in
 * the background has only been started: its status differs.)
 */
static int
pretool_spawn_over(struct hook *h, struct error *e)
{
	const struct json *j = &h->in.event.json;
	json_ref response = h->in.event.tool_response;
	struct agent gone = { .session = h->in.event.session_id };
	struct released r = { 0 };
	struct buf who = { 0 };
	char *id, *type;
	int rc = 0;

	if (!hook_list_open(h) || !json_equals(j, json_member(j, response, "status"), "completed"))
		return 0;
	gone.id = id = json_member_string(j, response, "agentId");
	gone.type = type = json_member_string(j, h->in.event.tool_input, "subagent_type");
	if (id == NULL || (rc = hook_config(h, e)) == -1 || (rc = hook_claims(h, e)) == -1 ||
	    h->in.config.stop.unfinished == UNFINISHED_KEEP)
		goto out;
	if (h->explain)
		hook_would(h, "tasks of agent %s that are in progress: pending, no owner", id);
	else
		rc = release_agent(&h->in.list, &h->in.store, &gone, "the agent's call is over",
		    &h->in.claims, &r, hook_patience(h), e);
	if (r.tasks.count > 0) {
		agent_describe(&who, &gone);
		give_back_tell(h, &r, buf_text(&who), false, h->in.event.session_id);
	}
out:
	released_free(&r);
	buf_free(&who);
	free(id);
	free(type);
	return rc == -1 ? -1 : 0;
}

static int
pretool_tool(struct hook *h, enum tool tool, struct error *e)
{
	if (tool == TOOL_SPAWN && h->in.event.kind == EVENT_POST_TOOL_USE)
		return pretool_spawn_over(h, e);
	if (h->in.event.kind != EVENT_PRE_TOOL_USE)
		return 0;
	switch (tool) {
	case TOOL_UPDATE:
		return pretool_update(h, e);
	case TOOL_CREATE:
		return pretool_create(h, e);
	case TOOL_SPAWN:
		return pretool_spawn(h, e);
	default:
		return 0;
	}
}

/* Run the sync commands after a change by the client or by give_back_dead(). */
static int
pretool_mirror(struct hook *h, enum tool tool, struct error *e)
{
	bool changed = h->out.changed || (h->in.event.kind == EVENT_POST_TOOL_USE &&
					     (tool == TOOL_UPDATE || tool == TOOL_CREATE));

	if (!changed || h->explain)
		return 0;
	if (hook_config(h, e) == -1)
		return -1;
	hook_mirror(h);
	return 0;
}

/* The agent can make its call smaller, so this is a refusal and not a fault. */
static int
pretool_input_cut(struct hook *h, enum tool tool, struct error *e)
{
	struct decision *d = &h->out.decision;

	if (h->in.event.kind != EVENT_PRE_TOOL_USE || (tool != TOOL_UPDATE && tool != TOOL_CREATE))
		return error_set(e, ERROR_INPUT, "the event cannot be read: %s", h->in.event.cut);
	d->verdict = VERDICT_REFUSE;
	d->rule = "input";
	buf_printf(&d->reason,
	    "This %s cannot be checked: %s. Make its metadata flatter and its texts shorter, and "
	    "call it again.",
	    h->in.event.tool_name, h->in.event.cut);
	return 0;
}

static bool
pretool_completes(const struct event *ev)
{
	return ev->kind == EVENT_PRE_TOOL_USE &&
	       json_equals(
		   &ev->json, json_member(&ev->json, ev->tool_input, "status"), "completed");
}

int
pretool_run(struct hook *h, struct error *e)
{
	enum tool tool = tool_of(h->in.event.tool_name);

	if (tool == TOOL_OTHER ||
	    (h->in.event.kind != EVENT_PRE_TOOL_USE && h->in.event.kind != EVENT_POST_TOOL_USE &&
		h->in.event.kind != EVENT_POST_TOOL_USE_FAILURE))
		return 0;
	/* A setting can switch tasks off in a session that goes on using them. */
	if (tool != TOOL_TODO && tasks_off() &&
	    !(tool == TOOL_UPDATE && pretool_completes(&h->in.event))) {
		hook_fact(h, "CLAUDE_CODE_ENABLE_TASKS turns tasks off: no rule applies");
		return 0;
	}
	if (h->in.event.cut != NULL)
		return pretool_input_cut(h, tool, e);
	if (tool == TOOL_TODO)
		return h->in.event.kind == EVENT_PRE_TOOL_USE ? pretool_todo(h, e) : 0;
	if (tool == TOOL_UPDATE && pretool_completes(&h->in.event))
		hook_judges(h);
	if (hook_list(h, e) == -1)
		return -1;
	hook_self(h);
	give_back_dead(h, NULL);
	if (pretool_tool(h, tool, e) == -1)
		return -1;
	/* Before and after the client writes: a scan in between sets the mark again. */
	if ((tool == TOOL_UPDATE || tool == TOOL_CREATE) && !h->explain &&
	    h->out.decision.verdict == VERDICT_PASS)
		subtasks_see_call(&h->in.list, &h->in.event.json, h->in.event.tool_input);
	tell_waiting(h);
	return pretool_mirror(h, tool, e);
}
