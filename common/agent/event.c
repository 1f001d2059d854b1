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

/* An empty identity counts as absent. */
static char *
event_name(char *s)
{
	if (s != NULL && *s == '\0') {
		free(s);
		return NULL;
	}
	return s;
}

/*
 * The fields by name.  Lengths are compared first, because every event pays
 * for this, also the one that no rule is about.
 */
enum field_kind { FIELD_STRING, FIELD_NAME, FIELD_PLACE };

struct field {
	char key[24];
	unsigned char len, kind;
	unsigned short offset;
};

#define FIELD(key, member, kind)                                           \
	{                                                                  \
		key, sizeof(key) - 1, kind, offsetof(struct event, member) \
	}

static const struct field fields[] = {
	FIELD("session_id", session_id, FIELD_NAME),
	FIELD("transcript_path", transcript_path, FIELD_NAME),
	FIELD("cwd", cwd, FIELD_NAME),
	FIELD("permission_mode", permission_mode, FIELD_NAME),
	FIELD("agent_id", agent_id, FIELD_NAME),
	FIELD("agent_type", agent_type, FIELD_NAME),
	FIELD("hook_event_name", name, FIELD_NAME),
	FIELD("tool_name", tool_name, FIELD_NAME),
	FIELD("tool_use_id", tool_use_id, FIELD_NAME),
	FIELD("task_id", task_id, FIELD_NAME),
	FIELD("task_subject", task_subject, FIELD_STRING),
	FIELD("task_description", task_description, FIELD_STRING),
	FIELD("teammate_name", teammate_name, FIELD_NAME),
	FIELD("team_name", team_name, FIELD_NAME),
	FIELD("last_assistant_message", last_message, FIELD_STRING),
	FIELD("reason", end_reason, FIELD_NAME),
	FIELD("tool_input", tool_input, FIELD_PLACE),
	FIELD("tool_response", tool_response, FIELD_PLACE),
	FIELD("tasks_completed", tasks_completed, FIELD_PLACE),
	FIELD("result", result, FIELD_PLACE),
	FIELD("tasks", tasks, FIELD_PLACE),
	FIELD("stop_hook_active", stop_active, FIELD_PLACE),
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static const struct field *
event_field(const struct json *j, json_ref member)
{
	size_t len;
	const char *key = json_key_plain(j, member, &len);

	for (size_t i = 0; i < FIELDS; i++)
		if (key != NULL ? fields[i].len == len && memcmp(fields[i].key, key, len) == 0
				: json_key_equals(j, member, fields[i].key))
			return &fields[i];
	return NULL;
}

static void
event_take(struct event *ev, json_ref member)
{
	const struct field *f = event_field(&ev->json, member);
	char **to;

	if (f == NULL)
		return;
	if (f->kind == FIELD_PLACE) {
		*(json_ref *)((char *)ev + f->offset) = member;
		return;
	}
	to = (char **)((char *)ev + f->offset);
	free(*to); /* a key given twice: the last one counts */
	*to = json_string(&ev->json, member);
	if (f->kind == FIELD_NAME)
		*to = event_name(*to);
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
	for (json_ref m = json_first(j, JSON_ROOT); m != JSON_ABSENT;
	     m = json_next(j, JSON_ROOT, m))
		event_take(ev, m);
	ev->has_last_message = ev->last_message != NULL;
	ev->stop_hook_active = json_true(j, ev->stop_active);
	if (ev->name != NULL) {
		ev->kind = event_kind_of(ev->name);
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
	return event_understand(ev, e);
}

static void
event_forget(struct event *ev)
{
	for (size_t i = 0; i < FIELDS; i++)
		if (fields[i].kind != FIELD_PLACE) {
			char **to = (char **)((char *)ev + fields[i].offset);

			free(*to);
			*to = NULL;
		}
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
	event_forget(ev);
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
	event_forget(ev);
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
	event_forget(ev);
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
