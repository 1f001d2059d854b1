/*
 * tally: counts that must survive a process, and nothing more.
 *
 * A count that cannot be written is an error: whoever sends an agent back
 * without counting it would do so for ever.
 */
#include "list/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/lock.h"
#include "json/json-edit.h"

#define TALLY "tally.json"
#define TALLY_MAX 2000 /* keys; then all start anew */

static int
read_all(int state, struct buf *text, struct json *j)
{
	struct error e;

	if (file_read(state, TALLY, 0, FILE_MAX, text, &e) == 1 &&
	    json_parse(j, buf_text(text), text->len, &e) == 0 &&
	    json_kind(j, JSON_ROOT) == JSON_OBJECT && json_count(j, JSON_ROOT) < TALLY_MAX)
		return 1;
	buf_reset(text);
	buf_puts(text, "{}");
	return json_parse(j, buf_text(text), text->len, &e);
}

static int64_t
value_of(const struct json *j, const char *key)
{
	int64_t n;

	return json_int(j, json_member(j, JSON_ROOT, key), &n) == 0 ? n : 0;
}

int64_t
tally_get(const struct list *list, const char *key)
{
	struct buf text = { 0 };
	struct json j = { 0 };
	struct error e;
	int64_t n = 0;
	int state;

	if (!list_state_has(list, TALLY) || (state = list_state(list, false, &e)) == -1)
		return 0;
	if (read_all(state, &text, &j) == 1)
		n = value_of(&j, key);
	close(state);
	json_free(&j);
	buf_free(&text);
	return n;
}

/* Set the key to its count plus one, or remove it. */
static int64_t
change(const struct list *list, const char *key, bool remove, struct deadline deadline,
    struct error *e)
{
	struct buf text = { 0 }, out = { 0 };
	struct json j = { 0 };
	struct json_edit edit;
	struct lock lock = LOCK_INIT;
	char value[32];
	int64_t n = -1;
	int state;

	if ((state = list_state(list, !remove, e)) == -1)
		return -1;
	if (lock_own(&lock, state, TALLY ".lock", deadline, e) == -1)
		goto out;
	read_all(state, &text, &j);
	n = value_of(&j, key) + 1;
	json_edit_init(&edit, &j);
	if (remove)
		json_edit_remove(&edit, JSON_ROOT, key);
	else {
		snprintf(value, sizeof(value), "%lld", (long long)n);
		json_edit_set(&edit, JSON_ROOT, key, value);
	}
	json_edit_apply(&edit, &out);
	json_edit_free(&edit);
	if (file_replace(state, TALLY, out.data, out.len, 0600, FILE_SYNC_OFF, e) == -1)
		n = -1;
out:
	lock_release(&lock);
	close(state);
	json_free(&j);
	buf_free(&text);
	buf_free(&out);
	return n;
}

int64_t
tally_add(const struct list *list, const char *key, struct deadline deadline, struct error *e)
{
	return change(list, key, false, deadline, e);
}

void
tally_forget(const struct list *list, const char *key, struct deadline deadline)
{
	struct error e;

	if (tally_get(list, key) != 0)
		(void)change(list, key, true, deadline, &e);
}
