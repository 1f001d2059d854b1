/*
 * Reads and prints texts of many tasks.
 */
#include "form/convert.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "form/checklist.h"
#include "form/convert-part.h"
#include "list/document-edit.h"
#include "task/task-part.h"
#include "json/json-print.h"

static const struct {
	const char *name;
	enum convert_form form;
} names[] = {
	/* the first five are the names we print */
	{ "native", CONVERT_NATIVE },
	{ "document", CONVERT_DOCUMENT },
	{ "exported", CONVERT_EXPORTED },
	{ "folder", CONVERT_FOLDER },
	{ "checklist", CONVERT_CHECKLIST },
	{ "tasks.json", CONVERT_DOCUMENT },
	{ "array", CONVERT_EXPORTED },
	{ ".tasks", CONVERT_FOLDER },
	{ "markdown", CONVERT_CHECKLIST },
	{ "md", CONVERT_CHECKLIST },
};

const char *
convert_form_name(enum convert_form form)
{
	return form < CONVERT_UNKNOWN ? names[form].name : "unknown";
}

enum convert_form
convert_form_parse(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcasecmp(name, names[i].name) == 0)
			return names[i].form;
	return CONVERT_UNKNOWN;
}

void
convert_report_free(struct convert_report *r)
{
	strings_free(&r->lost);
	strings_free(&r->changed);
	strings_free(&r->skipped);
	strings_free(&r->skipped_ids);
}

/* The dialect of an object, by the keys it has. */
static enum convert_form
object_form(const struct json *j, json_ref object)
{
	if (json_member(j, object, "dependencies") != JSON_ABSENT ||
	    json_member(j, object, "priority") != JSON_ABSENT)
		return CONVERT_EXPORTED;
	if (json_member(j, object, "blocks") != JSON_ABSENT)
		return CONVERT_NATIVE;
	if (json_member(j, object, "owner") != JSON_ABSENT &&
	    json_member(j, object, "metadata") == JSON_ABSENT)
		return CONVERT_FOLDER;
	return CONVERT_EXPORTED;
}

enum convert_form
convert_form_of(const char *text, size_t len)
{
	struct json j = { 0 };
	struct error ignored;
	enum convert_form form = CONVERT_UNKNOWN;

	if (json_parse(&j, text, len, &ignored) == -1)
		form = checklist_is(text, len) ? CONVERT_CHECKLIST : CONVERT_UNKNOWN;
	else if (json_kind(&j, JSON_ROOT) == JSON_ARRAY)
		form = json_count(&j, JSON_ROOT) > 0 ? object_form(&j, json_first(&j, JSON_ROOT))
						     : CONVERT_EXPORTED;
	else if (json_kind(&j, json_member(&j, JSON_ROOT, "tasks")) == JSON_ARRAY)
		form = CONVERT_DOCUMENT;
	else if (json_kind(&j, JSON_ROOT) == JSON_OBJECT)
		form = object_form(&j, JSON_ROOT);
	json_free(&j);
	return form;
}

static enum task_dialect
form_dialect(enum convert_form form)
{
	return form == CONVERT_NATIVE     ? TASK_NATIVE
	       : form == CONVERT_DOCUMENT ? TASK_DOCUMENT
	       : form == CONVERT_FOLDER   ? TASK_FOLDER
					  : TASK_EXPORTED;
}

/* The tasks of a text, and the place of each there, counted with what is skipped. */
struct reading {
	struct task_set *set;
	struct strings place; /* "entry 3"; a checklist has none */
	struct convert_report *report;
};

/* The id of an entry that is skipped, if it has one. */
static void
note_id(struct reading *r, const struct json *j, json_ref entry)
{
	char *id = task_id_of(j, json_member(j, entry, "id"));

	if (id != NULL)
		strings_take(&r->report->skipped_ids, id);
}

/* The client does not show a native task that is blocked or cancelled by the word itself; it is
 * read like an exported one. */
static int
read_any_status(
    struct task *t, enum task_dialect dialect, const char *raw, size_t len, struct error *err)
{
	struct error ignored;

	if (task_read(t, dialect, NULL, raw, len, err) == 0)
		return 0;
	if (dialect != TASK_NATIVE || task_read(t, TASK_EXPORTED, NULL, raw, len, &ignored) == -1)
		return -1;
	if (t->status == TASK_BLOCKED || t->status == TASK_CANCELLED)
		return 0;
	task_free(t);
	return -1;
}

