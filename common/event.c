/*
 * event: what the client tells a hook.
 *
 * One pass over the text makes the index; the fields are then decoded by
 * name, once, because half of them are wanted by every hook and each is
 * short.  The big ones (tool_input, the last message of an agent) stay
 * where they are until someone asks.
 */
#include "event.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "mem.h"

static const char *const kind_names[] = {
	[EVENT_OTHER] = "other",
	[EVENT_PRE_TOOL_USE] = "PreToolUse",
	[EVENT_POST_TOOL_USE] = "PostToolUse",
	[EVENT_POST_TOOL_USE_FAILURE] = "PostToolUseFailure",
	[EVENT_TASK_CREATED] = "TaskCreated",
	[EVENT_TASK_COMPLETED] = "TaskCompleted",
	[EVENT_SUBAGENT_START] = "SubagentStart",
	[EVENT_SUBAGENT_STOP] = "SubagentStop",
	[EVENT_TEAMMATE_IDLE] = "TeammateIdle",
	[EVENT_STOP] = "Stop",
	[EVENT_STOP_FAILURE] = "StopFailure",
	[EVENT_SESSION_START] = "SessionStart",
	[EVENT_SESSION_END] = "SessionEnd",
	[EVENT_TASK_ARRAY] = "Task[]",
};

#define KINDS (sizeof(kind_names) / sizeof(kind_names[0]))

const char *
event_kind_name(enum event_kind kind)
{
	return (size_t)kind < KINDS ? kind_names[kind] : "other";
}

static enum event_kind
kind_of(const char *name)
{
	for (size_t i = EVENT_PRE_TOOL_USE; i < EVENT_TASK_ARRAY; i++)
		if (strcmp(kind_names[i], name) == 0)
			return (enum event_kind)i;
	return EVENT_OTHER;
}

/* An identity that is empty is none. */
static char *
named(char *s)
{
	if (s != NULL && *s == '\0') {
		free(s);
		return NULL;
	}
	return s;
}

struct field {
	const char *key;
	size_t offset;
	bool empty_is_none;
};

#define FIELD(key, member, none)                          \
	{                                                 \
		key, offsetof(struct event, member), none \
	}

static const struct field fields[] = {
	FIELD("session_id", session_id, true),
	FIELD("transcript_path", transcript_path, true),
	FIELD("cwd", cwd, true),
	FIELD("permission_mode", permission_mode, true),
	FIELD("agent_id", agent_id, true),
	FIELD("agent_type", agent_type, true),
	FIELD("hook_event_name", name, true),
	FIELD("tool_name", tool_name, true),
	FIELD("tool_use_id", tool_use_id, true),
	FIELD("task_id", task_id, true),
	FIELD("task_subject", task_subject, false),
	FIELD("task_description", task_description, false),
	FIELD("teammate_name", teammate_name, true),
	FIELD("team_name", team_name, true),
	FIELD("last_assistant_message", last_message, false),
	FIELD("reason", end_reason, true),
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static const struct {
	const char *key;
	size_t offset;
} places[] = {
	{ "tool_input", offsetof(struct event, tool_input) },
	{ "tool_response", offsetof(struct event, tool_response) },
	{ "tasks_completed", offsetof(struct event, tasks_completed) },
	{ "result", offsetof(struct event, result) },
	{ "tasks", offsetof(struct event, tasks) },
};

#define PLACES (sizeof(places) / sizeof(places[0]))

/* One walk over the members, not one search per field: an event has about as many as we know. */
static void
take(struct event *ev, json_ref member)
{
	const struct json *j = &ev->json;

	if (json_kind(j, member) == JSON_STRING) {
		for (size_t i = 0; i < FIELDS; i++) {
			char **to = (char **)((char *)ev + fields[i].offset);

			if (!json_key_equals(j, member, fields[i].key))
				continue;
			free(*to); /* a key given twice: the last one counts */
			*to = json_string(j, member);
			if (fields[i].empty_is_none)
				*to = named(*to);
			return;
		}
	}
	if (json_key_equals(j, member, "stop_hook_active"))
		ev->stop_hook_active = json_true(j, member);
	for (size_t i = 0; i < PLACES; i++)
		if (json_key_equals(j, member, places[i].key))
			*(json_ref *)((char *)ev + places[i].offset) = member;
}

static int
understand(struct event *ev, struct error *e)
{
	const struct json *j = &ev->json;

	ev->tool_input = ev->tool_response = ev->tasks = JSON_ABSENT;
	ev->tasks_completed = ev->result = JSON_ABSENT;
	if (json_parse(&ev->json, buf_text(&ev->text), ev->text.len, e) == -1)
		return error_prefix(e, "the event is not JSON");
	switch (json_kind(j, JSON_ROOT)) {
	case JSON_ARRAY:
		ev->kind = EVENT_TASK_ARRAY;
		ev->tasks = JSON_ROOT;
		return 0;
	case JSON_OBJECT:
		break;
	default:
		return error_set(e, ERROR_INPUT, "the event is not a JSON object");
	}
	for (json_ref m = json_first(j, JSON_ROOT); m != JSON_ABSENT;
	     m = json_next(j, JSON_ROOT, m))
		take(ev, m);
	ev->has_last_message = ev->last_message != NULL;
	if (ev->name != NULL) {
		ev->kind = kind_of(ev->name);
		return 0;
	}
	if (json_kind(j, ev->tasks) != JSON_ARRAY)
		return error_set(e, ERROR_INPUT, "the event has no hook_event_name");
	ev->kind = EVENT_TASK_ARRAY;
	return 0;
}

int
event_read(struct event *ev, int fd, struct error *e)
{
	if (file_read_fd(fd, EVENT_MAX, &ev->text, e) == -1)
		return error_prefix(e, "cannot read the event");
	if (ev->text.len == 0)
		return error_set(e, ERROR_INPUT, "there is no event on standard input");
	return understand(ev, e);
}

int
event_parse(struct event *ev, const char *text, size_t len, struct error *e)
{
	buf_reset(&ev->text);
	buf_add(&ev->text, text, len);
	return understand(ev, e);
}

void
event_free(struct event *ev)
{
	for (size_t i = 0; i < FIELDS; i++)
		free(*(char **)((char *)ev + fields[i].offset));
	json_free(&ev->json);
	buf_free(&ev->text);
	memset(ev, 0, sizeof(*ev));
}

bool
event_turn_end(const struct event *ev)
{
	return ev->kind == EVENT_TASK_COMPLETED && ev->permission_mode != NULL;
}

/*
 * Both are missing when an agent is aborted or shut down.  Clients before
 * 2.1.47 never sent the last message, so its absence alone says nothing.
 */
bool
event_shut_down(const struct event *ev)
{
	return ev->kind == EVENT_SUBAGENT_STOP && !ev->has_last_message &&
	       ev->permission_mode == NULL;
}

bool
event_in_process_teammate(const struct event *ev)
{
	const char *p;
	size_t n;

	if (ev->agent_id == NULL)
		return ev->teammate_name != NULL && ev->agent_type == NULL;
	if (ev->agent_type == NULL)
		return false;
	n = strlen(ev->agent_type);
	if (ev->agent_id[0] != 'a' || strncmp(ev->agent_id + 1, ev->agent_type, n) != 0)
		return false;
	p = ev->agent_id + 1 + n;
	if (*p++ != '-')
		return false;
	for (n = 0; isxdigit((unsigned char)p[n]); n++)
		;
	return n == 16 && p[n] == '\0';
}

bool
event_tmux_teammate(const struct event *ev)
{
	return ev->agent_id == NULL && ev->agent_type != NULL;
}
