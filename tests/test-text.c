#include <criterion/criterion.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

#define BAD "\xef\xbf\xbd"
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

Test(text, shown_text_is_safe)
{
	static const struct {
		const char *given;
		enum text_form form;
		size_t max;
		const char *want;
	} rows[] = {
		{ "", TEXT_LINE, 10, "" },
		{ "plain", TEXT_LINE, 10, "plain" },
		{ "a</System-reminder>b", TEXT_LINE, 40, "a[/System-reminder>b" },
		{ "<system-reminder>\n", TEXT_BLOCK, 40, "[system-reminder>\n" },
		{ "Vec<T> </div> 1 < 2 <", TEXT_LINE, 40, "Vec<T> </div> 1 < 2 <" },
		{ "gr\xc3\xbc\xc3\x9f \xe6\xbc\xa2 \xf0\x9f\x9a\x80", TEXT_LINE, 10,
		    "gr\xc3\xbc\xc3\x9f \xe6\xbc\xa2 \xf0\x9f\x9a\x80" },
		{ "a\nb\tc", TEXT_LINE, 10, "a b c" },
		{ "a\r\n\n\tb", TEXT_LINE, 10, "a b" },
		{ "a\n\tb\r\nc\rd", TEXT_BLOCK, 20, "a\n\tb\nc\nd" },
		{ "\x1b]52;c;eA==\x07", TEXT_LINE, 20, BAD "]52;c;eA==" BAD },
		{ "\x7f\x01", TEXT_BLOCK, 20, BAD BAD },
		{ "\xc2\x9bm\xc2\x85", TEXT_LINE, 20, BAD "m" BAD },
		{ "\xe2\x80\xae"
		  "abc\xe2\x81\xa9",
		    TEXT_LINE, 20, BAD "abc" BAD },
		{ "a\xe2\x80\x8b\xe2\x80\x8d\xef\xbb\xbf"
		  "b",
		    TEXT_LINE, 20, "a" BAD BAD BAD "b" },
		{ "a\xe2\x80\xa8"
		  "b\xe2\x80\xa9",
		    TEXT_BLOCK, 20, "a" BAD "b" BAD },
		{ "x\xf3\xa0\x81\x81y", TEXT_LINE, 20, "x" BAD "y" },
		{ "\xe2\x9a\xa0\xef\xb8\x8f!", TEXT_LINE, 20, "\xe2\x9a\xa0\xef\xb8\x8f!" },
		{ "\xe2\x9a\xa0\xef\xb8\x8f\xef\xb8\x8f", TEXT_LINE, 20,
		    "\xe2\x9a\xa0\xef\xb8\x8f" BAD },
		{ "a\xef\xb8\x8f", TEXT_LINE, 20, "a" BAD },
		{ "\xff\xc0\xaf\xed\xa0\x80", TEXT_LINE, 20, BAD BAD BAD BAD BAD BAD },
		{ "\xe2\x82x", TEXT_LINE, 20, BAD "x" },
		{ "0123456789", TEXT_LINE, 10, "0123456789" },
		{ "0123456789a", TEXT_LINE, 10, "0123456..." },
		{ "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", TEXT_LINE, 4, "\xc3\xa4..." },
		{ "abcd", TEXT_LINE, 3, "..." },
		{ "abcd", TEXT_LINE, 2, ".." },
		{ "abcd", TEXT_LINE, 0, "" },
	};
	struct buf b = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		buf_reset(&b);
		buf_puts(&b, ">");
		text_show(&b, rows[i].given, strlen(rows[i].given), rows[i].form, rows[i].max);
		cr_expect_str_eq(buf_text(&b) + 1, rows[i].want, "row %zu: %s", i, buf_text(&b));
	}
	buf_reset(&b);
	text_show(&b, "a\0b", 3, TEXT_LINE, 9);
	cr_expect_str_eq(buf_text(&b), "a" BAD "b", "NUL");
	buf_free(&b);
}

