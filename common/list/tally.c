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
#define KIND_MAX 2000 /* keys of one kind; then its oldest makes room */

static int
read_all(int state, struct buf *text, struct json *j)
{
	struct error e;

	if (file_read(state, TALLY, 0, FILE_MAX, text, &e) == 1 &&
	    json_parse(j, buf_text(text), text->len, &e) == 0 &&
	    json_kind(j, JSON_ROOT) == JSON_OBJECT)
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

/*
 * Remove the oldest key of a new key's kind if that kind is full.  A new key
 * is added last, so the first is the oldest.
 */
static void
make_room(struct json_edit *edit, const struct json *j, const char *key)
{
	size_t kind = strcspn(key, ":"), count = 0;
	char *oldest = NULL, *k;

	for (json_ref m = json_first(j, JSON_ROOT); m != JSON_ABSENT;
	     m = json_next(j, JSON_ROOT, m)) {
		k = json_key(j, m);
		if (strcspn(k, ":") == kind && strncmp(k, key, kind) == 0 && count++ == 0)
			oldest = k;
		else
			free(k);
	}
	if (count >= KIND_MAX)
		json_edit_remove(edit, JSON_ROOT, oldest);
	free(oldest);
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
	n = value_of(&j, key);
	if (n < INT64_MAX)
		n++;
	json_edit_init(&edit, &j);
	if (remove)
		json_edit_remove(&edit, JSON_ROOT, key);
	else {
		if (json_member(&j, JSON_ROOT, key) == JSON_ABSENT)
			make_room(&edit, &j, key);
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
