#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A heap block of exactly this length, so that ASan finds a read beyond it. */
static char *held;

static int
parse(struct json *j, const char *text, size_t len, struct error *err)
{
	free(held);
	held = malloc(len > 0 ? len : 1);
	memcpy(held, text, len);
	return json_parse(j, held, len, err);
}

Test(json, accepts_valid_text)
{
	static const char *const rows[] = { "null", "true", "false", "0", "-0", "1", "-1.5e+10",
		"1E9", "0.5", "\"\"", "\"a\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD800\"",
		"\"\x7f\"", "\"\xff\"", "\"\xe2\x82\"", "[]", "{}", "[ ]", "{ }", " \t\r\n1\r\n",
		"[1,2]", "[1 , [2 , {}]]", "{\"a\":1}", "{ \"a\" : { \"b\" : [ ] } , \"a\" : 2 }",
		"{\"\":\"\"}", "123456789012345678901234567890", "1e999", "\"0123456789abcdef\"",
		"\"0123456789abcde\\n0123456789abcdef0\"" };
	struct json j = { 0 };
	struct error err;

	for (size_t i = 0; i < COUNT(rows); i++)
		cr_expect_eq(parse(&j, rows[i], strlen(rows[i]), &err), 0, "%s", rows[i]);
	json_free(&j);
	free(held);
}

/* Strings are read eight bytes at a time: no byte may hide in them, at any place, beside any other.
 */
Test(json, sees_every_byte_of_a_string)
{
	static const char beside[] = { 'x', ' ', '!', '#', '[', ']', '\x7f', '\xc3' };
	char text[] = "\"................\"";
	struct json j = { 0 };
	struct error err;

	for (size_t k = 0; k < COUNT(beside); k++)
		for (size_t at = 1; at <= 16; at++)
			for (int c = 0; c < 256; c++) {
				bool stops = c < 0x20 || c == '"' || c == '\\';
				/* the last backslash takes the closing quote with it */
				size_t error = c == '\\' && at == 16 ? 18 : at;

				memset(text + 1, beside[k], 16);
				text[at] = (char)c;
				cr_assert_eq(parse(&j, text, 18, &err), stops ? -1 : 0,
				    "%d at %zu beside %d", c, at, beside[k]);
				if (stops && c != '"')
					cr_assert_eq(j.error_at, error, "%d at %zu beside %d: %s",
					    c, at, beside[k], err.text);
			}
	json_free(&j);
	free(held);
}

