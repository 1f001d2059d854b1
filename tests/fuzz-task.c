/*
 * A task file of any bytes: read in every dialect, edited, created.  The output
 * can be read again and has the requested values; other members keep their
 * values.
 */
#include <string.h>

#include "fuzz.h"
#include "task/task.h"
#include "json/json-print.h"

static const char *const touched[] = { "status", "owner", "assignee", "metadata", "blocks",
	"blockedBy", "dependencies", "updated_at", "parent_id", "id", NULL };

/* Members that are not in the change have the same values as before. */
static void
rest_is_same(const struct json *a, const struct json *b)
{
	for (json_ref at = json_first(a, JSON_ROOT); at != JSON_ABSENT;
	     at = json_next(a, JSON_ROOT, at)) {
		char *key = json_key(a, at);
		bool ours = false;

		for (size_t i = 0; touched[i] != NULL; i++)
			ours |= strcmp(key, touched[i]) == 0;
		/* a document needs one */
		ours |= strcmp(key, "created_at") == 0 && json_kind(a, at) == JSON_NULL;
		/* a key with a NUL or a lone surrogate cannot be looked up */
		if (!ours && json_member(a, JSON_ROOT, key) == at)
			FUZZ_ASSERT(json_same(a, at, b, json_member(b, JSON_ROOT, key)));
		free(key);
	}
}

static void
edit(const struct task *t, unsigned int choice)
{
	struct change change = CHANGE_INIT;
	struct strings ids = { 0 };
	struct task after = TASK_INIT;
	struct buf out = { 0 };
	struct error err;
	int rc;

	strings_add(&ids, "77");
	if (choice & 1)
		change.status = (enum task_status)(choice >> 1 & 3);
	if (choice & 8)
		change.owner = choice & 16 ? "" : "a \"quoted\"\nowner";
	if (choice & 32)
		change.metadata = choice & 64 ? "{\"verified\": {\"by\": 1.50}}" : "{\"x\": null}";
	if (choice & 128)
		change.add_blocked_by = &ids;
	rc = task_edit(t, &change, 1770410460123, &out, &err);
	if (rc == 1) {
		FUZZ_ASSERT(
		    task_read(&after, t->dialect, t->id, buf_text(&out), out.len, &err) == 0);
		if (change.status != TASK_NO_STATUS && t->dialect == TASK_NATIVE)
			FUZZ_ASSERT(after.status == change.status);
		if (change.owner != NULL && *change.owner != '\0')
			FUZZ_ASSERT(after.owner != NULL && strcmp(after.owner, change.owner) == 0);
		else if (change.owner != NULL)
			FUZZ_ASSERT(after.owner == NULL);
		if (change.add_blocked_by != NULL)
			FUZZ_ASSERT(strings_has(&after.blocked_by, "77"));
		rest_is_same(&t->json, &after.json);
	}
	task_free(&after);
	strings_free(&ids);
	buf_free(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct task t = TASK_INIT, copy = TASK_INIT;
	struct buf b = { 0 };
	struct error err;
	unsigned int choice;
	char *text;

	if (len < 2)
		return 0;
	choice = data[0];
	text = malloc(len);
	memcpy(text, data + 1, len - 1);
	for (int dialect = TASK_NATIVE; dialect <= TASK_FOLDER; dialect++) {
		if (task_read(&t, (enum task_dialect)dialect, data[0] & 1 ? "7" : NULL, text,
			len - 1, &err) == -1)
			continue;
		task_name(&b, &t);
		task_describe(&b, &t);
		task_copy(&copy, &t);
		FUZZ_ASSERT(copy.status == t.status);
		edit(&t, choice);
		task_free(&copy);
	}
	task_free(&t);
	buf_free(&b);
	free(text);
	return 0;
}
