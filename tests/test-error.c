#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "utf8-valid.h"

Test(error, set_returns_minus_one_and_fills_in)
{
	struct error e = { 0 };

	cr_expect_eq(error_set(&e, ERROR_BUSY, "lock '%s' is held", "1.json"), -1, "returns -1");
	cr_expect_eq(e.kind, ERROR_BUSY, "kind");
	cr_expect_str_eq(e.text, "lock '1.json' is held", "text: %s", e.text);
}

Test(error, a_null_error_is_allowed)
{
	cr_expect_eq(error_set(NULL, ERROR_INPUT, "x"), -1, "set");
	cr_expect_eq(error_sys(NULL, "x"), -1, "sys");
	cr_expect_eq(error_prefix(NULL, "x"), -1, "prefix");
}

Test(error, sys_names_the_cause_and_keeps_errno)
{
	struct error e = { 0 };

	errno = ENOENT;
	cr_expect_eq(error_sys(&e, "cannot open '%s'", "/x"), -1, "returns -1");
	cr_expect_eq(errno, ENOENT, "errno");
	cr_expect_eq(e.kind, ERROR_FAULT, "kind");
	cr_expect_str_eq(e.text, "cannot open '/x': No such file or directory", "%s", e.text);
}

Test(error, prefix_keeps_the_kind)
{
	struct error e = { 0 };

	error_set(&e, ERROR_INPUT, "byte 17: expected ':'");
	error_prefix(&e, "task '%d'", 3);
	cr_expect_eq(e.kind, ERROR_INPUT, "kind");
	cr_expect_str_eq(e.text, "task '3': byte 17: expected ':'", "%s", e.text);
}

Test(error, the_text_of_the_error_may_be_an_argument)
{
	struct error e = { 0 };

	error_set(&e, ERROR_INPUT, "inner");
	error_set(&e, ERROR_FAULT, "outer: %s", e.text);
	cr_expect_str_eq(e.text, "outer: inner", "%s", e.text);
}

Test(error, unsafe_characters_are_replaced)
{
	static const struct {
		const char *given, *want;
	} rows[] = {
		{ "a\x1b[31mb", "a?[31mb" },
		{ "two\nlines\tand\rmore", "two lines and more" },
		{ "bad \xff byte", "bad ? byte" },
		{ "\xc2\x9b"
		  "31m",
		    "?31m" },
		{ "bidi \xe2\x80\xae!", "bidi ?!" },
		{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" },
	};
	struct error e;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		error_set(&e, ERROR_INPUT, "%s", rows[i].given);
		cr_expect_str_eq(e.text, rows[i].want, "row %zu: %s", i, e.text);
	}
}

Test(error, a_long_text_is_cut_at_a_character)
{
	char lots[4001];
	struct error e;

	for (size_t shift = 0; shift < 3; shift++) {
		memset(lots, 'x', shift);
		for (size_t i = shift; i + 1 < sizeof(lots); i++)
			lots[i] = "\xe2\x82\xac"[(i - shift) % 3];
		lots[sizeof(lots) - 1] = '\0';
		error_set(&e, ERROR_INPUT, "%s", lots);
		cr_expect_str_eq(e.text + strlen(e.text) - 3, "...", "%zu: %s", shift, e.text);
		cr_expect(utf8_valid(e.text, strlen(e.text)), "%zu: valid", shift);
		cr_expect_null(strchr(e.text, '?'), "%zu: no half character: %s", shift, e.text);
		error_prefix(&e, "p");
		cr_expect_str_eq(e.text + strlen(e.text) - 3, "...", "prefixed %zu", shift);
		cr_expect(utf8_valid(e.text, strlen(e.text)), "prefixed %zu: valid", shift);
	}
}
