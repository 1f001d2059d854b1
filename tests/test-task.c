/*
 * Tasks: which files the client shows, and what an edit writes.  The rows are
 * the observed behaviour of the client.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "task/task.h"

#define NOW INT64_C(1770410460000) /* 2026-02-06T20:41:00Z */

/* A native task with additional members. */
#define WITH(more)                                                                      \
	"{\"id\":\"1\",\"subject\":\"s\",\"description\":\"d\",\"status\":\"pending\"," \
	"\"blocks\":[],\"blockedBy\":[]" more "}"

static const struct {
	const char *name, *text, *why; /* why NULL: shown */
	size_t len;
} files[] = {
	{ "minimal", WITH(""), NULL, 0 },
	{ "unknown keys", WITH(",\"x\":{\"y\":[1]}"), NULL, 0 },
	{ "trailing newline", WITH("") "\n", NULL, 0 },
	{ "CRLF",
	    "{\"id\":\"1\",\r\n\"subject\":\"s\",\"description\":\"d\",\"status\":\"pending\",\r\n"
	    "\"blocks\":[],\"blockedBy\":[]}\r\n",
	    NULL, 0 },
	{ "duplicate key, the last is good",
	    "{\"id\":1,\"id\":\"1\",\"subject\":\"s\",\"description\":\"d\","
	    "\"status\":\"pending\",\"blocks\":[],\"blockedBy\":[]}",
	    NULL, 0 },
	{ "duplicate key, the last is bad", WITH(",\"status\":\"done\""),
	    "status 'done' is not pending", 0 },
	{ "empty subject",
	    "{\"id\":\"1\",\"subject\":\"\",\"description\":\"\",\"status\":\"pending\","
	    "\"blocks\":[],\"blockedBy\":[]}",
	    NULL, 0 },
	{ "empty owner", WITH(",\"owner\":\"\""), NULL, 0 },
	{ "NUL and ESC", WITH(",\"activeForm\":\"a\\u0000\\u001b\""), NULL, 0 },
	{ "invalid UTF-8", WITH(",\"activeForm\":\"\xff\xc3\""), NULL, 0 },
	{ "lone surrogate", WITH(",\"activeForm\":\"\\ud800\""), NULL, 0 },
	{ "empty metadata", WITH(",\"metadata\":{}"), NULL, 0 },
	{ "self and unknown blockers",
	    "{\"id\":\"1\",\"subject\":\"s\",\"description\":\"d\","
	    "\"status\":\"pending\",\"blocks\":[\"1\"],\"blockedBy\":[\"1\",\"99\"]}",
	    NULL, 0 },
	{ "id is a number", WITH(",\"id\":1"), "id is a number", 0 },
	{ "no id",
	    "{\"subject\":\"s\",\"description\":\"d\",\"status\":\"pending\",\"blocks\":[],"
	    "\"blockedBy\":[]}",
	    "id is missing", 0 },
	{ "no subject",
	    "{\"id\":\"1\",\"description\":\"d\",\"status\":\"pending\",\"blocks\":[],"
	    "\"blockedBy\":[]}",
	    "subject is missing", 0 },
	{ "no description",
	    "{\"id\":\"1\",\"subject\":\"d\",\"status\":\"pending\",\"blocks\":[],"
	    "\"blockedBy\":[]}",
	    "description is missing", 0 },
	{ "no status",
	    "{\"id\":\"1\",\"subject\":\"s\",\"description\":\"d\",\"blocks\":[],"
	    "\"blockedBy\":[]}",
	    "status is missing", 0 },
	{ "no blocks",
	    "{\"id\":\"1\",\"subject\":\"s\",\"description\":\"d\",\"status\":\"pending\","
	    "\"blockedBy\":[]}",
	    "blocks is missing", 0 },
	{ "no blockedBy",
	    "{\"id\":\"1\",\"subject\":\"s\",\"description\":\"d\",\"status\":\"pending\","
	    "\"blocks\":[]}",
	    "blockedBy is missing", 0 },
	{ "owner null", WITH(",\"owner\":null"), "owner is null", 0 },
	{ "metadata null", WITH(",\"metadata\":null"), "metadata is null", 0 },
	{ "activeForm null", WITH(",\"activeForm\":null"), "activeForm is null", 0 },
	{ "owner a number", WITH(",\"owner\":7"), "owner is a number", 0 },
	{ "metadata an array", WITH(",\"metadata\":[]"), "metadata is an array", 0 },
	{ "blocks of numbers", WITH(",\"blocks\":[1,2]"), "blocks contains a number", 0 },
	{ "blocked", WITH(",\"status\":\"blocked\""), "status 'blocked'", 0 },
	{ "cancelled", WITH(",\"status\":\"cancelled\""), "status 'cancelled'", 0 },
	{ "Pending", WITH(",\"status\":\"Pending\""), "status 'Pending'", 0 },
	{ "deleted", WITH(",\"status\":\"deleted\""), "status 'deleted'", 0 },
	{ "status with a NUL", WITH(",\"status\":\"pending\\u0000\""), "status 'pending", 0 },
	{ "byte order mark", "\xef\xbb\xbf" WITH(""), "invalid JSON", 0 },
	{ "empty", "", "invalid JSON", 0 },
	{ "truncated", "{\"id\":\"1\",\"subject\":\"s\"", "invalid JSON", 0 },
	{ "trailing comma", WITH(","), "invalid JSON", 0 },
	{ "garbage after", WITH("") "}", "invalid JSON", 0 },
	{ "an array", "[" WITH("") "]", "an array, not an object", 0 },
	{ "a string", "\"x\"", "a string, not an object", 0 },
	{ "NUL bytes", "{}\0{}", "invalid JSON", 5 },
};

