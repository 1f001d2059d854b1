/*
 * note: what one hook run leaves for a later one.
 *
 * Both kinds are small and rare, and their absence is the normal case: it
 * must cost one failed open and no lock.
 */
#include "agent/note.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/event.h"
#include "agent/transcript.h"
#include "base/text.h"
#include "sys/file.h"
#include "task/task.h"
#include "json/json.h"
#include "json/out.h"

#define NOTES "notes.jsonl"
#define NOTES_MAX (64u << 10) /* older ones go first */
#define NOTE_CHARS 3000

/* Each line of text, NUL and newline aside; fn gets its parsed form. */
static void
each_line(const struct buf *text, void (*fn)(void *, const struct json *, const char *, size_t),
    void *arg)
{
	const char *p = buf_text(text), *end = p + text->len, *nl;
	struct json j = { 0 };
	struct error e;

	for (; p < end; p = nl + 1) {
		if ((nl = memchr(p, '\n', (size_t)(end - p))) == NULL)
			nl = end;
		if (json_parse(&j, p, (size_t)(nl - p), &e) == 0)
			fn(arg, &j, p, (size_t)(nl - p));
	}
	json_free(&j);
}

struct note {
	const char *session, *text;
};

static int
note_append(void *arg, struct buf *all, struct error *e)
{
	const struct note *note = arg;
	struct json_object *o = out_object();
	struct buf shown = { 0 };

	(void)e;
	text_show(&shown, note->text, strlen(note->text), TEXT_BLOCK, NOTE_CHARS);
	out_string(o, "session", note->session);
	out_string(o, "text", buf_text(&shown));
	out_text(all, o);
	buf_putc(all, '\n');
	while (all->len > NOTES_MAX) {
		const char *nl = memchr(all->data, '\n', all->len);
		size_t gone = (size_t)(nl - all->data) + 1;

		memmove(all->data, all->data + gone, all->len - gone);
		all->len -= gone;
	}
	buf_free(&shown);
	return 1;
}

int
note_add(const struct list *list, const char *session, const char *text, struct deadline deadline,
    struct error *e)
{
	struct note note = { session, text };

	return list_state_edit(list, NOTES, note_append, &note, deadline, e) == -1 ? -1 : 0;
}

struct taking {
	const char *session;
	struct buf *text, keep;
	bool found;
};

static void
take_one(void *arg, const struct json *j, const char *line, size_t len)
{
	struct taking *t = arg;
	json_ref session = json_member(j, JSON_ROOT, "session");
	char *text;

	if (session != JSON_ABSENT &&
	    (t->session == NULL || !json_equals(j, session, t->session))) {
		buf_add(&t->keep, line, len);
		buf_putc(&t->keep, '\n');
		return;
	}
	if ((text = json_member_string(j, JSON_ROOT, "text")) != NULL) {
		if (t->text->len > 0)
			buf_putc(t->text, '\n');
		buf_puts(t->text, text);
		t->found = true;
	}
	free(text);
}

static int
note_remove(void *arg, struct buf *all, struct error *e)
{
	struct taking *t = arg;

	(void)e;
	each_line(all, take_one, t);
	if (!t->found && t->keep.len > 0)
		return 0;
	buf_free(all);
	*all = t->keep;
	t->keep = (struct buf){ 0 };
	return 1;
}

int
note_take(const struct list *list, const char *session, struct buf *text, struct deadline deadline,
    struct error *e)
{
	struct taking t = { .session = session, .text = text };
	int rc;

	if (!list_state_has(list, NOTES))
		return 0;
	rc = list_state_edit(list, NOTES, note_remove, &t, deadline, e);
	buf_free(&t.keep);
	return rc == -1 ? -1 : t.found;
}

static bool
call_name(const char *task, char out[192])
{
	if (!task_id_ok(task))
		return false;
	snprintf(out, 192, "call-%s.json", task);
	return true;
}

int
call_keep(const struct list *list, const char *task, const struct event *ev, const char *metadata,
    size_t len, struct error *e)
{
	struct json_object *o;
	struct buf text = { 0 };
	char name[192];
	int state, rc;

	if (!call_name(task, name))
		return 0;
	if ((state = list_state(list, true, e)) == -1)
		return -1;
	o = out_object();
	out_string(o, "session", ev->session_id);
	out_string(o, "agent_id", ev->agent_id);
	out_string(o, "transcript", ev->transcript_path);
	out_string(o, "tool_use_id", ev->tool_use_id);
	out_add(o, "metadata", out_raw_text(metadata, len));
	out_text(&text, o);
	rc = file_replace(state, name, text.data, text.len, 0600, DURABILITY_OFF, e);
	buf_free(&text);
	return rc;
}

void
call_drop(const struct list *list, const char *task)
{
	struct error e;
	char name[192];
	int state;

	if (!call_name(task, name) || !list_state_has(list, name) ||
	    (state = list_state(list, false, &e)) == -1)
		return;
	(void)unlinkat(state, name, 0);
}

/* Is it the call that this event is about? */
static bool
call_fits(const struct json *j, const struct event *ev)
{
	json_ref agent = json_member(j, JSON_ROOT, "agent_id");
	char *transcript, *id;
	bool over;

	if (ev->session_id == NULL ||
	    !json_equals(j, json_member(j, JSON_ROOT, "session"), ev->session_id))
		return false;
	/* Some clients leave agent_id out of TaskCompleted: then the session must do. */
	if (ev->agent_id != NULL && !json_equals(j, agent, ev->agent_id))
		return false;
	transcript = json_member_string(j, JSON_ROOT, "transcript");
	id = json_member_string(j, JSON_ROOT, "tool_use_id");
	over = transcript_call_over(transcript, ev->agent_id, id);
	free(transcript);
	free(id);
	return !over;
}

int
call_find(const struct list *list, const char *task, const struct event *ev, struct buf *metadata)
{
	struct buf text = { 0 };
	struct json j = { 0 };
	struct error e;
	char name[192];
	const char *raw;
	size_t len;
	int rc = 0;

	if (call_name(task, name) && list_state_read(list, name, &text, &e) == 1 &&
	    json_parse(&j, buf_text(&text), text.len, &e) == 0 && call_fits(&j, ev) &&
	    (raw = json_raw(&j, json_member(&j, JSON_ROOT, "metadata"), &len)) != NULL) {
		buf_add(metadata, raw, len);
		rc = 1;
	}
	json_free(&j);
	buf_free(&text);
	return rc;
}
