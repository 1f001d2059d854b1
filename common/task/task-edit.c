/*
 * Changing a task's text.
 *
 * A text that is exactly what the client writes is edited the way the client
 * edits it: keys in the order of its schema, a new key last (the client's
 * next write moves it to its place).  Then the same operation gives the same
 * bytes as in the client.  Any other text keeps its order, spacing and unknown
 * keys, and only the bytes of the edited values change.
 *
 * Both start as splices; the first kind is printed again at the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "task/macf.h"
#include "task/task-part.h"
#include "json/json-edit.h"
#include "json/json-print.h"

struct draft {
	const struct task *task;
	const struct change *change;
	json_ref at[FIELD_COUNT];
	struct json_edit edit;
	int indent; /* 2, or 0 for a text on one line */
	bool changed;
	struct json patch; /* of change->metadata, parent included */
	struct buf patch_text;
	char *parent; /* the new one; "": none, NULL: it stays */
};

static void
draft_set(struct draft *d, json_ref object, const char *key, const char *value)
{
	json_edit_set(&d->edit, object, key, value);
	d->changed = true;
}

/* Sets a string unless the text has it already. */
static void
draft_string(struct draft *d, enum task_field field, const char *value)
{
	struct buf text = { 0 };

	if (value == NULL || json_equals(&d->task->json, d->at[field], value))
		return;
	json_print_string(&text, value, strlen(value));
	draft_set(d, JSON_ROOT, task_field_names[field], buf_text(&text));
	buf_free(&text);
}

static int
draft_metadata(struct draft *d, struct error *err)
{
	const struct json *j = &d->task->json;
	json_ref meta = task_metadata(d->task), old;
	struct buf value = { 0 };
	char *key;
	int rc = -1;

	if (d->patch_text.len == 0)
		return 0;
	if (meta == JSON_ABSENT) {
		if ((rc = task_patch_print(&value, &d->patch, d->indent, 1, false, err)) == 0)
			draft_set(d, JSON_ROOT, "metadata", buf_text(&value));
		goto out;
	}
	JSON_EACH (&d->patch, JSON_ROOT, m) {
		if ((key = task_patch_key(&d->patch, m, err)) == NULL)
			goto out;
		old = json_member(j, meta, key);
		if (json_member(&d->patch, JSON_ROOT, key) != m)
			; /* the last duplicate counts */
		else if (json_kind(&d->patch, m) == JSON_NULL) {
			if (old != JSON_ABSENT) {
				json_edit_remove(&d->edit, meta, key);
				d->changed = true;
			}
		} else if (old == JSON_ABSENT || !json_same(j, old, &d->patch, m)) {
			buf_reset(&value);
			json_print(&value, &d->patch, m, d->indent, 2);
			draft_set(d, meta, key, buf_text(&value));
		}
		free(key);
	}
	rc = 0;
out:
	buf_free(&value);
	return rc;
}

/* Adds ids to an array and removes others. */
static void
draft_ids(
    struct draft *d, enum task_field field, const struct strings *add, const struct strings *remove)
{
	const struct json *j = &d->task->json;
	struct strings old = { 0 }, ids = { 0 };
	struct buf value = { 0 };
	void *seen = NULL;
	bool changed = false;
	size_t i;

	if (json_kind(j, d->at[field]) == JSON_ARRAY)
		json_strings(j, d->at[field], &old);
	for (i = 0; i < old.count; i++) {
		if (remove != NULL && strings_has(remove, old.item[i]))
			changed = true;
		else {
			strings_add(&ids, old.item[i]);
			(void)strings_first(&seen, old.item[i]);
		}
	}
	for (i = 0; add != NULL && i < add->count; i++)
		if (strings_first(&seen, add->item[i])) {
			strings_add(&ids, add->item[i]);
			changed = true;
		}
	strings_forget(seen);
	if (changed) {
		json_print_strings(&value, &ids, d->indent, 1);
		draft_set(d, JSON_ROOT, task_field_names[field], buf_text(&value));
	}
	buf_free(&value);
	strings_free(&old);
	strings_free(&ids);
}

