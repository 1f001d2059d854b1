/*
 * Read an export back.  It may have been edited: everything is checked, and
 * only what the chain proves is used.
 */
#include <stdlib.h>
#include <string.h>

#include "list/receipt.h"

/* One element: the native dialect first, then those of other tools. */
static int
add_task(struct task_set *set, const char *text, size_t len, struct error *e)
{
	static const enum task_dialect dialects[] = { TASK_NATIVE, TASK_EXPORTED, TASK_DOCUMENT };
	struct error first;

	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
		struct task t = TASK_INIT;

		if (task_read(&t, dialects[i], NULL, text, len, i == 0 ? &first : e) == 0) {
			*task_set_add(set) = t;
			return 0;
		}
		task_free(&t);
	}
	*e = first;
	return -1;
}

static int
add_tasks(struct task_set *set, const struct json *j, json_ref array, struct error *e)
{
	size_t n = 0;

	if (json_kind(j, array) != JSON_ARRAY)
		return error_set(e, ERROR_INPUT, "there is no array of tasks");
	for (json_ref at = json_first(j, array); at != JSON_ABSENT;
	     at = json_next(j, array, at), n++) {
		size_t len;
		const char *raw = json_raw(j, at, &len);

		if (add_task(set, raw, len, e) == -1)
			return error_prefix(e, "task %zu", n + 1);
	}
	return 0;
}

int
receipt_tasks(struct task_set *set, const char *text, size_t len, struct error *e)
{
	struct json j = { 0 };
	int rc = json_parse(&j, text, len, e);

	if (rc == 0)
		rc = add_tasks(set, &j,
		    json_kind(&j, JSON_ROOT) == JSON_ARRAY ? JSON_ROOT
							   : json_member(&j, JSON_ROOT, "tasks"),
		    e);
	json_free(&j);
	return rc;
}

void
receipt_file_free(struct receipt_file *f)
{
	free(f->list);
	free(f->head);
	task_set_free(&f->tasks);
	buf_free(&f->journal);
	*f = (struct receipt_file){ 0 };
}

int
receipt_import(struct receipt_file *f, const char *text, size_t len, struct error *e)
{
	struct json j = { 0 };
	json_ref lines;
	int rc = -1;

	*f = (struct receipt_file){ 0 };
	if (json_parse(&j, text, len, e) == -1)
		goto out;
	lines = json_member(&j, JSON_ROOT, "journal");
	if (!json_equals(&j, json_member(&j, JSON_ROOT, "format"), RECEIPT_FORMAT) ||
	    json_kind(&j, lines) != JSON_ARRAY) {
		error_set(e, ERROR_INPUT, "this is not an export of receipts (" RECEIPT_FORMAT ")");
		goto out;
	}
	f->list = json_member_string(&j, JSON_ROOT, "list");
	f->head = json_member_string(&j, JSON_ROOT, "head");
	if (f->list == NULL || f->head == NULL ||
	    json_int(&j, json_member(&j, JSON_ROOT, "lines"), &f->lines) == -1) {
		error_set(e, ERROR_INPUT, "the export has no \"list\", \"head\" or \"lines\"");
		goto out;
	}
	JSON_EACH (&j, lines, at) {
		size_t n;
		char *line = json_string_len(&j, at, &n);

		if (line == NULL) {
			error_set(e, ERROR_INPUT, "a line of the journal is not a string");
			goto out;
		}
		buf_add(&f->journal, line, n);
		buf_putc(&f->journal, '\n');
		free(line);
	}
	rc = add_tasks(&f->tasks, &j, json_member(&j, JSON_ROOT, "tasks"), e);
out:
	json_free(&j);
	if (rc == -1)
		receipt_file_free(f);
	return rc;
}
