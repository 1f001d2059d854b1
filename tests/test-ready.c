/*
 * The list of ready tasks in a refusal: the first few without an owner.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/claim.h"
#include "agent/claims.h"
#include "list/journal.h"

static char top[] = "/tmp/test-ready.XXXXXX";
static struct list list;
static struct store store = STORE_INIT;
static struct error err;
static struct buf out;

static void
setup(void)
{
	struct list_query q = { .list = "lab" };

	strcpy(top + sizeof(top) - 7, "XXXXXX");
	cr_assert_neq(mkdtemp(top), NULL);
	setenv("CLAUDE_CONFIG_DIR", top, 1);
	cr_assert_eq(list_find(&list, &q, &err), 0, "%s", err.text);
	cr_assert_eq(store_open(&store, list.dir, true, &err), 1, "%s", err.text);
	store.durability = DURABILITY_OFF;
}

static void
teardown(void)
{
	char command[128];

	store_close(&store);
	list_free(&list);
	buf_free(&out);
	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	cr_assert_eq(system(command), 0);
}

TestSuite(ready, .init = setup, .fini = teardown);

static void
task(const char *id, const char *status, const char *blocked_by, const char *rest)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.json", list.dir, id);
	cr_assert_neq(f = fopen(path, "w"), NULL);
	fprintf(f,
	    "{\"id\":\"%s\",\"subject\":\"T%s\",\"description\":\"\",\"status\":\"%s\",\"blocks\":["
	    "],"
	    "\"blockedBy\":[%s]%s}",
	    id, id, status, blocked_by, rest);
	fclose(f);
}

static const char *
ready(void)
{
	struct claims claims;

	cr_assert_eq(claims_load(&list, &claims, &err), 0, "%s", err.text);
	buf_reset(&out);
	claim_add_ready(&out, &store, &claims, NULL);
	claims_free(&claims);
	return buf_text(&out) + (out.len > 0); /* without the blank */
}

Test(ready, without_ready_tasks_the_text_is_empty)
{
	cr_expect_str_eq(ready(), "");
	task("1", "completed", "", "");
	task("2", "in_progress", "", "");
	cr_expect_str_eq(ready(), "");
}

Test(ready, only_unblocked_tasks_without_owner_are_listed)
{
	task("1", "completed", "", "");
	task("2", "in_progress", "", "");
	task("3", "pending", "\"1\"", "");
	task("4", "pending", "\"1\",\"2\"", "");
	task("5", "pending", "\"99\"", "");
	task("6", "pending", "", ",\"owner\":\"worker\"");
	task("7", "pending", "", ",\"metadata\":{\"_internal\":true}");
	task("8", "pending", "", ",\"owner\":\"\"");
	cr_expect_str_eq(ready(), "Ready now: #3 \"T3\", #8 \"T8\".");
}

Test(ready, a_claimed_task_is_not_listed)
{
	struct claim_request req = { .task = "1", .agent = { .session = "11111111-lead" } };

	task("1", "pending", "", "");
	task("2", "pending", "", "");
	cr_expect_eq(claim_take(&list, &store, &req, NULL, deadline_in(20000), &err), CLAIM_OK);
	cr_expect_str_eq(ready(), "Ready now: #2 \"T2\".");
}

Test(ready, only_the_first_tasks_are_listed)
{
	char id[8];

	for (int i = 1; i <= CLAIM_READY_SHOWN; i++) {
		snprintf(id, sizeof(id), "%d", i * 3);
		task(id, "pending", "", "");
	}
	cr_expect_str_eq(
	    ready(), "Ready now: #3 \"T3\", #6 \"T6\", #9 \"T9\", #12 \"T12\", #15 \"T15\".");
	task("100", "pending", "", "");
	cr_expect_str_eq(ready(),
	    "Ready now: #3 \"T3\", #6 \"T6\", #9 \"T9\", #12 \"T12\", #15 \"T15\" and more.");
}
