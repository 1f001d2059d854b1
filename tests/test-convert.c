/*
 * Conversion between formats.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "form/convert.h"
#include "store-one.h"
#include "task/macf.h"

#define NOW INT64_C(1770410460000) /* 2026-02-06T20:41:00Z */
#define SOON deadline_in(20000)

static char top[] = "/tmp/test-convert.XXXXXX";
static struct error err;

static void
setup(void)
{
	strcpy(top + sizeof(top) - 7, "XXXXXX");
	cr_assert_neq(mkdtemp(top), NULL);
}

static void
teardown(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	cr_assert_eq(system(command), 0);
}

TestSuite(convert, .init = setup, .fini = teardown);

static const char native[] =
    "[\n  {\n    \"id\": \"1\",\n    \"subject\": \"First\",\n    \"description\": \"First\",\n"
    "    \"status\": \"completed\",\n    \"blocks\": [\n      \"2\"\n    ],\n    \"blockedBy\": "
    "[]\n  },\n"
    "  {\n    \"id\": \"2\",\n    \"subject\": \"Second\",\n    \"description\": \"Do\\n\\nit\",\n"
    "    \"activeForm\": \"Doing\",\n    \"owner\": \"me\",\n    \"status\": \"in_progress\",\n"
    "    \"blocks\": [],\n    \"blockedBy\": [\n      \"1\"\n    ],\n    \"metadata\": {\n"
    "      \"tags\": [\n        1.5,\n        {}\n      ],\n      \"parent_id\": \"1\"\n    }\n  "
    "}\n]\n";

static void
load(enum convert_form form, const char *text, struct task_set *set)
{
	struct convert_report report = { 0 };

	cr_assert_eq(convert_read(form, text, strlen(text), set, &report, &err), 0, "%s", err.text);
	cr_expect_eq(
	    report.skipped.count, 0, "%s", report.skipped.count > 0 ? report.skipped.item[0] : "");
	convert_report_free(&report);
}

static const char *
lines(const struct strings *s)
{
	static char text[4096];

	text[0] = '\0';
	for (size_t i = 0; i < s->count; i++)
		strcat(strcat(text, s->item[i]), "\n");
	return text;
}

/* After a round trip the bytes are equal and no field is lost. */
Test(convert, native_tasks_are_equal_after_a_round_trip)
{
	static const enum convert_form through[] = { CONVERT_DOCUMENT, CONVERT_EXPORTED };

	for (size_t i = 0; i < 2; i++) {
		struct task_set set = { 0 }, back = { 0 };
		struct convert_report report = { 0 };
		struct buf text = { 0 }, again = { 0 };

		load(CONVERT_NATIVE, native, &set);
		cr_assert_eq(
		    convert_print(through[i], &set, NOW, &text, &report, &err), 0, "%s", err.text);
		cr_expect_eq(
		    convert_form_of(text.data, text.len), through[i], "%s", buf_text(&text));
		load(through[i], buf_text(&text), &back);
		cr_assert_eq(convert_print(CONVERT_NATIVE, &back, NOW, &again, &report, &err), 0,
		    "%s", err.text);
		cr_expect_eq(report.lost.count, 0, "%s", lines(&report.lost));
		if (through[i] == CONVERT_EXPORTED)
			cr_expect_str_eq(buf_text(&again), native, "through %s:\n%s\n%s",
			    convert_form_name(through[i]), buf_text(&text), buf_text(&again));
		else /* a document adds times */
			cr_expect_neq(
			    strstr(buf_text(&again), "\"created_at\": \"2026-02-06T20:41:00Z\""),
			    NULL);
		cr_expect_neq(strstr(buf_text(&again), "\"activeForm\": \"Doing\""), NULL, "%s",
		    buf_text(&again));
		cr_expect_neq(strstr(buf_text(&again), "\"description\": \"Do\\n\\nit\""), NULL,
		    "%s", buf_text(&again));
		cr_expect_neq(
		    strstr(buf_text(&again), "\"parent_id\": \"1\""), NULL, "%s", buf_text(&again));
		task_set_free(&set);
		task_set_free(&back);
		convert_report_free(&report);
		buf_free(&text);
		buf_free(&again);
	}
}

