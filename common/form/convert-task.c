/*
 * One task in another dialect.
 *
 * A field keeps its meaning, but its place differs: what one dialect has at
 * the top, another has in its metadata, or nowhere.  The members are
 * collected as raw JSON, then printed in the target's order.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "form/convert-part.h"
#include "form/raw-fields.h"
#include "task/macf.h"
#include "task/task-part.h"
#include "json/json-print.h"

struct conversion {
	const struct task *task;
	const struct convert_context *context;
	enum task_dialect to;
	struct convert_report *report;
	struct raw_fields meta, extra;
	char *priority, *created, *updated; /* raw JSON; NULL */
	char *active_form, *parent;
	char *subject, *body; /* as the target has them */
	struct task_status_place status;
	struct strings blocks, blocked_by; /* ids in the target */
	struct strings open;               /* those of blocked_by that are not completed */
	json_ref at[FIELD_COUNT];
};

static void
drop(struct raw_fields *m, const char *key)
{
	free(raw_fields_take(m, key));
}

static char *
raw_copy(const struct json *j, json_ref at)
{
	return json_kind(j, at) == JSON_NULL ? NULL : json_raw_copy(j, at);
}

/* Removes a field and returns its text, NULL if it is not a JSON string. */
static char *
take_string(struct raw_fields *m, const char *key)
{
	char *raw = raw_fields_take(m, key), *s = NULL;
	struct json j = { 0 };
	struct error ignored;

	if (raw != NULL && json_parse(&j, raw, strlen(raw), &ignored) == 0)
		s = json_string(&j, JSON_ROOT);
	json_free(&j);
	free(raw);
	return s;
}

static char *
first_of(char *a, char *b)
{
	if (a == NULL)
		return b;
	free(b);
	return a;
}

static void
conversion_free(struct conversion *v)
{
	raw_fields_free(&v->meta);
	raw_fields_free(&v->extra);
	free(v->priority);
	free(v->created);
	free(v->updated);
	free(v->active_form);
	free(v->parent);
	free(v->subject);
	free(v->body);
	strings_free(&v->blocks);
	strings_free(&v->blocked_by);
	strings_free(&v->open);
}

/* Collects the fields, from the top and from the metadata. */
static void
collect_fields(struct conversion *v)
{
	const struct task *t = v->task;
	const struct json *j = &t->json;

	task_fields(j, v->at);
	raw_fields_collect(&v->extra, j, JSON_ROOT, false);
	if (json_kind(j, v->at[FIELD_METADATA]) == JSON_OBJECT)
		raw_fields_collect(&v->meta, j, v->at[FIELD_METADATA], true);
	v->priority =
	    first_of(raw_fields_take(&v->extra, "priority"), raw_fields_take(&v->meta, "priority"));
	v->created =
	    first_of(raw_copy(j, v->at[FIELD_CREATED_AT]), raw_fields_take(&v->meta, "created_at"));
	v->updated =
	    first_of(raw_copy(j, v->at[FIELD_UPDATED_AT]), raw_fields_take(&v->meta, "updated_at"));
	v->active_form = first_of(mem_string(t->active_form), take_string(&v->meta, "activeForm"));
	if (t->original != TASK_NO_STATUS)
		drop(&v->meta, TASK_ORIGINAL);
	v->parent = mem_string(t->parent);
	if (v->parent != NULL) {
		drop(&v->meta, "parent_id");
		drop(&v->meta, "parentId");
		drop(&v->meta, "parent");
	}
	if (t->dialect == TASK_EXPORTED)
		drop(&v->meta, "subagent_id");
}

/* The times as the list knows them. */
static void
fill_times(struct conversion *v)
{
	char *time[2], **raw[2] = { &v->created, &v->updated };
	struct buf text = { 0 };

	store_times(v->context->from, v->task, &time[0], &time[1]);
	for (int i = 0; i < 2; i++) {
		json_print_string(&text, time[i], strlen(time[i]));
		free(time[i]);
		free(*raw[i]);
		*raw[i] = buf_take(&text);
	}
}

static void
report_lost(struct conversion *v, const char *prefix, const char *what)
{
	struct buf line = { 0 };

	task_name(&line, v->task);
	buf_puts(&line, ": ");
	buf_puts(&line, prefix);
	text_show(&line, what, strlen(what), TEXT_LINE, 80);
	buf_puts(&line, " is lost");
	strings_add(&v->report->lost, buf_text(&line));
	buf_free(&line);
}

/* Reports what a folder or a checklist cannot hold.  A checklist has the parent; that it has no
 * times is not reported. */
static void
report_rest(struct conversion *v, bool folder)
{
	size_t len;

	if (v->active_form != NULL)
		report_lost(v, "", "activeForm");
	if (folder && v->parent != NULL && macf_block(v->body, &len) == NULL)
		report_lost(v, "", "its parent");
	if (v->priority != NULL)
		report_lost(v, "", "priority");
	if (folder && v->created != NULL)
		report_lost(v, "", "created_at");
	if (folder && v->updated != NULL)
		report_lost(v, "", "updated_at");
	for (size_t i = 0; i < v->meta.key.count; i++)
		report_lost(v, "metadata.", v->meta.key.item[i]);
	for (size_t i = 0; i < v->extra.key.count; i++)
		report_lost(v, "", v->extra.key.item[i]);
}

