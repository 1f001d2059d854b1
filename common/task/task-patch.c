/*
 * Checks what a change asks for, and prepares its metadata for both the edit
 * of a text and a new text.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "task/macf.h"
#include "task/task-part.h"
#include "json/json-edit.h"
#include "json/json-print.h"

static int
refuse_field(const char *what, struct error *err)
{
	return error_set(err, ERROR_REFUSED,
	    "a task of a .tasks folder cannot hold %s: the programs that use such a folder fail "
	    "on fields that they do not know. Write it into the description, or copy the tasks "
	    "into a list of the client: claude-tasks --list NAME import DIR",
	    what);
}

bool
task_active_form_inside(enum task_dialect dialect, const struct task *t)
{
	return dialect != TASK_NATIVE && dialect != TASK_FOLDER &&
	       (t == NULL || json_member(&t->json, JSON_ROOT, "activeForm") == JSON_ABSENT);
}

int
task_change_check(
    enum task_dialect dialect, const struct task *t, const struct change *c, struct error *err)
{
	size_t len;

	if (c->status == TASK_CANCELLED && t != NULL && t->status == TASK_COMPLETED)
		return error_set(err, ERROR_REFUSED,
		    "task #%.60s is completed and cannot be cancelled. To reopen it first: "
		    "claude-tasks update %.60s --status pending",
		    t->id, t->id);
	/* A field that the file already has can be changed. */
	if (dialect != TASK_FOLDER)
		return 0;
	if (c->active_form != NULL &&
	    (t == NULL || json_member(&t->json, JSON_ROOT, "activeForm") == JSON_ABSENT))
		return refuse_field("activeForm", err);
	if (c->metadata != NULL && (t == NULL || task_metadata(t) == JSON_ABSENT))
		return refuse_field("metadata", err);
	if (c->parent != NULL && *c->parent != '\0' && c->macf == NULL &&
	    (t == NULL || macf_block(t->description, &len) == NULL))
		return refuse_field("a parent", err);
	return 0;
}

/* A string, or null for an empty one. */
static void
patch_set(struct json_edit *edit, const char *key, const char *text)
{
	struct buf value = { 0 };

	if (*text != '\0')
		json_print_string(&value, text, strlen(text));
	json_edit_set(edit, JSON_ROOT, key, *text != '\0' ? buf_text(&value) : "null");
	buf_free(&value);
}

/*
 * metadata.original_status is a part of the status: a change of the status sets
 * or removes it, and nothing else changes it.
 */
static int
patch_original(struct json_edit *edit, enum task_dialect dialect, const struct task *t,
    const struct change *c, struct error *err)
{
	json_ref asked = json_member(edit->json, JSON_ROOT, TASK_ORIGINAL);
	bool marked = t != NULL && t->original != TASK_NO_STATUS;
	bool ours = marked || json_equals(edit->json, asked, "cancelled") ||
		    json_equals(edit->json, asked, "blocked");
	struct task_status_place place = task_status_place(dialect, c->status);

	if (c->status == TASK_NO_STATUS) {
		if (!ours || asked == JSON_ABSENT ||
		    (marked && json_equals(edit->json, asked, task_status_name(t->original))))
			return 0;
		return error_set(err, ERROR_REFUSED,
		    "metadata." TASK_ORIGINAL " follows the status: change the status instead");
	}
	if (place.original != TASK_NO_STATUS && !(c->follows && c->status == TASK_BLOCKED))
		patch_set(edit, TASK_ORIGINAL, task_status_name(place.original));
	else if (marked)
		patch_set(edit, TASK_ORIGINAL, "");
	else if (ours)
		json_edit_remove(edit, JSON_ROOT, TASK_ORIGINAL);
	return 0;
}

/* The parent, where the dialect keeps it here, under one key; keys that count less are removed. */
static void
patch_parent(
    struct json_edit *edit, enum task_dialect dialect, const struct task *t, const char *parent)
{
	bool here = dialect == TASK_NATIVE || dialect == TASK_EXPORTED;

	if (parent == NULL)
		return;
	for (size_t i = 0; t != NULL && task_parent_keys[i] != NULL; i++) {
		char *id = task_id_of(
		    &t->json, json_member(&t->json, task_metadata(t), task_parent_keys[i]));

		if (id != NULL)
			patch_set(edit, task_parent_keys[i], "");
		free(id);
	}
	if (here && *parent != '\0')
		patch_set(edit, task_parent_keys[0], parent);
}