static const char exported[] =
    "[\n  {\n    \"id\": \"task_1\",\n    \"subject\": \"S\",\n    \"description\": \"D\",\n"
    "    \"status\": \"cancelled\",\n    \"priority\": \"high\",\n    \"dependencies\": [\n"
    "      \"task_0\"\n    ],\n    \"blockedBy\": [\n      \"task_0\"\n    ],\n    \"metadata\": "
    "{\n"
    "      \"subagent_id\": \"worker\",\n      \"created_at\": \"2026-02-06T20:41:00Z\"\n    },\n"
    "    \"notes\": \"n\"\n  }\n]\n";

Test(convert, exported_to_native)
{
	struct task_set set = { 0 }, back = { 0 };
	struct convert_report report = { 0 };
	struct buf text = { 0 }, again = { 0 };

	load(CONVERT_EXPORTED, exported, &set);
	cr_assert_eq(
	    convert_print(CONVERT_NATIVE, &set, NOW, &text, &report, &err), 0, "%s", err.text);
	cr_expect_str_eq(buf_text(&text),
	    "[\n  {\n    \"id\": \"task_1\",\n    \"subject\": \"S\",\n    \"description\": "
	    "\"D\",\n"
	    "    \"owner\": \"worker\",\n    \"status\": \"completed\",\n    \"blocks\": [],\n"
	    "    \"blockedBy\": [\n      \"task_0\"\n    ],\n    \"metadata\": {\n"
	    "      \"priority\": \"high\",\n      \"created_at\": \"2026-02-06T20:41:00Z\",\n"
	    "      \"original_status\": \"cancelled\",\n      \"notes\": \"n\"\n    }\n  }\n]\n");
	cr_expect_eq(report.lost.count, 0, "%s", lines(&report.lost));
	load(CONVERT_NATIVE, buf_text(&text), &back);
	cr_assert_eq(
	    convert_print(CONVERT_EXPORTED, &back, NOW, &again, &report, &err), 0, "%s", err.text);
	cr_expect_neq(
	    strstr(buf_text(&again), "\"status\": \"cancelled\""), NULL, "%s", buf_text(&again));
	cr_expect_neq(
	    strstr(buf_text(&again), "\"priority\": \"high\""), NULL, "%s", buf_text(&again));
	task_set_free(&set);
	task_set_free(&back);
	convert_report_free(&report);
	buf_free(&text);
	buf_free(&again);
}

Test(convert, the_folder_format_reports_lost_fields)
{
	struct task_set set = { 0 };
	struct convert_report report = { 0 };
	struct buf text = { 0 };

	load(CONVERT_NATIVE, native, &set);
	cr_assert_eq(
	    convert_print(CONVERT_FOLDER, &set, NOW, &text, &report, &err), 0, "%s", err.text);
	cr_expect_str_eq(lines(&report.lost),
	    "#2 \"Second\": activeForm is lost\n#2 \"Second\": its parent is lost\n"
	    "#2 \"Second\": metadata.tags is lost\n");
	cr_expect_neq(strstr(buf_text(&text), "\"owner\": null"), NULL, "%s", buf_text(&text));
	cr_expect_eq(strstr(buf_text(&text), "blocks\""), NULL, "%s", buf_text(&text));
	task_set_free(&set);
	convert_report_free(&report);
	buf_free(&text);
}

Test(convert, texts_with_nul_and_lone_surrogates_are_kept)
{
	struct task_set set = { 0 };
	struct convert_report report = { 0 };
	struct buf text = { 0 };

	load(CONVERT_NATIVE,
	    "{\"id\":\"1\",\"subject\":\"a\\ud800\\u0000b\",\"description\":\"\\udc00\",\"status\":"
	    "\"pending\","
	    "\"blocks\":[],\"blockedBy\":[],\"metadata\":{\"x\":\"\\ud800\"}}",
	    &set);
	cr_assert_eq(
	    convert_print(CONVERT_EXPORTED, &set, NOW, &text, &report, &err), 0, "%s", err.text);
	cr_expect_neq(strstr(buf_text(&text), "\"a\\ud800\\u0000b\""), NULL, "%s", buf_text(&text));
	cr_expect_neq(strstr(buf_text(&text), "\"\\udc00\""), NULL, "%s", buf_text(&text));
	cr_expect_neq(strstr(buf_text(&text), "\"x\": \"\\ud800\""), NULL, "%s", buf_text(&text));
	task_set_free(&set);
	convert_report_free(&report);
	buf_free(&text);
}

