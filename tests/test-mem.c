#include <criterion/criterion.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"

Test(mem, alloc_is_zeroed_and_never_null)
{
	char *p = mem_alloc(100);

	for (int i = 0; i < 100; i++)
		cr_assert_eq(p[i], 0, "byte %d", i);
	free(p);
	p = mem_alloc(0);
	cr_expect_not_null(p, "0 bytes are not NULL");
	free(p);
}

Test(mem, grow_keeps_the_content)
{
	int *p = mem_grow(NULL, 4, sizeof(*p));

	for (int i = 0; i < 4; i++)
		p[i] = i;
	p = mem_grow(p, 1000, sizeof(*p));
	cr_expect_eq(p[3], 3, "kept");
	p = mem_grow(p, 0, sizeof(*p));
	cr_expect_not_null(p, "shrunk to 0 bytes");
	free(p);
}

Test(mem, more_doubles_the_size)
{
	char **list = NULL, **before;
	size_t count = 0, moves = 0;

	for (; count < 1000; count++) {
		before = list;
		list = mem_more(list, count, sizeof(*list));
		moves += list != before;
		list[count] = (char *)list;
	}
	cr_expect_leq(moves, 8, "8, 16, ... 1024: moved %zu times", moves);
	/* after items were removed there is room for the next */
	for (count = 9; count < 600; count++) {
		list = mem_more(list, count, sizeof(*list));
		list[count] = NULL;
	}
	free(list);
}

Test(mem, strings_and_blocks_are_copied)
{
	char *s = mem_copy("abcdef", 3);

	cr_expect_str_eq(s, "abc", "copy");
	free(s);
	s = mem_string("xyz");
	cr_expect_str_eq(s, "xyz", "string");
	free(s);
	cr_expect_null(mem_string(NULL), "NULL stays NULL");
	s = mem_printf("%s-%d", "a", 7);
	cr_expect_str_eq(s, "a-7", "printf");
	free(s);
}

Test(mem, a_list_of_strings_keeps_its_order)
{
	struct strings list = { 0 };
	char name[16];

	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		strings_add(&list, name);
	}
	strings_take(&list, mem_string("taken"));
	cr_expect_eq(list.count, 101, "count");
	cr_expect_str_eq(list.item[57], "s57", "order");
	cr_expect_eq(strings_has(&list, "taken"), 1, "has");
	cr_expect_eq(strings_has(&list, "s100"), 0, "has not");
	strings_free(&list);
	cr_expect_eq(list.count, 0, "empty");
	cr_expect_null(list.item, "empty");
	strings_free(&list);
}

static void
leave(void)
{
	_exit(7);
}

Test(mem, exhaustion_calls_the_handler, .exit_code = 7)
{
	mem_on_exhausted(leave);
	mem_grow(NULL, SIZE_MAX / 2, 4);
}

Test(mem, exhaustion_without_a_handler_aborts, .signal = SIGABRT)
{
	signal(SIGABRT, SIG_DFL);
	mem_exhausted();
}

static void
stay(void)
{
}

Test(mem, a_handler_that_returns_aborts, .signal = SIGABRT)
{
	signal(SIGABRT, SIG_DFL);
	mem_on_exhausted(stay);
	mem_exhausted();
}

Test(strings, equal_lists_have_the_same_order)
{
	struct strings a = { 0 }, b = { 0 };

	cr_expect(strings_equal(&a, &b), "both empty");
	strings_add(&a, "1");
	cr_expect(!strings_equal(&a, &b), "one is longer");
	strings_add(&b, "2");
	cr_expect(!strings_equal(&a, &b), "another text");
	strings_add(&a, "2");
	strings_add(&b, "1");
	cr_expect(!strings_equal(&a, &b), "another order");
	strings_free(&b);
	strings_add(&b, "1");
	strings_add(&b, "2");
	cr_expect(strings_equal(&a, &b), "the same");
	strings_free(&a);
	strings_free(&b);
}