Test(task, files_are_accepted_as_the_client_does)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct task t = TASK_INIT;
		struct error err = { 0 };
		size_t len = files[i].len != 0 ? files[i].len : strlen(files[i].text);
		int rc = task_read(&t, TASK_NATIVE, "1", files[i].text, len, &err);

		if (files[i].why == NULL) {
			cr_expect_eq(rc, 0, "%s: %s", files[i].name, err.text);
		} else {
			cr_expect_eq(rc, -1, "%s: accepted", files[i].name);
			cr_expect_eq(err.kind, ERROR_INPUT, "%s: kind", files[i].name);
			cr_expect_neq(strstr(err.text, files[i].why), NULL,
			    "%s: '%s' does not say '%s'", files[i].name, err.text, files[i].why);
		}
		task_free(&t);
	}
}

static void
load(struct task *t, enum task_dialect dialect, const char *id, const char *text)
{
	struct error err = { 0 };

	cr_assert_eq(
	    task_read(t, dialect, id, text, strlen(text), &err), 0, "%s: %s", text, err.text);
}

Test(task, fields_are_read)
{
	struct task t = TASK_INIT, u = TASK_INIT;
	char *s;

	load(&t, TASK_NATIVE, "27",
	    "{\"id\":\"270\",\"subject\":\"S\",\"description\":\"D\",\"activeForm\":\"A\","
	    "\"owner\":\"me\",\"status\":\"in_progress\",\"blocks\":[\"2\",\"2\"],"
	    "\"blockedBy\":[\"3\"],\"metadata\":{\"_internal\":true,\"parentId\":9,\"k\":\"v\"}}");
	cr_expect_str_eq(t.id, "27", "the id is the name of the file");
	cr_expect_str_eq(t.subject, "S");
	cr_expect_str_eq(t.description, "D");
	cr_expect_str_eq(t.active_form, "A");
	cr_expect_str_eq(t.owner, "me");
	cr_expect_eq(t.status, TASK_IN_PROGRESS);
	cr_expect_eq(t.blocks.count, 1, "duplicates are removed");
	cr_expect_str_eq(t.blocked_by.item[0], "3");
	cr_expect(t.internal);
	cr_expect_str_eq(t.parent, "9");
	s = task_metadata_string(&t, "k");
	cr_expect_str_eq(s, "v");
	free(s);
	task_copy(&u, &t);
	cr_expect_str_eq(u.id, "27");
	cr_expect_str_eq(u.owner, "me");
	task_free(&t);
	cr_expect_eq(t.status, TASK_NO_STATUS);
	cr_expect_str_eq(u.subject, "S", "a copy is independent");
	task_free(&u);
	task_free(&u);
}

static const struct {
	const char *name;
	enum task_dialect dialect;
	const char *text;
	const char *subject, *description, *owner, *parent, *blockers;
	enum task_status status;
} dialects[] = {
	{ "document", TASK_DOCUMENT,
	    "{\"id\":\"task-003\",\"description\":\"Create\\nall\",\"status\":\"blocked\","
	    "\"assignee\":\"agent-1\",\"dependencies\":[\"task-002\"],\"parent_id\":\"p\"}",
	    "Create", "Create\nall", "agent-1", "p", "task-002", TASK_BLOCKED },
	{ "document, nulls", TASK_DOCUMENT,
	    "{\"id\":\"a\",\"description\":\"x\",\"status\":\"pending\",\"assignee\":null,"
	    "\"dependencies\":null,\"metadata\":null,\"parent_id\":null}",
	    "x", "x", NULL, NULL, "", TASK_PENDING },
	{ "document of version 1", TASK_DOCUMENT,
	    "{\"id\":\"a\",\"description\":\"x\",\"status\":\"completed\"}", "x", "x", NULL, NULL,
	    "", TASK_COMPLETED },
	{ "exported", TASK_EXPORTED,
	    "{\"id\":\"task_1\",\"subject\":\"S\",\"description\":\"D\",\"status\":\"cancelled\","
	    "\"priority\":\"high\",\"dependencies\":[\"task_0\"],\"blockedBy\":[\"task_9\",\"task_"
	    "0\"],"
	    "\"metadata\":{\"subagent_id\":\"worker\"}}",
	    "S", "D", "worker", NULL, "task_0 task_9", TASK_CANCELLED },
	{ "folder", TASK_FOLDER,
	    "{\"id\":\"task_1738950000_ab12\",\"subject\":\"S\",\"description\":\"\","
	    "\"status\":\"pending\",\"owner\":null,\"blockedBy\":[\"task_2\"]}",
	    "S", "", NULL, NULL, "task_2", TASK_PENDING },
	{ "an exported task in a folder", TASK_FOLDER,
	    "{\"id\":\"task_1\",\"subject\":\"S\",\"status\":\"pending\",\"dependencies\":"
	    "[\"task_2\"],\"blockedBy\":[],\"metadata\":{\"subagent_id\":\"worker\"}}",
	    "S", "", "worker", NULL, "task_2", TASK_PENDING },
};

