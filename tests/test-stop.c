#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "hook/stop.h"

Test(stop, reports_in_a_message_are_found)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "nothing here", "" },
		{ "{\"tasks_to_update\":[{\"task_id\":\"1\",\"status\":\"completed\"}]}",
		    "1 completed;" },
		{ "Done.\n```json\n{\"tasks_to_update\": "
		  "[{\"taskId\":\"1\",\"status\":\"completed\"},"
		  "{\"id\":\"2\",\"status\":\"pending\"}]}\n```\nbye {",
		    "1 completed;2 pending;" },
		{ "{\"a\":{\"b\":\"}\"},\"tasks_to_update\":[{\"task_id\":\"7\",\"status\":"
		  "\"in_progress\"}]}",
		    "7 in_progress;" },
		{ "{\"hookSpecificOutput\":{\"tasks_to_update\":[{\"task_id\":\"7\",\"status\":"
		  "\"completed\"}]}}",
		    "7 completed;" },
		/* the last report of a task counts; one without a status is ignored */
		{ "{\"tasks_to_update\":[{\"task_id\":\"1\",\"status\":\"completed\"},"
		  "{\"task_id\":\"1\",\"status\":\"pending\"},{\"task_id\":\"2\"},"
		  "{\"status\":\"completed\"},5]}",
		    "1 pending;" },
		{ "{\"tasks_to_update\":[{\"task_id\":\"1\",\"status\":\"done\"}]}", "1 ?;" },
		{ "{\"tasks_to_update\":[{\"task_id\":\"1\",\"status\":\"completed\"}", "" },
		{ "\"tasks_to_update\"", "" },
		{ "{\"tasks_to_update\"", "" },
		{ "he said {\"tasks_to_update\": nothing} and "
		  "{\"tasks_to_update\":[{\"task_id\":\"3\",\"status\":\"completed\"}]}",
		    "3 completed;" },
		{ "{\"tasks_to_update\":{\"task_id\":\"1\"}}", "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reports r = { 0 };
		struct buf b = { 0 };

		reports_in_text(&r, rows[i].text);
		for (size_t k = 0; k < r.count; k++)
			buf_printf(&b, "%s %s;", r.item[k].task,
			    r.item[k].status == TASK_NO_STATUS
				? "?"
				: task_status_name(r.item[k].status));
		cr_expect_str_eq(
		    buf_text(&b), rows[i].want, "'%s': %s", rows[i].text, buf_text(&b));
		buf_free(&b);
		reports_free(&r);
	}
}

/* The text `count` times, then `last`. */
static char *
repeated(const char *text, size_t count, const char *last)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < count; i++)
		buf_puts(&b, text);
	buf_puts(&b, last);
	return b.data;
}

/* If the time grew with the square of the length, these would take hours. */
Test(stop, a_long_message_takes_limited_time, .timeout = 60)
{
	static const char *const texts[] = {
		"{\"tasks_to_update\"",
		"\"tasks_to_update\"",
		"{{{{\"tasks_to_update\":[",
		"{\"tasks_to_update\":}",
		"{\"tasks_to_update\":[{\"task_id\":\"1\",\"status\":\"done\"}]}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct reports r = { 0 };
		char *text = repeated(texts[i], (8u << 20) / strlen(texts[i]), "");

		reports_in_text(&r, text);
		cr_expect_leq(r.count, 1);
		reports_free(&r);
		free(text);
	}
}

Test(stop, a_report_after_many_false_starts_is_found)
{
	struct reports r = { 0 };
	char *text = repeated("{ if (x) { a[\"tasks_to_update\"] = {}; } }\n", 20,
	    "{\"tasks_to_update\":[{\"task_id\":\"3\",\"status\":\"completed\"}]}");

	reports_in_text(&r, text);
	cr_assert_eq(r.count, 1);
	cr_expect_str_eq(r.item[0].task, "3");
	reports_free(&r);
	free(text);
}
