/*
 * Reading a task is two steps.  task_fields() walks the object's members once
 * (a scan of ten thousand files pays for every walk) and notes where each
 * known key is, the last one of duplicates, as JSON.parse does.  Then the
 * rules of the dialect are applied to the kinds of those values, and the
 * values are decoded.
 *
 * The native rules are those of the client's own validation, measured with
 * test files.  The client does not list a file that breaks one, and does not
 * say why; so the error here names the rule.
 */
#include "task/task.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "task/macf.h"
#include "task/task-part.h"

static const char status_names[][12] = {
	[TASK_PENDING] = "pending",
	[TASK_IN_PROGRESS] = "in_progress",
	[TASK_COMPLETED] = "completed",
	[TASK_BLOCKED] = "blocked",
	[TASK_CANCELLED] = "cancelled",
	[TASK_NO_STATUS] = "unknown",
};

const char task_field_names[FIELD_COUNT][TASK_FIELD_NAME] = {
	[FIELD_ID] = "id",
	[FIELD_SUBJECT] = "subject",
	[FIELD_DESCRIPTION] = "description",
	[FIELD_ACTIVE_FORM] = "activeForm",
	[FIELD_OWNER] = "owner",
	[FIELD_STATUS] = "status",
	[FIELD_BLOCKS] = "blocks",
	[FIELD_BLOCKED_BY] = "blockedBy",
	[FIELD_METADATA] = "metadata",
	[FIELD_ASSIGNEE] = "assignee",
	[FIELD_DEPENDENCIES] = "dependencies",
	[FIELD_PARENT_ID] = "parent_id",
	[FIELD_UPDATED_AT] = "updated_at",
	[FIELD_CREATED_AT] = "created_at",
};

const char *
task_status_name(enum task_status status)
{
	return status_names[status <= TASK_NO_STATUS ? status : TASK_NO_STATUS];
}

enum task_status
task_status_parse(const char *name)
{
	int i;

	for (i = 0; name != NULL && i < TASK_NO_STATUS; i++)
		if (strcmp(name, status_names[i]) == 0)
			return i;
	return TASK_NO_STATUS;
}

/* The last of the statuses that we write into the status field of a dialect.  A program that uses a
 * .tasks folder shows any word, and starts none but pending tasks.  In a document other writers'
 * cancelled is read too. */
static const enum task_status last_status[] = { [TASK_NATIVE] = TASK_COMPLETED,
	[TASK_DOCUMENT] = TASK_BLOCKED,
	[TASK_EXPORTED] = TASK_CANCELLED,
	[TASK_FOLDER] = TASK_CANCELLED };

struct task_status_place
task_status_place(enum task_dialect dialect, enum task_status status)
{
	struct task_status_place p = { status, TASK_NO_STATUS };

	/* A document's blocked follows from its dependencies, unless it is marked. */
	if (status > last_status[dialect] || (status == TASK_BLOCKED && dialect != TASK_FOLDER))
		p.original = status;
	if (status > last_status[dialect])
		p.field = status == TASK_CANCELLED ? TASK_COMPLETED : TASK_PENDING;
	return p;
}

/* "pending, in_progress or completed": those that a dialect may have, for messages. */
static const char *
task_statuses(enum task_dialect dialect)
{
	return dialect == TASK_NATIVE || dialect == TASK_FOLDER
		   ? "pending, in_progress or completed"
		   : "pending, in_progress, completed, blocked or cancelled";
}

bool
task_open(const struct task *t)
{
	return t->status != TASK_COMPLETED && t->status != TASK_CANCELLED;
}

bool
task_blocks(const struct task *t)
{
	return t == NULL || task_open(t);
}

bool
task_held(const struct task *t)
{
	return t->status == TASK_BLOCKED &&
	       (t->original == TASK_BLOCKED || t->dialect == TASK_FOLDER);
}

bool
task_priority_ok(const struct json *j, json_ref value)
{
	return value == JSON_ABSENT || json_kind(j, value) == JSON_NULL ||
	       json_equals(j, value, "low") || json_equals(j, value, "medium") ||
	       json_equals(j, value, "high");
}

bool
task_begun(const struct task *t)
{
	return t->status == TASK_IN_PROGRESS || t->status == TASK_BLOCKED;
}