Test(task, all_dialects_are_read)
{
	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
		struct task t = TASK_INIT;
		struct buf ids = { 0 };

		load(&t, dialects[i].dialect, NULL, dialects[i].text);
		cr_expect_str_eq(t.subject, dialects[i].subject, "%s", dialects[i].name);
		cr_expect_str_eq(t.description, dialects[i].description, "%s", dialects[i].name);
		cr_expect_eq(t.status, dialects[i].status, "%s", dialects[i].name);
		cr_expect_eq(
		    t.owner == NULL, dialects[i].owner == NULL, "%s: owner", dialects[i].name);
		if (t.owner != NULL && dialects[i].owner != NULL)
			cr_expect_str_eq(t.owner, dialects[i].owner, "%s", dialects[i].name);
		cr_expect_eq(t.parent == NULL, dialects[i].parent == NULL, "%s", dialects[i].name);
		for (size_t k = 0; k < t.blocked_by.count; k++)
			buf_printf(&ids, "%s%s", k > 0 ? " " : "", t.blocked_by.item[k]);
		cr_expect_str_eq(buf_text(&ids), dialects[i].blockers, "%s", dialects[i].name);
		buf_free(&ids);
		task_free(&t);
	}
}

static const struct {
	enum task_dialect dialect;
	const char *text;
	enum task_status status;
	bool held;
} marked[] = {
	{ TASK_NATIVE,
	    WITH(",\"status\":\"completed\",\"metadata\":{\"original_status\":\"cancelled\"}"),
	    TASK_CANCELLED, false },
	{ TASK_NATIVE, WITH(",\"metadata\":{\"original_status\":\"blocked\"}"), TASK_BLOCKED,
	    true },
	/* it counts only with its own status */
	{ TASK_NATIVE, WITH(",\"metadata\":{\"original_status\":\"cancelled\"}"), TASK_PENDING,
	    false },
	{ TASK_NATIVE,
	    WITH(",\"status\":\"in_progress\",\"metadata\":{\"original_status\":\"blocked\"}"),
	    TASK_IN_PROGRESS, false },
	{ TASK_NATIVE, WITH(",\"metadata\":{\"original_status\":\"open\"}"), TASK_PENDING, false },
	{ TASK_NATIVE, WITH(",\"metadata\":{\"original_status\":7}"), TASK_PENDING, false },
	{ TASK_DOCUMENT, "{\"id\":\"a\",\"description\":\"x\",\"status\":\"blocked\"}",
	    TASK_BLOCKED, false },
	{ TASK_DOCUMENT,
	    "{\"id\":\"a\",\"description\":\"x\",\"status\":\"blocked\",\"metadata\":"
	    "{\"original_status\":\"blocked\"}}",
	    TASK_BLOCKED, true },
	{ TASK_DOCUMENT,
	    "{\"id\":\"a\",\"description\":\"x\",\"status\":\"completed\",\"metadata\":"
	    "{\"original_status\":\"cancelled\"}}",
	    TASK_CANCELLED, false },
	{ TASK_FOLDER, "{\"id\":\"a\",\"subject\":\"x\",\"status\":\"blocked\"}", TASK_BLOCKED,
	    true },
};

Test(task, marked_statuses)
{
	for (size_t i = 0; i < sizeof(marked) / sizeof(marked[0]); i++) {
		struct task t = TASK_INIT;

		load(&t, marked[i].dialect, NULL, marked[i].text);
		cr_expect_eq(t.status, marked[i].status, "%s: %s", marked[i].text,
		    task_status_name(t.status));
		cr_expect_eq(task_held(&t), marked[i].held, "%s", marked[i].text);
		task_free(&t);
	}
}

/* ---- edits ---- */

#define PLAIN                                                                     \
	"{\n  \"id\": \"1\",\n  \"subject\": \"s\",\n  \"description\": \"d\",\n" \
	"  \"status\": \"pending\",\n  \"blocks\": [],\n  \"blockedBy\": []"
#define OWNED                                                                     \
	"{\n  \"id\": \"1\",\n  \"subject\": \"s\",\n  \"description\": \"d\",\n" \
	"  \"owner\": \"me\",\n  \"status\": \"pending\",\n  \"blocks\": [],\n"   \
	"  \"blockedBy\": []"

static struct strings two = { (char *[]){ "2" }, 1 };
static struct strings one_two = { (char *[]){ "1", "2" }, 2 };

