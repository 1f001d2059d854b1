#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "settings/guard.h"

#define HOOK(event, matcher, command, more)                                                  \
	"\"" event "\":[{" matcher "\"hooks\":[{\"type\":\"command\",\"command\":\"" command \
	"\"" more "}]}]"
#define START                                                                                    \
	HOOK("PreToolUse", "\"matcher\":\"TaskCreate|TaskUpdate\",", "/none/on-pretooluse-task", \
	    ",\"onFailure\":\"block\"")
#define DONE HOOK("TaskCompleted", "", "/none/on-task-completed-verify", ",\"timeout\":600")

/* DONE, and another entry of the same program. */
#define AGAIN(more)                                                                            \
	"\"TaskCompleted\":[{\"hooks\":[{\"type\":\"command\",\"command\":"                    \
	"\"/none/on-task-completed-verify\",\"timeout\":600}]},{\"matcher\":\"*\",\"hooks\":[" \
	"{\"type\":\"command\",\"command\":\"/none/on-task-completed-verify\"" more "}]}]"

static const char whole[] = "{\"hooks\":{" START "," DONE "}}";

static char *
wrong(const struct install_record *m, const char *text, const char **key)
{
	return guard_file(m, &m->entries, &(struct strings){ 0 }, "FILE", text,
	    text != NULL ? strlen(text) : 0, key);
}

Test(guard, finds_what_would_not_run_any_more)
{
	static const struct {
		const char *text, *words; /* words NULL: nothing is wrong */
	} rows[] = {
		{ whole, NULL },
		{ "{\"hooks\":{" DONE "," START "},\"model\":\"opus\"}", NULL },
		{ "{\"hooks\":{" START "," DONE
		  ",\"Stop\":[{\"hooks\":[{\"command\":\"theirs\",\"type\":\"command\"}]}]}}",
		    NULL },
		{ "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"onFailure\":\"block\",\"command\":"
		  "\"/none/on-pretooluse-task\",\"type\":\"command\"}],\"matcher\":"
		  "\"TaskCreate|TaskUpdate\"}]," DONE "}}",
		    NULL },
		{ "{\"disableAllHooks\":false,\"hooks\":{" START "," DONE "}}", NULL },
		{ NULL, "missing" },
		{ "", "empty" },
		{ " \n", "empty" },
		{ "{", "cannot use" },
		{ "{\"hooks\":[]}", "cannot use" },
		{ "{}", "PreToolUse, TaskCompleted: 'FILE' does not have" },
		{ "{\"hooks\":{" START "}}", "TaskCompleted: 'FILE' does not have" },
		{ "{\"hooks\":{" DONE "," HOOK("PreToolUse", "\"matcher\":\"TaskCreate\",",
		      "/none/on-pretooluse-task", ",\"onFailure\":\"block\"") "}}",
		    "PreToolUse: " },
		{ "{\"hooks\":{" DONE
		  "," HOOK("PreToolUse", "\"matcher\":\"TaskCreate|TaskUpdate\",",
		      "/none/on-pretooluse-task", "") "}}",
		    "PreToolUse: " },
		{ "{\"hooks\":{" START "," HOOK("TaskCompleted", "",
		      "/none/on-task-completed-verify || true", ",\"timeout\":600") "}}",
		    "TaskCompleted: " },
		{ "{\"hooks\":{" START "," HOOK(
		      "TaskCompleted", "", "/none/on-task-completed-verify", ",\"timeout\":1") "}}",
		    "TaskCompleted: " },
		{ "{\"hooks\":{" START "," HOOK("TaskCompleted", "",
		      "/none/on-task-completed-verify", ",\"timeout\":600,\"async\":true") "}}",
		    "TaskCompleted: " },
		{ "{\"hooks\":{" START "," DONE ",\"TaskCompleted\":[]}}", "TaskCompleted: " },
		{ "{\"hooks\":{\"TaskCompleted\":[]," START "," DONE "}}", NULL },
		{ "{\"hooks\":{" START "," AGAIN(",\"timeout\":600,\"async\":true") "}}",
		    "TaskCompleted: 'FILE' has an entry with the command of the installed one" },
		{ "{\"hooks\":{" START "," AGAIN(",\"timeout\":600") "}}", NULL },
		{ "{\"hooks\":{" START "," AGAIN(",\"args\":[\"x\"],\"async\":true") "}}", NULL },
		{ "{\"hooks\":{" START "," DONE
		  ",\"Stop\":[{\"type\":\"command\",\"command\":\"x\"}]}}",
		    "\"Stop\"[0] of 'FILE' is not a group" },
	};
	struct install_record m = { 0 };
	const char *key;

	guard_note(&m, &m.entries, whole, strlen(whole), 0);
	cr_assert_eq(m.entries.count, 2);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *what = wrong(&m, rows[i].text, &key);

		cr_expect(rows[i].words == NULL
			      ? what == NULL
			      : what != NULL && strstr(what, rows[i].words) != NULL,
		    "row %zu: %s", i, what != NULL ? what : "nothing");
		cr_expect_null(key, "row %zu", i);
		free(what);
	}
	install_record_free(&m);
}

