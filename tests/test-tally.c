/*
 * Counts in a file: each kind has a limit and drops its oldest key.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "list/tally.h"
#include "sys/file.h"

#define SOON deadline_in(20000)
#define FULL 2000 /* keys of one kind */

static char top[] = "/tmp/test-tally.XXXXXX";
static struct list list;
static struct error err;

static void
setup(void)
{
	struct list_query q = { .list = "lab" };

	strcpy(top + sizeof(top) - 7, "XXXXXX");
	cr_assert_neq(mkdtemp(top), NULL);
	setenv("CLAUDE_CONFIG_DIR", top, 1);
	cr_assert_eq(list_find(&list, &q, &err), 0, "%s", err.text);
}

static void
teardown(void)
{
	char command[128];

	list_free(&list);
	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	cr_assert_eq(system(command), 0);
}

TestSuite(tally, .init = setup, .fini = teardown);

/* Write the file with these counts. */
static void
tally_is(const char *text, size_t len)
{
	int fd = list_state(&list, true, &err);

	cr_assert_neq(fd, -1, "%s", err.text);
	cr_assert_eq(file_replace(fd, "tally.json", text, len, 0600, DURABILITY_OFF, &err), 0, "%s",
	    err.text);
}

Test(tally, a_key_is_counted_and_forgotten)
{
	cr_expect_eq(tally_get(&list, "stop:a"), 0);
	cr_expect_eq(tally_add(&list, "stop:a", SOON, &err), 1);
	cr_expect_eq(tally_add(&list, "stop:a", SOON, &err), 2);
	cr_expect_eq(tally_get(&list, "stop:a"), 2);
	tally_forget(&list, "stop:a", SOON);
	cr_expect_eq(tally_get(&list, "stop:a"), 0);
}

Test(tally, a_full_kind_drops_only_its_oldest_key)
{
	struct buf text = { 0 };

	buf_puts(&text, "{\"label:s:1:lead\":1");
	for (int i = 0; i < FULL; i++)
		buf_printf(&text, ",\"idle:%d\":3", i);
	buf_puts(&text, ",\"stop:a\":2}");
	tally_is(text.data, text.len);
	buf_free(&text);

	cr_expect_eq(tally_get(&list, "idle:0"), 3, "a full kind is still read");
	cr_expect_eq(tally_add(&list, "idle:1", SOON, &err), 4, "a known key drops no other");
	cr_expect_eq(tally_get(&list, "idle:0"), 3);
	cr_expect_eq(tally_add(&list, "idle:new", SOON, &err), 1);
	cr_expect_eq(tally_get(&list, "idle:0"), 0, "the oldest key is dropped");
	cr_expect_eq(tally_get(&list, "idle:1"), 4);
	cr_expect_eq(tally_get(&list, "idle:1999"), 3);
	cr_expect_eq(tally_get(&list, "idle:new"), 1);
	cr_expect_eq(tally_get(&list, "label:s:1:lead"), 1, "another kind");
	cr_expect_eq(tally_get(&list, "stop:a"), 2, "another kind");
	cr_expect_eq(tally_add(&list, "stop:b", SOON, &err), 1);
	cr_expect_eq(tally_get(&list, "idle:1"), 4, "a kind that is not full drops no key");
}

Test(tally, the_largest_count_does_not_overflow)
{
	static const char text[] = "{\"stop:a\":9223372036854775807}";

	tally_is(text, sizeof(text) - 1);
	cr_expect_eq(tally_add(&list, "stop:a", SOON, &err), INT64_MAX);
	cr_expect_eq(tally_get(&list, "stop:a"), INT64_MAX);
}
