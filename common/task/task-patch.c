/*
 * Checks what a change asks for, and prepares its metadata for both the edit
 * of a text and a new text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "task/task-part.h"
#include "json/json-edit.h"
#include "json/json-print.h"

static const char *
dialect_name(enum task_dialect dialect)
{
	static const char *const names[] = { "a native task", "a task of tasks.json",
		"an exported task", "a task of a .tasks folder" };

	return names[dialect];
}

static int
refuse_field(enum task_dialect dialect, const char *what, struct error *err)
{
	return error_set(err, ERROR_REFUSED, "%s cannot hold %s", dialect_name(dialect), what);
}

int
task_change_check(enum task_dialect dialect, const struct change *c, struct error *err)
{
	char what[64];

	if (c->status != TASK_NO_STATUS && !task_status_held(dialect, c->status)) {
		snprintf(what, sizeof(what), "status '%s'", task_status_name(c->status));
		return refuse_field(dialect, what, err);
	}
	if (c->active_form != NULL && dialect != TASK_NATIVE)
		return refuse_field(dialect, "activeForm", err);
	if (dialect == TASK_FOLDER && c->metadata != NULL)
		return refuse_field(dialect, "metadata", err);
	if (dialect == TASK_FOLDER && c->parent != NULL)
		return refuse_field(dialect, "a parent", err);
	return 0;
}

/*
 * The merge patch: change->metadata, with the parent put in where the
 * dialect keeps it in the metadata.  "__proto__" is left out, because the
 * client's merge loses it.
 */
int
task_patch_make(struct json *patch, struct buf *text, enum task_dialect dialect,
    const struct change *c, struct error *err)
{
	bool parent = c->parent != NULL && (dialect == TASK_NATIVE || dialect == TASK_EXPORTED);
	struct json_edit edit;
	struct buf value = { 0 }, edited = { 0 };

	buf_reset(text);
	if (c->metadata == NULL && !parent)
		return 0;
	buf_puts(text, c->metadata != NULL ? c->metadata : "{}");
	if (json_parse(patch, buf_text(text), text->len, err) == -1)
		return error_prefix(err, "metadata");
	if (json_kind(patch, JSON_ROOT) != JSON_OBJECT)
		return error_set(err, ERROR_INPUT, "metadata is not an object");
	json_edit_init(&edit, patch);
	json_edit_remove(&edit, JSON_ROOT, "__proto__");
	if (parent) {
		if (*c->parent != '\0')
			json_print_string(&value, c->parent, strlen(c->parent));
		json_edit_set(
		    &edit, JSON_ROOT, "parent_id", *c->parent != '\0' ? buf_text(&value) : "null");
	}
	json_edit_apply(&edit, &edited);
	json_edit_free(&edit);
	buf_free(&value);
	buf_free(text);
	*text = edited;
	return json_parse(patch, buf_text(text), text->len, err);
}

char *
task_patch_key(const struct json *patch, json_ref member, struct error *err)
{
	char *key = json_key(patch, member);

	if (!json_key_equals(patch, member, key)) {
		free(key);
		error_set(err, ERROR_INPUT,
		    "metadata: a key with a NUL or half a surrogate pair cannot be kept");
		return NULL;
	}
	return key;
}

/* The patch as new metadata: its nulls have nothing to delete. */
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
