#include <criterion/criterion.h>
#include <string.h>

#include "json/out.h"

Test(out, builds_objects_and_arrays)
{
	struct json_object *o = out_object(), *a = out_array(), *in = out_object();
	struct strings list = { 0 };
	struct buf b = { 0 };

	strings_add(&list, "1");
	strings_add(&list, "2/3");
	out_string(o, "s", "a/\"b\"\n\xc3\xa9");
	out_string(o, "none", NULL);
	out_int(o, "i", INT64_MIN);
	out_bool(o, "t", true);
	out_strings(o, "list", &list);
	out_push_string(a, "x");
	out_push(a, in);
	out_add(o, "a", a);
	out_add(o, "nothing", NULL);
	out_text(&b, o);
	cr_expect_str_eq(buf_text(&b),
	    "{\"s\":\"a/\\\"b\\\"\\n\xc3\xa9\",\"i\":-9223372036854775808,\"t\":true,"
	    "\"list\":[\"1\",\"2/3\"],\"a\":[\"x\",{}]}",
	    "%s", buf_text(&b));
	strings_free(&list);
	buf_free(&b);
}

Test(out, invalid_utf8_is_repaired)
{
	struct json_object *o = out_object();
	struct buf b = { 0 };

	out_string(o, "s", "a\xff\xe2\x82");
	out_add(o, "r", out_raw_text("\"\xff\"", 3));
	out_text(&b, o);
	cr_expect_str_eq(buf_text(&b),
	    "{\"s\":\"a\xef\xbf\xbd\xef\xbf\xbd\",\"r\":\"\xef\xbf\xbd\"}", "%s", buf_text(&b));
	buf_free(&b);
}

Test(out, raw_values_keep_their_bytes)
{
	static const char text[] =
	    "{\n \"n\": 18446744073709551616.0e0,\n \"s\": \"\\ud800\", \"n\": -0}";
	struct json_object *o;
	struct json j = { 0 };
	struct buf b = { 0 };

	json_parse(&j, text, strlen(text), NULL);
	o = out_object();
	out_add(o, "s", out_raw(&j, json_member(&j, JSON_ROOT, "s")));
	out_add(o, "absent", out_raw(&j, JSON_ABSENT));
	out_text(&b, o);
	cr_expect_str_eq(buf_text(&b), "{\"s\":\"\\ud800\"}", "%s", buf_text(&b));

	buf_reset(&b);
	o = out_object();
	out_add(o, "all", out_raw(&j, JSON_ROOT));
	out_add(o, "t", out_raw_text("[1.0]", 5));
	out_text(&b, o);
	cr_expect_str_eq(buf_text(&b),
	    "{\"all\":{\"n\":18446744073709551616.0e0,\"s\":\"\\ud800\",\"n\":-0},\"t\":[1.0]}",
	    "one line: %s", buf_text(&b));
	json_free(&j);
	buf_free(&b);
}

Test(out, prints_with_indentation)
{
	struct json_object *o = out_object();
	struct buf b = { 0 };

	out_add(o, "e", out_object());
	out_add(o, "a", out_array());
	out_add(o, "r", out_raw_text("{\"x\":[1.0]}", 11));
	out_pretty(&b, o);
	cr_expect_str_eq(buf_text(&b),
	    "{\n  \"e\": {},\n  \"a\": [],\n  \"r\": {\n    \"x\": [\n      1.0\n    ]\n  }\n}",
	    "%s", buf_text(&b));
	buf_free(&b);
}

Test(out, values_that_are_too_deep_are_printed_without_layout)
{
	char deep[2 * (JSON_DEPTH + 1)];
	struct json_object *o;
	struct buf b = { 0 };

	memset(deep, '[', sizeof(deep) / 2);
	memset(deep + sizeof(deep) / 2, ']', sizeof(deep) / 2);
	o = out_object();
	out_add(o, "d", out_raw_text(deep, sizeof(deep)));
	out_pretty(&b, o);
	cr_expect_not_null(strstr(buf_text(&b), "[[[["), "unchanged: %s", buf_text(&b));
	cr_expect_eq(b.len, strlen("{\n  \"d\": \n}") + sizeof(deep), "%zu", b.len);
	buf_free(&b);
}

Test(out, misleading_characters_are_escaped)
{
	struct json_object *o = out_object();
	struct buf b = { 0 };

	out_string(
	    o, "a", "x\xe2\x80\xae\x7f\xf3\xa0\x81\x81\xc2\x9b\xe2\x9c\x85\xef\xb8\x8f\xc3\xa9");
	out_text(&b, o);
	cr_expect_str_eq(buf_text(&b),
	    "{\"a\":\"x\\u202e\\u007f\\udb40\\udc41\\u009b\xe2\x9c\x85\xef\xb8\x8f\xc3\xa9\"}",
	    "%s", buf_text(&b));
	buf_free(&b);
}

Test(out, every_kind_of_value_is_printed)
{
	struct json_object *o = out_object(), *a = out_array();
	struct buf b = { 0 };

	out_add(o, "a\"/\n", a);
	out_push(a, NULL);
	out_push(a, json_object_new_boolean(0));
	out_push(a, json_object_new_uint64(UINT64_MAX));
	out_push(a, json_object_new_string_len("a\0b", 3));
	out_push(a, out_object());
	out_text(&b, o);
	cr_expect_str_eq(buf_text(&b),
	    "{\"a\\\"/\\n\":[null,false,18446744073709551615,\"a\\u0000b\",{}]}", "%s",
	    buf_text(&b));
	buf_free(&b);
}
