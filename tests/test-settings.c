#include <criterion/criterion.h>
#include <string.h>

#include "settings/settings.h"
#include "json/out.h"

static struct settings_plan
plan(const char *bin, bool shell)
{
	struct settings_plan p = { .count = SETTINGS_CORE, .bin = bin, .shell = shell };

	for (int i = 0; i < SETTINGS_CORE; i++)
		p.hooks[i] = &settings_hooks[i];
	return p;
}

static void
install(const char *text, struct settings_plan p, struct buf *out, struct settings_change *change)
{
	struct error err = { 0 };

	cr_assert_eq(settings_install(text, strlen(text), &p, out, change, &err), 0, "%s: %s", text,
	    err.text);
}

static void
uninstall(const char *text, struct buf *out, struct settings_change *change)
{
	struct error err = { 0 };

	cr_assert_eq(settings_uninstall(text, strlen(text), NULL, NULL, out, change, &err), 0,
	    "%s: %s", text, err.text);
}

/* Settings files in different formats: all that is not ours keeps its bytes. */
static const char *const files[] = {
	"{}",
	"{}\n",
	"{\n  \"model\": \"opus\"\n}\n",
	"{\n\t\"model\": \"opus\",\n\t\"permissions\": { \"allow\": [\"Bash(ls:*)\"] }\n}\n",
	"{\"model\":\"opus\",\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":"
	"\"say done\"}]}]}}",
	"{\n    \"hooks\": {\n        \"PreToolUse\": [\n            {\n                "
	"\"matcher\": "
	"\"Bash\",\n                \"hooks\": [{ \"type\": \"command\", \"command\": \"guard\" "
	"}]\n"
	"            }\n        ]\n    },\n    \"n\": 12345678901234567890, \"s\": \"\\ud800\"\n}",
	"{\r\n  \"a\": 1,\r\n  \"a\": 2\r\n}\r\n",
};

Test(settings, uninstall_restores_every_byte)
{
	struct settings_change change;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct buf with = { 0 }, without = { 0 };

		install(files[i], plan("/usr/local/bin", i % 2 == 0), &with, &change);
		cr_expect_eq(change.added, SETTINGS_CORE, "file %zu: added", i);
		uninstall(buf_text(&with), &without, &change);
		cr_expect_eq(change.removed, SETTINGS_CORE, "file %zu: removed", i);
		cr_expect_str_eq(buf_text(&without), files[i], "file %zu: the same bytes\n%s", i,
		    buf_text(&with));
		buf_free(&with);
		buf_free(&without);
	}
}

Test(settings, installing_twice_changes_nothing)
{
	struct settings_change change;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct buf once = { 0 }, twice = { 0 };

		install(files[i], plan("/opt/b", false), &once, &change);
		install(buf_text(&once), plan("/opt/b", false), &twice, &change);
		cr_expect_eq(change.kept, SETTINGS_CORE, "file %zu: all kept", i);
		cr_expect_eq(change.added + change.moved, 0, "file %zu: nothing added or moved", i);
		cr_expect_str_eq(buf_text(&twice), buf_text(&once), "file %zu: the same bytes", i);
		buf_free(&once);
		buf_free(&twice);
	}
}

