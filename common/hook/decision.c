/*
 * decision: write the answer and choose the exit status.
 *
 * Which keys an event may have was measured: a null, a hookSpecificOutput for
 * an event that has none, or one with another event's name make the client
 * drop the whole answer and let the action through (TaskCompleted, for one,
 * takes only the top-level decision).  A refusal of PreToolUse has both forms:
 * each tested version accepts that, and Gemini CLI obeys only the top level.
 */
#include "hook/decision.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "sys/file.h"
#include "json/out.h"

enum { STATUS_PASS = 0, STATUS_REFUSE = 2 };

static const char no_reason[] = "Refused, and the reason was lost: run the hook with --explain.";

bool
decision_silent(const struct decision *d)
{
	return d->verdict == VERDICT_PASS && d->message.len == 0 && d->context.len == 0 &&
	       d->updated_input.len == 0 && d->tasks_to_update == NULL;
}

void
decision_add(struct buf *to, const struct buf *text)
{
	if (to->len > 0 && text->len > 0)
		buf_putc(to, '\n');
	buf_add(to, buf_text(text), text->len);
}

static void
safe(struct buf *to, const struct buf *from)
{
	text_show(to, buf_text(from), from->len, TEXT_BLOCK, TEXT_REASON);
}

static void
add_text(struct json_object *o, const char *key, const struct buf *from)
{
	struct buf shown = { 0 };

	if (from->len == 0)
		return;
	safe(&shown, from);
	out_string(o, key, buf_text(&shown));
	buf_free(&shown);
}

static void
reason_text(const struct decision *d, struct buf *out)
{
	if (d->reason.len == 0)
		buf_puts(out, no_reason);
	else
		safe(out, &d->reason);
}

static struct json_object *
tool_output(const struct decision *d, enum event_kind kind, const char *reason)
{
	struct json_object *o = out_object();
	bool pre = kind == EVENT_PRE_TOOL_USE;

	out_string(o, "hookEventName", event_kind_name(kind));
	if (pre && d->verdict == VERDICT_REFUSE) {
		out_string(o, "permissionDecision", "deny");
		out_string(o, "permissionDecisionReason", reason);
	} else if (pre && d->updated_input.len > 0)
		out_add(
		    o, "updatedInput", out_raw_text(d->updated_input.data, d->updated_input.len));
	add_text(o, "additionalContext", &d->context);
	return o;
}

static struct json_object *
stop_output(const struct decision *d)
{
	struct json_object *o = out_object();

	out_string(o, "hookEventName", event_kind_name(EVENT_SUBAGENT_STOP));
	out_add(o, "tasks_to_update", json_object_get(d->tasks_to_update));
	return o;
}

static bool
is_tool_event(enum event_kind kind)
{
	return kind == EVENT_PRE_TOOL_USE || kind == EVENT_POST_TOOL_USE ||
	       kind == EVENT_POST_TOOL_USE_FAILURE;
}

void
decision_json(const struct decision *d, enum event_kind kind, struct buf *out)
{
	struct json_object *o;
	struct buf reason = { 0 };
	bool refuse = d->verdict == VERDICT_REFUSE;

	if (decision_silent(d))
		return;
	o = out_object();
	if (refuse)
		reason_text(d, &reason);
	if (is_tool_event(kind)) {
		if (refuse || d->updated_input.len > 0 || d->context.len > 0)
			out_add(o, "hookSpecificOutput", tool_output(d, kind, buf_text(&reason)));
	}
	if (refuse) {
		out_string(o, "decision", "block");
		out_string(o, "reason", buf_text(&reason));
	}
	if ((kind == EVENT_SUBAGENT_STOP || kind == EVENT_TASK_ARRAY) && d->tasks_to_update != NULL)
		out_add(o, "hookSpecificOutput", stop_output(d));
	add_text(o, "systemMessage", &d->message);
	out_text(out, o);
	buf_free(&reason);
}

/* A reader that has gone away does not change the verdict. */
static void
put(int fd, const char *s, size_t len)
{
	struct error ignored;

	(void)file_write_all(fd, s, len, &ignored);
}

int
decision_write(const struct decision *d, enum event_kind kind, int out_fd, int err_fd)
{
	struct buf text = { 0 };

	if (decision_silent(d))
		return STATUS_PASS;
	decision_json(d, kind, &text);
	buf_putc(&text, '\n');
	put(out_fd, text.data, text.len);
	buf_reset(&text);
	if (d->verdict == VERDICT_REFUSE) {
		reason_text(d, &text);
		buf_putc(&text, '\n');
		put(err_fd, text.data, text.len);
	}
	buf_free(&text);
	return d->verdict == VERDICT_REFUSE ? STATUS_REFUSE : STATUS_PASS;
}

int
decision_refuse_plainly(enum event_kind kind, const char *reason, int out_fd, int err_fd)
{
	char text[2048] = "{";
	size_t n;

	/* Our own words: plain ASCII, nothing to escape. */
	if (kind == EVENT_PRE_TOOL_USE) {
		strlcat(text,
		    "\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\","
		    "\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"",
		    sizeof(text));
		strlcat(text, reason, sizeof(text));
		strlcat(text, "\"},", sizeof(text));
	}
	strlcat(text, "\"decision\":\"block\",\"reason\":\"", sizeof(text));
	strlcat(text, reason, sizeof(text));
	n = strlcat(text, "\"}\n", sizeof(text));
	if (n < sizeof(text))
		put(out_fd, text, n);
	put(err_fd, reason, strlen(reason));
	put(err_fd, "\n", 1);
	return STATUS_REFUSE;
}

void
decision_free(struct decision *d)
{
	buf_free(&d->reason);
	buf_free(&d->message);
	buf_free(&d->context);
	buf_free(&d->updated_input);
	json_object_put(d->tasks_to_update);
	memset(d, 0, sizeof(*d));
}