enum task_field
task_field_of(const struct json *j, json_ref member)
{
	size_t len;
	const char *key = json_key_plain(j, member, &len);
	int i;

	for (i = 0; i < FIELD_COUNT; i++) {
		const char *name = task_field_names[i];

		/* The first letter tells most of them apart. */
		if (key != NULL && len > 0
			? *key == *name && strlen(name) == len && memcmp(key, name, len) == 0
			: json_key_equals(j, member, name))
			break;
	}
	return (enum task_field)i;
}

void
task_fields(const struct json *j, json_ref at[FIELD_COUNT])
{
	int i;

	for (i = 0; i < FIELD_COUNT; i++)
		at[i] = JSON_ABSENT;
	JSON_EACH (j, JSON_ROOT, member)
		if ((i = (int)task_field_of(j, member)) < FIELD_COUNT)
			at[i] = member;
}

static const char *
kind_name(enum json_kind kind)
{
	switch (kind) {
	case JSON_NULL:
		return "null";
	case JSON_FALSE:
	case JSON_TRUE:
		return "a boolean";
	case JSON_NUMBER:
		return "a number";
	case JSON_STRING:
		return "a string";
	case JSON_ARRAY:
		return "an array";
	case JSON_OBJECT:
		return "an object";
	default:
		return "missing";
	}
}

/* What a dialect requires of a field. */
enum need { ANY, WANTED, OPTIONAL, NULLABLE };

static int
field_check(const struct json *j, const json_ref at[FIELD_COUNT], enum task_field f,
    enum json_kind want, enum need need, struct error *err)
{
	enum json_kind kind = json_kind(j, at[f]);

	if (kind == JSON_NONE)
		return need == WANTED
			   ? error_set(err, ERROR_INPUT, "%s is missing", task_field_names[f])
			   : 0;
	if (need == ANY || (kind == JSON_NULL && need == NULLABLE))
		return 0;
	if (kind != want)
		return error_set(err, ERROR_INPUT, "%s is %s, not %s%s", task_field_names[f],
		    kind_name(kind), kind_name(want), need == WANTED ? "" : " (or left out)");
	if (want == JSON_ARRAY)
		JSON_EACH (j, at[f], el)
			if (json_kind(j, el) != JSON_STRING)
				return error_set(err, ERROR_INPUT,
				    "%s contains %s, but ids must be strings", task_field_names[f],
				    kind_name(json_kind(j, el)));
	return 0;
}

static const struct rule {
	enum task_field field;
	enum json_kind kind;
	enum need need[4]; /* by dialect: native, document, exported, folder */
} rules[] = {
	{ FIELD_ID, JSON_STRING, { WANTED, WANTED, WANTED, WANTED } },
	{ FIELD_SUBJECT, JSON_STRING, { WANTED, NULLABLE, NULLABLE, WANTED } },
	{ FIELD_DESCRIPTION, JSON_STRING, { WANTED, WANTED, NULLABLE, NULLABLE } },
	{ FIELD_ACTIVE_FORM, JSON_STRING, { OPTIONAL, NULLABLE, NULLABLE, NULLABLE } },
	{ FIELD_OWNER, JSON_STRING, { OPTIONAL, NULLABLE, NULLABLE, NULLABLE } },
	{ FIELD_STATUS, JSON_STRING, { WANTED, WANTED, WANTED, WANTED } },
	{ FIELD_BLOCKS, JSON_ARRAY, { WANTED, NULLABLE, NULLABLE, NULLABLE } },
	{ FIELD_BLOCKED_BY, JSON_ARRAY, { WANTED, NULLABLE, NULLABLE, NULLABLE } },
	{ FIELD_METADATA, JSON_OBJECT, { OPTIONAL, NULLABLE, NULLABLE, NULLABLE } },
	{ FIELD_ASSIGNEE, JSON_STRING, { ANY, NULLABLE, NULLABLE, ANY } },
	{ FIELD_DEPENDENCIES, JSON_ARRAY, { ANY, NULLABLE, NULLABLE, NULLABLE } },
};

static int
rules_check(const struct json *j, enum task_dialect dialect, const json_ref at[FIELD_COUNT],
    enum task_status *status, struct error *err)
{
	struct buf shown = { 0 };
	char *word;
	size_t i;