Test(settings, an_entry_with_another_path_is_moved)
{
	static const struct {
		const char *name, *command, *want;
	} rows[] = {
		{ "plain", "/old/on-subagent-stop", "/new dir/on-subagent-stop" },
		{ "quoted", "'/old place/on-subagent-stop' --list lab",
		    "'/new dir/on-subagent-stop' --list lab" },
		{ "double quoted", "\\\"/o/on-subagent-stop\\\" --config=/x",
		    "'/new dir/on-subagent-stop' --config=/x" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf out = { 0 }, text = { 0 }, want = { 0 };
		struct settings_change change;
		struct settings_plan p = plan("/new dir", true);

		p.hooks[0] = settings_hook_find("SubagentStop");
		p.count = 1;
		buf_printf(&text,
		    "{\"hooks\":{\"SubagentStop\":[{\"hooks\":[{\"type\":\"command\",\"command\":"
		    "\"%s\",\"timeout\":7}]}]}}",
		    rows[i].command);
		install(buf_text(&text), p, &out, &change);
		buf_printf(&want,
		    "{\"hooks\":{\"SubagentStop\":[{\"hooks\":[{\"type\":\"command\",\"command\":"
		    "\"%s\",\"timeout\":7}]}]}}",
		    i == 0 ? "'/new dir/on-subagent-stop'" : rows[i].want);
		cr_expect_eq(change.moved, 1, "%s: moved", rows[i].name);
		cr_expect_str_eq(buf_text(&out), buf_text(&want), "%s", rows[i].name);
		buf_free(&out);
		buf_free(&text);
		buf_free(&want);
	}
}

/* What install does to an entry for PreToolUse. */
Test(settings, the_entry_for_a_task_fails_closed)
{
	static const struct {
		const char *name, *matcher, *members, *want;
	} rows[] = {
		{ "of an earlier version: two entries, both with the options",
		    "TaskCreate|TaskUpdate|TaskList|TaskGet|Task|Agent|TodoWrite",
		    "\"args\":[\"--config\",\"c d\"],\"timeout\":30",
		    "[{\"matcher\":\"TaskList|TaskGet|Task|Agent|TodoWrite\",\"hooks\":[{\"type\":"
		    "\"command\",\"command\":\"/b/on-pretooluse-task\",\"args\":[\"--config\",\"c "
		    "d\"],\"timeout\":30}]},{\"matcher\":\"TaskCreate|TaskUpdate\",\"hooks\":[{"
		    "\"type\":\"command\",\"command\":\"/b/on-pretooluse-task\",\"args\":["
		    "\"--config\",\"c d\"],\"timeout\":600,\"onFailure\":\"block\"}]}]" },
		{ "a longer timeout is kept for both", "TaskCreate|TaskUpdate|Task|Agent|TodoWrite",
		    "\"timeout\":900",
		    "[{\"matcher\":\"TaskList|TaskGet|Task|Agent|TodoWrite\",\"hooks\":[{\"type\":"
		    "\"command\",\"command\":\"/b/"
		    "on-pretooluse-task\",\"timeout\":900}]},{\"matcher\":"
		    "\"TaskCreate|TaskUpdate\",\"hooks\":[{\"type\":\"command\",\"command\":\"/b/"
		    "on-pretooluse-task\",\"timeout\":900,\"onFailure\":\"block\"}]}]" },
		{ "for one of these tools alone", "TaskUpdate", "\"timeout\":7",
		    "[{\"matcher\":\"TaskUpdate\",\"hooks\":[{\"type\":\"command\",\"command\":"
		    "\"/b/on-pretooluse-task\",\"timeout\":7,\"onFailure\":\"block\"}]}" },
		{ "another value of a person is kept", "TaskUpdate", "\"onFailure\":\"x\"",
		    "[{\"matcher\":\"TaskUpdate\",\"hooks\":[{\"type\":\"command\",\"command\":"
		    "\"/b/on-pretooluse-task\",\"onFailure\":\"x\"}]}" },
		{ "for other tools too", "TaskUpdate|Bash", "\"timeout\":7",
		    "[{\"matcher\":\"TaskUpdate|Bash\",\"hooks\":[{\"type\":\"command\","
		    "\"command\":"
		    "\"/b/on-pretooluse-task\",\"timeout\":7}]}" },
		{ "for no tool", "Tasks", "\"timeout\":7",
		    "[{\"matcher\":\"Tasks\",\"hooks\":[{\"type\":\"command\",\"command\":"
		    "\"/old/on-pretooluse-task\",\"timeout\":7}]},{\"matcher\":\"TaskList|TaskGet|"
		    "Task|Agent|TodoWrite\",\"hooks\":[{\"type\":\"command\",\"command\":\"/b/"
		    "on-pretooluse-task\",\"args\":[]}]},{\"matcher\":\"TaskCreate|TaskUpdate\","
		    "\"hooks\":[{\"type\":\"command\",\"command\":\"/b/"
		    "on-pretooluse-task\",\"args\":"
		    "[],\"timeout\":600,\"onFailure\":\"block\"}]}]" },
		{ "for all tools", "*", "\"timeout\":7",
		    "[{\"matcher\":\"*\",\"hooks\":[{\"type\":\"command\",\"command\":"
		    "\"/b/on-pretooluse-task\",\"timeout\":7}]}]" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct settings_plan p = plan("/b", false);
		struct buf text = { 0 }, once = { 0 }, twice = { 0 };
		struct settings_change change;
		struct json j = { 0 };
		struct error err = { 0 };
		struct json_object *o = out_object();
		struct buf got = { 0 };

		p.count = 2;
		buf_printf(&text,
		    "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"%s\",\"hooks\":[{\"type\":"
		    "\"command\",\"command\":\"/old/on-pretooluse-task\",%s}]}]}}",
		    rows[i].matcher, rows[i].members);
		install(buf_text(&text), p, &once, &change);
		cr_assert_eq(json_parse(&j, once.data, once.len, &err), 0, "%s", err.text);
		out_add(o, "x",
		    out_raw(
			&j, json_member(&j, json_member(&j, JSON_ROOT, "hooks"), "PreToolUse")));
		out_text(&got, o);
		cr_expect_eq(
		    strncmp(buf_text(&got) + strlen("{\"x\":"), rows[i].want, strlen(rows[i].want)),
		    0, "%s: %s", rows[i].name, buf_text(&got));
		install(buf_text(&once), p, &twice, &change);
		cr_expect_eq(change.added + change.moved, 0, "%s: nothing to do", rows[i].name);
		cr_expect_str_eq(buf_text(&twice), buf_text(&once), "%s", rows[i].name);
		json_free(&j);
		buf_free(&got);
		buf_free(&text);
		buf_free(&once);
		buf_free(&twice);
	}
}

Test(settings, a_line_that_may_be_missing_stays_open)
{
	static const char former[] =
	    "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"TaskCreate|TaskUpdate|Task|Agent|"
	    "TodoWrite\",\"hooks\":[{\"type\":\"command\",\"command\":\"/o/on-pretooluse-task || { "
	    "s=$?; [ $s -ge 126 ] || exit $s; }\"}]}]}}";
	static const char *const texts[] = { "{}", former };
	struct settings_change change;
	struct settings_entries all;
	struct error err = { 0 };

	for (size_t i = 0; i < 2; i++) {
		struct settings_plan p = plan("/b", false);
		struct buf out = { 0 };

		p.if_there = i == 0;
		p.count = 2;
		install(texts[i], p, &out, &change);
		cr_assert_eq(settings_find(out.data, out.len, &all, &err), 0, "%s", err.text);
		cr_assert_eq(all.count, 2, "%zu: two entries", i);
		for (size_t k = 0; k < all.count; k++) {
			cr_expect(all.item[k].if_there, "%zu: such a line", i);
			cr_expect_null(all.item[k].failure, "%zu: without onFailure", i);
			cr_expect_not(settings_is_open(&all.item[k]), "%zu: as it must be", i);
		}
		settings_entries_free(&all);
		buf_free(&out);
	}
}

/* As JSON.parse, and so the client, reads it. */
Test(settings, the_last_of_events_with_one_name_counts)
{
	static const char text[] =
	    "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"/b/"
	    "on-subagent-stop\"}]}],\"Other\":[],\"Stop\":[]}}";
	struct settings_plan p = plan("/b", true);
	struct settings_change change;
	struct settings_entries all;
	struct buf out = { 0 };
	struct error err = { 0 };

	p.hooks[0] = settings_hook_find("Stop");
	p.count = 1;
	cr_expect_eq(settings_find(text, strlen(text), &all, &err), 0);
	cr_expect_eq(all.count, 0);
	settings_entries_free(&all);
	install(text, p, &out, &change);
	cr_expect_eq(change.added, 1);
	cr_expect_eq(settings_find(out.data, out.len, &all, &err), 0);
	cr_expect_eq(all.count, 1);
	settings_entries_free(&all);
	buf_free(&out);
}

/* Half of a surrogate pair: its decoded name is that of no event. */
Test(settings, uninstall_ends_with_any_name_of_an_event)
{
	static const char text[] =
	    "{\"hooks\":{\"\\ud800\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"/b/"
	    "on-subagent-stop\"}]}],\"Other\":[]}}";
	struct settings_change change;
	struct buf out = { 0 };

	uninstall(text, &out, &change);
	cr_expect_str_eq(buf_text(&out), "{\"hooks\":{\"\\ud800\":[],\"Other\":[]}}");
	cr_expect_eq(change.removed, 1);
	buf_free(&out);
}

/* Each has the whole matcher: without a limit this would take the memory of the machine. */
Test(settings, entries_cannot_be_too_much)
{
	struct settings_entries all;
	struct buf text = { 0 };
	struct error err = { 0 };

	buf_puts(&text, "{\"hooks\":{\"Stop\":[{\"matcher\":\"");
	for (int i = 0; i < 1000000; i++)
		buf_putc(&text, 'x');
	buf_puts(&text, "\",\"hooks\":[");
	for (int i = 0; i < 40000; i++)
		buf_printf(&text, "%s{\"type\":\"command\",\"command\":\"/b/on-subagent-stop\"}",
		    i > 0 ? "," : "");
	buf_puts(&text, "]}]}}");
	cr_expect_eq(settings_find(text.data, text.len, &all, &err), -1);
	cr_expect_eq(err.kind, ERROR_REFUSED);
	cr_expect_eq(all.count, 0);
	buf_free(&text);
}

Test(settings, invalid_settings_are_refused)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "", "not JSON" },
		{ "{", "not JSON" },
		{ "{} trailing", "not JSON" },
		{ "// a comment\n{}", "not JSON" },
		{ "\xef\xbb\xbf{}", "not JSON" },
		{ "[]", "not a JSON object" },
		{ "{\"hooks\":[]}", "\"hooks\"" },
		{ "{\"hooks\":{\"Stop\":{}}}", "\"Stop\"" },
		{ "{\"env\":7}", "\"env\"" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct settings_plan p = plan("/b", false);
		struct settings_change change;
		struct buf out = { 0 };
		struct error err = { 0 };

		cr_expect_eq(
		    settings_install(rows[i].text, strlen(rows[i].text), &p, &out, &change, &err),
		    -1, "'%s' is refused", rows[i].text);
		cr_expect_not_null(
		    strstr(err.text, rows[i].says), "'%s': '%s'", rows[i].text, err.text);
		buf_free(&out);
	}
}

