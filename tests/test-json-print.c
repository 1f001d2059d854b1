#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "json/json-number.h"
#include "json/json-print.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

Test(json_print, as_javascript_does)
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
		{ "[1.0,1.50,1e3,-0,-0.0,1e21,1e-7]",
		    "[\n  1,\n  1.5,\n  1000,\n  0,\n  0,\n  1e+21,\n  1e-7\n]" },
		{ "9007199254740993", "9007199254740992" },
		{ "12345678901234567890", "12345678901234567000" },
		{ "-123456789012345", "-123456789012345" },
		{ "1e400", "null" },
		{ "{\"b\":1,\"2\":2,\"1\":3,\"01\":4}",
		    "{\n  \"1\": 3,\n  \"2\": 2,\n  \"b\": 1,\n  \"01\": 4\n}" },
		{ "{\"a\":1,\"b\":2,\"\\u0061\":3}", "{\n  \"a\": 3,\n  \"b\": 2\n}" },
		{ "{\"4294967295\":1,\"4294967294\":2}",
		    "{\n  \"4294967294\": 2,\n  \"4294967295\": 1\n}" },
		{ "{\"\\u0031\":1,\"0\":2}", "{\n  \"0\": 2,\n  \"1\": 1\n}" },
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

Test(json_print, own_bytes_in_the_same_layout)
{
	static const char text[] =
	    "{\"b\":1.0,\"1\":-0,\"b\":9007199254740993,\"\\u0061\":\"\\/\"}";
	struct json j = { 0 };
	struct buf b = { 0 };

	json_parse(&j, text, strlen(text), NULL);
	json_print_own(&b, &j, JSON_ROOT, 2, 0);
	cr_expect_str_eq(buf_text(&b),
	    "{\n  \"b\": 1.0,\n  \"1\": -0,\n  \"b\": 9007199254740993,\n  \"\\u0061\": \"\\/\"\n}",
	    "%s", buf_text(&b));
	buf_reset(&b);
	json_print_own(&b, &j, JSON_ROOT, 0, 0);
	cr_expect_str_eq(buf_text(&b), text, "%s", buf_text(&b));
	json_free(&j);
	buf_free(&b);
}

Test(json_print, strings)
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

Test(json_print, numbers)
{
	static const struct {
		double v;
		const char *want;
	} rows[] = {
		{ 0, "0" },
		{ -0.0, "0" },
		{ 1, "1" },
		{ -17, "-17" },
		{ 0.1, "0.1" },
		{ 0.1 + 0.2, "0.30000000000000004" },
		{ 1e15, "1000000000000000" },
		{ 999999999999999.9, "999999999999999.9" },
		{ 123456789012345680000.0, "123456789012345680000" },
		{ 1e21, "1e+21" },
		{ 1.5e300, "1.5e+300" },
		{ 0.000001, "0.000001" },
		{ 0.00000123, "0.00000123" },
		{ 1e-7, "1e-7" },
		{ 5e-324, "5e-324" },
		{ 2.2250738585072014e-308, "2.2250738585072014e-308" },
		{ 1.7976931348623157e308, "1.7976931348623157e+308" },
		{ 0x1p-1017, "7.120236347223045e-307" }, /* not the nearest 16 digits */
		{ 0x1p89, "6.189700196426902e+26" },
		{ INFINITY, "null" },
		{ -INFINITY, "null" },
		{ NAN, "null" },
	};
	struct buf b = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		buf_reset(&b);
		json_number_print(&b, rows[i].v);
		cr_expect_str_eq(buf_text(&b), rows[i].want, "%a: %s", rows[i].v, buf_text(&b));
	}
	buf_free(&b);
}
