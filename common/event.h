#ifndef COMMON_EVENT_H
#define COMMON_EVENT_H

#include <stdbool.h>

#include "claim.h"
#include "json.h"

/*
 * The event on standard input: bounded, checked, its fields named.
 *
 * Fields we do not know are ignored, so that a newer client's events pass.
 * A Task[] array (an export piped in) is EVENT_TASK_ARRAY.
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
	EVENT_SESSION_START,
	EVENT_SESSION_END,
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
	bool has_last_message, stop_hook_active;
	json_ref tool_input, tool_response;
};

int event_read(struct event *, int fd, struct error *);
int event_parse(struct event *, const char *, size_t, struct error *);
void event_free(struct event *);
const char *event_kind_name(enum event_kind);

/* Is this TaskCompleted a question at the end of a teammate's turn? */
bool event_turn_end(const struct event *);
/* Is it a shut-down or aborted agent's SubagentStop? */
bool event_shut_down(const struct event *);
/* An in-process teammate: agent_id is a<agent_type>-<16 hex>. */
bool event_in_process_teammate(const struct event *);

/* Who acts.  Pointers borrow from the event; names learnt earlier for a tmux
 * teammate's session come from the list's state (agents.json). */
struct config;
void event_agent(const struct event *, const struct list *, const struct config *, struct agent *);
/* Remember (session, teammate) pairs that an event reveals. */
int event_learn(const struct event *, const struct list *, struct error *);

#endif
