/*
 * Most runs find no note: that costs one failed access() and no lock.
 */
#include "agent/note.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "sys/file.h"
#include "json/json.h"
#include "json/out.h"

#define NOTES "notes.jsonl"
#define NOTES_MAX (64u << 10) /* older ones go first */
#define NOTE_CHARS 3000

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

/* One line of the file: to `text` if it is for this session, else to `keep`; true in the first
 * case.  A line that is not JSON is dropped. */
static bool
note_sort(const char *line, size_t len, const char *for_session, struct buf *text, struct buf *keep)
{
	struct json j = { 0 };
	struct error e;
	json_ref session;
	char *said = NULL;

	if (json_parse(&j, line, len, &e) == 0) {
		session = json_member(&j, JSON_ROOT, "session");
		if (session != JSON_ABSENT &&
		    (for_session == NULL || !json_equals(&j, session, for_session))) {
			buf_add(keep, line, len);
			buf_putc(keep, '\n');
		} else if ((said = json_member_string(&j, JSON_ROOT, "text")) != NULL) {
			if (text->len > 0)
				buf_putc(text, '\n');
			buf_puts(text, said);
		}
	}
	free(said);
	json_free(&j);
	return said != NULL;
}

struct note_taking {
	const char *session;
	struct buf *text;
	bool found;
};

static int
note_remove(void *arg, struct buf *all, struct error *e)
{
	struct note_taking *t = arg;
	struct buf keep = { 0 };

	(void)e;
	for (const char *p = buf_text(all); *p != '\0'; p += strcspn(p, "\n"), p += *p == '\n')
		t->found |= note_sort(p, strcspn(p, "\n"), t->session, t->text, &keep);
	buf_free(all);
	*all = keep;
	return t->found || keep.len == 0;
}

int
note_take(const struct list *list, const char *session, struct buf *text, struct deadline deadline,
    struct error *e)
{
	struct note_taking t = { .session = session, .text = text };

	if (!list_state_has(list, NOTES))
		return 0;
	return list_state_edit(list, NOTES, note_remove, &t, deadline, e) == -1 ? -1 : t.found;
}
