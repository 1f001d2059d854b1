/*
 * A count that cannot be written is an error: an agent that is sent back
 * without being counted could be sent back without end.
 */
#include "list/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json-edit.h"

#define TALLY "tally.json"
#define KIND_MAX 2000 /* keys of one kind; then its oldest is removed */

/* A text that is not an object counts as an empty one. */
static void
tally_parse(struct json *j, const struct buf *text)
{
	struct error ignored;

	if (json_parse(j, buf_text(text), text->len, &ignored) == -1 ||
	    json_kind(j, JSON_ROOT) != JSON_OBJECT)
		(void)json_parse(j, "{}", 2, &ignored);
}

static int64_t
tally_value(const struct json *j, const char *key)
{
	int64_t n;

	return json_int(j, json_member(j, JSON_ROOT, key), &n) == 0 ? n : 0;
}

int64_t
tally_get(const struct list *list, const char *key)
{
	struct buf text = { 0 };
	struct json j = { 0 };
	struct error ignored;
	int64_t n = 0;

	if (list_state_read(list, TALLY, &text, &ignored) == 1) {
		tally_parse(&j, &text);
		n = tally_value(&j, key);
	}
	json_free(&j);
	buf_free(&text);
	return n;
}

/*
 * Remove the oldest key of a new key's kind if that kind is full.  A new key
 * is added last, so the first is the oldest.
 */
static void
tally_make_room(struct json_edit *edit, const struct json *j, const char *key)
{
	size_t kind = strcspn(key, ":"), count = 0;
	char *oldest = NULL, *k;

	JSON_EACH (j, JSON_ROOT, m) {
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

struct tally_edit {
	const char *key;
	bool remove;
	int64_t count; /* after the edit */
};

/* Raise the count of the key by one, or remove the key. */
static int
tally_change(void *arg, struct buf *text, struct error *e)
{
	struct tally_edit *t = arg;
	struct json j = { 0 };
	struct json_edit edit;
	struct buf out = { 0 };
	char value[32];

	(void)e;
	tally_parse(&j, text);
	json_edit_init(&edit, &j);
	if (t->remove)
		json_edit_remove(&edit, JSON_ROOT, t->key);
	else {
		if (json_member(&j, JSON_ROOT, t->key) == JSON_ABSENT)
			tally_make_room(&edit, &j, t->key);
		t->count = tally_value(&j, t->key);
		if (t->count < INT64_MAX)
			t->count++;
		snprintf(value, sizeof(value), "%lld", (long long)t->count);
		json_edit_set(&edit, JSON_ROOT, t->key, value);
	}
	json_edit_apply(&edit, &out);
	json_edit_free(&edit);
	json_free(&j);
	buf_free(text);
	*text = out;
	return 1;
}

int64_t
tally_add(const struct list *list, const char *key, struct deadline deadline, struct error *e)
{
	struct tally_edit t = { .key = key };

	return list_state_edit(list, TALLY, tally_change, &t, deadline, e) == -1 ? -1 : t.count;
}

void
tally_forget(const struct list *list, const char *key, struct deadline deadline)
{
	struct tally_edit t = { .key = key, .remove = true };
	struct error ignored;

	if (tally_get(list, key) != 0)
		(void)list_state_edit(list, TALLY, tally_change, &t, deadline, &ignored);
}