static void
draft_dependencies(struct draft *d)
{
	const struct change *c = d->change;
	enum task_dialect dialect = d->task->dialect;

	switch (dialect) {
	case TASK_DOCUMENT:
	case TASK_EXPORTED:
		draft_ids(d, FIELD_DEPENDENCIES, c->add_blocked_by, c->remove_blocked_by);
		draft_ids(d, FIELD_BLOCKED_BY, NULL, c->remove_blocked_by);
		draft_ids(d, FIELD_BLOCKS, NULL, c->remove_blocks);
		break;
	case TASK_FOLDER:
		draft_ids(d, FIELD_BLOCKED_BY, c->add_blocked_by, c->remove_blocked_by);
		draft_ids(d, FIELD_DEPENDENCIES, NULL, c->remove_blocked_by);
		draft_ids(d, FIELD_BLOCKS,
		    d->at[FIELD_BLOCKS] != JSON_ABSENT ? c->add_blocks : NULL, c->remove_blocks);
		break;
	case TASK_NATIVE:
		draft_ids(d, FIELD_BLOCKS, c->add_blocks, c->remove_blocks);
		draft_ids(d, FIELD_BLOCKED_BY, c->add_blocked_by, c->remove_blocked_by);
		break;
	}
}

static void
draft_remove(struct draft *d, json_ref object, const char *key)
{
	if (json_member(&d->task->json, object, key) == JSON_ABSENT)
		return;
	json_edit_remove(&d->edit, object, key);
	d->changed = true;
}

/* Removes the owner: the key in a native file (the client does not list one with
 * null), in the other dialects the value becomes null. */
static void
draft_unown(struct draft *d)
{
	const struct json *j = &d->task->json;
	json_ref meta = task_metadata(d->task);

	if (d->task->dialect == TASK_NATIVE) {
		draft_remove(d, JSON_ROOT, "owner");
		return;
	}
	if (json_kind(j, d->at[FIELD_OWNER]) == JSON_STRING)
		draft_set(d, JSON_ROOT, "owner", "null");
	if (json_kind(j, d->at[FIELD_ASSIGNEE]) == JSON_STRING)
		draft_set(d, JSON_ROOT, "assignee", "null");
	if (d->task->dialect != TASK_DOCUMENT && meta != JSON_ABSENT)
		draft_remove(d, meta, "subagent_id");
}

static void
draft_owner(struct draft *d, const char *owner)
{
	json_ref meta = task_metadata(d->task);
	struct buf value = { 0 };

	if (owner == NULL)
		return;
	if (*owner == '\0' && d->change->empty_owner && d->task->dialect == TASK_NATIVE)
		draft_string(d, FIELD_OWNER, owner);
	else if (*owner == '\0')
		draft_unown(d);
	else if (d->task->owner != NULL && strcmp(d->task->owner, owner) == 0)
		;
	else if (d->task->dialect == TASK_DOCUMENT && d->at[FIELD_OWNER] == JSON_ABSENT)
		draft_string(d, FIELD_ASSIGNEE, owner);
	else if (d->task->dialect == TASK_EXPORTED && d->at[FIELD_OWNER] == JSON_ABSENT) {
		if (d->at[FIELD_ASSIGNEE] != JSON_ABSENT || meta == JSON_ABSENT)
			draft_string(d, FIELD_ASSIGNEE, owner);
		else {
			json_print_string(&value, owner, strlen(owner));
			draft_set(d, meta, "subagent_id", buf_text(&value));
		}
	} else
		draft_string(d, FIELD_OWNER, owner);
	buf_free(&value);
}

/* The parent that the change gives, in its own field or in the metadata. */
static char *
new_parent(const struct draft *d)
{
	json_ref inside = JSON_ABSENT;
	char *parent;

	if (d->change->parent != NULL)
		return mem_string(d->change->parent);
	if (d->patch_text.len > 0)
		inside = json_member(&d->patch, JSON_ROOT, "parent_id");
	if (inside == JSON_ABSENT)
		return NULL;
	parent = task_id_of(&d->patch, inside);
	return parent != NULL ? parent : mem_string("");
}

/* Update the other places that name the parent.  A text given together with metadata.parent_id is
 * written unchanged: an undo restores both. */
