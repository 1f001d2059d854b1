#include <criterion/criterion.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/event.h"
#include "sys/file.h"

static int
parse(struct event *ev, const char *text, struct error *e)
{
	memset(ev, 0, sizeof(*ev));
	return event_parse(ev, text, strlen(text), e);
}

Test(event, kinds_are_recognized)
{
	static const struct {
		const char *text;
		enum event_kind kind;
	} rows[] = {
		{ "{\"hook_event_name\":\"PreToolUse\"}", EVENT_PRE_TOOL_USE },
		{ "{\"hook_event_name\":\"TaskCompleted\"}", EVENT_TASK_COMPLETED },
		{ "{\"hook_event_name\":\"StopFailure\"}", EVENT_STOP_FAILURE },
		{ "{\"hook_event_name\":\"SomethingNew\",\"field\":[1]}", EVENT_OTHER },
		{ "{\"hook_event_name\":\"pretooluse\"}", EVENT_OTHER },
		{ "{\"hook_event_name\":\"Task[]\"}", EVENT_OTHER },
		{ "[{\"id\":\"1\"}]", EVENT_TASK_ARRAY },
		{ "{\"tasks\":[],\"version\":2}", EVENT_TASK_ARRAY },
		{ "{\"hook_event_name\":\"Stop\",\"tasks\":[]}", EVENT_STOP },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct event ev;
		struct error e = { 0 };

		cr_expect_eq(parse(&ev, rows[i].text, &e), 0, "%s: %s", rows[i].text, e.text);
		cr_expect_eq(ev.kind, rows[i].kind, "%s", rows[i].text);
		event_free(&ev);
	}
}

Test(event, invalid_events_are_refused)
{
	static const char *const rows[] = { "", " ", "null", "\"x\"", "17", "{}", "{\"tasks\":{}}",
		"{\"hook_event_name\":7}", "{\"hook_event_name\":\"\"}",
		"{\"hook_event_name\":\"Stop\"", "{\"hook_event_name\":\"Stop\"} x",
		"\xef\xbb\xbf{\"hook_event_name\":\"Stop\"}", "{\"hook_event_name\":\"Stop\",}" };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct event ev;
		struct error e = { 0 };

		cr_expect_eq(parse(&ev, rows[i], &e), -1, "'%s' passes", rows[i]);
		cr_expect_eq(e.kind, ERROR_INPUT, "'%s'", rows[i]);
		event_free(&ev);
	}
}

Test(event, fields_are_read)
{
	struct event ev;
	struct error e;

	parse(&ev,
	    "{\"session_id\":\"s\",\"cwd\":\"/p\",\"agent_id\":\"\",\"agent_type\":null,"
	    "\"tool_name\":\"A\",\"tool_name\":\"TaskUpdate\",\"tool_use_id\":5,"
	    "\"hook_event_name\":\"PreToolUse\",\"stop_hook_active\":true,"
	    "\"tool_input\":{\"taskId\":\"\\ud800\"},\"last_assistant_message\":\"\"}",
	    &e);
	cr_expect_str_eq(ev.session_id, "s");
	cr_expect_str_eq(ev.tool_name, "TaskUpdate", "the last of two keys counts");
	cr_expect_null(ev.agent_id, "an empty id counts as missing");
	cr_expect_null(ev.agent_type);
	cr_expect_null(ev.tool_use_id, "a number is not read as a string");
	cr_expect(ev.stop_hook_active);
	cr_expect(ev.has_last_message, "an empty message counts as a message");
	cr_expect_eq(json_kind(&ev.json, ev.tool_input), JSON_OBJECT);
	event_free(&ev);
}