	if (json_kind(j, JSON_ROOT) != JSON_OBJECT)
		return error_set(err, ERROR_INPUT, "it is %s, not an object",
		    kind_name(json_kind(j, JSON_ROOT)));
	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (field_check(
			j, at, rules[i].field, rules[i].kind, rules[i].need[dialect], err) == -1)
			return -1;
	if (dialect == TASK_EXPORTED && at[FIELD_SUBJECT] == JSON_ABSENT &&
	    at[FIELD_DESCRIPTION] == JSON_ABSENT)
		return error_set(err, ERROR_INPUT, "subject is missing");
	for (i = 0; i < TASK_NO_STATUS; i++)
		if (json_equals(j, at[FIELD_STATUS], status_names[i]))
			break;
	*status = (enum task_status)i;
	if (*status <= last_status[dialect] ||
	    (dialect == TASK_DOCUMENT && *status == TASK_CANCELLED))
		return 0;
	word = json_string(j, at[FIELD_STATUS]);
	text_show(&shown, word, strlen(word), TEXT_LINE, 40);
	error_set(
	    err, ERROR_INPUT, "status '%s' is not %s", buf_text(&shown), task_statuses(dialect));
	free(word);
	buf_free(&shown);
	return -1;
}

const char *const task_parent_keys[] = { "parent_id", "parentId", "parent", NULL };

char *
task_id_of(const struct json *j, json_ref ref)
{
	int64_t n;

	if (json_kind(j, ref) == JSON_NUMBER && json_int(j, ref, &n) == 0)
		return mem_printf("%lld", (long long)n);
	return json_word(j, ref);
}

/* A task of a folder can have its parent only in its texts. */
static char *
task_parent(const struct task *t, const json_ref at[FIELD_COUNT])
{
	const struct json *j = &t->json;
	char *parent = task_id_of(j, at[FIELD_PARENT_ID]);
	size_t i;

	if (parent == NULL && json_kind(j, at[FIELD_METADATA]) == JSON_OBJECT)
		for (i = 0; parent == NULL && task_parent_keys[i] != NULL; i++)
			parent =
			    task_id_of(j, json_member(j, at[FIELD_METADATA], task_parent_keys[i]));
	if (parent == NULL && t->dialect == TASK_FOLDER)
		parent = macf_value(t->description, "parent_id");
	return parent != NULL ? parent : macf_parent(t->subject);
}

static void
ids_of(const struct json *j, json_ref array, struct strings *ids)
{
	void *seen = NULL;
	char *id;

	if (json_kind(j, array) != JSON_ARRAY)
		return;
	for (size_t i = 0; i < ids->count; i++)
		(void)strings_first(&seen, ids->item[i]);
	JSON_EACH (j, array, el) {
		id = json_string(j, el);
		if (strings_first(&seen, id))
			strings_take(ids, id);
		else
			free(id);
	}
	strings_forget(seen);
}

/* metadata.original_status, and what the status is with it. */
static void
status_decode(struct task *t, json_ref meta)
{
	json_ref word = json_member(&t->json, meta, TASK_ORIGINAL);

	t->original = json_equals(&t->json, word, "cancelled") ? TASK_CANCELLED
		      : json_equals(&t->json, word, "blocked") ? TASK_BLOCKED
							       : TASK_NO_STATUS;
	if ((t->original == TASK_CANCELLED && t->status == TASK_COMPLETED) ||
	    (t->original == TASK_BLOCKED && t->status == TASK_PENDING))
		t->status = t->original;
}