/* The kind of a task is in its subject and in its block too, which do not follow the metadata. */
static int
check_kind(const struct json *patch, const struct task *t, struct error *err)
{
	json_ref asked = json_member(patch, JSON_ROOT, "kind");
	char *is = t != NULL ? macf_value(t->description, "task_type") : NULL;
	char *kind = asked != JSON_ABSENT ? json_string(patch, asked) : NULL;
	int rc = 0;

	if (is != NULL && asked != JSON_ABSENT && (kind == NULL || strcasecmp(kind, is) != 0))
		rc = error_set(err, ERROR_REFUSED,
		    "the kind of task #%.60s is in its subject and description too, and cannot be "
		    "changed; make another task: claude-tasks create --kind KIND",
		    t->id);
	free(is);
	free(kind);
	return rc;
}

/* "__proto__" is left out, because the client's merge loses it. */
int
task_patch_make(struct json *patch, struct buf *text, enum task_dialect dialect,
    const struct task *t, const struct change *c, struct error *err)
{
	bool form = c->active_form != NULL && task_active_form_inside(dialect, t);
	struct json_edit edit;
	struct buf edited = { 0 };
	int rc;

	buf_reset(text);
	buf_puts(text, c->metadata != NULL ? c->metadata : "{}");
	if (json_parse(patch, buf_text(text), text->len, err) == -1)
		return error_prefix(err, "metadata");
	if (json_kind(patch, JSON_ROOT) != JSON_OBJECT)
		return error_set(err, ERROR_INPUT, "metadata is not an object");
	if (!c->verbatim && check_kind(patch, t, err) == -1)
		return -1;
	json_edit_init(&edit, patch);
	json_edit_remove(&edit, JSON_ROOT, "__proto__");
	if (c->macf != NULL && dialect != TASK_FOLDER) /* there its block says it */
		patch_set(&edit, "kind", c->macf->kind);
	patch_parent(&edit, dialect, t, c->parent);
	if (form)
		patch_set(&edit, "activeForm", c->active_form);
	rc = patch_original(&edit, dialect, t, c, err);
	json_edit_apply(&edit, &edited);
	json_edit_free(&edit);
	buf_free(text);
	*text = edited;
	if (rc == 0)
		rc = json_parse(patch, buf_text(text), text->len, err);
	/* Nothing to merge, and the task had no metadata. */
	if (rc == 0 && c->metadata == NULL && json_count(patch, JSON_ROOT) == 0)
		buf_reset(text);
	return rc;
}

char *
task_patch_key(const struct json *patch, json_ref member, struct error *err)
{
	char *key = json_key(patch, member);

	if (!json_key_equals(patch, member, key)) {
		free(key);
		error_set(err, ERROR_INPUT,
		    "metadata: a key cannot contain a NUL or half a surrogate pair");
		return NULL;
	}
	return key;
}

/* Prints the patch as new metadata; its nulls delete nothing and are left out, unless kept. */
int
task_patch_print(struct buf *out, const struct json *patch, int indent, int depth, bool keep_null,
    struct error *err)
{
	struct json_edit edit;
	struct json merged = { 0 };
	struct buf text = { 0 };
	json_ref m;
	char *key;
	int rc = -1;

	json_edit_init(&edit, patch);
	for (m = json_first(patch, JSON_ROOT); m != JSON_ABSENT && !keep_null;
	     m = json_next(patch, JSON_ROOT, m)) {
		if ((key = task_patch_key(patch, m, err)) == NULL)
			goto out;
		/* the last duplicate counts */
		if (json_kind(patch, m) == JSON_NULL && json_member(patch, JSON_ROOT, key) == m)
			json_edit_remove(&edit, JSON_ROOT, key);
		free(key);
	}
	json_edit_apply(&edit, &text);
	if (json_parse(&merged, buf_text(&text), text.len, err) == -1)
		goto out;
	json_print(out, &merged, JSON_ROOT, indent, depth);
	rc = 0;
out:
	json_edit_free(&edit);
	json_free(&merged);
	buf_free(&text);
	return rc;
}

char *
task_join_subject(const char *subject, const char *description)
{
	if (subject == NULL)
		return mem_string(description);
	if (description == NULL || *description == '\0' || strcmp(subject, description) == 0)
		return mem_string(subject);
	return mem_printf("%s\n\n%s", subject, description);
}

int
task_text_check(
    enum task_dialect dialect, const char *id, const struct buf *text, struct error *err)
{
	struct task t = TASK_INIT;

	if (task_read(&t, dialect, id, buf_text(text), text->len, err) == -1)
		return error_prefix(err, "the changed task would be invalid");
	task_free(&t);
	return 0;
}