Test(convert, a_checklist_keeps_ids_parents_and_descriptions)
{
	static const char text[] =
	    "- [x] #1 First\n"
	    "- [ ] #2 Second (in_progress, owner me, after #1 #x-9, parent #1)\n"
	    "  > Do\n  >\n  > it\n"
	    "- [ ] #3 Fix (this) (pending)\n"
	    "- [-] #4 Gone (cancelled)\n"
	    "- [ ] #5 - [ ] odd (owner a b)\n";
	struct task_set set = { 0 };
	struct convert_report report = { 0 };
	struct buf again = { 0 };

	load(CONVERT_CHECKLIST, text, &set);
	cr_assert_eq(set.count, 5);
	cr_expect_str_eq(set.item[1].subject, "Second");
	cr_expect_str_eq(set.item[1].description, "Do\n\nit");
	cr_expect_str_eq(set.item[1].parent, "1");
	cr_expect_str_eq(set.item[2].subject, "Fix (this)");
	cr_assert_eq(convert_print(CONVERT_CHECKLIST, &set, NOW, &again, &report, &err), 0);
	cr_expect_str_eq(buf_text(&again), text, "%s", buf_text(&again));
	cr_expect_eq(report.lost.count, 0, "%s", lines(&report.lost));
	task_set_free(&set);
	convert_report_free(&report);
	buf_free(&again);
}

Test(convert, a_checklist_without_ids_is_read)
{
	struct task_set set = { 0 };

	load(CONVERT_CHECKLIST,
	    "# Plan\n\nSome words.\n\n* [ ] Build (the big one)\r\n    with all of it\n  1. [X] "
	    "Sub one\n"
	    "     - [/] Sub sub\n  2. [ ] Sub two\n- [ ]\n- [z] no\n-[ ] no\n- [ ]no\n+ [ ] #1 "
	    "Last\n",
	    &set);
	cr_assert_eq(set.count, 6, "%zu", set.count);
	cr_expect_str_eq(set.item[0].id, "2", "#1 is used below");
	cr_expect_str_eq(set.item[0].subject, "Build (the big one)");
	cr_expect_str_eq(set.item[0].description, "with all of it");
	cr_expect_str_eq(set.item[1].parent, "2");
	cr_expect_eq(set.item[1].status, TASK_COMPLETED);
	cr_expect_str_eq(set.item[2].parent, "3");
	cr_expect_eq(set.item[2].status, TASK_IN_PROGRESS);
	cr_expect_str_eq(set.item[3].parent, "2");
	cr_expect_str_eq(set.item[4].subject, "");
	cr_expect_eq(set.item[4].parent, NULL);
	cr_expect_str_eq(set.item[5].id, "1");
	task_set_free(&set);
}