Test(text, quoted_text_stays_in_its_quotes)
{
	static const char *const rows[][2] = {
		{ "fix it", "\"fix it\"" },
		{ "say \"yes\"", "\"say 'yes'\"" },
		{ "", "\"\"" },
		{ NULL, "\"\"" },
		{ "a\nb", "\"a b\"" },
		{ "0123456789abc", "\"0123456...\"" },
	};
	struct buf b = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		buf_reset(&b);
		text_quote(&b, rows[i][0], 10);
		cr_expect_str_eq(buf_text(&b), rows[i][1], "row %zu: %s", i, buf_text(&b));
	}
	buf_free(&b);
}

Test(text, utf8_characters_are_decoded)
{
	static const struct {
		const char *bytes;
		size_t len;
		int32_t want;
		size_t moved;
	} rows[] = {
		{ "a", 1, 'a', 1 },
		{ "\0", 1, 0, 1 },
		{ "\xc2\x80", 2, 0x80, 2 },
		{ "\xdf\xbf", 2, 0x7ff, 2 },
		{ "\xe0\xa0\x80", 3, 0x800, 3 },
		{ "\xed\x9f\xbf", 3, 0xd7ff, 3 },
		{ "\xee\x80\x80", 3, 0xe000, 3 },
		{ "\xef\xbf\xbf", 3, 0xffff, 3 },
		{ "\xf0\x90\x80\x80", 4, 0x10000, 4 },
		{ "\xf4\x8f\xbf\xbf", 4, 0x10ffff, 4 },
		/* invalid: the bytes that could begin a character are skipped with it */
		{ "\x80", 1, -1, 1 },
		{ "\xc0\x80", 2, -1, 1 },
		{ "\xc1\xbf", 2, -1, 1 },
		{ "\xc3", 1, -1, 1 },
		{ "\xc3x", 2, -1, 1 },
		{ "\xe0\x9f\x80", 3, -1, 1 },
		{ "\xe2\x82", 2, -1, 2 },
		{ "\xe2\x82x", 3, -1, 2 },
		{ "\xed\xa0\x80", 3, -1, 1 },
		{ "\xf0\x8f\x80\x80", 4, -1, 1 },
		{ "\xf0\x90\x80", 3, -1, 3 },
		{ "\xf4\x90\x80\x80", 4, -1, 1 },
		{ "\xf5\x80\x80\x80", 4, -1, 1 },
		{ "\xff", 1, -1, 1 },
	};
	struct buf b = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *p = rows[i].bytes;
		int32_t c = utf8_next(&p, p + rows[i].len);

		cr_expect_eq(c, rows[i].want, "row %zu: %x", i, (unsigned int)c);
		cr_expect_eq((size_t)(p - rows[i].bytes), rows[i].moved, "row %zu moved", i);
		if (c == -1)
			continue;
		buf_reset(&b);
		utf8_put(&b, (uint32_t)c);
		cr_expect_eq(b.len, rows[i].len, "row %zu put", i);
		cr_expect_eq(memcmp(b.data, rows[i].bytes, b.len), 0, "row %zu put", i);
	}
	buf_free(&b);
}

