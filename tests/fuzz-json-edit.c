/*
 * One edit of a random document: the edited value is the requested one, and
 * no other byte changes.
 *
 * The first bytes choose the edit, the rest is the document.
 */
#include <string.h>

#include "fuzz.h"
#include "json/json-edit.h"
#include "json/json-print.h"

static const char *const values[] = { "null", "\"x\"", "[]", "{\"k\": [1, 2]}", "-1.50",
	"[\n    \"1\"\n  ]" };

/* The raw bytes of a child are the same in both texts. */
static void
same_raw(const struct json *a, json_ref x, const struct json *b, json_ref y)
{
	const char *p, *q;
	size_t m, n;

	p = json_raw(a, x, &m);
	q = json_raw(b, y, &n);
	FUZZ_ASSERT(p != NULL && q != NULL && m == n && memcmp(p, q, m) == 0);
	m = a->node[x].key_end - a->node[x].key;
	n = b->node[y].key_end - b->node[y].key;
	FUZZ_ASSERT(m == n && memcmp(a->text + a->node[x].key, b->text + b->node[y].key, m) == 0);
}

/* The text before and after [start, end) is the same, and between them is the value. */
static void
spliced(
    const struct json *j, uint32_t start, uint32_t end, const struct buf *out, const char *value)
{
	size_t tail = j->len - end, len = strlen(value);

	FUZZ_ASSERT(out->len == start + len + tail);
	FUZZ_ASSERT(memcmp(out->data, j->text, start) == 0);
	FUZZ_ASSERT(memcmp(out->data + start, value, len) == 0);
	FUZZ_ASSERT(memcmp(out->data + start + len, j->text + end, tail) == 0);
}

/* All children except those that `gone` names are there, in order; one more
 * follows if `added`. */
static void
kept(const struct json *j, json_ref at, const struct json *k, json_ref at2, json_ref gone,
    const char *gone_key, const char *added)
{
	json_ref c = json_first(j, at), d = json_first(k, at2);
	struct json v = { 0 };

	for (; c != JSON_ABSENT; c = json_next(j, at, c)) {
		if (c == gone || (gone_key != NULL && json_key_equals(j, c, gone_key)))
			continue;
		same_raw(j, c, k, d);
		d = json_next(k, at2, d);
	}
	if (added != NULL) {
		FUZZ_ASSERT(json_parse(&v, added, strlen(added), NULL) == 0);
		FUZZ_ASSERT(json_same(&v, JSON_ROOT, k, d));
		d = json_next(k, at2, d);
		json_free(&v);
	}
	FUZZ_ASSERT(d == JSON_ABSENT);
}

static void
try_edit(
    const struct json *j, json_ref at, unsigned int what, unsigned int which, const char *value)
{
	json_ref child = json_first(j, at), found;
	bool object = json_kind(j, at) == JSON_OBJECT;
	struct json_edit e;
	struct buf out = { 0 };
	struct json k = { 0 };
	char *key = NULL;

	for (which %= (unsigned int)json_count(j, at) + 1; which > 0 && child != JSON_ABSENT;
	     which--)
		child = json_next(j, at, child);
	if (object)
		key = child != JSON_ABSENT ? json_key(j, child) : mem_string("new \"key\"");
	found = object ? json_member(j, at, key) : child;
	json_edit_init(&e, j);
	switch (what % 3) {
	case 0: /* add a member, or set an existing one */
		if (object)
			json_edit_set(&e, at, key, value);
		else
			json_edit_append(&e, at, value);
		break;
	case 1:
		if (object)
			json_edit_remove(&e, at, key);
		else if (child != JSON_ABSENT)
			json_edit_drop(&e, at, child);
		break;
	default:
		if (found != JSON_ABSENT)
			json_edit_replace(&e, found, value);
	}
	json_edit_apply(&e, &out);
	/* the edit may have added one level to the deepest */
	if (json_parse(&k, out.data, out.len, NULL) == 0) {
		if (what % 3 == 2 || (what % 3 == 0 && object)) {
			if (found != JSON_ABSENT)
				spliced(j, j->node[found].start, j->node[found].end, &out, value);
			else if (what % 3 == 0)
				kept(j, at, &k, at, JSON_ABSENT, NULL, value);
		} else if (what % 3 == 0)
			kept(j, at, &k, at, JSON_ABSENT, NULL, value);
		else
			kept(j, at, &k, at, object ? JSON_ABSENT : child, key, NULL);
	} else
		FUZZ_ASSERT(what % 3 != 1 && j->count > JSON_DEPTH - 2);
	json_edit_free(&e);
	json_free(&k);
	buf_free(&out);
	free(key);
}

/* After any number of edits the result is JSON. */
static void
try_many(const struct json *j, const uint8_t *choice, size_t count)
{
	struct json_edit e;
	struct buf out = { 0 };
	struct json k = { 0 };

	json_edit_init(&e, j);
	for (size_t i = 0; i + 1 < count; i++) {
		json_ref at = (json_ref)(choice[i] % j->count);
		const char *value = values[choice[i + 1] % 6];
		json_ref child = json_first(j, at);
		char *key = child != JSON_ABSENT ? json_key(j, child) : NULL;

		for (int n = choice[i + 1] & 3; n > 0 && json_next(j, at, child) != JSON_ABSENT;
		     n--)
			child = json_next(j, at, child);
		switch (choice[i] % 6) {
		case 0:
			json_edit_set(&e, at, key != NULL ? key : "a", value);
			break;
		case 1:
			json_edit_remove(&e, at, key != NULL ? key : "a");
			break;
		case 2:
			json_edit_replace(&e, at, value);
			break;
		case 3:
			json_edit_append(&e, at, value);
			break;
		case 4:
			json_edit_set(&e, at, "z", value);
			break;
		default:
			if (child != JSON_ABSENT)
				json_edit_drop(&e, at, child);
		}
		free(key);
	}
	json_edit_apply(&e, &out);
	FUZZ_ASSERT(json_parse(&k, out.data, out.len, NULL) == 0 || j->count > JSON_DEPTH - 2);
	json_edit_free(&e);
	json_free(&k);
	buf_free(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct json j = { 0 };
	char *text;

	if (len < 8)
		return 0;
	text = malloc(len - 7);
	memcpy(text, data + 8, len - 8);
	if (json_parse(&j, text, len - 8, NULL) == 0) {
		json_ref at = (json_ref)((data[0] | data[1] << 8) % j.count);

		if (json_kind(&j, at) == JSON_OBJECT || json_kind(&j, at) == JSON_ARRAY)
			try_edit(&j, at, data[2], data[3], values[data[4] % 6]);
		try_many(&j, data, 8);
	}
	json_free(&j);
	free(text);
	return 0;
}