static const struct {
	const char *name, *text;
	struct change change;
	const char *want; /* NULL: nothing to change */
} edits[] = {
	{ "no change", PLAIN "\n}", CHANGE_INIT, NULL },
	{ "the same status", PLAIN "\n}", { .status = TASK_PENDING }, NULL },
	{ "the same subject", PLAIN "\n}", { .status = TASK_NO_STATUS, .subject = "s" }, NULL },
	{ "status", PLAIN "\n}", { .status = TASK_IN_PROGRESS },
	    "{\n  \"id\": \"1\",\n  \"subject\": \"s\",\n  \"description\": \"d\",\n"
	    "  \"status\": \"in_progress\",\n  \"blocks\": [],\n  \"blockedBy\": []\n}" },
	{ "a new owner goes last", PLAIN "\n}", { .status = TASK_NO_STATUS, .owner = "me" },
	    PLAIN ",\n  \"owner\": \"me\"\n}" },
	{ "the next write moves the owner to its place", PLAIN ",\n  \"owner\": \"me\"\n}",
	    { .status = TASK_NO_STATUS, .metadata = "{\"a\":1}" },
	    OWNED ",\n  \"metadata\": {\n    \"a\": 1\n  }\n}" },
	{ "owner removed", PLAIN ",\n  \"owner\": \"me\"\n}",
	    { .status = TASK_NO_STATUS, .owner = "" }, PLAIN "\n}" },
	{ "owner removed where there is none", PLAIN "\n}",
	    { .status = TASK_NO_STATUS, .owner = "" }, NULL },
	{ "new keys in the client's order", PLAIN "\n}",
	    { .status = TASK_NO_STATUS,
		.owner = "me",
		.active_form = "A",
		.metadata = "{\"a\":[]}" },
	    PLAIN ",\n  \"activeForm\": \"A\",\n  \"owner\": \"me\",\n  \"metadata\": {\n"
		  "    \"a\": []\n  }\n}" },
	{ "metadata merged", PLAIN ",\n  \"metadata\": {\n    \"a\": 1,\n    \"b\": 2\n  }\n}",
	    { .status = TASK_NO_STATUS, .metadata = "{\"b\":{\"x\":[1]},\"c\":true,\"a\":null}" },
	    PLAIN ",\n  \"metadata\": {\n    \"b\": {\n      \"x\": [\n        1\n      ]\n    },\n"
		  "    \"c\": true\n  }\n}" },
	{ "metadata emptied stays", PLAIN ",\n  \"metadata\": {\n    \"a\": 1\n  }\n}",
	    { .status = TASK_NO_STATUS, .metadata = "{\"a\":null}" },
	    PLAIN ",\n  \"metadata\": {}\n}" },
	{ "numbers keep their text", PLAIN "\n}",
	    { .status = TASK_NO_STATUS, .metadata = "{\"a\":9007199254740993,\"b\":1.0,\"c\":-0}" },
	    PLAIN ",\n  \"metadata\": {\n    \"a\": 9007199254740993,\n    \"b\": 1.0,\n    \"c\": "
		  "-0\n  }\n}" },
	{ "__proto__ is dropped", PLAIN "\n}",
	    { .status = TASK_NO_STATUS, .metadata = "{\"__proto__\":1,\"a\":2}" },
	    PLAIN ",\n  \"metadata\": {\n    \"a\": 2\n  }\n}" },
	{ "metadata the same", PLAIN ",\n  \"metadata\": {\n    \"a\": 1\n  }\n}",
	    { .status = TASK_NO_STATUS, .metadata = "{\"a\":1.0,\"z\":null}" }, NULL },
	{ "parent", PLAIN "\n}", { .status = TASK_NO_STATUS, .parent = "7" },
	    PLAIN ",\n  \"metadata\": {\n    \"parent_id\": \"7\"\n  }\n}" },
	{ "a blocker", PLAIN "\n}", { .status = TASK_NO_STATUS, .add_blocked_by = &two },
	    "{\n  \"id\": \"1\",\n  \"subject\": \"s\",\n  \"description\": \"d\",\n"
	    "  \"status\": \"pending\",\n  \"blocks\": [],\n  \"blockedBy\": [\n    \"2\"\n  "
	    "]\n}" },
	{ "minified text stays minified", WITH(",\"z\":1.0"),
	    { .status = TASK_COMPLETED, .owner = "me" },
	    "{\"id\":\"1\",\"subject\":\"s\",\"description\":\"d\",\"status\":\"completed\","
	    "\"blocks\":[],\"blockedBy\":[],\"z\":1.0,\"owner\":\"me\"}" },
	{ "minified metadata", WITH(""),
	    { .status = TASK_NO_STATUS, .metadata = "{\"a\": [1, 2]}" },
	    WITH(",\"metadata\":{\"a\":[1,2]}") },
	{ "an unknown key survives", PLAIN ",\n  \"x\": 12345678901234567890\n}",
	    { .status = TASK_NO_STATUS, .owner = "me" },
	    PLAIN ",\n  \"x\": 12345678901234567890,\n  \"owner\": \"me\"\n}" },
	{ "trailing newline stays", PLAIN "\n}\n", { .status = TASK_NO_STATUS, .owner = "me" },
	    PLAIN ",\n  \"owner\": \"me\"\n}\n" },
	{ "another order stays",
	    "{\"status\":\"pending\",\"id\":\"1\",\"blockedBy\":[],\"blocks\":[],"
	    "\"description\":\"d\",\"subject\":\"s\"}",
	    { .status = TASK_IN_PROGRESS },
	    "{\"status\":\"in_progress\",\"id\":\"1\",\"blockedBy\":[],\"blocks\":[],"
	    "\"description\":\"d\",\"subject\":\"s\"}" },
	{ "the last of duplicates", WITH(",\"status\":\"in_progress\""),
	    { .status = TASK_COMPLETED }, WITH(",\"status\":\"completed\"") },
	{ "a wrong id is corrected",
	    "{\n  \"id\": \"10\",\n  \"subject\": \"s\",\n  \"description\": \"d\",\n"
	    "  \"status\": \"pending\",\n  \"blocks\": [],\n  \"blockedBy\": []\n}",
	    { .status = TASK_NO_STATUS, .owner = "me" }, PLAIN ",\n  \"owner\": \"me\"\n}" },
	{ "owner text is escaped", PLAIN "\n}",
	    { .status = TASK_NO_STATUS, .owner = "a\"\n\x01\xff" },
	    PLAIN ",\n  \"owner\": \"a\\\"\\n\\u0001\xef\xbf\xbd\"\n}" },
};

Test(task, an_edit_writes_what_the_client_would_write)
{
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		struct task t = TASK_INIT;
		struct buf out = { 0 };
		struct error err = { 0 };
		int rc;

		load(&t, TASK_NATIVE, "1", edits[i].text);
		rc = task_edit(&t, &edits[i].change, NOW, &out, &err);
		cr_expect_eq(rc, edits[i].want != NULL, "%s: %d %s", edits[i].name, rc, err.text);
		if (edits[i].want != NULL)
			cr_expect_str_eq(buf_text(&out), edits[i].want, "%s:\n%s\nnot\n%s",
			    edits[i].name, buf_text(&out), edits[i].want);
		task_free(&t);
		buf_free(&out);
	}
}

