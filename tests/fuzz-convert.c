/*
 * Tasks in every format, from any bytes: printed in every format, and read
 * again.  No task is lost and no id changes.
 */
#include <string.h>

#include "form/convert.h"
#include "fuzz.h"

static void
through(enum convert_form form, const struct task_set *set)
{
	struct task_set again = { 0 };
	struct convert_report report = { 0 };
	struct buf text = { 0 };
	struct error err;
	size_t kept = 0;

	if (convert_print(form, set, 1770410460123, &text, &report, &err) == -1)
		goto out;
	FUZZ_ASSERT(convert_read(form, buf_text(&text), text.len, &again, &report, &err) == 0);
	/* a checklist can hold only one line of a subject, and only words as ids */
	if (form != CONVERT_CHECKLIST) {
		for (size_t i = 0; i < set->count; i++) {
			/* the exported form has no internal tasks */
			if (set->item[i].internal && form == CONVERT_EXPORTED)
				continue;
			FUZZ_ASSERT(kept < again.count);
			FUZZ_ASSERT(strcmp(again.item[kept++].id, set->item[i].id) == 0);
		}
		FUZZ_ASSERT(kept == again.count);
	}
out:
	task_set_free(&again);
	convert_report_free(&report);
	buf_free(&text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct task_set set = { 0 };
	struct convert_report report = { 0 };
	struct error err;
	enum convert_form form;
	char *text;

	if (len < 1)
		return 0;
	text = malloc(len);
	memcpy(text, data + 1, len - 1);
	form = data[0] % 6 < CONVERT_UNKNOWN ? (enum convert_form)(data[0] % 6)
					     : convert_form_of(text, len - 1);
	if (convert_read(form, text, len - 1, &set, &report, &err) == 0)
		for (int to = 0; to < CONVERT_UNKNOWN; to++)
			through((enum convert_form)to, &set);
	task_set_free(&set);
	convert_report_free(&report);
	free(text);
	return 0;
}
