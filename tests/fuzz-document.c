/*
 * A tasks.json of any bytes: read, changed, printed.  The output can be read
 * again, has the change, and all tasks that were not removed.  A
 * text in the form of JSON.stringify keeps that form.
 *
 * The first byte chooses the change.
 */
#include <string.h>

#include "fuzz.h"
#include "list/document-edit.h"
#include "json/json-print.h"

#define NOW 1770410460123

/* The same tasks in the same order, except for one removed and one added task. */
static void
still_there(const struct strings *before, const struct document *d, size_t gone, size_t added)
{
	size_t n = 0;

	for (size_t i = 0; i < before->count; i++)
		if (i != gone)
			FUZZ_ASSERT(n < d->tasks.count &&
				    strcmp(before->item[i], d->tasks.item[n++].id) == 0);
	FUZZ_ASSERT(d->tasks.count == n + added);
}

static bool
is_printed(const struct document *d)
{
	size_t len = d->text.len;

	while (len > 0 && d->text.data[len - 1] == '\n')
		len--;
	return json_script_form(&d->json, len);
}

static void
change(struct document *d, unsigned int choice)
{
	struct change c = CHANGE_INIT;
	struct document after = { 0 };
	struct strings before = { 0 };
	struct buf out = { 0 };
	struct error e;
	size_t at = d->tasks.count > 0 ? choice % d->tasks.count : 0, gone = DOCUMENT_NONE,
	       added = 0;
	int rc = 0;

	for (size_t i = 0; i < d->tasks.count; i++)
		strings_add(&before, d->tasks.item[i].id);
	c.status = (enum task_status)(choice >> 2 & 3);
	c.owner = choice & 16 ? "b" : choice & 32 ? "" : NULL;
	c.metadata = choice & 64 ? "{\"k\": [1]}" : NULL;
	if ((choice & 3) == 0) {
		c.subject = c.description = "new";
		rc = task_make(
		    TASK_DOCUMENT, "0b6c3f8e-0000-4000-8000-0000000000ff", &c, NOW, &out, &e);
		if (rc != -1)
			rc = document_add(d, buf_text(&out), out.len, &e);
		added = rc != -1;
	} else if (before.count > 0 && (choice & 3) == 1) {
		document_remove(d, gone = at);
	} else if (before.count > 0) {
		rc = document_edit(d, at, &c, NOW, &e);
	}
	if (rc != -1 && document_print(d, NOW, &out, &e) != -1) {
		FUZZ_ASSERT(document_parse(&after, buf_text(&out), out.len, &e) == 0);
		still_there(&before, &after, gone, added);
		FUZZ_ASSERT(after.bad.count == d->bad.count);
		FUZZ_ASSERT(!is_printed(d) || is_printed(&after));
	}
	document_free(&after);
	strings_free(&before);
	buf_free(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct document d = { 0 };
	struct error e;
	char *text;

	if (len < 2)
		return 0;
	text = malloc(len - 1);
	memcpy(text, data + 1, len - 1);
	if (document_parse(&d, text, len - 1, &e) == 0)
		change(&d, data[0]);
	document_free(&d);
	free(text);
	return 0;
}