/* The second key cannot be kept; the text printed for the first is freed. */
Test(task, a_key_that_cannot_be_kept_is_refused)
{
	struct change change = { .status = TASK_NO_STATUS, .metadata = "{\"a\":1,\"\\u0000\":2}" };
	struct task t = TASK_INIT;
	struct buf out = { 0 };
	struct error err = { 0 };

	load(&t, TASK_NATIVE, "1", WITH(",\"metadata\":{\"b\":2}"));
	cr_expect_eq(task_edit(&t, &change, NOW, &out, &err), -1);
	cr_expect_neq(strstr(err.text, "cannot contain"), NULL, "%s", err.text);
	task_free(&t);
	buf_free(&out);
}

static const struct {
	const char *name;
	enum task_dialect dialect;
	const char *text;
	struct change change;
	const char *want; /* NULL: refused */
} foreign[] = {
	{ "native: blocked", TASK_NATIVE, WITH(""), { .status = TASK_BLOCKED },
	    WITH(",\"metadata\":{\"original_status\":\"blocked\"}") },
	{ "native: cancelled", TASK_NATIVE, WITH(",\"metadata\":{\"a\":1}"),
	    { .status = TASK_CANCELLED },
	    "{\"id\":\"1\",\"subject\":\"s\",\"description\":\"d\",\"status\":\"completed\","
	    "\"blocks\":[],\"blockedBy\":[],\"metadata\":{\"a\":1,\"original_status\":"
	    "\"cancelled\"}}" },
	{ "native: completed stays so", TASK_NATIVE, WITH(",\"status\":\"completed\""),
	    { .status = TASK_CANCELLED }, NULL },
	{ "native: reopened", TASK_NATIVE,
	    WITH(",\"status\":\"completed\",\"metadata\":{\"original_status\":\"cancelled\"}"),
	    { .status = TASK_PENDING }, WITH(",\"status\":\"pending\",\"metadata\":{}") },
	{ "native: unblocked", TASK_NATIVE,
	    WITH(",\"metadata\":{\"original_status\":\"blocked\",\"a\":1}"),
	    { .status = TASK_PENDING, .metadata = "{\"original_status\":\"blocked\"}" },
	    WITH(",\"metadata\":{\"a\":1}") },
	{ "the mark is not removed without the status", TASK_NATIVE,
	    WITH(",\"metadata\":{\"original_status\":\"blocked\"}"),
	    { .status = TASK_NO_STATUS, .metadata = "{\"original_status\":null}" }, NULL },
	{ "the mark is not set without the status", TASK_NATIVE, WITH(""),
	    { .status = TASK_NO_STATUS, .metadata = "{\"original_status\":\"cancelled\"}" }, NULL },
	{ "the same mark beside other metadata is accepted", TASK_NATIVE,
	    WITH(",\"metadata\":{\"original_status\":\"blocked\"}"),
	    { .status = TASK_NO_STATUS, .metadata = "{\"original_status\":\"blocked\",\"a\":1}" },
	    WITH(",\"metadata\":{\"original_status\":\"blocked\",\"a\":1}") },
	{ "another's word survives", TASK_NATIVE,
	    WITH(",\"metadata\":{\"original_status\":\"open\"}"),
	    { .status = TASK_NO_STATUS, .owner = "me" },
	    WITH(",\"metadata\":{\"original_status\":\"open\"},\"owner\":\"me\"") },
	{ "metadata must be an object", TASK_NATIVE, WITH(""),
	    { .status = TASK_NO_STATUS, .metadata = "[]" }, NULL },
	{ "metadata must be JSON", TASK_NATIVE, WITH(""),
	    { .status = TASK_NO_STATUS, .metadata = "{" }, NULL },
	{ "a key with a NUL", TASK_NATIVE, WITH(",\"metadata\":{}"),
	    { .status = TASK_NO_STATUS, .metadata = "{\"a\\u0000\":1}" }, NULL },
	{ "half a surrogate pair as key", TASK_NATIVE, WITH(",\"metadata\":{}"),
	    { .status = TASK_NO_STATUS, .metadata = "{\"\\ud800\":1}" }, NULL },
	{ "half a surrogate pair as second key", TASK_NATIVE, WITH(",\"metadata\":{}"),
	    { .status = TASK_NO_STATUS, .metadata = "{\"a\":1,\"\\ud800\":1}" }, NULL },
	{ "folder: no metadata", TASK_FOLDER,
	    "{\"id\":\"1\",\"subject\":\"s\",\"description\":\"\",\"status\":\"pending\",\"owner\":"
	    "null,"
	    "\"blockedBy\":[]}",
	    { .status = TASK_NO_STATUS, .metadata = "{}" }, NULL },
	{ "folder: metadata that is there", TASK_FOLDER,
	    "{\"id\":\"1\",\"subject\":\"s\",\"status\":\"pending\",\"metadata\":{}}",
	    { .status = TASK_NO_STATUS, .metadata = "{\"a\":1}" },
	    "{\"id\":\"1\",\"subject\":\"s\",\"status\":\"pending\",\"metadata\":{\"a\":1}}" },
	{ "folder: cancelled", TASK_FOLDER,
	    "{\"id\":\"1\",\"subject\":\"s\",\"status\":\"pending\",\"blockedBy\":[]}",
	    { .status = TASK_CANCELLED },
	    "{\"id\":\"1\",\"subject\":\"s\",\"status\":\"cancelled\",\"blockedBy\":[]}" },
	{ "folder: owner", TASK_FOLDER,
	    "{\"id\":\"1\",\"subject\":\"s\",\"status\":\"pending\",\"owner\":null,\"blockedBy\":[]"
	    "}",
	    { .status = TASK_IN_PROGRESS, .owner = "me", .add_blocked_by = &two },
	    "{\"id\":\"1\",\"subject\":\"s\",\"status\":\"in_progress\",\"owner\":\"me\","
	    "\"blockedBy\":[\"2\"]}" },
	{ "folder: no owner is null", TASK_FOLDER,
	    "{\"id\":\"1\",\"subject\":\"s\",\"status\":\"pending\",\"owner\":\"me\",\"blockedBy\":"
	    "[]}",
	    { .status = TASK_NO_STATUS, .owner = "" },
	    "{\"id\":\"1\",\"subject\":\"s\",\"status\":\"pending\",\"owner\":null,\"blockedBy\":[]"
	    "}" },
	{ "folder: an exported task loses its owner and a dependency", TASK_FOLDER,
	    "{\"id\":\"1\",\"subject\":\"s\",\"status\":\"pending\",\"dependencies\":[\"2\",\"3\"],"
	    "\"blockedBy\":[],\"metadata\":{\"subagent_id\":\"me\"}}",
	    { .status = TASK_NO_STATUS, .owner = "", .remove_blocked_by = &two },
	    "{\"id\":\"1\",\"subject\":\"s\",\"status\":\"pending\",\"dependencies\":[\"3\"],"
	    "\"blockedBy\":[],\"metadata\":{}}" },
	{ "document: updated_at is set", TASK_DOCUMENT,
	    "{\"id\":\"1\",\"description\":\"s\\nmore\",\"status\":\"pending\",\"updated_at\":"
	    "\"x\","
	    "\"assignee\":\"me\",\"dependencies\":[\"9\"]}",
	    { .status = TASK_BLOCKED,
		.follows = true,
		.owner = "",
		.subject = "t",
		.parent = "8",
		.add_blocked_by = &two },
	    "{\"id\":\"1\",\"description\":\"t\\nmore\",\"status\":\"blocked\","
	    "\"updated_at\":\"2026-02-06T20:41:00Z\",\"assignee\":null,"
	    "\"dependencies\":[\"9\",\"2\"],\"parent_id\":\"8\",\"created_at\":\"x\"}" },
	{ "document: times that are missing are a change (0.25)", TASK_DOCUMENT,
	    "{\"id\":\"1\",\"description\":\"s\",\"status\":\"pending\",\"created_at\":null}",
	    { .status = TASK_PENDING },
	    "{\"id\":\"1\",\"description\":\"s\",\"status\":\"pending\","
	    "\"created_at\":\"2026-02-06T20:41:00Z\",\"updated_at\":\"2026-02-06T20:41:00Z\"}" },
	{ "document: set to blocked", TASK_DOCUMENT,
	    "{\"id\":\"1\",\"description\":\"s\",\"status\":\"pending\",\"updated_at\":\"x\"}",
	    { .status = TASK_BLOCKED },
	    "{\"id\":\"1\",\"description\":\"s\",\"status\":\"blocked\","
	    "\"updated_at\":\"2026-02-06T20:41:00Z\",\"metadata\":{\"original_status\":"
	    "\"blocked\"},\"created_at\":\"x\"}" },
	{ "document: activeForm", TASK_DOCUMENT,
	    "{\"id\":\"1\",\"description\":\"s\",\"status\":\"pending\",\"updated_at\":\"x\","
	    "\"metadata\":{\"activeForm\":\"A\"}}",
	    { .status = TASK_NO_STATUS, .active_form = "B" },
	    "{\"id\":\"1\",\"description\":\"s\",\"status\":\"pending\","
	    "\"updated_at\":\"2026-02-06T20:41:00Z\",\"metadata\":{\"activeForm\":\"B\"},"
	    "\"created_at\":\"x\"}" },
	{ "exported: owner in the metadata", TASK_EXPORTED,
	    "{\"id\":\"1\",\"subject\":\"s\",\"status\":\"pending\",\"dependencies\":[\"1\"],"
	    "\"blockedBy\":[\"2\"],\"metadata\":{\"subagent_id\":\"a\",\"updated_at\":\"x\"}}",
	    { .status = TASK_CANCELLED, .owner = "b", .remove_blocked_by = &one_two },
	    "{\"id\":\"1\",\"subject\":\"s\",\"status\":\"cancelled\",\"dependencies\":[],"
	    "\"blockedBy\":[],\"metadata\":{\"subagent_id\":\"b\","
	    "\"updated_at\":\"2026-02-06T20:41:00Z\"}}" },
};

