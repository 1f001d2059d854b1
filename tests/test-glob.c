/*
 * Path patterns: matching and malformed ones, and their time.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "config/glob.h"

struct row {
	const char *pattern, *path;
	bool want;
};

Test(glob, patterns_match_paths)
{
	static const struct row rows[] = {
		{ "src/*.c", "src/a.c", true },
		{ "src/*.c", "src/x/a.c", false },
		{ "src/**/*.c", "src/a.c", true },
		{ "src/**/*.c", "src/x/a.c", true },
		{ "src/**/*.c", "src/x/y/a.c", true },
		{ "src/**/*.c", "srcs/a.c", false },
		{ "**/a.c", "a.c", true },
		{ "**/a.c", "x/y/a.c", true },
		{ "**/a.c", "xa.c", false },
		{ "**", "x/y/z", true },
		{ "src/**", "src/a", true },
		{ "src/**", "src/a/b", true },
		{ "src/**", "src", false },
		{ "a/**/b/**/c", "a/b/c", true },
		{ "a/**/b/**/c", "a/x/b/y/z/c", true },
		{ "a/**/b/**/c", "a/x/y/c", false },
		{ "src/**.ts", "src/x/a.ts", true },
		{ "docs/", "docs/a/b.md", true },
		{ "docs/", "docs", false },
		{ "docs/", "x/docs/a", false },
		{ "*.c", "a.c", true },
		{ "*.c", "x/y/a.c", true },
		{ "Makefile", "sub/Makefile", true },
		{ "/Makefile", "sub/Makefile", false },
		{ "/Makefile", "Makefile", true },
		{ "*", ".hidden", true },
		{ "a?c", "abc", true },
		{ "a?c", "a/c", false },
		{ "a?c",
		    "a\xc3\xa9"
		    "c",
		    true },
		{ "x/a?c", "x/a/c", false },
		{ "[abc].c", "b.c", true },
		{ "[!abc].c", "b.c", false },
		{ "[^abc].c", "d.c", true },
		{ "[a-c]x", "bx", true },
		{ "[]]x", "]x", true },
		{ "[!]]x", "]x", false },
		{ "x[/]y", "x/y", false },
		{ "[a\\]b]x", "]x", true },
		{ "[\xc3\xa0-\xc3\xbc]", "\xc3\xa9", true },
		{ "*.{c,h}", "x/a.h", true },
		{ "*.{c,h}", "a.o", false },
		{ "{src,lib}/**/*.{c,h}", "lib/x/a.h", true },
		{ "{src,lib}/**/*.{c,h}", "bin/x/a.h", false },
		{ "{a,{b,c}}/x", "c/x", true },
		{ "{a,{b,c}}/x", "{b/x", false },
		{ "{a}", "{a}", true },
		{ "{,x}a", "a", true },
		{ "{,x}a", "xa", true },
		{ "[{,}]a", ",a", true },
		{ "\\*.c", "*.c", true },
		{ "\\*.c", "a.c", false },
		{ "\\{a,b\\}", "{a,b}", true },
		{ "\xff*",
		    "\xff"
		    "abc",
		    true },
		{ "", "", false },
		{ "a", "", false },
		{ "*", "", true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(glob_match(rows[i].pattern, rows[i].path), rows[i].want,
		    "'%s' against '%s' should be %d", rows[i].pattern, rows[i].path, rows[i].want);
}

Test(glob, the_last_matching_pattern_of_a_list_decides)
{
	struct strings list = { 0 };

	cr_expect_not(glob_any(&list, "a"), "an empty list matches nothing");
	strings_add(&list, "src/**");
	strings_add(&list, "!*.md");
	strings_add(&list, "src/README.md");
	cr_expect(glob_any(&list, "src/a.c"), "a plain match");
	cr_expect_not(glob_any(&list, "src/a.md"), "excluded by a later pattern");
	cr_expect(glob_any(&list, "src/README.md"), "included again by a later pattern");
	cr_expect_not(glob_any(&list, "lib/a.c"), "no match");
	strings_free(&list);
}

Test(glob, a_star_crosses_slashes_in_words)
{
	cr_expect(glob_word("test/*", "test/a/b"), "a star crosses slashes in a word");
	cr_expect_not(glob_word("test/*", "tests/a"), "a word that does not match");
}

Test(glob, malformed_patterns_are_refused)
{
	static const char *const bad[] = { "", "!", "[a", "a[", "{a,b", "a}", "x\\", "../a", "./a",
		"a/../b", "a/./b", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}" };
	static const char *const good[] = { "a", "!a", "{a,b}{a,b}{a,b}", "[[]", "[]a]", "a/**/b",
		"{}", "\\[a" };
	struct error e;
	char longest[GLOB_MAX + 2];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect_eq(glob_check(bad[i], &e), -1, "'%s' should be malformed", bad[i]);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		cr_expect_eq(glob_check(good[i], &e), 0, "'%s': %s", good[i], e.text);
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	cr_expect_eq(glob_check(longest, &e), -1, "too long");
	cr_expect_not(glob_match(longest, longest), "too long to match");
	longest[GLOB_MAX] = '\0';
	cr_expect_eq(glob_check(longest, &e), 0, "the longest pattern");
	cr_expect(glob_match(longest, longest), "the longest pattern matches");
}

Test(glob, no_pattern_is_slow)
{
	char pattern[GLOB_MAX + 1], path[4097];
	int64_t start = clock_ms();

	for (size_t i = 0; i < GLOB_MAX; i += 2)
		memcpy(pattern + i, "a*", 2);
	pattern[GLOB_MAX] = '\0';
	memset(path, 'a', 4096);
	path[4096] = '\0';
	path[4095] = 'b';
	glob_match(pattern, path);
	memset(pattern, '*', GLOB_MAX);
	for (size_t i = 2; i < GLOB_MAX; i += 3)
		pattern[i] = '/';
	for (size_t i = 1; i < 4096; i += 2)
		path[i] = '/';
	glob_match(pattern, path);
	/* An exponential matcher would take years; the limit is for a loaded machine. */
	cr_expect_lt(clock_ms() - start, 30000);
}
