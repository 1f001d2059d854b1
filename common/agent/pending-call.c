#include "agent/pending-call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/transcript.h"
#include "base/hash.h"
#include "sys/file.h"
#include "task/task.h"
#include "json/json.h"
#include "json/out.h"

#define NAME_SIZE 192 /* "call-", an id that task_id_ok() accepts, ".json" */

/* An id of a document that cannot be part of a file name is hashed; no other has a '='. */
static void
pending_call_name(const char *task, char out[NAME_SIZE])
{
	char hash[HASH_HEX];

	if (task_id_ok(task)) {
		snprintf(out, NAME_SIZE, "call-%s.json", task);
		return;
	}
	hash_text(task, strlen(task), hash);
	snprintf(out, NAME_SIZE, "call-=%s.json", hash);
}

int
pending_call_keep(const struct list *list, const char *task, const struct event *ev,
    const char *metadata, struct json_object *verdict, struct error *e)
{
	struct json_object *o = out_object();
	struct buf text = { 0 };
	char name[NAME_SIZE];
	int state, rc = -1;

	pending_call_name(task, name);
	out_string(o, "session", ev->session_id);
	out_string(o, "agent_id", ev->agent_id);
	out_string(o, "transcript", ev->transcript_path);
	out_string(o, "tool_use_id", ev->tool_use_id);
	if (metadata != NULL)
		out_add(o, "metadata", out_raw_text(metadata, strlen(metadata)));
	out_add(o, "verdict", verdict);
	out_text(&text, o);
	if ((state = list_state(list, true, e)) != -1)
		rc = file_replace(state, name, text.data, text.len, 0600, DURABILITY_OFF, e);
	buf_free(&text);
	return rc == -1 ? -1 : 0;
}

void
pending_call_drop(const struct list *list, const char *task)
{
	struct error e;
	char name[NAME_SIZE];
	int state;

	pending_call_name(task, name);
	if (!list_state_has(list, name) || (state = list_state(list, false, &e)) == -1)
		return;
	(void)unlinkat(state, name, 0);
}

/* Was it kept by the call that this event is about? */
static bool
call_fits(const struct json *j, const struct event *ev)
{
	json_ref agent = json_member(j, JSON_ROOT, "agent_id");
	char *transcript, *id;
	bool over;

	if (ev->session_id == NULL ||
	    !json_equals(j, json_member(j, JSON_ROOT, "session"), ev->session_id))
		return false;
	/* Some clients leave agent_id out of TaskCompleted: then the session decides. */
	if (ev->agent_id != NULL && !json_equals(j, agent, ev->agent_id))
		return false;
	transcript = json_member_string(j, JSON_ROOT, "transcript");
	id = json_member_string(j, JSON_ROOT, "tool_use_id");
	over = transcript_call_over(transcript, ev->agent_id, id);
	free(transcript);
	free(id);
	return !over;
}

static void
kept_text(const struct json *j, const char *key, struct buf *text)
{
	size_t len;
	const char *raw = json_raw(j, json_member(j, JSON_ROOT, key), &len);

	if (raw != NULL)
		buf_add(text, raw, len);
}

int
pending_call_find(
    const struct list *list, const char *task, const struct event *ev, struct pending_call *call)
{
	struct buf text = { 0 };
	struct json j = { 0 };
	struct error e;
	char name[NAME_SIZE];
	int rc = 0;

	pending_call_name(task, name);
	if (list_state_read(list, name, &text, &e) == 1 &&
	    json_parse(&j, buf_text(&text), text.len, &e) == 0 && call_fits(&j, ev)) {
		kept_text(&j, "metadata", &call->metadata);
		kept_text(&j, "verdict", &call->verdict);
		rc = 1;
	}
	json_free(&j);
	buf_free(&text);
	return rc;
}

void
pending_call_free(struct pending_call *call)
{
	buf_free(&call->metadata);
	buf_free(&call->verdict);
}