Test(task, all_dialects_are_edited)
{
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		struct task t = TASK_INIT;
		struct buf out = { 0 };
		struct error err = { 0 };
		int rc;

		load(&t, foreign[i].dialect, "1", foreign[i].text);
		rc = task_edit(&t, &foreign[i].change, NOW, &out, &err);
		cr_expect_eq(rc, foreign[i].want != NULL ? 1 : -1, "%s: %d %s", foreign[i].name, rc,
		    err.text);
		if (foreign[i].want != NULL)
			cr_expect_str_eq(buf_text(&out), foreign[i].want, "%s: %s", foreign[i].name,
			    buf_text(&out));
		task_free(&t);
		buf_free(&out);
	}
}

static const struct {
	const char *name;
	enum task_dialect dialect;
	struct change change;
	const char *want;
} made[] = {
	{ "native", TASK_NATIVE, { .status = TASK_NO_STATUS, .subject = "S", .description = "D" },
	    "{\n  \"id\": \"1\",\n  \"subject\": \"S\",\n  \"description\": \"D\",\n"
	    "  \"status\": \"pending\",\n  \"blocks\": [],\n  \"blockedBy\": []\n}" },
	{ "native, all", TASK_NATIVE,
	    { .status = TASK_IN_PROGRESS,
		.subject = "S",
		.active_form = "A",
		.owner = "me",
		.metadata = "{\"a\":null,\"b\":{}}",
		.add_blocked_by = &two },
	    "{\n  \"id\": \"1\",\n  \"subject\": \"S\",\n  \"description\": \"S\",\n"
	    "  \"activeForm\": \"A\",\n  \"owner\": \"me\",\n  \"status\": \"in_progress\",\n"
	    "  \"blocks\": [],\n  \"blockedBy\": [\n    \"2\"\n  ],\n  \"metadata\": {\n"
	    "    \"a\": null,\n    \"b\": {}\n  }\n}" },
	{ "native without a subject", TASK_NATIVE, { .status = TASK_NO_STATUS }, NULL },
	{ "document", TASK_DOCUMENT,
	    { .status = TASK_NO_STATUS, .subject = "S", .description = "D", .parent = "p" },
	    "{\n  \"id\": \"1\",\n  \"description\": \"S\\n\\nD\",\n  \"status\": \"pending\",\n"
	    "  \"created_at\": \"2026-02-06T20:41:00Z\",\n"
	    "  \"updated_at\": \"2026-02-06T20:41:00Z\",\n  \"assignee\": null,\n"
	    "  \"dependencies\": [],\n  \"parent_id\": \"p\"\n}" },
	{ "document, activeForm", TASK_DOCUMENT,
	    { .status = TASK_CANCELLED, .subject = "S", .active_form = "A" },
	    "{\n  \"id\": \"1\",\n  \"description\": \"S\",\n  \"status\": \"completed\",\n"
	    "  \"created_at\": \"2026-02-06T20:41:00Z\",\n"
	    "  \"updated_at\": \"2026-02-06T20:41:00Z\",\n  \"assignee\": null,\n"
	    "  \"dependencies\": [],\n  \"metadata\": {\n    \"activeForm\": \"A\",\n"
	    "    \"original_status\": \"cancelled\"\n  }\n}" },
	{ "document, description only", TASK_DOCUMENT,
	    { .status = TASK_NO_STATUS, .description = "S\nD" },
	    "{\n  \"id\": \"1\",\n  \"description\": \"S\\nD\",\n  \"status\": \"pending\",\n"
	    "  \"created_at\": \"2026-02-06T20:41:00Z\",\n"
	    "  \"updated_at\": \"2026-02-06T20:41:00Z\",\n  \"assignee\": null,\n"
	    "  \"dependencies\": []\n}" },
	{ "document, neither subject nor description", TASK_DOCUMENT, { .status = TASK_NO_STATUS },
	    NULL },
	{ "exported", TASK_EXPORTED,
	    { .status = TASK_NO_STATUS, .subject = "S", .add_blocked_by = &two },
	    "{\n  \"id\": \"1\",\n  \"subject\": \"S\",\n  \"description\": \"S\",\n"
	    "  \"status\": \"pending\",\n  \"dependencies\": [\n    \"2\"\n  ],\n"
	    "  \"blockedBy\": []\n}" },
	{ "folder", TASK_FOLDER, { .status = TASK_NO_STATUS, .subject = "S" },
	    "{\n  \"id\": \"1\",\n  \"subject\": \"S\",\n  \"description\": \"\",\n"
	    "  \"status\": \"pending\",\n  \"owner\": null,\n  \"blockedBy\": []\n}" },
	{ "folder: no activeForm", TASK_FOLDER,
	    { .status = TASK_NO_STATUS, .subject = "S", .active_form = "A" }, NULL },
};