static void
follow_parent(const struct draft *d, char **subject, char **text)
{
	const struct change *c = d->change;
	const struct task *t = d->task;
	char *was;
	size_t len;
	bool given = c->description != NULL && macf_block(c->description, &len) != NULL;

	if (d->parent == NULL || c->verbatim)
		return;
	if (c->parent != NULL || c->subject == NULL) {
		was = *subject;
		*subject = macf_renumber(was != NULL ? was : t->subject, t->id, d->parent);
		free(was);
	}
	if ((c->parent != NULL || !given) && (given || macf_block(t->description, &len) != NULL)) {
		was = *text;
		*text = macf_reparent(was != NULL ? was : t->description, d->parent);
		free(was);
	}
}

/* The text of a task without a field for the subject, which is the first line. */
static char *
joined_text(const struct task *t, const struct change *c, const char *subject, const char *text)
{
	const char *line = text != NULL ? text : t->description;
	size_t len = strcspn(line, "\r\n");
	char *first = mem_copy(line, len), *whole;

	/* A text as it was read begins with the subject that it had. */
	if (c->subject == NULL || c->description == NULL || strcmp(first, subject) == 0 ||
	    strcmp(first, c->subject) == 0 || strcmp(first, t->subject) == 0)
		whole = mem_printf("%s%s", subject, line + len);
	else
		whole = task_join_subject(subject, text);
	free(first);
	return whole;
}

static void
draft_subject(struct draft *d)
{
	const struct change *c = d->change;
	const struct task *t = d->task;
	bool joined = d->at[FIELD_SUBJECT] == JSON_ABSENT &&
		      (t->dialect == TASK_DOCUMENT || t->dialect == TASK_EXPORTED);
	char *subject =
	    c->retitle && c->subject != NULL ? macf_retitle(t, c->subject) : mem_string(c->subject);
	char *text = NULL, *whole;

	if (joined && c->subject == NULL && c->description != NULL)
		subject = mem_copy(c->description, strcspn(c->description, "\r\n"));
	if (c->description != NULL)
		text = c->verbatim ? mem_string(c->description)
				   : macf_keep(t->description, c->description);
	follow_parent(d, &subject, &text);
	if (joined && subject != NULL) {
		whole = joined_text(t, c, subject, text);
		free(text);
		text = whole;
	} else if (!joined)
		draft_string(d, FIELD_SUBJECT, subject);
	draft_string(d, FIELD_DESCRIPTION, text);
	free(subject);
	free(text);
}

/* Sets updated_at where the dialect has it.  A missing created_at gets the time of the last change:
 * the task existed then at the latest. */
static void
draft_stamp(struct draft *d, int64_t now)
{
	const struct json *j = &d->task->json;
	json_ref meta = task_metadata(d->task);
	char iso[CLOCK_ISO], value[CLOCK_ISO + 2], *last;

	clock_iso_seconds(iso, now);
	snprintf(value, sizeof(value), "\"%s\"", iso);
	if (d->task->dialect == TASK_DOCUMENT) {
		json_edit_set(&d->edit, JSON_ROOT, "updated_at", value);
		if (json_kind(j, d->at[FIELD_CREATED_AT]) <= JSON_NULL) {
			last = task_time(d->task, "created_at");
			if (last == NULL)
				last = json_string(j, d->at[FIELD_UPDATED_AT]);
			draft_string(d, FIELD_CREATED_AT, last != NULL ? last : iso);
			free(last);
		}
	} else if (d->task->dialect == TASK_EXPORTED && meta != JSON_ABSENT &&
		   json_member(j, meta, "updated_at") != JSON_ABSENT)
		json_edit_set(&d->edit, meta, "updated_at", value);
}

/*
 * Is this text what the client would have written?  The known keys in their
 * order, then optional ones that an update has appended, in JavaScript's
 * layout.
 */
static bool
client_form(const struct task *t)
{
	const struct json *j = &t->json;
	json_ref meta = task_metadata(t);
	int f, last = -1;
	bool tail = false;

	if (t->dialect != TASK_NATIVE)
		return false;
	if (meta != JSON_ABSENT && json_member(j, meta, "__proto__") != JSON_ABSENT)
		return false;
	JSON_EACH (j, JSON_ROOT, m) {
		if ((f = task_field_of(j, m)) >= FIELD_NATIVE)
			return false;
		if (f < last)
			tail = true;
		if (tail && f != FIELD_ACTIVE_FORM && f != FIELD_OWNER && f != FIELD_METADATA)
			return false;
		last = f;
	}
	return json_script_form(j, t->text.len);
}