Test(event, the_agent_is_identified)
{
	static const struct {
		const char *fields;
		bool in_process, tmux;
		const char *id, *name, *type;
	} rows[] = {
		{ "", false, false, NULL, NULL, NULL },
		{ "\"agent_id\":\"a0123456789abcdef\",\"agent_type\":\"Explore\",", false, false,
		    "a0123456789abcdef", NULL, "Explore" },
		{ "\"agent_id\":\"aworker-0123456789abcdef\",\"agent_type\":\"worker\",", true,
		    false, "aworker-0123456789abcdef", "worker", NULL },
		{ "\"agent_id\":\"aworker-2-0123456789abcdef\",\"agent_type\":\"worker-2\",", true,
		    false, "aworker-2-0123456789abcdef", "worker-2", NULL },
		{ "\"agent_id\":\"aworker-0123\",\"agent_type\":\"worker\",", false, false,
		    "aworker-0123", NULL, "worker" },
		/* 2.1.197: an in-process teammate's TaskCompleted */
		{ "\"teammate_name\":\"worker\",\"team_name\":\"t\",", true, false, NULL, "worker",
		    NULL },
		/* in its own terminal */
		{ "\"teammate_name\":\"ann\",\"agent_type\":\"Plan\",", false, true, NULL, "ann",
		    "Plan" },
	};
	struct list list = {
		.config = "/nonexistent", .name = "lab", .dir = "/nonexistent/tasks/lab"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct event ev;
		struct error e;
		struct agent a;
		char text[512], *name;

		snprintf(text, sizeof(text),
		    "{%s\"session_id\":\"s1\",\"hook_event_name\":\"TaskCompleted\"}",
		    rows[i].fields);
		cr_assert_eq(parse(&ev, text, &e), 0);
		cr_expect_eq(event_in_process_teammate(&ev), rows[i].in_process, "%s", text);
		cr_expect_eq(event_tmux_teammate(&ev), rows[i].tmux, "%s", text);
		agent_from_event(&ev, &list, &a, &name);
#define SAME(x, y) ((x) == NULL ? (y) == NULL : (y) != NULL && strcmp(x, y) == 0)
		cr_expect(SAME(a.id, rows[i].id), "%s: id %s", text, a.id);
		cr_expect(SAME(a.name, rows[i].name), "%s: name %s", text, a.name);
		cr_expect(SAME(a.type, rows[i].type), "%s: type %s", text, a.type);
		free(name);
		event_free(&ev);
	}
}

Test(event, turn_ends_and_shutdowns_are_recognized)
{
	static const struct {
		const char *fields;
		bool turn_end, shut_down;
	} rows[] = {
		{ "\"hook_event_name\":\"TaskCompleted\"", false, false },
		{ "\"hook_event_name\":\"TaskCompleted\",\"permission_mode\":\"default\"", true,
		    false },
		{ "\"hook_event_name\":\"SubagentStop\",\"permission_mode\":\"default\","
		  "\"last_assistant_message\":\"bye\"",
		    false, false },
		{ "\"hook_event_name\":\"SubagentStop\"", false, true },
		/* 2.1.34 sends no last message */
		{ "\"hook_event_name\":\"SubagentStop\",\"permission_mode\":\"default\"", false,
		    false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct event ev;
		struct error e;
		char text[512];

		snprintf(text, sizeof(text), "{%s}", rows[i].fields);
		cr_assert_eq(parse(&ev, text, &e), 0);
		cr_expect_eq(event_turn_end(&ev), rows[i].turn_end, "%s", text);
		cr_expect_eq(event_shut_down(&ev), rows[i].shut_down, "%s", text);
		event_free(&ev);
	}
}

/* Recorded events of three versions of the client. */
Test(event, recorded_events_are_read)
{
	DIR *d = opendir("tests/payloads");
	struct dirent *entry;
	size_t seen = 0;

	cr_assert_not_null(d, "run from the top of the source tree");
	while ((entry = readdir(d)) != NULL) {
		struct event ev = { 0 };
		struct error e = { 0 };
		struct buf text = { 0 };
		char path[512];
		const char *name;
		bool teammate;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "tests/payloads/%s", entry->d_name);
		cr_assert_eq(file_read_path(path, FILE_MAX, &text, &e), 1, "%s", e.text);
		cr_expect_eq(event_parse(&ev, buf_text(&text), text.len, &e), 0, "%s: %s",
		    entry->d_name, e.text);
		name = strchr(entry->d_name, '-') + 1;
		cr_expect_eq(
		    strncmp(name, ev.name, strlen(ev.name)), 0, "%s is %s", entry->d_name, ev.name);
		teammate = strstr(name, "teammate") != NULL;
		cr_expect_eq(event_in_process_teammate(&ev), teammate, "%s", entry->d_name);
		cr_expect_eq(
		    event_turn_end(&ev), strstr(name, "turn-end") != NULL, "%s", entry->d_name);
		cr_expect_eq(
		    event_shut_down(&ev), strstr(name, "shutdown") != NULL, "%s", entry->d_name);
		event_free(&ev);
		buf_free(&text);
		seen++;
	}
	closedir(d);
	cr_expect_gt(seen, 50);
}

