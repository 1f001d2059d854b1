#include <criterion/criterion.h>
#include <string.h>

#include "json/json-edit.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* One edit per letter: s(et) r(emove) p (replace) a(ppend) d(rop), of the
 * member `in` of the root, or of the root itself if that is NULL. */
struct row {
	const char *text;
	struct {
		char op;
		const char *in, *key, *value;
	} edit[4];
	const char *want;
};

static const struct row rows[] = {
	/* no edit */
	{ " {\"a\": 1.0}\r\n", { { 0 } }, " {\"a\": 1.0}\r\n" },
	/* replace an existing value */
	{ "{\"a\":1,\"b\":2}", { { 's', NULL, "a", "\"x\"" } }, "{\"a\":\"x\",\"b\":2}" },
	{ "{ \"a\" :  1 , \"b\" : 2 }", { { 's', NULL, "b", "3" } }, "{ \"a\" :  1 , \"b\" : 3 }" },
	{ "{\"a\":1,\"a\":2}", { { 's', NULL, "a", "3" } }, "{\"a\":1,\"a\":3}" },
	{ "{\"\\u0061\":1}", { { 's', NULL, "a", "3" } }, "{\"\\u0061\":3}" },
	{ "{\"a\":1}", { { 's', NULL, "a", "2" }, { 's', NULL, "a", "3" } }, "{\"a\":3}" },
	{ "{\"a\":{\"x\":1}}", { { 's', "a", "x", "2" } }, "{\"a\":{\"x\":2}}" },
	{ "{\"a\":[1,2]}", { { 'p', "a", NULL, "null" } }, "{\"a\":null}" },
	/* add */
	{ "{}", { { 's', NULL, "a", "1" } }, "{\n  \"a\": 1\n}" },
	{ "{ }", { { 's', NULL, "a", "1" }, { 's', NULL, "b", "2" } },
	    "{\n  \"a\": 1,\n  \"b\": 2\n}" },
	{ "{\"a\":1}", { { 's', NULL, "b", "2" } }, "{\"a\":1,\"b\":2}" },
	{ "{\"a\": 1}", { { 's', NULL, "b", "2" } }, "{\"a\": 1, \"b\": 2}" },
	{ "{ \"a\": 1, \"b\": 2 }", { { 's', NULL, "c", "3" } },
	    "{ \"a\": 1, \"b\": 2, \"c\": 3 }" },
	{ "{\n  \"a\": 1\n}", { { 's', NULL, "b", "2" } }, "{\n  \"a\": 1,\n  \"b\": 2\n}" },
	{ "{\"a\":1 , \"b\":2}", { { 's', NULL, "c", "3" } }, "{\"a\":1 , \"b\":2, \"c\":3}" },
	{ "{\n\"m\": [],\n\"n\": 1\n}", { { 'a', "m", NULL, "1" } },
	    "{\n\"m\": [\n1\n],\n\"n\": 1\n}" },
	{ "{\r\n\t\"a\": 1\r\n}", { { 's', NULL, "b", "2" } },
	    "{\r\n\t\"a\": 1,\r\n\t\"b\": 2\r\n}" },
	{ "{\n  \"a\": 1\n}", { { 's', NULL, "q\"\n", "2" } },
	    "{\n  \"a\": 1,\n  \"q\\\"\\n\": 2\n}" },
	{ "{\n  \"m\": {}\n}", { { 's', "m", "k", "1" } }, "{\n  \"m\": {\n    \"k\": 1\n  }\n}" },
	{ "{\n    \"x\": 1,\n    \"m\": []\n}",
	    { { 'a', "m", NULL, "1" }, { 'a', "m", NULL, "2" } },
	    "{\n    \"x\": 1,\n    \"m\": [\n        1,\n        2\n    ]\n}" },
	{ "{\"x\": 1, \"m\": []}", { { 'a', "m", NULL, "1" }, { 'a', "m", NULL, "2" } },
	    "{\"x\": 1, \"m\": [1, 2]}" },
	{ "{\"m\":[]}", { { 'a', "m", NULL, "1" }, { 'a', "m", NULL, "2" } }, "{\"m\":[1,2]}" },
	{ "{\n  \"m\": [\n    \"1\"\n  ]\n}", { { 'a', "m", NULL, "\"2\"" } },
	    "{\n  \"m\": [\n    \"1\",\n    \"2\"\n  ]\n}" },
	{ "{\"a\":1}", { { 's', NULL, "b", "2" }, { 's', NULL, "b", "3" } }, "{\"a\":1,\"b\":3}" },
	/* remove */
	{ "{\"a\":1}", { { 'r', NULL, "a", NULL } }, "{}" },
	{ "{\n  \"a\": 1\n}\n", { { 'r', NULL, "a", NULL } }, "{}\n" },
	{ "{\"a\":1,\"b\":2,\"c\":3}", { { 'r', NULL, "a", NULL } }, "{\"b\":2,\"c\":3}" },
	{ "{\"a\":1,\"b\":2,\"c\":3}", { { 'r', NULL, "b", NULL } }, "{\"a\":1,\"c\":3}" },
	{ "{\"a\":1,\"b\":2,\"c\":3}", { { 'r', NULL, "c", NULL } }, "{\"a\":1,\"b\":2}" },
	{ "{ \"a\":1, \"b\":2 }", { { 'r', NULL, "a", NULL } }, "{ \"b\":2 }" },
	{ "{ \"a\":1, \"b\":2 }", { { 'r', NULL, "b", NULL } }, "{ \"a\":1 }" },
	{ "{\"a\":1,\"b\":2,\"c\":3}", { { 'r', NULL, "a", NULL }, { 'r', NULL, "b", NULL } },
	    "{\"c\":3}" },
	{ "{\"a\":1,\"b\":2,\"c\":3}", { { 'r', NULL, "c", NULL }, { 'r', NULL, "a", NULL } },
	    "{\"b\":2}" },
	{ "{\"a\":1,\"b\":2,\"c\":3}", { { 'r', NULL, "b", NULL }, { 'r', NULL, "c", NULL } },
	    "{\"a\":1}" },
	{ "{\"a\":1,\"b\":2,\"a\":3}", { { 'r', NULL, "a", NULL } }, "{\"b\":2}" },
	{ "{\"a\":1}", { { 'r', NULL, "z", NULL } }, "{\"a\":1}" },
	{ "{\"m\":[1,2,3]}", { { 'd', "m", "1", NULL } }, "{\"m\":[1,3]}" },
	{ "{\"m\":[1,2,3]}", { { 'd', "m", "0", NULL }, { 'd', "m", "2", NULL } }, "{\"m\":[2]}" },
	{ "{\n  \"m\": [\n    1,\n    2\n  ]\n}", { { 'd', "m", "1", NULL } },
	    "{\n  \"m\": [\n    1\n  ]\n}" },
	{ "{\n  \"m\": [\n    1\n  ]\n}", { { 'd', "m", "0", NULL } }, "{\n  \"m\": []\n}" },
	/* several edits */
	{ "{\"a\":1,\"b\":2}", { { 'r', NULL, "b", NULL }, { 's', NULL, "c", "3" } },
	    "{\"a\":1,\"c\":3}" },
	{ "{\n  \"a\": 1\n}", { { 'r', NULL, "a", NULL }, { 's', NULL, "c", "3" } },
	    "{\n  \"c\": 3\n}" },
	{ "{\"a\":1,\"b\":2}", { { 'r', NULL, "a", NULL }, { 's', NULL, "a", "3" } },
	    "{\"b\":2,\"a\":3}" },
	{ "{\"a\":1,\"b\":2}", { { 's', NULL, "a", "3" }, { 'r', NULL, "a", NULL } }, "{\"b\":2}" },
	{ "{\"a\":1}", { { 's', NULL, "b", "3" }, { 'r', NULL, "b", NULL } }, "{\"a\":1}" },
	{ "{\"a\":1}",
	    { { 's', NULL, "b", "2" }, { 's', NULL, "c", "3" }, { 'r', NULL, "b", NULL } },
	    "{\"a\":1,\"c\":3}" },
	{ "{\"a\":1,\"b\":2}", { { 's', NULL, "b", "9" }, { 's', NULL, "c", "3" } },
	    "{\"a\":1,\"b\":9,\"c\":3}" },
	{ "{\"a\":{\"x\":1},\"b\":2}", { { 's', "a", "x", "2" }, { 'r', NULL, "a", NULL } },
	    "{\"b\":2}" },
	{ "{\"a\":{\"x\":1},\"b\":2}", { { 's', "a", "y", "2" }, { 's', NULL, "a", "0" } },
	    "{\"a\":0,\"b\":2}" },
	{ "{\"a\":{\"x\":1}}", { { 's', "a", "y", "2" }, { 's', NULL, "b", "0" } },
	    "{\"a\":{\"x\":1,\"y\":2},\"b\":0}" },
	{ "{\"m\":[1,2]}", { { 'd', "m", "1", NULL }, { 'a', "m", NULL, "3" } }, "{\"m\":[1,3]}" },
	{ "{\"m\":[1]}", { { 'd', "m", "0", NULL }, { 'a', "m", NULL, "3" } }, "{\"m\":[3]}" },
	/* an invalid edit changes nothing */
	{ "[1]", { { 's', NULL, "a", "1" }, { 'r', NULL, "a", NULL } }, "[1]" },
	{ "{\"a\":1}", { { 'a', NULL, NULL, "1" }, { 'd', "a", "0", NULL } }, "{\"a\":1}" },
	{ "{\"a\":1}", { { 's', "z", "a", "1" }, { 'p', "z", NULL, "1" } }, "{\"a\":1}" },
};