static void
print_member(struct buf *out, const struct json *j, json_ref value, enum task_field field)
{
	buf_puts(out, out->len == 1 ? "\n" : ",\n");
	buf_printf(out, "  \"%s\": ", task_field_names[field]);
	json_print(out, j, value, 2, 1);
}

/* Prints the keys that were there in the order of the schema, then the new ones. */
static int
client_print(const struct draft *d, struct buf *text, struct error *err)
{
	struct json j = { 0 };
	json_ref now[FIELD_COUNT];
	struct buf out = { 0 };
	int f, added;

	if (json_parse(&j, buf_text(text), text->len, err) == -1)
		return -1;
	task_fields(&j, now);
	buf_putc(&out, '{');
	for (added = 0; added <= 1; added++)
		for (f = 0; f < FIELD_NATIVE; f++)
			if (now[f] != JSON_ABSENT && (d->at[f] == JSON_ABSENT) == added)
				print_member(&out, &j, now[f], f);
	buf_puts(&out, "\n}");
	json_free(&j);
	buf_free(text);
	*text = out;
	return 0;
}

/* The active form for a new subject, if it is the one that the old subject was given. */
static char *
new_active_form(const struct task *t, const struct change *c)
{
	char *was, *made, *subject, *form = NULL;

	if (!c->retitle || c->subject == NULL || c->active_form != NULL || t->active_form == NULL)
		return NULL;
	was = macf_unmark(t->active_form);
	made = macf_active_form(t->subject);
	if (strcmp(was, made) == 0) {
		subject = macf_retitle(t, c->subject);
		form = macf_active_form(subject);
		free(subject);
	}
	free(was);
	free(made);
	return form;
}

int
task_edit(const struct task *t, const struct change *asked, int64_t now, struct buf *out,
    struct error *err)
{
	struct change change = *asked, *c = &change;
	struct draft d = { .task = t, .change = c };
	char *form = new_active_form(t, c);
	int rc = -1;

	if (form != NULL)
		c->active_form = form;
	d.indent = memchr(t->text.data, '\n', t->text.len) != NULL ? 2 : 0;
	task_fields(&t->json, d.at);
	json_edit_init(&d.edit, &t->json);
	if (task_change_check(t->dialect, t, c, err) == -1 ||
	    task_patch_make(&d.patch, &d.patch_text, t->dialect, t, c, err) == -1)
		goto out;
	d.parent = new_parent(&d);
	draft_subject(&d);
	if (!task_active_form_inside(t->dialect, t))
		draft_string(&d, FIELD_ACTIVE_FORM, c->active_form);
	draft_owner(&d, c->owner);
	if (c->status != TASK_NO_STATUS)
		draft_string(&d, FIELD_STATUS,
		    task_status_name(task_status_place(t->dialect, c->status).field));
	draft_dependencies(&d);
	if (t->dialect == TASK_DOCUMENT && c->parent != NULL && *c->parent == '\0')
		draft_remove(&d, JSON_ROOT, "parent_id");
	else if (t->dialect == TASK_DOCUMENT)
		draft_string(&d, FIELD_PARENT_ID, c->parent);
	if (draft_metadata(&d, err) == -1)
		goto out;
	if (!d.changed && !task_lacks_times(t)) {
		rc = 0;
		goto out;
	}
	/* the file's name is the id; like the client, correct another one in the text */
	draft_string(&d, FIELD_ID, t->id);
	draft_stamp(&d, now);
	json_edit_apply(&d.edit, out);
	if (client_form(t) && client_print(&d, out, err) == -1)
		goto out;
	if (task_text_check(t->dialect, t->id, out, err) == -1)
		goto out;
	rc = 1;
out:
	json_edit_free(&d.edit);
	json_free(&d.patch);
	buf_free(&d.patch_text);
	free(d.parent);
	free(form);
	return rc;
}