/*
 * The status in the target.  In an exported task and in a document, blocked
 * follows from the dependencies; where they do not say it, it was set.
 */
static void
replace_status(struct conversion *v)
{
	const struct task *t = v->task;
	enum task_status status = t->status;
	/* a document may not know yet that its dependencies are completed */
	bool over = t->dialect == TASK_DOCUMENT && t->blocked_by.count > 0;

	if (status == TASK_BLOCKED && !task_held(t) && (v->open.count > 0 || over))
		status = TASK_PENDING;
	v->status = task_status_place(v->to, status);
	if (status == TASK_PENDING && v->open.count > 0 && v->to == TASK_EXPORTED)
		v->status.field = TASK_BLOCKED;
}

/* Ids in the task's own text, then those that the texts of others add (NULL: none). */
static void
gather_ids(const struct convert_context *c, struct strings *ids, const struct strings *own,
    const struct strings *others)
{
	void *seen = NULL;
	const char *id;
	size_t i;

	for (i = 0; i < own->count; i++)
		if (strings_first(&seen, id = convert_id(c, own->item[i])))
			strings_add(ids, id);
	for (i = 0; others != NULL && i < others->count; i++)
		if (strings_first(&seen, others->item[i]))
			strings_add(ids, others->item[i]);
	strings_forget(seen);
}

/* The dependencies in both directions, from the texts of both tasks, as new ids. */
static void
gather_edges(struct conversion *v)
{
	const struct convert_context *c = v->context;
	const struct task *t = v->task;
	size_t at = c->blocks != NULL ? task_index_find(&c->index, t->id) : TASK_NOWHERE;
	bool known = at != TASK_NOWHERE;

	gather_ids(c, &v->blocks, &t->blocks, known ? &c->blocks[at] : NULL);
	gather_ids(c, &v->blocked_by, &t->blocked_by, known ? &c->blocked_by[at] : NULL);
}

/* A missing blocker blocks too. */
static void
gather_open(struct conversion *v)
{
	const struct convert_context *c = v->context;
	const struct task *t = v->task;
	struct strings waits = { 0 };

	for (size_t i = 0; i < t->blocked_by.count; i++)
		if (c->all == NULL || task_blocks(task_index_get(&c->index, t->blocked_by.item[i])))
			strings_add(&waits, t->blocked_by.item[i]);
	gather_ids(c, &v->open, &waits, NULL);
	strings_free(&waits);
}

static void
add_original(struct conversion *v)
{
	if (v->status.original != TASK_NO_STATUS)
		raw_fields_add_string(
		    &v->meta, TASK_ORIGINAL, task_status_name(v->status.original));
}

static void
make_plain(char **text)
{
	char *plain = *text != NULL ? text_plain(*text) : NULL;

	free(*text);
	*text = plain;
}

/* The texts as the target has them: under the new ids, and plain if that is asked for. */
static void
replace_texts(struct conversion *v, const char *id)
{
	const struct task *t = v->task;
	const char *parent = convert_id(v->context, v->parent), *body = convert_body(t);
	bool moved = strcmp(id, t->id) != 0 || (parent != NULL && strcmp(parent, v->parent) != 0);

	v->subject = moved ? macf_renumber(t->subject, id, parent) : mem_string(t->subject);
	v->body = moved && parent != NULL ? macf_reparent(body, parent) : mem_string(body);
	if (v->context->plain) {
		make_plain(&v->subject);
		make_plain(&v->body);
		make_plain(&v->active_form);
	}
}

/* Copies the bytes of the source, which keeps lone surrogates, if the source has the text. */
static void
put_text(
    struct conversion *v, struct buf *out, enum task_field field, const char *was, const char *text)
{
	bool same = v->task->dialect != TASK_DOCUMENT && strcmp(text, was) == 0;
	char *raw = same ? raw_copy(&v->task->json, v->at[field]) : NULL;

	if (raw != NULL)
		raw_fields_put_raw(out, task_field_names[field], raw);
	else
		raw_fields_put_string(out, task_field_names[field], text, false);
	free(raw);
}

static void
put_texts(struct conversion *v, struct buf *out)
{
	put_text(v, out, FIELD_SUBJECT, v->task->subject, v->subject);
	put_text(v, out, FIELD_DESCRIPTION, convert_body(v->task), v->body);
}