static char *
deep_event(const char *before, const char *after)
{
	struct buf b = { 0 };

	buf_puts(&b, before);
	for (int i = 0; i < JSON_DEPTH; i++)
		buf_putc(&b, '[');
	for (int i = 0; i < JSON_DEPTH; i++)
		buf_putc(&b, ']');
	buf_puts(&b, after);
	return b.data;
}

static int
read_first(struct event *ev, const char *text, struct error *e)
{
	int p[2], rc;

	memset(ev, 0, sizeof(*ev));
	cr_assert_eq(pipe(p), 0);
	cr_assert_eq(write(p[1], text, strlen(text)), (ssize_t)strlen(text));
	close(p[1]);
	rc = event_read_first(ev, p[0], e);
	close(p[0]);
	return rc;
}

/* `deep` is between `before` and `after`. */
Test(event, a_deep_event_is_read_up_to_the_deep_member)
{
	static const struct {
		const char *before, *after, *tool; /* tool: NULL, the event cannot be read */
	} rows[] = {
		{ "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"A\",\"tool_input\":",
		    ",\"tool_use_id\":\"t\"}", "A" },
		/* text of the agent that looks like members, before and inside tool_input */
		{ "{\"cwd\":\"\\\",\\\"tool_name\\\":\\\"B\\\\\",\"hook_event_name\":"
		  "\"PreToolUse\","
		  "\"tool_name\":\"A\",\"tool_input\":{\"tool_name\":\"B\",\"x\":",
		    "},\"tool_name\":\"B\"}", "A" },
		{ "{\"effort\":{\"level\":[1,2]},\"hook_event_name\":\"PreToolUse\","
		  "\"tool_name\":\"A\",\"tool_input\":[",
		    "", "A" },
		{ "{\"hook_event_name\":\"PreToolUse\",\"tool_input\":", ",\"tool_name\":\"A\"}",
		    NULL },
		{ "{\"tool_input\":", "}", NULL },
		{ "[[", "]]", NULL },
		{ "}}}}{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"A\",\"tool_input\":",
		    "}", NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = deep_event(rows[i].before, rows[i].after);
		struct error e = { 0 };
		struct event ev;
		int rc = read_first(&ev, text, &e);

		if (rows[i].tool == NULL)
			cr_expect(rc == -1 && e.kind == ERROR_INPUT, "%s", rows[i].before);
		else {
			cr_expect_eq(rc, 0, "%s: %s", rows[i].before, e.text);
			cr_expect_eq(ev.kind, EVENT_PRE_TOOL_USE);
			cr_expect_str_eq(ev.tool_name, rows[i].tool);
			cr_expect_not_null(ev.cut);
		}
		event_free(&ev);
		free(text);
	}
}

Test(event, a_torn_event_is_not_cut)
{
	struct error e = { 0 };
	struct event ev;

	cr_expect_eq(read_first(&ev,
			 "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"TaskUpdate\","
			 "\"tool_input\":{\"taskId\":",
			 &e),
	    -1);
	event_free(&ev);
}

Test(agent, a_label_is_printable_and_bounded)
{
	char longest[202];

	memset(longest, 'x', sizeof(longest));
	longest[201] = '\0';
	cr_expect_not(agent_label_ok(longest));
	longest[200] = '\0';
	cr_expect(agent_label_ok(longest));
	cr_expect(agent_label_ok("0198c2a1-77aa-7e31-8a3b-52f0c6a0b001"));
	cr_expect(agent_label_ok("sess/1 \xc3\xa9"), "it is not a path");
	cr_expect_not(agent_label_ok(""));
	cr_expect_not(agent_label_ok("a\nb"));
	cr_expect_not(agent_label_ok("a\033[2J"));
	cr_expect_not(agent_label_ok("a\xff"));
	cr_expect_not(agent_label_ok("\xe2\x80\xae"), "a direction mark");
}