static void
parse_element(
    enum task_dialect dialect, const char *raw, size_t len, size_t index, struct reading *r)
{
	struct json j = { 0 };
	struct error why, ignored;
	char *place = mem_printf("entry %zu", index + 1);

	if (read_any_status(task_set_add(r->set), dialect, raw, len, &why) == 0) {
		strings_take(&r->place, place);
		return;
	}
	r->set->count--;
	strings_take(&r->report->skipped, mem_printf("%s: %s", place, why.text));
	if (json_parse(&j, raw, len, &ignored) == 0)
		note_id(r, &j, JSON_ROOT);
	json_free(&j);
	free(place);
}

/* An array, a single task, or one task per line. */
static int
parse_array(
    enum task_dialect dialect, const char *text, size_t len, struct reading *r, struct error *err)
{
	struct json j = { 0 };
	const char *raw, *end;
	json_ref el;
	size_t size, index = 0;
	int rc = json_parse(&j, text, len, err);

	if (rc == 0 && json_kind(&j, JSON_ROOT) == JSON_ARRAY) {
		for (el = json_first(&j, JSON_ROOT); el != JSON_ABSENT;
		     el = json_next(&j, JSON_ROOT, el), index++) {
			raw = json_raw(&j, el, &size);
			parse_element(dialect, raw, size, index, r);
		}
	} else if (rc == 0)
		parse_element(dialect, text, len, 0, r);
	else if (memchr(text, '\n', len) != NULL && text[0] == '{') {
		rc = 0;
		for (raw = text; raw < text + len; raw = end + 1, index++) {
			end = memchr(raw, '\n', (size_t)(text + len - raw));
			if (end == NULL)
				end = text + len;
			if (end > raw)
				parse_element(dialect, raw, (size_t)(end - raw), index, r);
		}
	}
	json_free(&j);
	return rc;
}

static int
parse_document(const char *text, size_t len, struct reading *r, struct error *err)
{
	struct document d = { 0 };
	json_ref el;
	size_t i = 0, at = 0;
	int rc = document_parse(&d, text, len, err);

	el = rc == 0 ? json_first(&d.json, d.list) : JSON_ABSENT;
	for (; el != JSON_ABSENT; el = json_next(&d.json, d.list, el), at++) {
		if (i == d.tasks.count || el != d.entry[i].ref) {
			note_id(r, &d.json, el);
			continue;
		}
		strings_take(&r->place, mem_printf("tasks[%zu]", at));
		*task_set_add(r->set) = d.tasks.item[i];
		d.tasks.item[i++] = (struct task)TASK_INIT;
	}
	for (i = 0; rc == 0 && i < d.bad.count; i++)
		strings_add(&r->report->skipped, d.bad.item[i]);
	document_free(&d);
	return rc;
}

/* Of two tasks with one id the first is kept. */
static void
drop_duplicates(struct reading *r)
{
	struct task_set *set = r->set;
	struct task_index index;
	size_t i, kept = 0;
	bool *twice = mem_alloc(set->count + 1);

	task_index_make(&index, set);
	for (i = 0; i < set->count; i++)
		twice[i] = task_index_find(&index, set->item[i].id) != i;
	task_index_free(&index);
	for (i = 0; i < set->count; i++) {
		if (twice[i]) {
			char *place = i < r->place.count ? mem_string(r->place.item[i])
							 : mem_printf("entry %zu", i + 1);

			strings_take(
			    &r->report->skipped, mem_printf("%s: an earlier entry has the id #%s",
						     place, set->item[i].id));
			free(place);
			task_free(&set->item[i]);
			continue;
		}
		if (kept != i)
			set->item[kept] = set->item[i];
		kept++;
	}
	set->count = kept;
	free(twice);
}

static int
refuse_unknown(const char *text, size_t len, struct error *err)
{
	struct json j = { 0 };
	size_t at = 0;
	int rc = 0;

	while (at < len && isspace((unsigned char)text[at]))
		at++;
	if (at < len && (text[at] == '{' || text[at] == '['))
		rc = json_parse(&j, text, len, err);
	json_free(&j);
	return rc == -1 ? error_prefix(err, "invalid JSON")
			: error_set(err, ERROR_INPUT,
			      "its form is unknown (try: --from document, exported, native or "
			      "checklist)");
}