Test(settings, other_hooks_of_the_same_group_are_kept)
{
	static const char text[] =
	    "{\"hooks\":{\"SubagentStop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"a\"},"
	    "{\"type\":\"command\",\"command\":\"/x/on-subagent-stop\"},"
	    "{\"type\":\"prompt\",\"prompt\":\"/x/on-subagent-stop\"}]}]}}";
	static const char want[] =
	    "{\"hooks\":{\"SubagentStop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"a\"},"
	    "{\"type\":\"prompt\",\"prompt\":\"/x/on-subagent-stop\"}]}]}}";
	struct settings_change change;
	struct buf out = { 0 };

	uninstall(text, &out, &change);
	cr_expect_eq(change.removed, 1, "only ours");
	cr_expect_str_eq(buf_text(&out), want, "the others stay as they are");
	buf_free(&out);
}

Test(settings, a_variable_is_added_once_and_removed)
{
	static const char *const texts[] = { "{\n  \"env\": {\n    \"A\": \"b\"\n  }\n}\n", "{}",
		"{\"a\":1}" };

	for (size_t i = 0; i < 3; i++) {
		struct settings_plan p = plan("/b", false);
		struct settings_change change;
		struct buf out = { 0 }, again = { 0 }, back = { 0 };
		struct error err = { 0 };

		settings_values_add(&p.values, "env.CLAUDE_CODE_ENABLE_TODO_TOOLS", "\"1\"");
		settings_values_add(&p.values, "statusLine", "{\"type\":\"command\"}");
		install(texts[i], p, &out, &change);
		cr_expect(change.set[0] && change.set[1], "%zu: added", i);
		install(buf_text(&out), p, &again, &change);
		cr_expect_not(change.set[0] || change.set[1], "%zu: once", i);
		cr_expect_eq(
		    settings_uninstall(out.data, out.len, NULL, &p.values, &back, &change, &err), 0,
		    "%zu: %s", i, err.text);
		cr_expect(change.set[0] && change.set[1], "%zu: removed", i);
		settings_values_free(&p.values);
		cr_expect_str_eq(buf_text(&back), texts[i], "%zu: the same bytes", i);
		buf_free(&out);
		buf_free(&again);
		buf_free(&back);
	}
}

