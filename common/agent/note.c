/*
 * Most runs find no note: that costs one failed access() and no lock.
 */
#include "agent/note.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "sys/file.h"
#include "sys/lock.h"
#include "json/json.h"
#include "json/out.h"

#define NOTES "notes.jsonl"
#define NOTES_MAX (64u << 10) /* older ones go first */
#define NOTE_CHARS 3000

int
note_add(const struct list *list, const char *session, const char *text, struct deadline deadline,
    struct error *e)
{
	struct json_object *o;
	struct buf all = { 0 }, shown = { 0 };
	struct lock lock = LOCK_INIT;
	int state, rc = -1;

	if ((state = list_state(list, true, e)) == -1)
		return -1;
	if (lock_own(&lock, state, NOTES ".lock", deadline, e) == -1)
		goto out;
	if (file_read(state, NOTES, 0, 4 * NOTES_MAX, &all, e) != 1)
		buf_reset(&all);
	text_show(&shown, text, strlen(text), TEXT_BLOCK, NOTE_CHARS);
	o = out_object();
	out_string(o, "session", session);
	out_string(o, "text", buf_text(&shown));
	out_text(&all, o);
	buf_putc(&all, '\n');
	while (all.len > NOTES_MAX) {
		const char *nl = memchr(all.data, '\n', all.len);
		size_t gone = (size_t)(nl - all.data) + 1;

		memmove(all.data, all.data + gone, all.len - gone);
		all.len -= gone;
	}
	rc = file_replace(state, NOTES, all.data, all.len, 0600, FILE_SYNC_OFF, e);
out:
	lock_release(&lock);
	close(state);
	buf_free(&all);
	buf_free(&shown);
	return rc;
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

int
note_take(const struct list *list, const char *session, struct buf *text, struct deadline deadline,
    struct error *e)
{
	struct lock lock = LOCK_INIT;
	struct buf all = { 0 }, keep = { 0 };
	bool found = false;
	int state, rc;

	if (!list_state_has(list, NOTES))
		return 0;
	if ((state = list_state(list, false, e)) == -1)
		return e->kind == ERROR_NOT_FOUND ? 0 : -1;
	if ((rc = lock_own(&lock, state, NOTES ".lock", deadline, e)) == -1)
		goto out;
	if ((rc = file_read(state, NOTES, 0, 4 * NOTES_MAX, &all, e)) != 1)
		goto out;
	for (const char *p = buf_text(&all); *p != '\0'; p += strcspn(p, "\n"), p += *p == '\n')
		found |= note_sort(p, strcspn(p, "\n"), session, text, &keep);
	if (keep.len == 0)
		rc = unlinkat(state, NOTES, 0);
	else if (found)
		rc = file_replace(state, NOTES, keep.data, keep.len, 0600, FILE_SYNC_OFF, e);
	if (rc != -1)
		rc = found;
out:
	lock_release(&lock);
	close(state);
	buf_free(&all);
	buf_free(&keep);
	return rc;
}