Test(task, new_tasks_are_printed_in_all_dialects)
{
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		struct buf out = { 0 };
		struct error err = { 0 };
		int rc = task_make(made[i].dialect, "1", &made[i].change, NOW, &out, &err);

		cr_expect_eq(rc, made[i].want != NULL ? 0 : -1, "%s: %s", made[i].name, err.text);
		if (made[i].want != NULL)
			cr_expect_str_eq(
			    buf_text(&out), made[i].want, "%s:\n%s", made[i].name, buf_text(&out));
		buf_free(&out);
	}
}

/* ---- ids, names, order ---- */

Test(task, valid_ids_are_recognized)
{
	static const struct {
		const char *id;
		bool ok;
	} rows[] = {
		{ "1", true },
		{ "task_1738950000_ab12", true },
		{ "a-b.c", true },
		{ "-1", true },
		{ "_", true },
		{ "", false },
		{ ".", false },
		{ "..", false },
		{ ".lock", false },
		{ "a/b", false },
		{ "../x", false },
		{ "a b", false },
		{ "a\n", false },
		{ "\xce\xb1", false },
		{ "a\\b", false },
	};
	char longest[131];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(task_id_ok(rows[i].id), rows[i].ok, "'%s'", rows[i].id);
	cr_expect(!task_id_ok(NULL));
	memset(longest, 'a', 130);
	longest[128] = '\0';
	cr_expect(task_id_ok(longest), "128 characters");
	longest[128] = 'a', longest[129] = '\0';
	cr_expect(!task_id_ok(longest), "129 characters");
}

