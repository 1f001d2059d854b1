#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "hook/decision.h"
#include "json/out.h"

/* Both outputs of a decision. */
static int
written(const struct decision *d, enum event_kind kind, char *out, char *err, size_t room)
{
	int o[2], r[2], status;
	ssize_t n;

	cr_assert_eq(pipe(o) | pipe(r), 0);
	status = decision_write(d, kind, o[1], r[1]);
	close(o[1]);
	close(r[1]);
	n = read(o[0], out, room - 1);
	out[n > 0 ? n : 0] = '\0';
	n = read(r[0], err, room - 1);
	err[n > 0 ? n : 0] = '\0';
	close(o[0]);
	close(r[0]);
	return status;
}

Test(decision, each_event_gets_its_output_format)
{
	static const struct {
		enum event_kind kind;
		enum verdict verdict;
		const char *message, *context, *input, *tasks, *want;
	} rows[] = {
		{ EVENT_PRE_TOOL_USE, VERDICT_PASS, "", "", "", "", "" },
		{ EVENT_PRE_TOOL_USE, VERDICT_REFUSE, "", "", "", "",
		    "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\","
		    "\"permissionDecision\":"
		    "\"deny\",\"permissionDecisionReason\":\"because\"},"
		    "\"decision\":\"block\",\"reason\":\"because\"}\n" },
		{ EVENT_PRE_TOOL_USE, VERDICT_REFUSE, "", "", "{}", "",
		    "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\","
		    "\"permissionDecision\":"
		    "\"deny\",\"permissionDecisionReason\":\"because\"},"
		    "\"decision\":\"block\",\"reason\":\"because\"}\n" },
		{ EVENT_PRE_TOOL_USE, VERDICT_PASS, "m", "c", "{\"n\": 1e400,\"s\":\"\\ud800\"}",
		    "",
		    "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"updatedInput\":"
		    "{\"n\": 1e400,\"s\":\"\\ud800\"},\"additionalContext\":\"c\"},"
		    "\"systemMessage\":\"m\"}\n" },
		{ EVENT_POST_TOOL_USE, VERDICT_PASS, "", "c", "{}", "",
		    "{\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUse\","
		    "\"additionalContext\":\"c\"}}\n" },
		{ EVENT_TASK_COMPLETED, VERDICT_REFUSE, "m", "c", "{}", "[]",
		    "{\"decision\":\"block\",\"reason\":\"because\",\"systemMessage\":\"m\"}\n" },
		{ EVENT_TASK_COMPLETED, VERDICT_PASS, "m", "c", "", "",
		    "{\"systemMessage\":\"m\"}\n" },
		/* additionalContext would make a stopping subagent continue */
		{ EVENT_SUBAGENT_STOP, VERDICT_PASS, "m", "c", "", "[{\"task_id\":\"1\"}]",
		    "{\"hookSpecificOutput\":{\"hookEventName\":\"SubagentStop\","
		    "\"tasks_to_update\":[{\"task_id\":\"1\"}]},\"systemMessage\":\"m\"}\n" },
		{ EVENT_STOP, VERDICT_REFUSE, "", "", "", "[1]",
		    "{\"decision\":\"block\",\"reason\":\"because\"}\n" },
		{ EVENT_TEAMMATE_IDLE, VERDICT_REFUSE, "", "", "", "",
		    "{\"decision\":\"block\",\"reason\":\"because\"}\n" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct decision d = { .verdict = rows[i].verdict };
		char out[4096], err[4096];
		int status;

		if (d.verdict == VERDICT_REFUSE)
			buf_puts(&d.reason, "because");
		buf_puts(&d.message, rows[i].message);
		buf_puts(&d.context, rows[i].context);
		buf_puts(&d.updated_input, rows[i].input);
		if (*rows[i].tasks != '\0')
			d.tasks_to_update = out_raw_text(rows[i].tasks, strlen(rows[i].tasks));
		status = written(&d, rows[i].kind, out, err, sizeof(out));
		cr_expect_str_eq(out, rows[i].want, "row %zu: %s", i, out);
		cr_expect_eq(status, rows[i].verdict == VERDICT_REFUSE ? 2 : 0, "row %zu", i);
		cr_expect_str_eq(err, rows[i].verdict == VERDICT_REFUSE ? "because\n" : "",
		    "row %zu: %s", i, err);
		decision_free(&d);
	}
}

Test(decision, hostile_text_is_cleaned_and_cut)
{
	struct decision d = { .verdict = VERDICT_REFUSE };
	struct json j = { 0 };
	struct error e;
	static char out[64000], err[64000];
	char *s;

	buf_puts(&d.reason, "\x1b[2J\xff\x07 \xe2\x80\xae x\nsecond line ");
	for (int i = 0; i < 20000; i++)
		buf_puts(&d.reason, "\xc3\xa4");
	cr_expect_eq(written(&d, EVENT_TASK_COMPLETED, out, err, sizeof(out)), 2);
	cr_assert_eq(json_parse(&j, out, strlen(out), &e), 0, "%s", e.text);
	s = json_member_string(&j, JSON_ROOT, "reason");
	cr_expect_null(strpbrk(s, "\x1b\x07"));
	cr_expect_not_null(strstr(s, "\nsecond line"));
	cr_expect_lt(strlen(s), 20000, "10,000 characters of two bytes");
	cr_expect_eq(strncmp(err, s, strlen(s)), 0, "the same text on both");
	free(s);
	json_free(&j);
	decision_free(&d);
}

Test(decision, a_refusal_without_reason_has_a_default_text)
{
	struct decision d = { .verdict = VERDICT_REFUSE };
	char out[4096], err[4096];

	cr_expect_eq(written(&d, EVENT_STOP, out, err, sizeof(out)), 2);
	cr_expect_not_null(strstr(out, "--explain"));
	cr_expect_gt(strlen(err), 10);
}

Test(decision, a_refusal_exits_with_2_without_readers)
{
	struct decision d = { .verdict = VERDICT_REFUSE };

	buf_puts(&d.reason, "no");
	cr_expect_eq(decision_write(&d, EVENT_PRE_TOOL_USE, -1, -1), 2);
	decision_free(&d);
}