Test(convert, the_format_is_detected)
{
	static const struct {
		const char *text;
		enum convert_form want;
	} rows[] = {
		{ native, CONVERT_NATIVE },
		{ exported, CONVERT_EXPORTED },
		{ "{\"tasks\":[]}", CONVERT_DOCUMENT },
		{ "[]", CONVERT_EXPORTED },
		{ "- [ ] x", CONVERT_CHECKLIST },
		{ "hello", CONVERT_UNKNOWN },
		{ "", CONVERT_UNKNOWN },
		{ "7", CONVERT_UNKNOWN },
		{ "{\"id\":\"a\",\"subject\":\"s\",\"status\":\"pending\",\"owner\":null,"
		  "\"blockedBy\":[]}",
		    CONVERT_FOLDER },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(convert_form_of(rows[i].text, strlen(rows[i].text)), rows[i].want,
		    "%s", rows[i].text);
	for (int f = 0; f < CONVERT_UNKNOWN; f++)
		cr_expect_eq((int)convert_form_parse(convert_form_name(f)), f);
	cr_expect_eq(convert_form_parse("Markdown"), CONVERT_CHECKLIST);
	cr_expect_eq(convert_form_parse("xml"), CONVERT_UNKNOWN);
}

/* Of the text one task is read, and these lines are reported. */
static void
skips(enum convert_form form, const char *text, const char *want)
{
	struct task_set set = { 0 };
	struct convert_report report = { 0 };

	cr_assert_eq(convert_read(form, text, strlen(text), &set, &report, &err), 0);
	cr_expect_eq(set.count, 1);
	cr_expect_str_eq(lines(&report.skipped), want, "%s", lines(&report.skipped));
	cr_expect_eq(convert_read(form, "[", 1, &set, &report, &err), -1);
	task_set_free(&set);
	convert_report_free(&report);
}

Test(convert, bad_entries_are_skipped_and_named)
{
	skips(CONVERT_EXPORTED,
	    "[{\"id\":\"a\",\"subject\":\"A\",\"status\":\"pending\"},7,{\"id\":\"b\"},"
	    "{\"id\":\"a\",\"subject\":\"again\",\"status\":\"pending\"}]",
	    "entry 2: it is a number, not an object\n"
	    "entry 3: status is missing\n"
	    "entry 4: an earlier entry has the id #a\n");
	skips(CONVERT_DOCUMENT,
	    "{\"tasks\":[7,{\"id\":\"a\",\"description\":\"A\",\"status\":\"pending\"},{},"
	    "{\"id\":\"a\",\"description\":\"again\",\"status\":\"pending\"}]}",
	    "tasks[0]: it is a number, not an object\n"
	    "tasks[2]: id is missing\n"
	    "tasks[3]: an earlier entry has the id #a\n");
}

Test(convert, a_nul_byte_is_neither_a_bullet_nor_a_mark)
{
	cr_expect_eq(convert_form_of("\0 [ ] x", 7), CONVERT_UNKNOWN, "a bullet");
	cr_expect_eq(convert_form_of("- [\0] x", 7), CONVERT_UNKNOWN, "a mark");
}

static void
open_list(struct store *s, const char *name, enum store_layout layout)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	cr_assert_eq(convert_make(path, layout, &err), 0, "%s", err.text);
	cr_assert_eq(store_open(s, path, false, &err), 1, "%s", err.text);
	cr_assert_eq(s->layout, layout);
	s->durability = DURABILITY_OFF;
}

Test(convert, imported_tasks_get_free_ids)
{
	struct store s = STORE_INIT;
	struct task_set set = { 0 }, now = { 0 };
	struct convert_report report = { 0 };
	struct task t = TASK_INIT;
	struct change c = { .status = TASK_NO_STATUS, .subject = "there before" };

	open_list(&s, "native", STORE_NATIVE);
	load(CONVERT_NATIVE, native, &set);
	cr_expect_eq(convert_put(&s, &set, &report, SOON, &err), 2, "%s", err.text);
	cr_expect_eq(report.changed.count, 0, "an empty list keeps their ids");
	cr_expect_eq(convert_put(&s, &set, &report, SOON, &err), 2, "%s", err.text);
	cr_expect_str_eq(lines(&report.changed), "1 is now 3\n2 is now 4\n");
	cr_expect_eq(store_get(&s, "4", &t, &err), 1);
	cr_expect_str_eq(t.blocked_by.item[0], "3", "dependencies have the new ids");
	cr_expect_str_eq(t.parent, "3");
	cr_expect_eq(store_get(&s, "2", &t, &err), 1);
	cr_expect_str_eq(t.blocked_by.item[0], "1");
	cr_expect_eq(store_create(&s, &c, NULL, NULL, &t, SOON, &err), 0);
	cr_expect_str_eq(t.id, "5");
	store_close(&s);
	convert_report_free(&report);

	open_list(&s, "document", STORE_DOCUMENT);
	cr_expect_eq(convert_put(&s, &set, &report, SOON, &err), 2, "%s", err.text);
	cr_assert_eq(store_load(&s, &now, &err), 0);
	cr_expect_eq(now.count, 2);
	cr_expect_eq(convert_put(&s, &set, &report, SOON, &err), 2, "%s", err.text);
	cr_expect_eq(report.changed.count, 2);
	store_close(&s);
	task_set_free(&now);
	convert_report_free(&report);

	open_list(&s, ".tasks", STORE_FOLDER);
	cr_expect_eq(convert_put(&s, &set, &report, SOON, &err), 2, "%s", err.text);
	cr_expect_eq(report.lost.count, 3);
	cr_assert_eq(store_load(&s, &now, &err), 0);
	cr_expect_eq(now.count, 2, "%zu", now.count);
	store_close(&s);
	task_set_free(&now);
	convert_report_free(&report);
	task_set_free(&set);
	task_free(&t);
}