Test(json, refuses_invalid_text_with_the_position)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "", "byte 0: expected a value, but the text ends" },
		{ "  ", "byte 2: expected a value, but the text ends" },
		{ "\xef\xbb\xbf{}", "byte 0: expected a value" },
		{ "nul", "byte 0: expected a value" },
		{ "NaN", "byte 0: expected a value" },
		{ "'a'", "byte 0: expected a value" },
		{ "01", "byte 1: expected the end" },
		{ "-", "byte 1: expected a digit, but the text ends" },
		{ "+1", "byte 0: expected a value" },
		{ ".5", "byte 0: expected a value" },
		{ "5.", "byte 2: expected a digit, but the text ends" },
		{ "1e", "byte 2: expected a digit, but the text ends" },
		{ "1e+", "byte 3: expected a digit, but the text ends" },
		{ "[1,]", "byte 3: expected a value" },
		{ "[,1]", "byte 1: expected a value" },
		{ "[1 2]", "byte 3: expected ',' or ']'" },
		{ "[1}", "byte 2: expected ',' or ']'" },
		{ "[}", "byte 1: expected ',' or ']'" },
		{ "{]", "byte 1: expected ',' or '}'" },
		{ "[", "byte 1: expected a value, but the text ends" },
		{ "[1", "byte 2: expected ',' or ']', but the text ends" },
		{ "{", "byte 1: expected a key, but the text ends" },
		{ "{a:1}", "byte 1: expected a key" },
		{ "{\"a\":1,}", "byte 7: expected a key" },
		{ "{\"a\" 1}", "byte 5: expected ':'" },
		{ "{\"a\n\":1}", "byte 3: control character in a string" },
		{ "{\"a", "byte 3: unfinished string, but the text ends" },
		{ "\"\\ug000\"", "byte 1: bad escape" },
		{ "\"\\u0g00\"", "byte 1: bad escape" },
		{ "{\"a\"", "byte 4: expected ':', but the text ends" },
		{ "{\"a\":", "byte 5: expected a value, but the text ends" },
		{ "{\"a\":}", "byte 5: expected a value" },
		{ "{\"a\":1", "byte 6: expected ',' or '}', but the text ends" },
		{ "{\"a\":1]", "byte 6: expected ',' or '}'" },
		{ "{} x", "byte 3: expected the end" },
		{ "{}{}", "byte 2: expected the end" },
		{ "]", "byte 0: expected a value" },
		{ "\"a", "byte 2: unfinished string, but the text ends" },
		{ "\"a\\", "byte 2: bad escape" },
		{ "\"\\x\"", "byte 1: bad escape" },
		{ "\"\\u12g4\"", "byte 1: bad escape" },
		{ "\"\\u123\"", "byte 1: bad escape" },
		{ "\"a\nb\"", "byte 2: control character in a string" },
		{ "\"a\x1f\"", "byte 2: control character in a string" },
		{ "1 // no", "byte 2: a comment, which JSON does not have" },
		{ "{\"a\":1, // no\n}", "byte 8: a comment, which JSON does not have" },
		{ "[ /* no */ ]", "byte 2: a comment, which JSON does not have" },
		{ "\xff", "byte 0: expected a value" },
		{ "\v1", "byte 0: expected a value" },
		{ "\xc2\xa0"
		  "1",
		    "byte 0: expected a value" },
	};
	struct json j = { 0 };
	struct error err;

	for (size_t i = 0; i < COUNT(rows); i++) {
		cr_expect_eq(
		    parse(&j, rows[i].text, strlen(rows[i].text), &err), -1, "%s", rows[i].text);
		cr_expect_eq(err.kind, ERROR_INPUT, "%s", rows[i].text);
		cr_expect_str_eq(err.text, rows[i].want, "%s: %s", rows[i].text, err.text);
		cr_expect_eq(json_kind(&j, JSON_ROOT), JSON_NONE, "a refused text has no values");
		cr_expect_eq(j.error_at, strtoul(err.text + strlen("byte "), NULL, 10),
		    "%s: at %zu", err.text, j.error_at);
	}
	cr_expect_eq(json_parse(&j, "", UINT32_MAX, &err), -1, "too long for a 32-bit position");
	cr_expect_str_eq(err.text, "larger than 4 GB", "%s", err.text);
	cr_expect_eq(json_parse(&j, NULL, 0, &err), -1, "no text");
	cr_expect_eq(parse(&j, "\"a\0\"", 4, &err), -1, "NUL in a string");
	cr_expect_eq(parse(&j, "1\0", 2, &err), -1, "NUL after");
	cr_expect_eq(parse(&j, "\"\\\0\"", 4, &err), -1, "escaped NUL byte");
	json_free(&j);
	free(held);
}

Test(json, depth_is_bounded)
{
	char text[2 * JSON_DEPTH + 2];
	struct json j = { 0 };
	struct error err;

	memset(text, '[', JSON_DEPTH + 1);
	memset(text + JSON_DEPTH + 1, ']', JSON_DEPTH + 1);
	cr_expect_eq(parse(&j, text + 1, 2 * JSON_DEPTH, &err), 0, "deepest");
	cr_expect_eq(parse(&j, text, sizeof(text), &err), -1, "too deep");
	cr_expect_str_eq(err.text, "byte 512: nested too deep", "%s", err.text);
	json_free(&j);
	free(held);
}

