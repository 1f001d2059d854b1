/*
 * event: read the event that the client sends.
 *
 * The text is parsed into an index in one pass; short fields are then decoded
 * by name.  The big ones (tool_input, the last message) stay in the text until
 * they are asked for.
 */
#include "agent/event.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/file.h"
#include "json/json-fields.h"

static const char kind_names[][20] = {
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
	[EVENT_USER_PROMPT_SUBMIT] = "UserPromptSubmit",
	[EVENT_CONFIG_CHANGE] = "ConfigChange",
	[EVENT_TASK_ARRAY] = "Task[]",
};

#define KINDS (sizeof(kind_names) / sizeof(kind_names[0]))

const char *
event_kind_name(enum event_kind kind)
{
	return (size_t)kind < KINDS ? kind_names[kind] : "other";
}

static enum event_kind
event_kind_of(const char *name)
{
	for (size_t i = EVENT_PRE_TOOL_USE; i < EVENT_TASK_ARRAY; i++)
		if (strcmp(kind_names[i], name) == 0)
			return (enum event_kind)i;
	return EVENT_OTHER;
}

#define FIELD(key, kind, member) JSON_FIELD(key, kind, struct event, member)

static const struct json_field fields[] = {
	FIELD("session_id", FIELD_NAME, session_id),
	FIELD("transcript_path", FIELD_NAME, transcript_path),
	FIELD("cwd", FIELD_NAME, cwd),
	FIELD("permission_mode", FIELD_NAME, permission_mode),
	FIELD("agent_id", FIELD_NAME, agent_id),
	FIELD("agent_type", FIELD_NAME, agent_type),
	FIELD("hook_event_name", FIELD_NAME, name),
	FIELD("tool_name", FIELD_NAME, tool_name),
	FIELD("tool_use_id", FIELD_NAME, tool_use_id),
	FIELD("task_id", FIELD_NAME, task_id),
	FIELD("task_subject", FIELD_STRING, task_subject),
	FIELD("task_description", FIELD_STRING, task_description),
	FIELD("teammate_name", FIELD_NAME, teammate_name),
	FIELD("team_name", FIELD_NAME, team_name),
	FIELD("last_assistant_message", FIELD_STRING, last_message),
	FIELD("reason", FIELD_NAME, end_reason),
	FIELD("tool_input", FIELD_PLACE, tool_input),
	FIELD("tool_response", FIELD_PLACE, tool_response),
	FIELD("tasks_completed", FIELD_PLACE, tasks_completed),
	FIELD("result", FIELD_PLACE, result),
	FIELD("tasks", FIELD_PLACE, tasks),
	FIELD("stop_hook_active", FIELD_PLACE, stop_active),
	JSON_FIELDS_END,
};

/*
 * Other clients that run the hooks of Claude Code's settings: their keys are in camelCase, and some
 * events have no name.  No rule is about them, so they pass.  Claude Code names each event with
 * hook_event_name.
 */
static bool
event_of_other_client(const struct json *j)
{
	static const char *const keys[] = { "hookEventName", "sessionId", "toolName" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (json_kind(j, json_member(j, JSON_ROOT, keys[i])) == JSON_STRING)
			return true;
	return false;
}

static int
event_understand(struct event *ev, struct error *e)
{
	const struct json *j = &ev->json;

	ev->tool_input = ev->tool_response = ev->tasks = JSON_ABSENT;
	ev->tasks_completed = ev->result = ev->stop_active = JSON_ABSENT;
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
	json_fields_read(ev, fields, j, JSON_ROOT);
	ev->has_last_message = ev->last_message != NULL;
	ev->stop_hook_active = json_true(j, ev->stop_active);
	if (ev->name != NULL) {
		ev->kind = event_kind_of(ev->name);
		return 0;
	}
	if (json_kind(j, ev->tasks) == JSON_ARRAY)
		ev->kind = EVENT_TASK_ARRAY;
	else if (event_of_other_client(j))
		ev->kind = EVENT_OTHER;
	else
		return error_set(e, ERROR_INPUT, "the event has no hook_event_name");
	return 0;
}

int
event_read(struct event *ev, int fd, struct error *e)
{
	if (file_read_fd(fd, EVENT_MAX, &ev->text, e) == -1)
		return error_prefix(e, "cannot read the event");
	if (ev->text.len == 0)
		return error_set(e, ERROR_INPUT, "there is no event on standard input");
	return event_understand(ev, e);
}

/*
 * An event past a limit: keep what precedes the member that is too deep or
 * does not end.  The client writes tool_name before tool_input, and each key
 * once; an agent controls only what is inside tool_input.  0, or -1 if this is
 * another kind of event or does not name its tool.
 */
static int
event_cut(struct event *ev)
{
	const char *text = buf_text(&ev->text);
	bool string = false, too_long = ev->text.len > EVENT_MAX;
	size_t depth = 0, comma = 0;
	struct error ignored;

	for (size_t i = 0; i < ev->text.len && depth <= JSON_DEPTH; i++) {
		if (string && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			string = !string;
		else if (string)
			continue;
		else if (text[i] == '{' || text[i] == '[')
			depth++;
		else if ((text[i] == '}' || text[i] == ']') && depth > 0)
			depth--;
		else if (text[i] == ',' && depth == 1)
			comma = i;
	}
	if (comma == 0 || (depth <= JSON_DEPTH && !too_long))
		return -1;
	ev->text.len = comma;
	buf_putc(&ev->text, '}');
	json_fields_free(ev, fields);
	if (event_understand(ev, &ignored) == -1 || ev->tool_name == NULL)
		return -1;
	ev->cut = too_long ? "it is longer than 16 MB" : "its input is nested too deep";
	return 0;
}

static int
event_read_rest(struct event *ev, int fd, struct error *e)
{
	struct buf rest = { 0 };
	int rc = file_read_fd(fd, EVENT_MAX, &rest, e);

	buf_add(&ev->text, buf_text(&rest), rest.len);
	buf_free(&rest);
	json_fields_free(ev, fields);
	if (rc == -1)
		error_prefix(e, "cannot read the event");
	else if (ev->text.len > EVENT_MAX)
		rc = error_set(e, ERROR_INPUT, "the event is longer than %u bytes", EVENT_MAX);
	else if (ev->text.len == 0)
		return error_set(e, ERROR_INPUT, "there is no event on standard input");
	else
		rc = event_understand(ev, e);
	return rc == 0 ? 0 : event_cut(ev);
}

/* The client writes the whole object at once; only white space can follow. */
int
event_read_first(struct event *ev, int fd, struct error *e)
{
	size_t room = 4095; /* with its NUL a page */
	ssize_t n;
	int tries = 0;

	buf_need(&ev->text, room);
	do
		n = read(fd, ev->text.data, room);
	while (n == -1 && error_again(&tries));
	if (n == -1) {
		error_sys(e, "cannot read the event");
		return -1;
	}
	ev->text.len = (size_t)n;
	ev->text.data[n] = '\0';
	while (n > 0 && strchr(" \t\r\n", ev->text.data[n - 1]) != NULL)
		n--;
	if (n > 0 && ev->text.data[n - 1] == '}' && event_understand(ev, e) == 0)
		return 0;
	return event_read_rest(ev, fd, e);
}

int
event_parse(struct event *ev, const char *text, size_t len, struct error *e)
{
	buf_reset(&ev->text);
	buf_add(&ev->text, text, len);
	return event_understand(ev, e);
}

void
event_free(struct event *ev)
{
	json_fields_free(ev, fields);
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