/* Also of a task that is written again as the other side of a dependency. */
Test(convert, an_imported_task_keeps_the_time_of_its_last_change)
{
	static const char text[] =
	    "[{\"id\":\"1\",\"subject\":\"a\",\"status\":\"pending\",\"dependencies\":[\"2\"],"
	    "\"metadata\":{\"updated_at\":\"2025-02-06T10:30:00Z\"}},"
	    "{\"id\":\"2\",\"subject\":\"b\",\"status\":\"pending\","
	    "\"metadata\":{\"updated_at\":\"2025-02-06T11:00:00Z\"}}]";
	static const char *const times[] = { "2025-02-06T10:30:00Z", "2025-02-06T11:00:00Z" };
	struct store s = STORE_INIT;
	struct task_set set = { 0 };
	struct convert_report report = { 0 };
	struct task t = TASK_INIT;
	char *made, *changed;

	open_list(&s, "native", STORE_NATIVE);
	load(CONVERT_EXPORTED, text, &set);
	cr_assert_eq(convert_put(&s, &set, &report, SOON, &err), 2, "%s", err.text);
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(store_get(&s, i == 0 ? "1" : "2", &t, &err), 1, "%s", err.text);
		store_times(&s, &t, &made, &changed);
		cr_expect_str_eq(changed, times[i]);
		free(made);
		free(changed);
	}
	store_close(&s);
	convert_report_free(&report);
	task_set_free(&set);
	task_free(&t);
}

Test(convert, tasks_that_wait_for_each_other_in_a_cycle_are_not_imported)
{
	static const char text[] =
	    "[{\"id\":\"1\",\"subject\":\"a\",\"status\":\"pending\",\"dependencies\":[\"2\"]},"
	    "{\"id\":\"2\",\"subject\":\"b\",\"status\":\"pending\",\"dependencies\":[\"1\"]}]";
	struct store s = STORE_INIT;
	struct task_set set = { 0 }, now = { 0 };
	struct convert_report report = { 0 };

	open_list(&s, "native", STORE_NATIVE);
	load(CONVERT_EXPORTED, text, &set);
	cr_expect_eq(convert_put(&s, &set, &report, SOON, &err), -1);
	cr_expect_neq(strstr(err.text, "in a cycle: #1 -> #2 -> #1"), NULL, "%s", err.text);
	cr_assert_eq(store_load(&s, &now, &err), 0);
	cr_expect_eq(now.count, 0);
	store_close(&s);
	convert_report_free(&report);
	task_set_free(&set);
}

Test(convert, invalid_ids_are_replaced)
{
	struct store s = STORE_INIT;
	struct task_set set = { 0 };
	struct convert_report report = { 0 };
	struct task t = TASK_INIT;

	open_list(&s, "lab", STORE_NATIVE);
	load(CONVERT_DOCUMENT,
	    "{\"tasks\":[{\"id\":\"../"
	    "a\",\"description\":\"A\",\"status\":\"pending\"},{\"id\":\"b.c\","
	    "\"description\":\"B\",\"status\":\"blocked\",\"dependencies\":[\"../"
	    "a\"]},{\"id\":\"7\","
	    "\"description\":\"C\\n\\nmore\",\"status\":\"blocked\",\"assignee\":\"x\"}]}",
	    &set);
	cr_expect_eq(convert_put(&s, &set, &report, SOON, &err), 3, "%s", err.text);
	cr_expect_str_eq(lines(&report.changed), "../a is now 8\nb.c is now 9\n");
	cr_expect_eq(store_get(&s, "9", &t, &err), 1, "%s", err.text);
	cr_expect_str_eq(t.blocked_by.item[0], "8");
	cr_expect_eq(t.status, TASK_PENDING);
	cr_expect_eq(store_get(&s, "8", &t, &err), 1);
	cr_expect_str_eq(t.blocks.item[0], "9", "both sides");
	cr_expect_eq(store_get(&s, "7", &t, &err), 1);
	cr_expect_str_eq(t.subject, "C");
	cr_expect_str_eq(t.description, "more");
	cr_expect_str_eq(t.owner, "x");
	store_close(&s);
	convert_report_free(&report);
	task_set_free(&set);
	task_free(&t);
}

/* ---- metadata of another tool in texts ---- */

#define BLOCK                                                                                   \
	"<macf_task_metadata version=\"1.0\">\ncreation_breadcrumb: s_1/c_2\n  created_cycle: " \
	"42\n</macf_task_metadata>"

