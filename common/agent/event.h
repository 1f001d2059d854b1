#ifndef AGENT_EVENT_H
#define AGENT_EVENT_H

#include <stdbool.h>

#include "json/json.h"

/*
 * The event on standard input: bounded, checked, its fields named.
 *
 *	struct event ev = { 0 };
 *	if (event_read(&ev, STDIN_FILENO, &err) == -1) ...
 *	event_free(&ev);
 *
 * Fields we do not know are ignored, so that a newer client's events pass;
 * a field of the wrong type counts as absent, and so does an empty identity
 * (clients have sent agent_id "").  Text that is not a JSON object with a
 * hook_event_name is ERROR_INPUT, unless its keys are those of another client,
 * which is EVENT_OTHER without a name.  A Task[] array (an export piped in, or a
 * document with a "tasks" array) is EVENT_TASK_ARRAY.
 *
 * Strings belong to the event; tool_input and the like are places in `json`.
 */
#define EVENT_MAX (16u << 20)

enum event_kind {
	EVENT_OTHER,
	EVENT_PRE_TOOL_USE,
	EVENT_POST_TOOL_USE,
	EVENT_POST_TOOL_USE_FAILURE,
	EVENT_TASK_CREATED,
	EVENT_TASK_COMPLETED,
	EVENT_SUBAGENT_START,
	EVENT_SUBAGENT_STOP,
	EVENT_TEAMMATE_IDLE,
	EVENT_STOP,
	EVENT_STOP_FAILURE,
	EVENT_SESSION_START,
	EVENT_SESSION_END,
	EVENT_USER_PROMPT_SUBMIT,
	EVENT_CONFIG_CHANGE,
	EVENT_TASK_ARRAY,
};

struct event {
	enum event_kind kind;
	struct buf text;
	struct json json; /* of text */
	char *name;       /* hook_event_name as sent */
	char *session_id, *cwd, *transcript_path, *permission_mode;
	char *agent_id, *agent_type, *teammate_name, *team_name;
	char *tool_name, *tool_use_id;
	char *task_id, *task_subject, *task_description;
	char *last_message; /* last_assistant_message */
	char *end_reason;   /* SessionEnd: why */
	bool has_last_message, stop_hook_active;
	json_ref tool_input, tool_response;
	json_ref tasks;                   /* EVENT_TASK_ARRAY: the array */
	json_ref tasks_completed, result; /* SubagentStop as older tools send it */
	json_ref stop_active;
	const char *cut; /* event_read_first(): what is wrong with tool_input; NULL */
};

int event_read(struct event *, int fd, struct error *);
/*
 * The same, but returns as soon as there is a whole object: one system call in
 * the normal case.  For hooks that pass when in doubt.  An event of a tool
 * call that is too long or nested too deep is read up to tool_input, and `cut`
 * says so: the agent that made the call must not get past the rules by it.
 */
int event_read_first(struct event *, int fd, struct error *);
int event_parse(struct event *, const char *, size_t, struct error *);
void event_free(struct event *);
const char *event_kind_name(enum event_kind);

/* Was this TaskCompleted sent at the end of a teammate's turn, not by a TaskUpdate? */
bool event_turn_end(const struct event *);
/* Is it a shut-down or aborted agent's SubagentStop? */
bool event_shut_down(const struct event *);
/* An in-process teammate: agent_id is a<agent_type>-<16 hex>, or (older clients)
 * a teammate_name without agent_id and agent_type. */
bool event_in_process_teammate(const struct event *);
/* A teammate in a terminal of its own: its own session, an agent_type, no agent_id. */
bool event_tmux_teammate(const struct event *);

#endif
