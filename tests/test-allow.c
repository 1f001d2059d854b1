/*
 * Which commands in a task are allowed: patterns match words, not text.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "gate/verify-allow.h"

static const char *const list[] = { "make *", "npm test", "pytest **", "go test ./...", "a -x*",
	"test -e x && echo y", "{b,c} [0-9]" };

static int
ask(const char *json, char **shell, struct strings *argv)
{
	struct strings allow = { 0 };
	struct json j = { 0 };
	struct error e;
	char *text;
	int rc;

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		strings_add(&allow, list[i]);
	cr_assert_eq(json_parse(&j, json, strlen(json), &e), 0, "%s: %s", json, e.text);
	rc = verify_allow(&allow, &j, JSON_ROOT, argv, shell, &text);
	free(text);
	json_free(&j);
	strings_free(&allow);
	return rc;
}

Test(allow, a_pattern_allows_commands_by_words)
{
	static const struct {
		const char *json;
		int want;
		const char *last; /* the last word of the command that would run */
		bool shell;
	} rows[] = {
		{ "\"make test\"", 1, "test", false },
		{ "\"  make   test  \"", 1, "test", false },
		{ "[\"make\", \"test\"]", 1, "test", false },
		{ "\"make\"", 0, NULL, false },
		{ "\"make a b\"", 0, NULL, false },
		{ "\"make -n\"", 0, NULL, false },
		{ "\"make --eval=x\"", 0, NULL, false },
		{ "\"make x;y\"", 0, NULL, false },
		{ "\"make `x`\"", 0, NULL, false },
		{ "\"make $x\"", 0, NULL, false },
		{ "\"make x\\ny\"", -1, NULL, false },
		{ "[\"make\", \"a b\"]", 0, NULL, false },
		{ "[\"make\", \"\"]", 0, NULL, false },
		{ "\"./make test\"", 0, NULL, false },
		{ "\"npm test\"", 1, "test", false },
		{ "\"npm test x\"", 0, NULL, false },
		{ "\"npm install\"", 0, NULL, false },
		{ "\"pytest\"", 1, "pytest", false },
		{ "\"pytest tests -k x\"", 1, "x", false },
		{ "\"pytest a|b\"", 0, NULL, false },
		{ "\"go test ./...\"", 1, "./...", false },
		{ "\"a -xyz\"", 1, "-xyz", false },
		{ "\"a -y\"", 0, NULL, false },
		{ "\"test -e x && echo y\"", 1, "test -e x && echo y", true },
		{ "\"test -e x && echo z\"", 0, NULL, false },
		{ "[\"test\", \"-e\", \"x\", \"&&\", \"echo\", \"y\"]", 0, NULL, false },
		{ "\"b 7\"", 1, "7", false },
		{ "\"d 7\"", 0, NULL, false },
		{ "\"\"", -1, NULL, false },
		{ "\"  \"", -1, NULL, false },
		{ "[]", -1, NULL, false },
		{ "[1]", -1, NULL, false },
		{ "{}", -1, NULL, false },
		{ "true", -1, NULL, false },
		{ "\"a\\u0000b\"", -1, NULL, false },
		{ "\"rm -rf x\"", 0, NULL, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct strings argv = { 0 };
		char *shell = NULL;

		cr_expect_eq(ask(rows[i].json, &shell, &argv), rows[i].want, "%s", rows[i].json);
		cr_expect_eq(shell != NULL, rows[i].shell, "%s", rows[i].json);
		if (rows[i].want == 1 && argv.count > 0)
			cr_expect_str_eq(argv.item[argv.count - 1], rows[i].last);
		else
			cr_expect_eq(argv.count, 0, "%s", rows[i].json);
		strings_free(&argv);
		free(shell);
	}
}