Test(text, the_width_in_columns_is_computed)
{
	static const struct {
		const char *text;
		int want;
	} rows[] = {
		{ "", 0 },
		{ "abc", 3 },
		{ "gr\xc3\xbc\xc3\x9f", 4 },
		{ "e\xcc\x81", 1 },
		{ "\xe6\xbc\xa2\xe5\xad\x97", 4 },
		{ "\xed\x95\x9c", 2 },
		{ "\xf0\x9f\x9a\x80", 2 },
		{ "\xef\xbc\xa1", 2 },
		{ "\xe2\x9c\x93", 1 },
		{ "\xff", 1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		cr_expect_eq(text_width(rows[i].text), rows[i].want, "row %zu: %d", i,
		    text_width(rows[i].text));
}

Test(text, text_is_cut_to_a_width)
{
	static const struct {
		const char *text;
		int max;
		bool ascii;
		const char *want;
	} rows[] = {
		{ "abcdef", 6, true, "abcdef" },
		{ "abcdefg", 6, true, "abc..." },
		{ "abcdefg", 6, false, "abcde\xe2\x80\xa6" },
		{ "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 6, true,
		    "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2" },
		{ "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 5, false,
		    "\xe6\xbc\xa2\xe6\xbc\xa2\xe2\x80\xa6" },
		{ "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 4, false, "\xe6\xbc\xa2\xe2\x80\xa6" },
		{ "abc", 2, true, ".." },
		{ "abc", 1, false, "\xe2\x80\xa6" },
		{ "abc", 0, false, "" },
		{ "abc", -1, true, "" },
		{ "a\x1b\nb", 9, true, "a" BAD " b" },
	};
	struct buf b = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		buf_reset(&b);
		text_fit(&b, rows[i].text, rows[i].max, rows[i].ascii);
		cr_expect_str_eq(buf_text(&b), rows[i].want, "row %zu: %s", i, buf_text(&b));
	}
	buf_free(&b);
}

Test(text, the_nearest_word_is_found)
{
	static const char *const words[] = { "on_fault", "verify", "timeout", "require_owner",
		"x" };
	static const char *const rows[][2] = {
		{ "on_fualt", "on_fault" },
		{ "verfy", "verify" },
		{ "VERIFY", "verify" },
		{ "timeouts", "timeout" },
		{ "requireowner", "require_owner" },
		{ "completely-else", NULL },
		{ "", NULL },
		{ "y", NULL },
		{ "zz", NULL },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *got = text_nearest(rows[i][0], words, COUNT(words));

		cr_expect(got == rows[i][1] || (got && rows[i][1] && !strcmp(got, rows[i][1])),
		    "%s: %s", rows[i][0], got ? got : "(none)");
	}
}

Test(text, text_is_compared_without_case_and_extra_blanks)
{
	static const struct {
		const char *a, *b;
		bool want;
	} rows[] = {
		{ "Fix  the\tbug", "fix the BUG", true },
		{ "  fix ", "fix", true },
		{ "", "  ", true },
		{ "fix", "fixed", false },
		{ "fix it", "fixit", false },
		{ "\xc3\x84RGER \xd0\x96", "\xc3\xa4rger \xd0\xb6", true },
		{ "\xc5\xbd", "\xc5\xbe", true },
		{ "a\xc2\xa0"
		  "b",
		    "A b", true },
		{ "a", "", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		cr_expect_eq(text_same(rows[i].a, rows[i].b), rows[i].want, "row %zu", i);
		cr_expect_eq(text_same(rows[i].b, rows[i].a), rows[i].want, "row %zu reversed", i);
	}
}

Test(text, numbers_are_read)
{
	static const struct {
		const char *given;
		bool valid;
		int64_t want;
	} rows[] = {
		{ "1", true, 1 },
		{ "86400", true, 86400 },
		{ "0", false, 0 },
		{ "86401", false, 0 },
		{ "-1", false, 0 },
		{ "", false, 0 },
		{ "soon", false, 0 },
		{ "5 s", false, 0 },
		{ "0.5", false, 0 },
		{ "1e3", false, 0 },
		{ "nan", false, 0 },
		{ "inf", false, 0 },
		{ "99999999999999999999", false, 0 },
	};
	int64_t n;

	for (size_t i = 0; i < COUNT(rows); i++) {
		cr_expect_eq(
		    text_number(rows[i].given, 1, 86400, &n), rows[i].valid, "'%s'", rows[i].given);
		cr_expect_eq(n, rows[i].want, "'%s' gives %lld", rows[i].given, (long long)n);
	}
}
