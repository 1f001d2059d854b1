#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

#define BAD "\xef\xbf\xbd"
#define DIM "\033[2m"
#define OFF "\033[0m"
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
		{ "\xc2\x9bm\xc2\x85", TEXT_LINE, 20, BAD },
		{ DIM "#68" OFF " " DIM "[^#67]" OFF " Phase 1", TEXT_LINE, 40,
		    "#68 [^#67] Phase 1" },
		{ DIM "#68" OFF "\n" DIM "x", TEXT_BLOCK, 40, "#68\nx" },
		{ "a\x1b[1;31mb\x1b[38;5;2mc\x1b[m", TEXT_LINE, 40, "abc" },
		{ "a\x1b[2Jb\x1b[?25lc\xc2\x9b"
		  "1;1Hd",
		    TEXT_LINE, 40, "a" BAD "b" BAD "c" BAD "d" },
		{ "a\x1b[2", TEXT_LINE, 40, "a" BAD },
		{ "a\x1b[", TEXT_LINE, 40, "a" BAD },
		{ "a\x1b[2\xc3\xa4m\x1b[3\nb", TEXT_LINE, 40, "a" BAD "\xc3\xa4m" BAD " b" },
		{ DIM "0123456789a" OFF, TEXT_LINE, 10, "0123456..." },
		{ "<\x1b[0m/sys\x1b[0m\x1b[2mtem-reminder>", TEXT_LINE, 40, "[/system-reminder>" },
		{ "<\x1b[2Jsystem>", TEXT_LINE, 40, "<" BAD "system>" },
		{ DIM "#68" OFF " a", TEXT_DIM, 40, TEXT_DIM_ON "#68" TEXT_DIM_OFF " a" },
		{ DIM "a" DIM "b\x1b[1;22mc\nd" OFF, TEXT_DIM, 40,
		    TEXT_DIM_ON "ab" TEXT_DIM_OFF "c d" },
		{ "a\x1b[31;2mb", TEXT_DIM, 40, "a" TEXT_DIM_ON "b" TEXT_DIM_OFF },
		{ "a\x1b[38;5;2mb\x1b[4:2mc\x1b[?2md", TEXT_DIM, 40, "abcd" },
		{ "ab" DIM "cdef" OFF, TEXT_DIM, 5, "ab" TEXT_DIM_ON "..." TEXT_DIM_OFF },
		{ DIM "abcdef" OFF "g", TEXT_DIM, 5, TEXT_DIM_ON "ab..." TEXT_DIM_OFF },
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
		{ TEXT_DIM_ON "abc" TEXT_DIM_OFF "d", 4 },
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
		{ DIM "ab" OFF "cd", 4, true, "abcd" },
	};
	static const struct {
		const char *text, *want;
	} dim[] = {
		{ DIM "ab" OFF "cd", TEXT_DIM_ON "ab" TEXT_DIM_OFF "cd" },
		{ DIM "abcdef" OFF, TEXT_DIM_ON "abc\xe2\x80\xa6" TEXT_DIM_OFF },
		{ "abcdef" DIM "g", "abc\xe2\x80\xa6" TEXT_DIM_OFF },
	};
	struct buf b = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		buf_reset(&b);
		text_fit(&b, rows[i].text, TEXT_LINE, rows[i].max, rows[i].ascii);
		cr_expect_str_eq(buf_text(&b), rows[i].want, "row %zu: %s", i, buf_text(&b));
	}
	for (size_t i = 0; i < COUNT(dim); i++) {
		buf_reset(&b);
		text_fit(&b, dim[i].text, TEXT_DIM, 4, false);
		cr_expect_str_eq(buf_text(&b), dim[i].want, "dim %zu: %s", i, buf_text(&b));
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
		{ DIM "#68" OFF " Phase " DIM, "#68 phase", true },
		{ "Phase 2m", "Phase " DIM, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		cr_expect_eq(text_same(rows[i].a, rows[i].b), rows[i].want, "row %zu", i);
		cr_expect_eq(text_same(rows[i].b, rows[i].a), rows[i].want, "row %zu reversed", i);
	}
}

Test(text, contains)
{
	static const struct {
		const char *text, *part;
		bool want;
	} rows[] = {
		{ "Fix the  Parser", "the parser", true },
		{ "Fix the Parser", " PARSER ", true },
		{ "Fix", "", true },
		{ "", "x", false },
		{ "Fix", "fixed", false },
		{ "ab ac", "ac", true },
		{ "\xc3\x84rger", "\xc3\xa4R", true },
		{ DIM "#68" OFF " Phase", "#68 p", true },
		{ DIM "#68" OFF " Phase", "2m", false },
		{ DIM "#68" OFF " Phase", "[", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		cr_expect_eq(text_contains(rows[i].text, rows[i].part), rows[i].want, "row %zu", i);
}

Test(text, plain)
{
	static const char *const rows[][2] = {
		{ "", "" },
		{ "a\tb", "a\tb" },
		{ DIM "#68" OFF " a", "#68 a" },
		{ "a\x1b[2Jb\x1b]x", "a" BAD "b" BAD "]x" },
		{ "\x1b\x1b[0m[31m", BAD "[31m" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char *s = text_plain(rows[i][0]);

		cr_expect_str_eq(s, rows[i][1], "row %zu: %s", i, s);
		free(s);
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