static void
decode_fields(struct task *t, const json_ref at[FIELD_COUNT])
{
	const struct json *j = &t->json;
	json_ref meta =
	    json_kind(j, at[FIELD_METADATA]) == JSON_OBJECT ? at[FIELD_METADATA] : JSON_ABSENT;

	t->subject = json_string(j, at[FIELD_SUBJECT]);
	t->description = json_string(j, at[FIELD_DESCRIPTION]);
	if (t->description == NULL)
		t->description = mem_string("");
	if (t->subject == NULL)
		t->subject = mem_copy(t->description, strcspn(t->description, "\r\n"));
	t->title = strpbrk(t->subject, "\033\x9b") == NULL ? t->subject : text_plain(t->subject);
	t->active_form = json_string(j, at[FIELD_ACTIVE_FORM]);
	if (t->active_form == NULL && t->dialect != TASK_NATIVE && meta != JSON_ABSENT)
		t->active_form = json_member_string(j, meta, "activeForm");
	t->owner = json_word(j, at[FIELD_OWNER]);
	/* An exported task may have been put into a folder as it is. */
	if (t->dialect != TASK_NATIVE) {
		if (t->owner == NULL && t->dialect != TASK_FOLDER)
			t->owner = json_word(j, at[FIELD_ASSIGNEE]);
		if (t->owner == NULL && t->dialect != TASK_DOCUMENT && meta != JSON_ABSENT)
			t->owner = json_word(j, json_member(j, meta, "subagent_id"));
		ids_of(j, at[FIELD_DEPENDENCIES], &t->blocked_by);
	}
	ids_of(j, at[FIELD_BLOCKS], &t->blocks);
	ids_of(j, at[FIELD_BLOCKED_BY], &t->blocked_by);
	t->parent = task_parent(t, at);
	if (meta != JSON_ABSENT) {
		t->internal = json_true(j, json_member(j, meta, "_internal"));
		status_decode(t, meta);
	}
}

/* Frees everything except the text and its index, whose memory is used again. */
static void
decoded_free(struct task *t)
{
	free(t->id);
	if (t->title != t->subject)
		free(t->title);
	free(t->subject);
	free(t->description);
	free(t->active_form);
	free(t->owner);
	free(t->parent);
	t->id = t->subject = t->title = t->description = t->active_form = t->owner = t->parent =
	    NULL;
	strings_free(&t->blocks);
	strings_free(&t->blocked_by);
	t->status = t->original = TASK_NO_STATUS;
	t->internal = false;
}

int
task_reread(struct task *t, enum task_dialect dialect, const char *id, struct error *err)
{
	json_ref at[FIELD_COUNT];
	enum task_status status = TASK_NO_STATUS;

	decoded_free(t);
	t->dialect = dialect;
	if (json_parse(&t->json, buf_text(&t->text), t->text.len, err) == -1)
		return error_prefix(err, "invalid JSON");
	task_fields(&t->json, at);
	if (rules_check(&t->json, dialect, at, &status, err) == -1)
		return -1;
	t->status = status;
	t->id = id != NULL ? mem_string(id) : json_string(&t->json, at[FIELD_ID]);
	decode_fields(t, at);
	return 0;
}

int
task_read(struct task *t, enum task_dialect dialect, const char *id, const char *text, size_t len,
    struct error *err)
{
	buf_reset(&t->text);
	buf_add(&t->text, text, len);
	if (task_reread(t, dialect, id, err) == -1) {
		task_free(t);
		return -1;
	}
	return 0;
}

void
task_free(struct task *t)
{
	decoded_free(t);
	json_free(&t->json);
	buf_free(&t->text);
	memset(t, 0, sizeof(*t));
	t->status = t->original = TASK_NO_STATUS;
}

void
task_copy(struct task *to, const struct task *from)
{
	struct error err;
	char *id = mem_string(from->id);

	task_free(to);
	if (from->status != TASK_NO_STATUS)
		(void)task_read(to, from->dialect, id, buf_text(&from->text), from->text.len, &err);
	free(id);
}

static bool
has_value(const struct json *j, const char *key)
{
	return json_kind(j, json_member(j, JSON_ROOT, key)) > JSON_NULL;
}

bool
task_lacks_times(const struct task *t)
{
	return t->dialect == TASK_DOCUMENT &&
	       !(has_value(&t->json, "created_at") && has_value(&t->json, "updated_at"));
}

json_ref
task_metadata(const struct task *t)
{
	json_ref meta = json_member(&t->json, JSON_ROOT, "metadata");

	return json_kind(&t->json, meta) == JSON_OBJECT ? meta : JSON_ABSENT;
}

char *
task_metadata_string(const struct task *t, const char *key)
{
	json_ref meta = task_metadata(t);

	return meta == JSON_ABSENT ? NULL : json_member_string(&t->json, meta, key);
}

char *
task_time(const struct task *t, const char *key)
{
	char *time = json_member_string(&t->json, JSON_ROOT, key);

	return time != NULL ? time : task_metadata_string(t, key);
}