Test(json, walks_members_and_elements)
{
	static const char text[] = "{\"a\": [1, [2], {\"x\": 3}], \"b\": {}, \"c\": \"d\"}";
	struct json j = { 0 };
	json_ref a, e, b, c;
	const char *raw;
	size_t len;

	cr_assert_eq(json_parse(&j, text, strlen(text), NULL), 0, "parses");
	cr_expect_eq(json_count(&j, JSON_ROOT), 3, "members");
	a = json_first(&j, JSON_ROOT);
	cr_expect(json_key_equals(&j, a, "a"), "first key");
	cr_expect_eq(json_count(&j, a), 3, "elements");
	e = json_first(&j, a);
	cr_expect_eq(json_kind(&j, e), JSON_NUMBER, "1");
	e = json_next(&j, a, e);
	cr_expect_eq(json_kind(&j, e), JSON_ARRAY, "[2]");
	e = json_next(&j, a, e);
	cr_expect_eq(json_kind(&j, e), JSON_OBJECT, "{x}");
	cr_expect_eq(json_next(&j, a, e), JSON_ABSENT, "the last of three");
	raw = json_raw(&j, e, &len);
	cr_expect_eq(strncmp(raw, "{\"x\": 3}", len), 0, "raw");
	cr_expect_eq(len, 8, "raw length");
	b = json_next(&j, JSON_ROOT, a);
	cr_expect_eq(json_first(&j, b), JSON_ABSENT, "empty");
	c = json_next(&j, JSON_ROOT, b);
	cr_expect(json_equals(&j, c, "d"), "string");
	cr_expect_eq(json_next(&j, JSON_ROOT, c), JSON_ABSENT, "end");
	json_free(&j);
}

Test(json, an_absent_value_has_no_content)
{
	struct strings list = { 0 };
	struct json j = { 0 };
	int64_t v = 5;
	size_t len;

	for (int parsed = 0; parsed < 2; parsed++) {
		json_ref r = JSON_ABSENT;

		cr_expect_eq(json_kind(&j, r), JSON_NONE, "kind");
		cr_expect_eq(json_member(&j, r, "a"), JSON_ABSENT, "member");
		cr_expect_eq(json_first(&j, r), JSON_ABSENT, "first");
		cr_expect_eq(json_next(&j, r, r), JSON_ABSENT, "next");
		cr_expect_eq(json_count(&j, r), 0, "count");
		cr_expect_null(json_raw(&j, r, &len), "raw");
		cr_expect_null(json_string(&j, r), "string");
		cr_expect_null(json_key(&j, r), "key");
		cr_expect_null(json_key(&j, JSON_ROOT), "the root has no key");
		cr_expect_null(json_member_string(&j, r, "a"), "member string");
		cr_expect_not(json_equals(&j, r, ""), "equals");
		cr_expect_not(json_key_equals(&j, JSON_ROOT, ""), "key equals");
		cr_expect_not(json_true(&j, r), "true");
		cr_expect_eq(json_int(&j, r, &v), -1, "int");
		json_strings(&j, r, &list);
		cr_expect_eq(list.count, 0, "strings");
		json_parse(&j, "[1]", 3, NULL);
	}
	cr_expect_eq(v, 5, "the value is not changed");
	json_free(&j);
	json_free(&j);
}

Test(json, strings_decode)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "\"\"", "" },
		{ "\"plain\"", "plain" },
		{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
		{ "\"\\u0041\\u00e9\\u20ac\"", "A\xc3\xa9\xe2\x82\xac" },
		{ "\"\\uD83D\\uDE80\"", "\xf0\x9f\x9a\x80" },
		{ "\"\\ud800\"", "\xef\xbf\xbd" },
		{ "\"\\udc00x\\ud800\\u0041\"", "\xef\xbf\xbdx\xef\xbf\xbd"
						"A" },
		{ "\"\\ud83d\\ud83d\\ude80\"", "\xef\xbf\xbd\xf0\x9f\x9a\x80" },
		{ "\"a\xff\xe2\x82z\"", "a\xef\xbf\xbd\xef\xbf\xbdz" },
	};
	struct json j = { 0 };
	size_t len;
	char *s;

	for (size_t i = 0; i < COUNT(rows); i++) {
		cr_assert_eq(json_parse(&j, rows[i].text, strlen(rows[i].text), NULL), 0, "%s",
		    rows[i].text);
		s = json_string_len(&j, JSON_ROOT, &len);
		cr_expect_str_eq(s, rows[i].want, "%s: %s", rows[i].text, s);
		cr_expect_eq(len, strlen(rows[i].want), "%s", rows[i].text);
		free(s);
	}
	json_parse(&j, "\"a\\u0000b\"", 10, NULL);
	s = json_string_len(&j, JSON_ROOT, &len);
	cr_expect_eq(len, 3, "NUL is kept");
	cr_expect_eq(memcmp(s, "a\0b", 4), 0, "NUL is kept");
	free(s);
	json_free(&j);
}

