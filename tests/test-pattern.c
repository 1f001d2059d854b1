/*
 * Regular expressions: accepted patterns, matches and limits.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "config/pattern.h"

Test(pattern, matches)
{
	static const struct {
		const char *pattern, *text;
		int want;
	} rows[] = {
		{ "^fix", "fix: a", 1 },
		{ "^fix", "a fix", 0 },
		{ "^(feat|fix)(\\([a-z]+\\))?: .+", "feat(core): x", 1 },
		{ "[Tt]est", "no tests", 1 },
		{ "a{2,3}b", "aab", 1 },
		{ "a{2,3}b", "ab", 0 },
		{ "[{]1,5000[}]", "{1,5000}", 1 },
		{ "\\{x", "{x", 1 },
		{ "\\bfix\\b", "a fix", 1 },
		{ "\\bfix\\b", "prefix", 0 },
		{ "\\<fix\\>", "prefix", 0 },
		{ "^\\w+\\s\\w+$", "a b", 1 },
		{ "\\W\\S", "a-b", 1 },
		{ "(", "", -1 },
		{ "[a", "", -1 },
		{ "a**", "aaa", -1 },
		{ ".*?b", "aab", 1 },
		{ "^([a-z]+(-[a-z]+)*)+$", "a-b", 1 },
		{ "(a|b*)?c", "c", 1 },
		{ "(a*)+", "a", -1 },
		{ "(a|)*", "a", -1 },
		{ "(x|(a?b{0,2}))+", "a", -1 },
		{ "(^)*", "", -1 },
		{ "((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)", "a", -1 },
		{ "(a)\\1", "aa", -1 },
		{ "a{1,2000}", "a", -1 },
		{ "((a{1,100}){1,100})", "a", -1 },
		{ "((a{100}){100})", "a", -1 },
		{ "(){5,}{0,3}{5,}a", "a", -1 },
		{ "[[:digit:](]x", "(x", 1 },
		{ "[^]([:digit:]]x", "ax", 1 },
		{ "\\bfix\\b", "a fix b", 1 },
		{ "\\<fix", "prefix", 0 },
		{ "^\\w+\\s\\W\\S$", "a_1 -x", 1 },
		{ "\\Bfix", "prefix", 1 },
		{ "^\\.\\-\\/\\#$", ".-/#", 1 },
		{ "a{255}", "a", 0 },
		{ "^a{0,3}$", "aaaa", 0 },
		{ "^.$", "\xc3\xa9", 0 },
		{ "^[^a]$", "\xff", 1 },
		{ "[[:alpha:]]", "\xc3\xa9", 0 },
		{ "^b|a$", "a\nb", 0 },
		{ "a.b", "a\nb", 1 },
		{ "[\\d]", "d", 1 },
		/* what C libraries do not agree on */
		{ "\\d", "1", -1 },
		{ "\\D", "a", -1 },
		{ "a\\tb", "a\tb", -1 },
		{ "\\x41", "A", -1 },
		{ "\\`a", "a", -1 },
		{ "a\\'", "a", -1 },
		{ "a{,3}", "a", -1 },
		{ "a{256}", "a", -1 },
		{ "a{0,256}", "a", -1 },
		{ "^*a", "a", -1 },
		{ "[[.a.]]", "a", -1 },
		{ "[x[=a=]]", "a", -1 },
		{ "[[:alpha:](]a{0,1500}[[:alpha:](]a{0,1500}", "a", -1 },
	};
	struct error e;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(pattern_test(rows[i].pattern, rows[i].text, &e), rows[i].want,
		    "'%s' on '%s' should be %d", rows[i].pattern, rows[i].text, rows[i].want);
}

Test(pattern, long_patterns_and_texts_are_limited)
{
	struct error e;
	char *big = mem_alloc(PATTERN_TEXT + 100);

	memset(big, 'a', PATTERN_MAX + 1);
	cr_expect_eq(pattern_check(big, &e), -1, "a pattern that is too long");
	cr_expect(strstr(e.text, "longer") != NULL, "the error: %s", e.text);
	cr_expect_eq(pattern_check("a{9223372036854775807,}", &e), -1,
	    "a repetition count that is too large");
	memset(big, 'a', PATTERN_TEXT + 99);
	big[PATTERN_TEXT + 98] = 'b';
	cr_expect_eq(pattern_test("b", big, &e), 0, "the text beyond the limit is not compared");
	big[PATTERN_TEXT - 1] = 'b';
	cr_expect_eq(pattern_test("b", big, &e), 1, "the text is compared up to the limit");
	free(big);
}

/* Without a match the C library starts again at each byte: the time is quadratic. */
Test(pattern, matching_takes_limited_time)
{
	char *text = mem_alloc(PATTERN_TEXT + 1);
	struct error e;

	memset(text, 'a', PATTERN_TEXT);
	clock_t start = clock();
	cr_expect_eq(pattern_test("a+b", text, &e), 0);
	cr_expect_lt((clock() - start) / CLOCKS_PER_SEC, 4, "a text that does not match");
	free(text);
}