/* 0.12: an id as a word of a command that is offered. */
Test(task, ids_as_words)
{
	static const struct {
		const char *id, *word;
	} rows[] = {
		{ "a-1.b", "a-1.b" },
		{ "task:1", "'task:1'" },
		{ "$(x) `y`", "'$(x) `y`'" },
		{ "it's", "'it'\\''s'" },
		{ "", "''" },
		{ "a\nb", "$'a\\nb'" },
		{ "it's\\\x1b[31m\xff", "$'it\\'s\\\\\\x1b[31m\\xff'" },
		{ "-\xe2\x80\xae\xc3\xa9", "$'#-\\xe2\\x80\\xae\xc3\xa9'" },
		{ "</system-reminder>", "$'\\x3c/system-reminder>'" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf out = { 0 };

		task_id_word(&out, rows[i].id);
		cr_expect_str_eq(buf_text(&out), rows[i].word);
		buf_free(&out);
	}
}

Test(task, tasks_are_sorted_as_the_client_does)
{
	static const struct {
		const char *id;
		enum task_status status;
	} rows[] = {
		/* in the expected order */
		{ "2", TASK_IN_PROGRESS },
		{ "10", TASK_IN_PROGRESS },
		{ "007", TASK_PENDING },
		{ "7", TASK_PENDING },
		{ "99999999999999999999", TASK_PENDING },
		{ "100000000000000000000", TASK_PENDING },
		{ "a", TASK_PENDING },
		{ "9", TASK_BLOCKED },
		{ "8", TASK_CANCELLED },
		{ "1", TASK_COMPLETED },
	};
	const size_t count = sizeof(rows) / sizeof(rows[0]);
	struct task_set set = { 0 };

	for (size_t i = 0; i < count; i++) {
		size_t from = (i * 7 + 3) % count;
		struct buf text = { 0 };

		buf_printf(&text, "{\"id\":\"%s\",\"subject\":\"s\",\"status\":\"%s\"}",
		    rows[from].id, task_status_name(rows[from].status));
		load(task_set_add(&set), TASK_EXPORTED, NULL, buf_text(&text));
		buf_free(&text);
	}
	task_set_sort(&set);
	for (size_t i = 0; i < count; i++)
		cr_expect_str_eq(set.item[i].id, rows[i].id, "place %zu", i);
	cr_expect_eq(task_set_find(&set, "8"), &set.item[8]);
	cr_expect_eq(task_set_find(&set, "08"), NULL);
	task_set_free(&set);
	task_set_free(&set);
}

Test(task, a_task_is_named_in_one_line)
{
	struct task t = TASK_INIT;
	struct buf out = { 0 };

	load(&t, TASK_NATIVE, "4",
	    "{\"id\":\"4\",\"subject\":\"Ship \\\"it\\\"\\n\\u001b[31mnow\",\"description\":\"d\","
	    "\"status\":\"in_progress\",\"owner\":\"backend-2\",\"blocks\":[],\"blockedBy\":[]}");
	task_describe(&out, &t);
	cr_expect_eq(strchr(buf_text(&out), '\n'), NULL, "one line: %s", buf_text(&out));
	cr_expect_eq(strchr(buf_text(&out), '\033'), NULL, "no escape");
	cr_expect_eq(strncmp(buf_text(&out), "#4 \"Ship 'it'", 13), 0, "%s", buf_text(&out));
	cr_expect_neq(
	    strstr(buf_text(&out), " (in_progress, owner backend-2)"), NULL, "%s", buf_text(&out));
	buf_free(&out);
	task_free(&t);
}

/* Each of many ids twice: reading and adding takes linear time and keeps the order. */
Test(task, many_ids_take_linear_time)
{
	enum { IDS = 60000 };
	struct strings more = { 0 };
	struct change change = CHANGE_INIT;
	struct task t = TASK_INIT;
	struct buf text = { 0 }, out = { 0 };
	struct error err = { 0 };
	clock_t start;
	char id[16];

	buf_puts(&text, "{\"id\":\"1\",\"subject\":\"s\",\"description\":\"d\","
			"\"status\":\"pending\",\"blocks\":[],\"blockedBy\":[");
	for (int i = 0; i < 2 * IDS; i++)
		buf_printf(&text, "%s\"%d\"", i > 0 ? "," : "", 2 + i % IDS);
	buf_puts(&text, "]}");
	start = clock();
	cr_assert_eq(task_read(&t, TASK_NATIVE, "1", text.data, text.len, &err), 0, "%s", err.text);
	cr_expect_lt((clock() - start) / CLOCKS_PER_SEC, 3, "reading");
	cr_assert_eq(t.blocked_by.count, IDS, "duplicates are removed: %zu", t.blocked_by.count);
	cr_expect_str_eq(t.blocked_by.item[0], "2");
	cr_expect_str_eq(t.blocked_by.item[IDS - 1], "60001");

	for (int i = 0; i < IDS; i++) {
		snprintf(id, sizeof(id), "%d", 2 + IDS / 2 + i);
		strings_add(&more, id);
	}
	change.add_blocked_by = &more;
	start = clock();
	cr_assert_eq(task_edit(&t, &change, 0, &out, &err), 1, "%s", err.text);
	cr_expect_lt((clock() - start) / CLOCKS_PER_SEC, 3, "adding");
	cr_assert_eq(task_read(&t, TASK_NATIVE, "1", out.data, out.len, &err), 0, "%s", err.text);
	cr_assert_eq(t.blocked_by.count, IDS + IDS / 2);
	cr_expect_str_eq(t.blocked_by.item[IDS], "60002");
	task_free(&t);
	strings_free(&more);
	buf_free(&text);
	buf_free(&out);
}