Test(guard, a_switch_counts_in_any_file)
{
	static const struct {
		const char *text, *key;
	} rows[] = {
		{ "{\"disableAllHooks\":true}", "disableAllHooks" },
		{ "\xef\xbb\xbf{\"disableAllHooks\":true}", "disableAllHooks" },
		{ "{\"disable\\u0041llHooks\":true}", "disableAllHooks" },
		{ "{\"disableAllHooks\":false,\"disableAllHooks\":true}", "disableAllHooks" },
		{ "{\"disableAllHooks\":\"true\"}", NULL },
		{ "{\"disableAllHooks\":1}", NULL },
		{ "// no\n{\"disableAllHooks\":true}", NULL },
		{ "{\"env\":{\"disableAllHooks\":true}}", NULL },
		{ "{\"env\":{\"HOME\":\"/tmp\"}}", "env.HOME" },
		{ "{\"env\":{\"CLAUDE_CONFIG_DIR\":\"/tmp\"}}", "env.CLAUDE_CONFIG_DIR" },
		{ "{\"env\":{\"HOME\":\"/home/ada\",\"PATH\":\"/tmp\"}}", NULL },
		{ "{\"env\":{\"HOME\":1}}", "env.HOME" },
		{ "{\"env\":{\"CLAUDE_CODE_SIMPLE\":\"1\"}}", "env.CLAUDE_CODE_SIMPLE" },
		{ "{\"env\":{\"CLAUDE_CODE_SIMPLE\":true}}", "env.CLAUDE_CODE_SIMPLE" },
		{ "{\"env\":{\"CLAUDE_CODE_SAFE_MODE\":\"yes\"}}", "env.CLAUDE_CODE_SAFE_MODE" },
		{ "{\"env\":{\"CLAUDE_CODE_SIMPLE\":\"0\",\"CLAUDE_CODE_SAFE_MODE\":\"\"}}", NULL },
		{ "{\"env\":{\"CLAUDE_CODE_SIMPLE\":false}}", NULL },
		{ "{\"CLAUDE_CODE_SIMPLE\":\"1\"}", NULL },
		{ "{\"env\":{\"LD_LIBRARY_PATH\":\"/tmp\"}}", "env.LD_LIBRARY_PATH" },
		{ "{\"env\":{\"LD_AUDIT\":\"\"}}", NULL },
		{ "{\"env\":{\"CLAUDE_CODE_ENABLE_TASKS\":false}}",
		    "env.CLAUDE_CODE_ENABLE_TASKS" },
		{ "{\"env\":{\"CLAUDE_CODE_ENABLE_TASKS\":1}}", NULL },
		{ "", NULL },
		{ NULL, NULL },
	};
	const struct install_record none = { 0 };
	const char *key;

	setenv("HOME", "/home/ada", 1);
	unsetenv("CLAUDE_CONFIG_DIR");
	unsetenv("LD_LIBRARY_PATH");
	unsetenv("CLAUDE_CODE_ENABLE_TASKS");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *what = wrong(&none, rows[i].text, &key);

		cr_expect_eq(what != NULL, rows[i].key != NULL, "row %zu", i);
		cr_expect(key == rows[i].key || text_equal(key, rows[i].key), "row %zu", i);
		free(what);
	}
}

Test(guard, an_agent_cannot_make_the_record_fit)
{
	static const char less[] = "{\"hooks\":{" START "}}";
	static const char more[] = "{\"hooks\":{" START "," DONE
				   "," HOOK("SubagentStop", "", "/none/on-subagent-stop", "") "}}";
	struct install_record m = { 0 };

	cr_expect_eq(guard_note(&m, &m.entries, whole, strlen(whole), GUARD_AGENT), GUARD_NOTED);
	cr_expect_eq(guard_note(&m, &m.entries, whole, strlen(whole), GUARD_AGENT), GUARD_SAME);
	cr_expect_eq(guard_note(&m, &m.entries, less, strlen(less), GUARD_AGENT), GUARD_KEPT);
	cr_expect_eq(m.entries.count, 2);
	cr_expect_eq(guard_note(&m, &m.entries, more, strlen(more), GUARD_AGENT), GUARD_NOTED);
	cr_expect_eq(m.entries.count, 3);
	cr_expect_eq(m.program.count, 3);
	free(m.hash.item[0]);
	m.hash.item[0] = mem_string("before");
	cr_expect_eq(guard_note(&m, &m.entries, more, strlen(more), GUARD_AGENT), GUARD_KEPT);
	cr_expect_str_eq(m.hash.item[0], "before");
	cr_expect_eq(guard_note(&m, &m.entries, more, strlen(more), 0), GUARD_REPLACED);
	cr_expect_str_eq(m.hash.item[0], "");
	cr_expect_eq(guard_note(&m, &m.entries, less, strlen(less), 0), GUARD_REPLACED);
	cr_expect_eq(m.entries.count, 1);
	cr_expect_eq(m.program.count, 1);
	install_record_free(&m);
}