Test(settings, find_returns_form_timeout_and_config)
{
	static const char text[] =
	    "{\"hooks\":{\"TaskCompleted\":[{\"hooks\":[{\"type\":\"command\",\"command\":"
	    "\"/b/on-task-completed-verify\",\"args\":[\"--config\",\"/"
	    "c.json\"],\"timeout\":900}]}],"
	    "\"PreToolUse\":[{\"matcher\":\"TaskUpdate\",\"hooks\":[{\"type\":\"command\","
	    "\"command\":\"on-pretooluse-task --config=y\"}]}]}}";
	struct settings_entries all;
	struct error err = { 0 };

	cr_assert_eq(settings_find(text, strlen(text), &all, &err), 0, "%s", err.text);
	cr_assert_eq(all.count, 2, "two hooks of ours");
	cr_expect_str_eq(all.item[0].event, "TaskCompleted", "event");
	cr_expect_str_eq(all.item[0].path, "/b/on-task-completed-verify", "path");
	cr_expect_str_eq(all.item[0].config, "/c.json", "config");
	cr_expect_eq(all.item[0].timeout, 900, "timeout");
	cr_expect(all.item[0].exec, "exec form");
	cr_expect_str_eq(all.item[1].matcher, "TaskUpdate", "matcher");
	cr_expect(settings_is_open(&all.item[1]), "lets a call pass if its program fails");
	cr_expect_str_eq(all.item[1].config, "y", "config");
	cr_expect_not(all.item[1].exec, "shell form");
	settings_entries_free(&all);
}

