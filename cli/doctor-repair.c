/*
 * Repair a task file that the client does not show, if its meaning is clear: a key that is null
 * instead of absent, an id that is a number, a missing list or description, a byte order mark, a
 * status in capitals or of another layout.  A file that the client would still refuse is not
 * changed.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"
#include "sys/file.h"
#include "sys/lock.h"
#include "json/json-edit.h"
#include "json/json-print.h"

static void
set_string(struct json_edit *e, json_ref object, const char *key, const char *value)
{
	struct buf text = { 0 };

	json_print_string(&text, value, strlen(value));
	json_edit_set(e, object, key, buf_text(&text));
	buf_free(&text);
}

static void
repair_ids(struct json_edit *e, const struct json *j, const char *key)
{
	json_ref list = json_member(j, JSON_ROOT, key);
	struct buf text = { 0 };
	const char *raw;
	size_t len;

	if (list == JSON_ABSENT || json_kind(j, list) == JSON_NULL) {
		json_edit_set(e, JSON_ROOT, key, "[]");
		return;
	}
	JSON_EACH (j, list, id) {
		if (json_kind(j, id) != JSON_NUMBER)
			continue;
		raw = json_raw(j, id, &len);
		buf_reset(&text);
		json_print_string(&text, raw, len);
		json_edit_replace(e, id, buf_text(&text));
	}
	buf_free(&text);
}

/* A status that the client does not know, as we keep it (task.h). */
static void
repair_status(struct json_edit *e, const struct json *j, enum task_status status)
{
	json_ref metadata = json_member(j, JSON_ROOT, "metadata");
	const char *name = task_status_name(status);
	char *mark;

	set_string(e, JSON_ROOT, "status", status == TASK_CANCELLED ? "completed" : "pending");
	if (status == TASK_BLOCKED && json_count(j, json_member(j, JSON_ROOT, "blockedBy")) > 0)
		return; /* it follows from the dependencies */
	if (json_kind(j, metadata) == JSON_OBJECT) {
		set_string(e, metadata, "original_status", name);
	} else {
		mark = mem_printf("{\"original_status\":\"%s\"}", name);
		json_edit_set(e, JSON_ROOT, "metadata", mark);
		free(mark);
	}
}

static void
repair_text(const struct json *j, const char *id, struct buf *out)
{
	static const char *const optional[] = { "owner", "metadata", "activeForm" };
	struct json_edit e;
	json_ref status = json_member(j, JSON_ROOT, "status");
	char *word;

	json_edit_init(&e, j);
	for (size_t i = 0; i < 3; i++)
		if (json_kind(j, json_member(j, JSON_ROOT, optional[i])) == JSON_NULL)
			json_edit_remove(&e, JSON_ROOT, optional[i]);
	if (json_kind(j, json_member(j, JSON_ROOT, "id")) != JSON_STRING)
		set_string(&e, JSON_ROOT, "id", id);
	if (json_member(j, JSON_ROOT, "description") == JSON_ABSENT)
		json_edit_set(&e, JSON_ROOT, "description", "\"\"");
	repair_ids(&e, j, "blocks");
	repair_ids(&e, j, "blockedBy");
	word = json_string(j, status);
	if (word != NULL && task_status_parse(word) == TASK_NO_STATUS) {
		for (char *p = word; *p != '\0'; p++)
			*p = *p == '-' || *p == ' ' ? '_' : (char)tolower((unsigned char)*p);
		if (task_status_parse(word) != TASK_NO_STATUS)
			set_string(&e, JSON_ROOT, "status", word);
	} else if (word != NULL && task_status_parse(word) >= TASK_BLOCKED) {
		repair_status(&e, j, task_status_parse(word));
	}
	free(word);
	json_edit_apply(&e, out);
	json_edit_free(&e);
}

/* Make the text of a file that the client shows; false: its meaning is not clear. */
static bool
make_repaired(const struct buf *text, const char *id, struct buf *repaired)
{
	size_t skip = text->len >= 3 && memcmp(text->data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	struct json j = { 0 };
	struct task t = TASK_INIT;
	struct error ignored;
	bool made = false;

	if (json_parse(&j, buf_text(text) + skip, text->len - skip, &ignored) == 0 &&
	    json_kind(&j, JSON_ROOT) == JSON_OBJECT) {
		repair_text(&j, id, repaired);
		made = task_read(&t, TASK_NATIVE, id, repaired->data, repaired->len, &ignored) == 0;
	}
	json_free(&j);
	task_free(&t);
	return made;
}

static int
write_repaired(struct doctor *d, const char *file, struct lock *lock, const struct buf *text,
    const struct buf *repaired, struct error *err)
{
	struct store *s = &d->c->store;
	struct file_stage stage;
	int rc = -1;

	if (doctor_backup(d, file, text->data, text->len, err) == -1 ||
	    file_stage(
		&stage, s->dirfd, file, repaired->data, repaired->len, 0, s->durability, err) == -1)
		return -1;
	if (lock_verify(lock, err) == 0 && file_commit(&stage, err) == 0)
		rc = 1;
	file_drop(&stage);
	return rc;
}

int
doctor_repair(struct doctor *d, const char *file, struct error *err)
{
	const struct store *s = &d->c->store;
	struct lock lock = LOCK_INIT;
	struct buf text = { 0 }, repaired = { 0 };
	size_t len = strlen(file);
	char *id;
	int rc = 0;

	if (s->layout != STORE_NATIVE || len < 6 || strcmp(file + len - 5, ".json") != 0)
		return 0;
	id = mem_copy(file, len - 5);
	if (!task_id_ok(id))
		goto out;
	rc = d->fix ? lock_task(&lock, s->dirfd, file, cli_deadline(), err) : 0;
	if (rc == 0)
		rc = file_read(s->dirfd, file, FILE_FOLLOW, FILE_MAX, &text, err);
	if (rc == 1)
		rc = make_repaired(&text, id, &repaired);
	if (rc == 1 && d->fix)
		rc = write_repaired(d, file, &lock, &text, &repaired, err);
	lock_release(&lock);
out:
	buf_free(&text);
	buf_free(&repaired);
	free(id);
	return rc;
}
