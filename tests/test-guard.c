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

static const char whole[] = "{\"hooks\":{" START "," DONE "}}";

static char *
wrong(const struct install_record *m, const char *text, const char **key)
{
	return guard_file(m, "FILE", text, text != NULL ? strlen(text) : 0, key);
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
		{ "{\"hooks\":{" START "," DONE
		  ",\"Stop\":[{\"type\":\"command\",\"command\":\"x\"}]}}",
		    "\"Stop\"[0] of 'FILE' is not a group" },
	};
	struct install_record m = { 0 };
	const char *key;

	guard_note(&m, whole, strlen(whole), true);
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
		{ "", NULL },
		{ NULL, NULL },
	};
	const struct install_record none = { 0 };
	const char *key;

	setenv("HOME", "/home/ada", 1);
	unsetenv("CLAUDE_CONFIG_DIR");
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

	cr_expect_eq(guard_note(&m, whole, strlen(whole), false), GUARD_NOTED);
	cr_expect_eq(guard_note(&m, whole, strlen(whole), false), GUARD_SAME);
	cr_expect_eq(guard_note(&m, less, strlen(less), false), GUARD_KEPT);
	cr_expect_eq(m.entries.count, 2);
	cr_expect_eq(guard_note(&m, more, strlen(more), false), GUARD_NOTED);
	cr_expect_eq(m.entries.count, 3);
	cr_expect_eq(m.program.count, 3);
	free(m.hash.item[0]);
	m.hash.item[0] = mem_string("before");
	cr_expect_eq(guard_note(&m, more, strlen(more), false), GUARD_KEPT);
	cr_expect_str_eq(m.hash.item[0], "before");
	cr_expect_eq(guard_note(&m, more, strlen(more), true), GUARD_NOTED);
	cr_expect_str_eq(m.hash.item[0], "");
	cr_expect_eq(guard_note(&m, less, strlen(less), true), GUARD_NOTED);
	cr_expect_eq(m.entries.count, 1);
	cr_expect_eq(m.program.count, 1);
	install_record_free(&m);
}