Test(json, strings_are_compared_after_decoding)
{
	static const struct {
		const char *text, *with;
		bool want;
	} rows[] = {
		{ "\"a\"", "a", true },
		{ "\"\\u0061\"", "a", true },
		{ "\"\\u0061\"", "ab", false },
		{ "\"\\u0061b\"", "a", false },
		{ "\"a\\u0000b\"", "a", false },
		{ "\"\\ud83d\\ude80\"", "\xf0\x9f\x9a\x80", true },
		{ "\"\xf0\x9f\x9a\x80\"", "\xf0\x9f\x9a\x80", true },
		{ "\"\\ud800\"", "\xef\xbf\xbd", false },
		{ "\"\xff\"", "\xef\xbf\xbd", true },
		{ "\"\xff\"", "\xff", false },
		{ "1", "1", false },
	};
	struct json j = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		json_parse(&j, rows[i].text, strlen(rows[i].text), NULL);
		cr_expect_eq(json_equals(&j, JSON_ROOT, rows[i].with), rows[i].want, "%s %s",
		    rows[i].text, rows[i].with);
	}
	json_free(&j);
}

Test(json, the_last_member_wins)
{
	static const char text[] = "{\"a\":1,\"b\":\"x\",\"\\u0061\":2,\"c\\n\":true}";
	struct json j = { 0 };
	int64_t v = 0;
	char *s;

	cr_assert_eq(json_parse(&j, text, strlen(text), NULL), 0, "parses");
	cr_expect_eq(json_int(&j, json_member(&j, JSON_ROOT, "a"), &v), 0, "int");
	cr_expect_eq(v, 2, "the escaped one is the same key");
	cr_expect_eq(json_member(&j, JSON_ROOT, "z"), JSON_ABSENT, "none");
	cr_expect_eq(
	    json_member(&j, json_member(&j, JSON_ROOT, "a"), "z"), JSON_ABSENT, "in a number");
	s = json_member_string(&j, JSON_ROOT, "b");
	cr_expect_str_eq(s, "x", "member string");
	free(s);
	cr_expect_null(json_member_string(&j, JSON_ROOT, "a"), "not a string");
	cr_expect(json_true(&j, json_member(&j, JSON_ROOT, "c\n")), "true");
	s = json_key(&j, json_member(&j, JSON_ROOT, "c\n"));
	cr_expect_str_eq(s, "c\n", "key");
	free(s);
	json_free(&j);
}

Test(json, integers_are_read)
{
	static const struct {
		const char *text;
		int rc;
		int64_t want;
	} rows[] = {
		{ "0", 0, 0 },
		{ "-0", 0, 0 },
		{ "42", 0, 42 },
		{ "9223372036854775807", 0, INT64_MAX },
		{ "-9223372036854775808", 0, INT64_MIN },
		{ "9223372036854775808", -1, 0 },
		{ "-9223372036854775809", -1, 0 },
		{ "99999999999999999999", -1, 0 },
		{ "1e3", 0, 1000 },
		{ "1.50E1", 0, 15 },
		{ "-2.0", 0, -2 },
		{ "1.5", -1, 0 },
		{ "1e300", -1, 0 },
		{ "1e999", -1, 0 },
		{ "\"1\"", -1, 0 },
		{ "true", -1, 0 },
	};
	struct json j = { 0 };
	int64_t v;

	for (size_t i = 0; i < COUNT(rows); i++) {
		v = 0;
		json_parse(&j, rows[i].text, strlen(rows[i].text), NULL);
		cr_expect_eq(json_int(&j, JSON_ROOT, &v), rows[i].rc, "%s", rows[i].text);
		cr_expect_eq(v, rows[i].want, "%s", rows[i].text);
	}
	json_free(&j);
}

