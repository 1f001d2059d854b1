#include <criterion/criterion.h>
#include <string.h>

#include "json/json-print.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

Test(json_print, layout_and_strings_as_javascript)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "{}", "{}" },
		{ " [ ] ", "[]" },
		{ "{\"a\":{},\"b\":[]}", "{\n  \"a\": {},\n  \"b\": []\n}" },
		{ "[1,[2,[3]]]", "[\n  1,\n  [\n    2,\n    [\n      3\n    ]\n  ]\n]" },
		{ "\"a\\/b\"", "\"a/b\"" },
		{ "\"\\u0000\\u001F\\b\\t\\n\\f\\r\\\"\\\\\"",
		    "\"\\u0000\\u001f\\b\\t\\n\\f\\r\\\"\\\\\"" },
		{ "\"\\u007f\\u2028\\u00e9\"", "\"\x7f\xe2\x80\xa8\xc3\xa9\"" },
		{ "\"\\uD83D\\uDE80\\uD83D\\uDE8\\u0030\"", NULL },
		{ "\"\\uD800\\uDFFFx\\uDFFF\\uD800\"", "\"\xf0\x90\x8f\xbfx\\udfff\\ud800\"" },
		{ "\"\xff\"", "\"\xef\xbf\xbd\"" },
		{ "[1.0,-0,1e400,9007199254740993]",
		    "[\n  1.0,\n  -0,\n  1e400,\n  9007199254740993\n]" },
		{ "{\"b\":1,\"1\":2,\"b\":3,\"\\u0061\":\"\\/\"}",
		    "{\n  \"b\": 1,\n  \"1\": 2,\n  \"b\": 3,\n  \"a\": \"/\"\n}" },
		{ "{\"__proto__\":1,\"\":2}", "{\n  \"__proto__\": 1,\n  \"\": 2\n}" },
	};
	struct json j = { 0 };
	struct buf b = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		int rc = json_parse(&j, rows[i].text, strlen(rows[i].text), NULL);

		cr_assert_eq(rc, rows[i].want != NULL ? 0 : -1, "%s", rows[i].text);
		if (rc == -1)
			continue;
		buf_reset(&b);
		json_print(&b, &j, JSON_ROOT, 2, 0);
		cr_expect_str_eq(buf_text(&b), rows[i].want, "%s: %s", rows[i].text, buf_text(&b));
	}
	json_free(&j);
	buf_free(&b);
}

Test(json_print, compact_and_deeper)
{
	static const char text[] = "{ \"a\" : [ 1 , \"x\" ] , \"b\" : {\"c\":null} }";
	struct json j = { 0 };
	struct buf b = { 0 };

	json_parse(&j, text, strlen(text), NULL);
	json_print(&b, &j, JSON_ROOT, 0, 0);
	cr_expect_str_eq(buf_text(&b), "{\"a\":[1,\"x\"],\"b\":{\"c\":null}}", "%s", buf_text(&b));
	buf_reset(&b);
	json_print(&b, &j, json_member(&j, JSON_ROOT, "a"), 2, 1);
	cr_expect_str_eq(buf_text(&b), "[\n    1,\n    \"x\"\n  ]", "%s", buf_text(&b));
	buf_reset(&b);
	json_print(&b, &j, JSON_ABSENT, 2, 0);
	cr_expect_str_eq(buf_text(&b), "", "nothing");
	json_free(&j);
	buf_free(&b);
}

Test(json_print, text_in_the_format_of_javascript_is_recognized)
{
	static const struct {
		const char *text;
		bool want;
	} rows[] = {
		{ "{}", true },
		{ "{ }", false },
		{ "{\"a\":1}", false },
		{ "{\n  \"a\": 1\n}", true },
		{ "{\n  \"a\": 1\n}\n", false },
		{ "\"\\n/\xc3\xa9\"", true },
		{ "\"\\/\"", false },
		{ "\"\\u0061\"", false },
		{ "\"\\ud800\"", true },
		{ "\"\xff\"", false },
		{ "0", true },
		{ "-7", true },
		{ "-0", false },
		{ "123456789012345", true },
		{ "9007199254740993", false },
		{ "1.0", false },
		{ "1e3", false },
		{ "{\n  \"b\": 1,\n  \"1\": 2\n}", false },
		{ "[\n  {\n    \"b\": 1,\n    \"b\": 2\n  }\n]", false },
		{ "{\n  \"b\": 1,\n  \"\\u0062\": 2\n}", false },
	};
	struct json j = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		cr_assert_eq(json_parse(&j, rows[i].text, strlen(rows[i].text), NULL), 0);
		cr_expect_eq(json_script_form(&j, j.len), rows[i].want, "%s", rows[i].text);
	}
	json_parse(&j, "[]\n", 3, NULL);
	cr_expect(json_script_form(&j, 2), "without the newline at its end");
	json_free(&j);
}

Test(json_print, strings_are_escaped)
{
	struct buf b = { 0 };
	struct strings list = { 0 };

	json_print_string(&b, "a\"\\/\n\x01\0\xc3\xa9\xff", 10);
	cr_expect_str_eq(buf_text(&b), "\"a\\\"\\\\/\\n\\u0001\\u0000\xc3\xa9\xef\xbf\xbd\"", "%s",
	    buf_text(&b));
	buf_reset(&b);
	json_print_strings(&b, &list, 2, 1);
	cr_expect_str_eq(buf_text(&b), "[]", "none");
	strings_add(&list, "1");
	strings_add(&list, "2");
	buf_reset(&b);
	json_print_strings(&b, &list, 2, 1);
	cr_expect_str_eq(buf_text(&b), "[\n    \"1\",\n    \"2\"\n  ]", "%s", buf_text(&b));
	buf_reset(&b);
	json_print_strings(&b, &list, 0, 0);
	cr_expect_str_eq(buf_text(&b), "[\"1\",\"2\"]", "%s", buf_text(&b));
	strings_free(&list);
	buf_free(&b);
}