#define NATIVE(subject, description, more)                                         \
	"{\"id\":\"4\",\"subject\":\"" subject "\",\"description\":\"" description \
	"\",\"status\":\"pending\",\"blocks\":[],\"blockedBy\":[]" more "}"

Test(macf, values_are_read)
{
	char *s;

	s = macf_agent_type("[SA:DevOpsEng] Implement");
	cr_expect_str_eq(s, "DevOpsEng");
	free(s);
	cr_expect_eq(macf_agent_type("[SA:] x"), NULL);
	cr_expect_eq(macf_agent_type("[SA:a b] x"), NULL);
	cr_expect_eq(macf_agent_type("plain"), NULL);
	s = macf_parent("\033[2m#89\033[0m \033[2m[^#67]\033[0m Phase 4");
	cr_expect_str_eq(s, "67");
	free(s);
	s = macf_value("Text.\n\n" BLOCK, "created_cycle");
	cr_expect_str_eq(s, "42");
	free(s);
	s = macf_value("Text.\n\n" BLOCK, "creation_breadcrumb");
	cr_expect_str_eq(s, "s_1/c_2");
	free(s);
	cr_expect_eq(macf_value(BLOCK, "created"), NULL);
	cr_expect_eq(macf_value("<macf_task_metadata>", "created"), NULL);
}

Test(macf, lines)
{
	static const struct {
		const char *description, *key, *want;
	} rows[] = {
		{ "<macf_task_metadata>repo: a</macf_task_metadata>", "repo", "a" },
		{ "<macf_task_metadata>\r\nrepo: 'a b' \r\n</macf_task_metadata>", "repo", "a b" },
		{ "<macf_task_metadata>\nv: \"1.0\"\n</macf_task_metadata>", "v", "1.0" },
		{ "<macf_task_metadata>\nu:\n- b: x\n  d: y\n</macf_task_metadata>", "d", "y" },
		{ "<macf_task_metadata>\nu:\n- b: x\n</macf_task_metadata>", "b", NULL },
		{ "<macf_task_metadata>\nu:\n</macf_task_metadata>", "u", NULL },
		{ "<macf_task_metadata \nrepo: a\n</macf_task_metadata>", "repo", NULL },
		{ "</macf_task_metadata><macf_task_metadata>repo: a", "repo", NULL },
	};
	char *s;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		s = macf_value(rows[i].description, rows[i].key);
		cr_expect(rows[i].want == NULL ? s == NULL : s && !strcmp(s, rows[i].want),
		    "row %zu: %s", i, s ? s : "(none)");
		free(s);
	}
	s = macf_text("Before.\n\n" BLOCK "\nAfter.\n");
	cr_expect_str_eq(s, "Before.\nAfter.");
	free(s);
	s = macf_text(BLOCK "\n\nAfter.");
	cr_expect_str_eq(s, "After.");
	free(s);
	s = macf_text("No block. ");
	cr_expect_str_eq(s, "No block. ");
	free(s);
}

Test(macf, marks)
{
	static const struct {
		const char *subject, *rest;
	} rows[] = {
		{ "[SA:DevOpsEng] Deploy", "Deploy" },
		{ "\033[2m#4\033[0m [SA:x.y-z_1]  Deploy", "\033[2m#4\033[0m Deploy" },
		{ "Deploy [SA:X]", "Deploy " },
		{ "[SA:] Deploy", "[SA:] Deploy" },
	};
	char *s;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		s = macf_unmark(rows[i].subject);
		cr_expect_str_eq(s, rows[i].rest, "row %zu: %s", i, s);
		free(s);
	}
	cr_expect(macf_same_type("TestEng", "testeng"));
	cr_expect(macf_same_type("TestEng", "plugin:TestEng"));
	cr_expect(!macf_same_type("TestEng", "TestEngineer"));
	cr_expect(!macf_same_type("TestEng", "TestEng:other"));
}