Test(json, string_elements_are_collected)
{
	static const char text[] = "[\"1\", 2, \"\\u0033\", null, \"\"]";
	struct strings list = { 0 };
	struct json j = { 0 };

	json_parse(&j, text, strlen(text), NULL);
	json_strings(&j, JSON_ROOT, &list);
	cr_assert_eq(list.count, 3, "three of five");
	cr_expect_str_eq(list.item[0], "1", "first");
	cr_expect_str_eq(list.item[1], "3", "second");
	cr_expect_str_eq(list.item[2], "", "third");
	strings_free(&list);
	json_free(&j);
}

Test(json, keys_are_added_once)
{
	static const char text[] = "[{\"a\":1,\"b\":2},{\"\\u0062\":3,\"c\":4},[5]]";
	struct strings list = { 0 };
	struct json j = { 0 };

	json_parse(&j, text, strlen(text), NULL);
	for (json_ref r = json_first(&j, JSON_ROOT); r != JSON_ABSENT;
	     r = json_next(&j, JSON_ROOT, r))
		json_keys(&j, r, &list);
	cr_assert_eq(list.count, 3, "a, b and c");
	cr_expect_str_eq(list.item[1], "b", "second");
	cr_expect_str_eq(list.item[2], "c", "third");
	strings_free(&list);
	json_free(&j);
}

Test(json, equal_values_are_recognized)
{
	static const struct {
		const char *a, *b;
		bool want;
	} rows[] = {
		{ "1", "1.0", true },
		{ "9007199254740993", "9007199254740992", true },
		{ "0", "-0", true },
		{ "1", "2", false },
		{ "1", "\"1\"", false },
		{ "null", "null", true },
		{ "true", "false", false },
		{ "\"a\\u0062\"", "\"ab\"", true },
		{ "\"\\ud800\"", "\"\\ufffd\"", false },
		{ "[1, 2]", "[1,2]", true },
		{ "[1, 2]", "[2,1]", false },
		{ "[1]", "[1,1]", false },
		{ "{\"a\":1,\"b\":[{}]}", "{\"b\":[{ }],\"\\u0061\":1e0}", true },
		{ "{\"a\":1,\"a\":2}", "{\"a\":2}", true },
		{ "{\"a\":1}", "{\"b\":1}", false },
		{ "{\"a\":1}", "{\"a\":1,\"b\":1}", false },
		{ "{\"\xff\":1,\"\xfe\":2}", "{\"\xef\xbf\xbd\":2}", true },
		{ "{\"\\ud800\":1,\"\\ufffd\":2}", "{\"\\ufffd\":2}", false },
		{ "[]", "{}", false },
	};
	struct json a = { 0 }, b = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		json_parse(&a, rows[i].a, strlen(rows[i].a), NULL);
		json_parse(&b, rows[i].b, strlen(rows[i].b), NULL);
		cr_expect_eq(json_same(&a, 0, &b, 0), rows[i].want, "%s %s", rows[i].a, rows[i].b);
		cr_expect_eq(json_same(&b, 0, &a, 0), rows[i].want, "%s %s", rows[i].b, rows[i].a);
	}
	json_free(&a);
	json_free(&b);
}

Test(json, a_struct_can_be_reused)
{
	struct json j = { 0 };
	struct json_node *node;

	json_parse(&j, "[1,2,3]", 7, NULL);
	node = j.node;
	cr_expect_eq(json_parse(&j, "[1,", 3, NULL), -1, "bad");
	cr_expect_eq(json_parse(&j, "{}", 2, NULL), 0, "good");
	cr_expect_eq(j.node, node, "memory kept");
	cr_expect_eq(json_count(&j, JSON_ROOT), 0, "no nodes of the previous text");
	json_free(&j);
}
