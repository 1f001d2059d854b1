/*
 * Most runs find no note: that costs one failed system call and no lock.
 */
#include "agent/note.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "json/json.h"
#include "json/out.h"

#define NOTES "notes.jsonl"
#define NOTES_MAX (64u << 10) /* older ones go first */
#define NOTE_CHARS 3000
#define NOTE_MS (24 * 3600 * 1000) /* drop a note that was not read for a day */

/* For a teammate, or (to NULL) for the lead. */
static void
note_line(struct buf *all, const char *to, const char *session, const char *text)
{
	struct json_object *o = out_object();

	out_int(o, "time_ms", clock_wall_ms());
	out_string(o, "to", to);
	out_string(o, "session", session);
	out_string(o, "text", text);
	out_text(all, o);
	buf_putc(all, '\n');
}

static int
note_append(void *arg, struct buf *all, struct error *e)
{
	const struct note *note = arg;
	struct buf shown = { 0 };

	(void)e;
	text_show(&shown, note->text, strlen(note->text), TEXT_BLOCK, NOTE_CHARS);
	for (size_t i = 0; i < note->to.count; i++)
		note_line(all, note->to.item[i], NULL, buf_text(&shown));
	if (note->lead)
		note_line(all, NULL, note->session, buf_text(&shown));
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
note_add(
    const struct list *list, const struct note *note, struct deadline deadline, struct error *e)
{
	if (!note->lead && note->to.count == 0)
		return 0;
	return list_state_edit(list, NOTES, note_append, (void *)note, deadline, e) == -1 ? -1 : 0;
}

struct note_taking {
	const char *name, *session;
	int64_t now;
	struct buf *text;
	bool found;
};

static bool
note_is_for(const struct note_taking *t, const struct json *j)
{
	json_ref to = json_member(j, JSON_ROOT, "to");
	json_ref session = json_member(j, JSON_ROOT, "session");

	if (t->name != NULL || to != JSON_ABSENT)
		return t->name != NULL && json_equals(j, to, t->name);
	return session == JSON_ABSENT ||
	       (t->session != NULL && json_equals(j, session, t->session));
}

/* Decide whether a line stays in the file.  One for this agent is added to the text and dropped,
 * and so is one that is not JSON. */
static bool
note_stays(struct note_taking *t, const char *line, size_t len)
{
	struct json j = { 0 };
	struct error e;
	int64_t made;
	char *said = NULL;
	bool stays = false;

	if (json_parse(&j, line, len, &e) == 0) {
		if (note_is_for(t, &j))
			said = json_member_string(&j, JSON_ROOT, "text");
		else
			stays = json_int(&j, json_member(&j, JSON_ROOT, "time_ms"), &made) == -1 ||
				(made <= t->now && t->now - made < NOTE_MS);
	}
	if (said != NULL) {
		if (t->text->len > 0)
			buf_putc(t->text, '\n');
		buf_puts(t->text, said);
		t->found = true;
	}
	free(said);
	json_free(&j);
	return stays;
}

static int
note_remove(void *arg, struct buf *all, struct error *e)
{
	struct note_taking *t = arg;
	struct buf keep = { 0 };
	bool changed;

	(void)e;
	for (const char *p = buf_text(all); *p != '\0'; p += strcspn(p, "\n"), p += *p == '\n') {
		size_t len = strcspn(p, "\n");

		if (note_stays(t, p, len)) {
			buf_add(&keep, p, len);
			buf_putc(&keep, '\n');
		}
	}
	changed = keep.len != all->len;
	buf_free(all);
	*all = keep;
	return changed;
}

int
note_take(const struct list *list, const char *name, const char *session, struct buf *text,
    struct deadline deadline, struct error *e)
{
	struct note_taking t = { .name = name, .session = session, .now = clock_wall_ms() };
	struct buf all = { 0 }, seen = { 0 };
	int rc = list_state_read(list, NOTES, &all, e);

	/* Without the lock first: those that wait for others must not make every call wait. */
	t.text = &seen;
	if (rc == 1 && (rc = note_remove(&t, &all, e)) == 1) {
		t.text = text;
		t.found = false;
		rc = list_state_edit(list, NOTES, note_remove, &t, deadline, e);
	}
	buf_free(&all);
	buf_free(&seen);
	return rc == -1 ? -1 : t.found;
}