Test(macf, kinds)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ NATIVE("s", "d", ",\"metadata\":{\"kind\":\"Bug\"}"), "bug" },
		{ NATIVE("s", "<macf_task_metadata>task_type: MISSION</macf_task_metadata>", ""),
		    "mission" },
		{ NATIVE("s", "<macf_task_metadata>task_type: BUG</macf_task_metadata>",
		      ",\"metadata\":{\"kind\":\"phase\"}"),
		    "phase" },
		{ NATIVE("\\u001b[2m#4\\u001b[0m \xf0\x9f\x93\x8b Four", "d", ""), "phase" },
		{ NATIVE("\xf0\x9f\x97\xba Map", "d", ""), "mission" },
		{ NATIVE("s", "d", ""), NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task t = TASK_INIT;
		char *s;

		cr_assert_eq(
		    task_read(&t, TASK_NATIVE, "4", rows[i].text, strlen(rows[i].text), &err), 0,
		    "row %zu: %s", i, err.text);
		s = macf_kind(&t);
		cr_expect(rows[i].want == NULL ? s == NULL : s && !strcmp(s, rows[i].want),
		    "row %zu: %s", i, s ? s : "(none)");
		free(s);
		task_free(&t);
	}
}

Test(macf, made)
{
	static const struct macf bug = { .kind = "bug",
		.repo = "shop",
		.version = "1.2",
		.breadcrumb = "s_1/c_2",
		.cycle = "42",
		.created_by = "PA" };
	struct change c = {
		.status = TASK_NO_STATUS, .subject = "Fix it", .parent = "67", .macf = &bug
	};
	static const enum task_dialect dialects[] = { TASK_NATIVE, TASK_DOCUMENT };

	for (size_t i = 0; i < 2; i++) {
		struct task t = TASK_INIT;
		struct buf text = { 0 };
		char *s;

		cr_assert_eq(task_make(dialects[i], "89", &c, 0, &text, &err), 0, "%s", err.text);
		cr_assert_eq(task_read(&t, dialects[i], "89", buf_text(&text), text.len, &err), 0);
		cr_expect_str_eq(t.subject,
		    i == 0 ? "\033[2m#89\033[0m \033[2m[^#67]\033[0m \xf0\x9f\x90\x9b Fix it"
			   : "\xf0\x9f\x90\x9b Fix it");
		cr_expect_str_eq(t.title,
		    i == 0 ? "#89 [^#67] \xf0\x9f\x90\x9b Fix it" : "\xf0\x9f\x90\x9b Fix it");
		cr_expect_str_eq(t.parent, "67");
		cr_expect_not_null(strstr(t.description,
		    "Fix it\n\n<macf_task_metadata version=\"1.0\">\n"
		    "creation_breadcrumb: s_1/c_2\ncreated_cycle: 42\ncreated_by: PA\n"
		    "task_type: BUG\nparent_id: 67\nrepo: shop\ntarget_version: 1.2\n"
		    "</macf_task_metadata>"));
		s = macf_kind(&t);
		cr_expect_str_eq(s, "bug");
		free(s);
		task_free(&t);
		buf_free(&text);
	}
}

Test(macf, an_edit_keeps_the_metadata_block)
{
	struct task t = TASK_INIT, after = TASK_INIT;
	struct buf text = { 0 }, out = { 0 };
	struct change c = { .status = TASK_NO_STATUS, .description = "New words.\n" };

	buf_puts(&text, "{\"id\":\"1\",\"subject\":\"[SA:TestEng] [^#7] "
			"S\",\"status\":\"pending\",\"blocks\":[],"
			"\"blockedBy\":[],\"description\":\"Old.\\n\\n<macf_task_metadata "
			"version=\\\"1.0\\\">\\n"
			"created_by: PA\\n</macf_task_metadata>\"}");
	cr_assert_eq(task_read(&t, TASK_NATIVE, "1", text.data, text.len, &err), 0, "%s", err.text);
	cr_expect_str_eq(t.parent, "7");
	cr_expect_eq(task_edit(&t, &c, NOW, &out, &err), 1, "%s", err.text);
	cr_assert_eq(task_read(&after, TASK_NATIVE, "1", out.data, out.len, &err), 0);
	cr_expect_str_eq(after.description,
	    "New words.\n\n<macf_task_metadata version=\"1.0\">\ncreated_by: "
	    "PA\n</macf_task_metadata>");
	c.description = BLOCK;
	cr_expect_eq(task_edit(&t, &c, NOW, &out, &err), 1);
	cr_assert_eq(task_read(&after, TASK_NATIVE, "1", out.data, out.len, &err), 0);
	cr_expect_str_eq(after.description, BLOCK, "a new description with its own block");
	task_free(&t);
	task_free(&after);
	buf_free(&text);
	buf_free(&out);
}