static void
put_native(struct conversion *v, struct buf *out, bool had_metadata)
{
	const struct task *t = v->task;

	put_texts(v, out);
	raw_fields_put_string(out, "activeForm", v->active_form, false);
	raw_fields_put_string(out, "owner", t->owner, false);
	raw_fields_put_string(out, "status", task_status_name(v->status.field), false);
	raw_fields_put_ids(out, "blocks", &v->blocks);
	raw_fields_put_ids(out, "blockedBy", &v->blocked_by);
	raw_fields_add_string(&v->meta, "parent_id", convert_id(v->context, v->parent));
	raw_fields_add(&v->meta, "priority", v->priority);
	raw_fields_add(&v->meta, "created_at", v->created);
	raw_fields_add(&v->meta, "updated_at", v->updated);
	add_original(v);
	/* the client drops unknown keys at the top */
	for (size_t i = 0; i < v->extra.key.count; i++) {
		if (strings_has(&v->meta.key, v->extra.key.item[i]))
			report_lost(v, "", v->extra.key.item[i]);
		raw_fields_add(&v->meta, v->extra.key.item[i], v->extra.value.item[i]);
	}
	raw_fields_put_metadata(out, &v->meta, had_metadata);
}

static void
put_document(struct conversion *v, int64_t now, struct buf *out, bool had_metadata)
{
	const struct task *t = v->task;
	char iso[CLOCK_ISO], *joined = task_join_subject(v->subject, v->body);
	size_t line = strcspn(joined, "\r\n");
	/* reading it back must give the same subject and description */
	bool plain = line == strlen(v->subject) &&
		     (joined[line] == '\0' || strcmp(joined + line + 2, v->body) == 0);

	clock_iso_seconds(iso, now);
	if (!plain)
		raw_fields_put_string(out, "subject", v->subject, false);
	raw_fields_put_string(out, "description", plain ? joined : v->body, false);
	raw_fields_put_string(out, "status", task_status_name(v->status.field), false);
	if (v->created != NULL)
		raw_fields_put_raw(out, "created_at", v->created);
	else
		raw_fields_put_string(out, "created_at", iso, false);
	if (v->updated != NULL)
		raw_fields_put_raw(out, "updated_at", v->updated);
	else
		raw_fields_put_string(out, "updated_at", iso, false);
	raw_fields_put_string(out, "assignee", t->owner, true);
	raw_fields_put_ids(out, "dependencies", &v->blocked_by);
	raw_fields_put_string(out, "parent_id", convert_id(v->context, v->parent), false);
	raw_fields_add(&v->meta, "priority", v->priority);
	raw_fields_add_string(&v->meta, "activeForm", v->active_form);
	add_original(v);
	raw_fields_put_metadata(out, &v->meta, had_metadata);
	raw_fields_put(out, &v->extra);
	free(joined);
}

static void
put_exported(struct conversion *v, struct buf *out, bool had_metadata)
{
	const struct task *t = v->task;

	put_texts(v, out);
	raw_fields_put_string(out, "status", task_status_name(v->status.field), false);
	raw_fields_put_raw(out, "priority", v->priority);
	raw_fields_put_string(out, "owner", t->owner, false);
	raw_fields_put_ids(out, "dependencies", &v->blocked_by);
	raw_fields_put_ids(out, "blockedBy", &v->open);
	raw_fields_add_string(&v->meta, "subagent_id", t->owner);
	raw_fields_add(&v->meta, "created_at", v->created);
	raw_fields_add(&v->meta, "updated_at", v->updated);
	raw_fields_add_string(&v->meta, "parent_id", convert_id(v->context, v->parent));
	raw_fields_add_string(&v->meta, "activeForm", v->active_form);
	add_original(v);
	raw_fields_put_metadata(out, &v->meta, had_metadata);
	raw_fields_put(out, &v->extra);
}

static void
put_folder(struct conversion *v, struct buf *out)
{
	const struct task *t = v->task;

	put_texts(v, out);
	raw_fields_put_string(out, "status", task_status_name(v->status.field), false);
	raw_fields_put_string(out, "owner", t->owner, true);
	raw_fields_put_ids(out, "blockedBy", &v->blocked_by);
	report_rest(v, true);
}

void
convert_report_checklist(const struct task *t, struct convert_report *report)
{
	static const struct convert_context none;
	struct conversion v = { .task = t, .context = &none, .report = report };

	collect_fields(&v);
	report_rest(&v, false);
	conversion_free(&v);
}

int
convert_one(const struct task *t, enum task_dialect to, const char *id,
    const struct convert_context *context, int64_t now, struct buf *out,
    struct convert_report *report, struct error *err)
{
	struct conversion v = { .task = t, .context = context, .to = to, .report = report };
	bool had = task_metadata(t) != JSON_ABSENT;
	int rc;

	collect_fields(&v);
	if (to == TASK_EXPORTED && context->from != NULL)
		fill_times(&v);
	replace_texts(&v, id);
	gather_edges(&v);
	gather_open(&v);
	replace_status(&v);
	buf_reset(out);
	buf_putc(out, '{');
	raw_fields_put_string(out, "id", id, false);
	switch (to) {
	case TASK_NATIVE:
		put_native(&v, out, had);
		break;
	case TASK_DOCUMENT:
		put_document(&v, now, out, had);
		break;
	case TASK_EXPORTED:
		put_exported(&v, out, had);
		break;
	case TASK_FOLDER:
		put_folder(&v, out);
		break;
	}
	buf_putc(out, '}');
	rc = task_text_check(to, id, out, err);
	conversion_free(&v);
	return rc;
}