int
convert_read(enum convert_form form, const char *text, size_t len, struct task_set *set,
    struct convert_report *report, struct error *err)
{
	struct reading r = { .set = set, .report = report };
	int rc;

	switch (form) {
	case CONVERT_DOCUMENT:
		rc = parse_document(text, len, &r, err);
		break;
	case CONVERT_CHECKLIST:
		rc = checklist_read(text, len, set, err);
		break;
	case CONVERT_UNKNOWN:
		return refuse_unknown(text, len, err);
	default:
		rc = parse_array(form_dialect(form), text, len, &r, err);
	}
	if (rc == 0)
		drop_duplicates(&r);
	strings_free(&r.place);
	return rc;
}

static int
print_document(const struct task_set *set, const struct convert_context *context, int64_t now,
    struct buf *out, struct convert_report *report, struct error *err)
{
	struct document d = { 0 };
	struct buf text = { 0 };
	size_t i;
	int rc;

	document_empty(&text, now);
	rc = document_parse(&d, text.data, text.len, err);
	for (i = 0; rc == 0 && i < set->count; i++) {
		const struct task *t = &set->item[i];

		rc = t->dialect == TASK_DOCUMENT
			 ? document_add(&d, t->text.data, t->text.len, err)
			 : convert_one(t, TASK_DOCUMENT, t->id, context, now, &text, report, err);
		if (rc == 0 && t->dialect != TASK_DOCUMENT)
			rc = document_add(&d, text.data, text.len, err);
	}
	if (rc == 0)
		rc = document_print(&d, now, out, err);
	document_free(&d);
	buf_free(&text);
	return rc;
}

static int
print_array(enum task_dialect dialect, const struct task_set *set,
    const struct convert_context *context, bool compact, int64_t now, struct buf *out,
    struct convert_report *report, struct error *err)
{
	struct buf text = { 0 }, all = { 0 };
	struct json j = { 0 };
	size_t i;
	int rc = 0;

	buf_putc(&all, '[');
	for (i = 0; rc == 0 && i < set->count; i++) {
		const struct task *t = &set->item[i];

		if (t->internal && dialect == TASK_EXPORTED)
			continue;
		if (t->dialect == dialect) {
			buf_reset(&text);
			buf_add(&text, t->text.data, t->text.len);
		} else
			rc = convert_one(t, dialect, t->id, context, now, &text, report, err);
		buf_puts(&all, all.len > 1 ? "," : "");
		buf_add(&all, buf_text(&text), text.len);
	}
	buf_putc(&all, ']');
	if (rc == 0 && (rc = json_parse(&j, all.data, all.len, err)) == 0) {
		buf_reset(out);
		json_print(out, &j, JSON_ROOT, compact ? 0 : 2, 0);
		buf_puts(out, compact ? "" : "\n");
	}
	json_free(&j);
	buf_free(&text);
	buf_free(&all);
	return rc;
}

static int
print_set(enum convert_form form, const struct task_set *set, struct store *from, bool plain,
    bool compact, int64_t now, struct buf *out, struct convert_report *report, struct error *err)
{
	struct convert_context context = { 0 };
	int rc = 0;

	convert_context_make(&context, set);
	convert_context_edges(&context);
	context.from = from;
	context.plain = plain;
	switch (form) {
	case CONVERT_DOCUMENT:
		rc = print_document(set, &context, now, out, report, err);
		break;
	case CONVERT_CHECKLIST:
		buf_reset(out);
		checklist_print(set, out, report);
		break;
	case CONVERT_UNKNOWN:
		rc = error_set(err, ERROR_INPUT, "the form of the tasks is not known");
		break;
	default:
		rc = print_array(form_dialect(form), set, &context, compact, now, out, report, err);
	}
	convert_context_free(&context);
	return rc;
}

int
convert_print(enum convert_form form, const struct task_set *set, int64_t now, struct buf *out,
    struct convert_report *report, struct error *err)
{
	return print_set(form, set, NULL, false, false, now, out, report, err);
}

int
convert_export(struct store *s, bool plain, bool compact, struct buf *out, struct error *err)
{
	struct task_set set = { 0 };
	struct convert_report report = { 0 };
	int rc = store_load(s, &set, err);

	if (rc != -1)
		rc = print_set(
		    CONVERT_EXPORTED, &set, s, plain, compact, clock_wall_ms(), out, &report, err);
	convert_report_free(&report);
	task_set_free(&set);
	return rc;
}