/* 3.14: a hook without its group gets one; its values and the other bytes stay. */
Test(settings, a_flat_hook_gets_its_group)
{
	static const char text[] =
	    "{\n  \"a\": 1.50,\n  \"hooks\": {\n    \"Stop\": [\n      {\"matcher\":\"x\",\"type\":"
	    "\"command\",\"command\":\"\\u0073ay\",\"timeout\":1e1}\n    ]\n  }\n}\n";
	static const char odd[] = "{\"hooks\":{\"Stop\":[{\"matcher\":\"x\"}]}}";
	struct settings_plan p = { .bin = "/b" };
	struct settings_change change;
	struct settings_entries all;
	struct buf out = { 0 };
	struct error err = { 0 };

	cr_assert_eq(settings_find(text, strlen(text), &all, &err), 0, "%s", err.text);
	cr_assert_eq(all.flat.count, 1, "one is flat");
	cr_expect_str_eq(all.flat.item[0], "\"Stop\"[0]", "its place");
	cr_expect_eq(all.odd.count, 0, "none is odd");
	settings_entries_free(&all);
	install(text, p, &out, &change);
	cr_expect_eq(change.nested, 1, "one was put into a group");
	cr_expect_neq(strstr(buf_text(&out), "\"a\": 1.50,"), NULL, "%s", buf_text(&out));
	cr_expect_neq(strstr(buf_text(&out), "1e1"), NULL, "%s", buf_text(&out));
	cr_assert_eq(settings_find(out.data, out.len, &all, &err), 0, "%s", err.text);
	cr_expect_eq(all.flat.count + all.odd.count, 0, "all are groups");
	settings_entries_free(&all);
	cr_expect_eq(settings_install(odd, strlen(odd), &p, &out, &change, &err), -1, "odd");
	cr_expect_eq(err.kind, ERROR_INPUT, "%s", err.text);
	buf_free(&out);
}