static json_ref
nth(const struct json *j, json_ref array, int n)
{
	json_ref at = json_first(j, array);

	while (n-- > 0)
		at = json_next(j, array, at);
	return at;
}

static void
apply(struct json_edit *e, const struct json *j, const struct row *row)
{
	for (size_t i = 0; i < COUNT(row->edit) && row->edit[i].op != 0; i++) {
		const char *key = row->edit[i].key, *value = row->edit[i].value;
		json_ref at = JSON_ROOT;

		if (row->edit[i].in != NULL)
			at = json_member(j, JSON_ROOT, row->edit[i].in);
		switch (row->edit[i].op) {
		case 's':
			json_edit_set(e, at, key, value);
			break;
		case 'r':
			json_edit_remove(e, at, key);
			break;
		case 'p':
			json_edit_replace(e, at, value);
			break;
		case 'a':
			json_edit_append(e, at, value);
			break;
		default:
			json_edit_drop(e, at, nth(j, at, atoi(key)));
		}
	}
}

Test(json_edit, changes_only_what_is_edited)
{
	struct json_edit e;
	struct json j = { 0 };
	struct buf out = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		cr_assert_eq(json_parse(&j, rows[i].text, strlen(rows[i].text), NULL), 0, "%s",
		    rows[i].text);
		json_edit_init(&e, &j);
		apply(&e, &j, &rows[i]);
		json_edit_apply(&e, &out);
		cr_expect_str_eq(buf_text(&out), rows[i].want, "row %zu: %s: %s", i, rows[i].text,
		    buf_text(&out));
		json_edit_apply(&e, &out);
		cr_expect_str_eq(buf_text(&out), rows[i].want, "row %zu: applied again", i);
		json_edit_free(&e);
	}
	json_free(&j);
	buf_free(&out);
}

Test(json_edit, large_arrays_take_linear_time)
{
	struct json_edit e;
	struct json j = { 0 };
	struct buf text = { 0 }, out = { 0 };
	json_ref at;
	int i = 0;

	buf_puts(&text, "[0");
	for (int n = 1; n < 20000; n++)
		buf_printf(&text, ",%d", n);
	buf_puts(&text, "]");
	cr_assert_eq(json_parse(&j, text.data, text.len, NULL), 0, "parses");
	json_edit_init(&e, &j);
	for (at = json_first(&j, 0); at != JSON_ABSENT; at = json_next(&j, 0, at))
		if (i++ != 777)
			json_edit_drop(&e, JSON_ROOT, at);
	json_edit_apply(&e, &out);
	cr_expect_str_eq(buf_text(&out), "[777]", "one is left");
	json_edit_free(&e);
	json_free(&j);
	buf_free(&text);
	buf_free(&out);
}