Test(guard, an_agent_cannot_record_an_entry_that_replaces_another)
{
	static const char copy[] = "{\"hooks\":{" START "," AGAIN(",\"async\":true") "}}";
	static const char alone[] =
	    "{\"hooks\":{" HOOK("TaskCompleted", "", "/none/on-task-completed-verify", "") "}}";
	struct install_record m = { 0 }, other = { 0 };
	const char *key;
	char *what;

	guard_note(&m, &m.entries, whole, strlen(whole), 0);
	cr_expect_eq(guard_note(&m, &m.entries, copy, strlen(copy), GUARD_AGENT), GUARD_KEPT);
	cr_expect_eq(m.entries.count, 2);
	cr_expect_eq(guard_note(&other, &m.entries, alone, strlen(alone), GUARD_AGENT), GUARD_KEPT);
	cr_expect_eq(other.entries.count, 0);
	what = guard_file(
	    &other, &m.entries, &(struct strings){ 0 }, "OTHER", alone, strlen(alone), &key);
	cr_expect(what != NULL && strstr(what, "TaskCompleted: 'OTHER' has an entry with"), "%s",
	    what != NULL ? what : "nothing");
	free(what);
	cr_expect_eq(guard_note(&m, &m.entries, copy, strlen(copy), 0), GUARD_NOTED);
	cr_expect_eq(m.entries.count, 3);
	cr_expect_null(wrong(&m, copy, &key));
	install_record_free(&m);
	install_record_free(&other);
}

/* As a client that does not know "onFailure" writes the file. */
Test(guard, an_old_client_may_drop_what_it_does_not_know)
{
	static const char dropped[] = "{\"hooks\":{" HOOK("PreToolUse",
	    "\"matcher\":\"TaskCreate|TaskUpdate\",", "/none/on-pretooluse-task", "") "," DONE "}}";
	static const char other[] =
	    "{\"hooks\":{" HOOK("PreToolUse", "\"matcher\":\"TaskCreate|TaskUpdate\",",
		"/none/on-pretooluse-task", ",\"onFailure\":\"continue\"") "," DONE "}}";
	struct install_record m = { 0 };
	const char *key;
	char *what;

	guard_note(&m, &m.entries, whole, strlen(whole), GUARD_OPEN);
	cr_expect_null(wrong(&m, whole, &key));
	cr_expect_null(wrong(&m, dropped, &key));
	cr_expect_not_null(what = wrong(&m, other, &key));
	free(what);
	cr_expect_eq(guard_note(&m, &m.entries, dropped, strlen(dropped), GUARD_OPEN), GUARD_SAME);
	cr_expect_eq(guard_note(&m, &m.entries, whole, strlen(whole), GUARD_AGENT), GUARD_SAME);
	cr_expect_null(wrong(&m, dropped, &key), "an agent does not change the record");
	cr_expect_eq(guard_note(&m, &m.entries, whole, strlen(whole), GUARD_UNKNOWN), GUARD_SAME);
	cr_expect_eq(guard_note(&m, &m.entries, whole, strlen(whole), 0), GUARD_REPLACED);
	cr_expect_not_null(what = wrong(&m, dropped, &key));
	free(what);
	cr_expect_eq(
	    guard_note(&m, &m.entries, whole, strlen(whole), GUARD_AGENT | GUARD_OPEN), GUARD_SAME);
	cr_expect_not_null(what = wrong(&m, dropped, &key));
	free(what);
	install_record_free(&m);
}

/* A file that would take the memory of the machine, and whose hooks the client still runs. */
Test(guard, a_file_cannot_be_too_much)
{
	struct buf text = { 0 };
	struct install_record m = { 0 }, other = { 0 };
	const char *key;
	char *what;

	guard_note(&m, &m.entries, whole, strlen(whole), 0);
	buf_puts(&text, "{\"hooks\":{" START "," DONE ",\"Stop\":[{\"matcher\":\"");
	for (int i = 0; i < 3000000; i++)
		buf_putc(&text, 'x');
	buf_puts(&text, "\",\"hooks\":[");
	for (int i = 0; i < 40000; i++)
		buf_printf(&text,
		    "%s{\"type\":\"command\",\"command\":\"/none/on-subagent-stop %d\"}",
		    i > 0 ? "," : "", i);
	buf_puts(&text, "]}]}}");
	cr_expect_not_null(what = wrong(&m, buf_text(&text), &key));
	free(what);
	what = guard_file(
	    &other, &m.entries, &(struct strings){ 0 }, "OTHER", buf_text(&text), text.len, &key);
	cr_expect(what != NULL && strstr(what, "'OTHER' cannot be checked"), "%s", what);
	free(what);
	buf_reset(&text);
	buf_puts(&text, "{\"hooks\":{" START "," DONE);
	for (int i = 0; i < 400000; i++)
		buf_printf(&text, ",\"E%d\":[{}]", i);
	buf_puts(&text, "}}");
	what = wrong(&m, buf_text(&text), &key);
	cr_expect(what != NULL && strstr(what, "\"E0\"[0] of 'FILE' is not a group"), "%s", what);
	free(what);
	install_record_free(&m);
	buf_free(&text);
}
