/*
 * Claims and releases: a task has one agent at a time, and a running agent keeps
 * its tasks.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/claim-part.h"
#include "agent/release.h"
#include "agent/report-apply.h"
#include "list/journal.h"
#include "os/os.h"

#define SOON deadline_in(20000)
#define GONE 2147483646 /* above the largest pid */

static char top[] = "/tmp/test-claim.XXXXXX";
static struct list list;
static struct store store = STORE_INIT;
static struct error err;

static const struct agent lead = { .session = "11111111-lead" };
static const struct agent second = { .session = "22222222-second" };
static const struct agent sub = {
	.id = "a0123456789abcdef", .type = "Explore", .session = "11111111-lead"
};
static const struct agent mate = {
	.id = "aworker-0123456789abcdef", .name = "worker", .session = "11111111-lead"
};

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
	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	cr_assert_eq(system(command), 0);
}

TestSuite(claim, .init = setup, .fini = teardown);
TestSuite(release, .init = setup, .fini = teardown);

static void
write_task(const char *id, const char *status, const char *more)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.json", list.dir, id);
	f = fopen(path, "w");
	cr_assert_neq(f, NULL);
	fprintf(f,
	    "{\"id\":\"%s\",\"subject\":\"T%s\",\"description\":\"d\",\"status\":\"%s\",\"blocks\":"
	    "[],"
	    "\"blockedBy\":[]%s}",
	    id, id, status, more);
	fclose(f);
}

/* write: as claude-tasks does it; else as a hook. */
static enum claim_result
take(const char *task, const struct agent *a, bool write, struct buf *reason)
{
	struct change change = { .status = TASK_IN_PROGRESS, .owner = agent_owner(a) };
	struct store_op op = { STORE_UPDATE, task, .change = &change, .rule = claim_rule };
	struct claim_request req = { .task = task, .agent = *a };
	enum claim_result result;

	if (write) {
		req.op = &op;
		req.ops = 1;
	}
	result = claim_take(&list, &store, &req, reason, SOON, &err);
	store_ops_free(&op, 1);
	return result;
}

/* "pending me", "in_progress -" */
static const char *
state(const char *id)
{
	static char text[128];
	struct task t = TASK_INIT;

	if (store_get(&store, id, &t, &err) != 1)
		return "none";
	snprintf(text, sizeof(text), "%s %s", task_status_name(t.status),
	    t.owner != NULL ? t.owner : "-");
	task_free(&t);
	return text;
}

static size_t
claim_count(void)
{
	struct claims claims;
	size_t n;

	cr_assert_eq(claims_load(&list, &claims, &err), 0, "%s", err.text);
	n = claims.count;
	claims_free(&claims);
	return n;
}

static int
count_lines(void *arg, const struct json *j, const char *line, size_t len)
{
	(void)j, (void)line, (void)len;
	++*(int *)arg;
	return 0;
}

static int
journal_lines(void)
{
	int fd = list_state(&list, true, &err), n = 0;

	cr_assert_eq(journal_read(fd, count_lines, &n, &err), 0);
	return n;
}

Test(claim, a_refused_claim_has_a_reason)
{
	struct buf reason = { 0 };
	static const struct {
		const char *task;
		enum claim_result want;
		const char *says;
	} rows[] = {
		{ "9", CLAIM_NOT_FOUND, "There is no task #9 in the list 'lab'." },
		{ "../1", CLAIM_NOT_FOUND, "There is no task #../1" },
		{ "7", CLAIM_NOT_FOUND, "There is no task #7" },
		{ "2", CLAIM_TAKEN, "Task #2 \"T2\" is already claimed (in_progress) by \"bob\"" },
		{ "3", CLAIM_RESOLVED, "Task #3 \"T3\" is already completed." },
		{ "4", CLAIM_BLOCKED,
		    "Task #4 \"T4\" cannot start: blocked by #2 \"T2\" (in_progress, owner "
		    "bob) and #99 (missing" },
		{ "6", CLAIM_TAKEN, "already claimed (pending) by \"bob\"" },
	};

	write_task("1", "pending", "");
	write_task("2", "in_progress", ",\"owner\":\"bob\"");
	write_task("3", "completed", "");
	write_task("4", "pending", ",\"blockedBy\":[\"2\",\"3\",\"99\"]");
	write_task("6", "pending", ",\"owner\":\"bob\"");
	write_task("7", "unheard-of", "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum claim_result got = take(rows[i].task, &sub, false, &reason);

		cr_expect_eq(got, rows[i].want, "%s: %s", rows[i].task, claim_result_name(got));
		cr_expect_neq(
		    strstr(buf_text(&reason), rows[i].says), NULL, "%s", buf_text(&reason));
		cr_expect_neq(strstr(buf_text(&reason), "Ready now: #1 \"T1\"."), NULL, "%s",
		    buf_text(&reason));
	}
	cr_expect_eq(claim_count(), 0);
	cr_expect_eq(take("1", &sub, false, NULL), CLAIM_OK);
	cr_expect_eq(claim_count(), 1);
	cr_expect_str_eq(state("1"), "pending -", "the client writes the task, not we");
	buf_free(&reason);
}

Test(claim, a_claim_writes_status_and_owner)
{
	write_task("1", "pending", "");
	cr_expect_eq(take("1", &sub, true, NULL), CLAIM_OK, "%s", err.text);
	cr_expect_str_eq(state("1"), "in_progress a0123456789abcdef");
	cr_expect_eq(take("1", &sub, true, NULL), CLAIM_OK, "a second claim by the same agent");
	cr_expect_eq(take("1", &second, true, NULL), CLAIM_TAKEN);
	cr_expect_eq(journal_lines(), 0, "who writes it, journals it: %d", journal_lines());
	write_task("2", "pending", "");
	cr_expect_eq(take("2", &lead, true, NULL), CLAIM_OK);
	cr_expect_str_eq(state("2"), "in_progress -", "a main thread sets no owner");
	cr_expect_eq(take("2", &second, true, NULL), CLAIM_TAKEN, "but it has the claim");
}

Test(claim, several_claims_are_made_together_or_not_at_all)
{
	struct strings needs = { (char *[]){ "3" }, 1 };
	struct change start = { .status = TASK_IN_PROGRESS, .owner = "worker" };
	struct change new = { .status = TASK_IN_PROGRESS, .subject = "New", .owner = "worker" };
	struct store_op op[] = {
		{ STORE_UPDATE, "1", .change = &start, .rule = claim_rule },
		{ STORE_UPDATE, "2", .change = &start, .rule = claim_rule },
		{ STORE_CREATE, .change = &new, .rule = claim_rule },
	};
	struct claim_request req = { .op = op, .ops = 3, .agent = mate };
	struct buf reason = { 0 };

	write_task("1", "pending", "");
	write_task("2", "in_progress", ",\"owner\":\"bob\"");
	write_task("3", "pending", "");
	cr_expect_eq(claim_take(&list, &store, &req, &reason, SOON, &err), CLAIM_TAKEN);
	cr_expect_neq(strstr(buf_text(&reason), "Task #2"), NULL, "%s", buf_text(&reason));
	cr_expect_str_eq(state("1"), "pending -");
	cr_expect_eq(claim_count(), 0);
	write_task("2", "pending", "");
	new.add_blocked_by = &needs;
	cr_expect_eq(claim_take(&list, &store, &req, &reason, SOON, &err), CLAIM_BLOCKED);
	cr_expect_neq(strstr(buf_text(&reason), "blocked by #3"), NULL, "%s", buf_text(&reason));
	cr_expect_str_eq(state("1"), "pending -");
	cr_expect_str_eq(state("4"), "none");
	cr_expect_eq(claim_count(), 0);
	new.add_blocked_by = NULL;
	cr_expect_eq(
	    claim_take(&list, &store, &req, &reason, SOON, &err), CLAIM_OK, "%s", err.text);
	cr_expect_str_eq(state("1"), "in_progress worker");
	cr_expect_str_eq(state("4"), "in_progress worker");
	cr_expect_eq(claim_count(), 3);
	store_ops_free(op, 3);
	buf_free(&reason);
}

Test(claim, dependencies_of_the_same_call_count)
{
	struct strings one = { (char *[]){ "1" }, 1 };
	struct change start = { .status = TASK_IN_PROGRESS, .add_blocked_by = &one };
	struct store_op op = { STORE_UPDATE, "2", .change = &start, .rule = claim_rule };
	struct claim_request req = { .op = &op, .ops = 1, .agent = sub };

	write_task("1", "pending", "");
	write_task("2", "pending", "");
	cr_expect_eq(claim_take(&list, &store, &req, NULL, SOON, &err), CLAIM_BLOCKED);
	write_task("2", "pending", ",\"blockedBy\":[\"1\"]");
	start = (struct change){ .status = TASK_IN_PROGRESS, .remove_blocked_by = &one };
	cr_expect_eq(claim_take(&list, &store, &req, NULL, SOON, &err), CLAIM_OK, "%s", err.text);
	store_ops_free(&op, 1);
}

Test(claim, an_agent_with_an_open_task_is_refused_if_asked)
{
	struct claim_request req = { .task = "2", .agent = sub, .busy = CLAIM_BUSY_STARTED };
	struct buf reason = { 0 };

	write_task("1", "pending", "");
	write_task("2", "pending", "");
	write_task("3", "in_progress", ",\"owner\":\"worker\"");
	cr_expect_eq(take("1", &sub, true, NULL), CLAIM_OK);
	cr_expect_eq(claim_take(&list, &store, &req, &reason, SOON, &err), CLAIM_AGENT_BUSY);
	cr_expect_neq(
	    strstr(buf_text(&reason), "#1 \"T1\" (in_progress"), NULL, "%s", buf_text(&reason));
	req.agent = mate;
	cr_expect_eq(claim_take(&list, &store, &req, NULL, SOON, &err), CLAIM_AGENT_BUSY,
	    "it owns a task without a claim");
	req.task = "3";
	cr_expect_eq(
	    claim_take(&list, &store, &req, NULL, SOON, &err), CLAIM_OK, "the task it has");
	write_task("1", "completed", "");
	req.task = "2";
	req.agent = sub;
	cr_expect_eq(claim_take(&list, &store, &req, NULL, SOON, &err), CLAIM_OK,
	    "its first task is completed");
	buf_free(&reason);
}

/* 1.58: a pending task counts too, if it has the agent as its owner. */
Test(claim, an_owner_of_unfinished_tasks_is_busy_if_asked)
{
	struct claim_outcome outcome = { 0 };
	struct claim_request req = {
		.task = "1", .agent = mate, .busy = CLAIM_BUSY_STARTED, .outcome = &outcome
	};
	struct buf reason = { 0 };

	write_task("1", "pending", ",\"owner\":\"worker\"");
	write_task("2", "pending", ",\"owner\":\"worker\"");
	write_task("3", "in_progress", ",\"owner\":\"worker\"");
	write_task("4", "completed", ",\"owner\":\"worker\"");
	write_task("5", "pending", ",\"owner\":\"bob\"");
	cr_expect_eq(claim_take(&list, &store, &req, NULL, SOON, &err), CLAIM_AGENT_BUSY);
	cr_expect_eq(outcome.busy_with.count, 1);
	req.busy = CLAIM_BUSY_OWNER;
	cr_expect_eq(claim_take(&list, &store, &req, &reason, SOON, &err), CLAIM_AGENT_BUSY);
	cr_expect_eq(outcome.result, CLAIM_AGENT_BUSY);
	cr_expect_eq(outcome.busy_with.count, 2);
	cr_expect(strings_has(&outcome.busy_with, "2") && strings_has(&outcome.busy_with, "3"));
	cr_expect_neq(strstr(buf_text(&reason), " and 1 more open. Complete it, or give it back "
						"with: claude-tasks release "),
	    NULL, "%s", buf_text(&reason));
	write_task("2", "completed", "");
	write_task("3", "completed", "");
	cr_expect_eq(claim_take(&list, &store, &req, NULL, SOON, &err), CLAIM_OK,
	    "the task that it asks for does not count");
	cr_expect_eq(outcome.busy_with.count, 0);
	claim_outcome_free(&outcome);
	buf_free(&reason);
}

/* 1.57 */
Test(claim, a_completed_task_of_another_is_claimed_first_of_all)
{
	struct claim_request req = { .task = "1", .agent = mate };
	struct buf reason = { 0 };

	write_task("1", "completed", ",\"owner\":\"bob\"");
	write_task("2", "completed", ",\"owner\":\"worker\"");
	cr_expect_eq(claim_take(&list, &store, &req, &reason, SOON, &err), CLAIM_TAKEN);
	cr_expect_neq(strstr(buf_text(&reason), "is already completed, by \"bob\""), NULL, "%s",
	    buf_text(&reason));
	req.pass_taken = true;
	cr_expect_eq(claim_take(&list, &store, &req, NULL, SOON, &err), CLAIM_RESOLVED);
	cr_expect_eq(take("2", &mate, false, NULL), CLAIM_RESOLVED, "its own");
	buf_free(&reason);
}

static enum claim_result
take_by_session(const char *task, const struct agent *a, struct buf *reason)
{
	struct claim_request req = { .task = task, .agent = *a, .by_session = true };

	return claim_take(&list, &store, &req, reason, SOON, &err);
}

/* 4.8 */
Test(claim, only_a_session_shows_that_it_has_a_task)
{
	const struct agent one = { .session = "s1", .client = "x", .pid = getpid() },
			   two = { .session = "s2", .client = "x", .pid = getpid() },
			   process = { .name = "w", .client = "x", .pid = getpid() };
	struct buf reason = { 0 };

	write_task("1", "pending", "");
	cr_expect_eq(take_by_session("1", &one, NULL), CLAIM_OK);
	write_task("1", "in_progress", "");
	cr_expect_eq(take_by_session("1", &one, NULL), CLAIM_OK, "it has it already");
	cr_expect_eq(take_by_session("1", &two, &reason), CLAIM_TAKEN);
	cr_expect_neq(strstr(buf_text(&reason), "by x (session s1). Take another task."), NULL,
	    "%s", buf_text(&reason));
	write_task("2", "pending", "");
	cr_expect_eq(take_by_session("2", &process, NULL), CLAIM_OK);
	write_task("2", "in_progress", ",\"owner\":\"w\"");
	cr_expect_eq(take_by_session("2", &process, &reason), CLAIM_TAKEN);
	cr_expect_neq(strstr(buf_text(&reason), "If the task is yours, go on"), NULL, "%s",
	    buf_text(&reason));
	write_task("3", "in_progress", ",\"owner\":\"w\"");
	cr_expect_eq(take_by_session("3", &process, &reason), CLAIM_TAKEN, "no claim");
	cr_expect_neq(strstr(buf_text(&reason), "Who works on it is not known."), NULL, "%s",
	    buf_text(&reason));
	buf_free(&reason);
}

Test(claim, a_second_claim_does_not_change_the_first)
{
	struct change start = { .status = TASK_IN_PROGRESS };
	struct store_op op = { STORE_UPDATE, "1", .change = &start, .rule = claim_rule };
	struct claim_request req = { .op = &op, .ops = 1, .agent = lead, .head = "aaaa" };
	struct claims claims;

	write_task("1", "pending", "");
	cr_expect_eq(claim_take(&list, &store, &req, NULL, SOON, &err), CLAIM_OK);
	store_ops_free(&op, 1);
	req.head = "bbbb";
	cr_expect_eq(claim_take(&list, &store, &req, NULL, SOON, &err), CLAIM_OK);
	store_ops_free(&op, 1);
	cr_assert_eq(claims_load(&list, &claims, &err), 0);
	cr_assert_eq(claims.count, 1);
	cr_expect_str_eq(claims.item[0].head, "aaaa");
	claims_free(&claims);
}

Test(claim, a_claim_belongs_to_its_agent_only)
{
	struct claim c = { .task = "1" };
	static const struct {
		const char *name;
		struct agent claimant, other;
		bool want;
	} rows[] = {
		{ "the same subagent", { .id = "a1", .session = "s" },
		    { .id = "a1", .session = "s" }, true },
		{ "two subagents", { .id = "a1", .session = "s" }, { .id = "a2", .session = "s" },
		    false },
		{ "subagent and main thread", { .id = "a1", .session = "s" }, { .session = "s" },
		    false },
		{ "the same main thread", { .session = "s" }, { .session = "s" }, true },
		{ "two sessions", { .session = "s" }, { .session = "t" }, false },
		{ "another session of the same process, as after /clear",
		    { .session = "s", .pid = 5, .pid_start = 7 },
		    { .session = "t", .pid = 5, .pid_start = 7 }, true },
		{ "another process", { .session = "s", .pid = 5, .pid_start = 7 },
		    { .session = "t", .pid = 5, .pid_start = 8 }, false },
		{ "a teammate whose event has no id", { .id = "aw-1", .name = "w", .session = "s" },
		    { .name = "w", .session = "s" }, true },
		{ "a teammate of another session", { .name = "w", .session = "s", .pid = 5 },
		    { .name = "w", .session = "t", .pid = 6 }, false },
		{ "two teammates", { .name = "w", .session = "s" }, { .name = "v", .session = "s" },
		    false },
		{ "teammate and lead", { .name = "w", .session = "s" }, { .session = "s" }, false },
		{ "no session and a session", { 0 }, { .session = "s" }, false },
		{ "the same name without a session", { .name = "me" }, { .name = "me" }, true },
		{ "two sessions of one client process",
		    { .session = "s", .client = "x", .pid = 5, .pid_start = 7 },
		    { .session = "t", .client = "x", .pid = 5, .pid_start = 7 }, false },
		{ "two sessions of one client process under one name",
		    { .name = "w", .session = "s", .client = "x", .pid = 5 },
		    { .name = "w", .session = "t", .client = "x", .pid = 5 }, false },
		{ "a session, and a call of the same process without one",
		    { .name = "w", .session = "s", .client = "x", .pid = 5 },
		    { .name = "w", .client = "x", .pid = 5 }, false },
		{ "a client by its process", { .name = "w", .client = "x", .pid = 5 },
		    { .name = "w", .client = "x", .pid = 5 }, true },
		{ "another client of the same process", { .name = "w", .client = "x", .pid = 5 },
		    { .name = "w", .client = "y", .pid = 5 }, false },
		{ "the same client in another process", { .name = "w", .client = "x", .pid = 5 },
		    { .name = "w", .client = "x", .pid = 6 }, false },
		{ "a shell, and a client under its name", { .name = "w" },
		    { .name = "w", .client = "x", .pid = 5 }, false },
		{ "an event of the session that made a call",
		    { .session = "s", .client = "x", .pid = 5 }, { .session = "s", .pid = 6 },
		    true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct agent *a = &rows[i].claimant;

		c.agent_id = (char *)a->id;
		c.name = (char *)a->name;
		c.session = (char *)a->session;
		c.client = (char *)a->client;
		c.pid = a->pid;
		c.pid_start = a->pid_start;
		cr_expect_eq(claim_is_by(&c, &rows[i].other), rows[i].want, "%s", rows[i].name);
	}
}

Test(claim, a_subagent_may_take_the_task_of_its_main_thread)
{
	write_task("1", "pending", "");
	cr_expect_eq(take("1", &lead, false, NULL), CLAIM_OK);
	cr_expect_eq(take("1", &second, false, NULL), CLAIM_TAKEN, "another session");
	cr_expect_eq(take("1", &sub, false, NULL), CLAIM_OK, "a subagent of the same session");
	cr_expect_eq(take("1", &second, false, NULL), CLAIM_TAKEN);
	cr_expect_eq(claim_count(), 1);
}

/* Make all recorded claims older. */
static void
make_old(int64_t ms)
{
	struct claims claims;

	cr_assert_eq(claims_lock(&list, &claims, NULL, SOON, &err), 0, "%s", err.text);
	for (size_t i = 0; i < claims.count; i++) {
		claims.item[i].time_ms -= ms;
		if (claims.item[i].pid == GONE)
			claims.item[i].pid_start = 1;
	}
	cr_assert_eq(claims_save(&claims, &err), 0, "%s", err.text);
	claims_free(&claims);
}

Test(claim, a_claim_ends_if_its_call_does_not_follow)
{
	int64_t minute = 60000;

	write_task("1", "pending", "");
	cr_expect_eq(take("1", &sub, false, NULL), CLAIM_OK);
	cr_expect_eq(take("1", &second, false, NULL), CLAIM_TAKEN, "its call may still come");
	make_old(minute);
	cr_expect_eq(take("1", &second, false, NULL), CLAIM_OK, "after a minute its call is lost");
}

Test(claim, a_claim_ends_if_the_transcript_has_the_result_of_its_call)
{
	struct claim_request req = { .task = "1", .agent = sub, .tool_use_id = "toolu_7" };
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/transcript.jsonl", top);
	req.transcript = path;
	write_task("1", "pending", "");
	cr_expect_eq(claim_take(&list, &store, &req, NULL, SOON, &err), CLAIM_OK);
	cr_expect_eq(take("1", &second, false, NULL), CLAIM_TAKEN, "no result yet");
	f = fopen(path, "w");
	fputs("{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_7\"}]}\n", f);
	fclose(f);
	cr_expect_eq(take("1", &second, false, NULL), CLAIM_OK,
	    "the call has a result, and the task is not changed");
}

Test(claim, only_one_of_many_processes_gets_a_claim)
{
	int winners = 0, status;
	pid_t pid[8];

	write_task("1", "pending", "");
	for (int i = 0; i < 8; i++)
		if ((pid[i] = fork()) == 0) {
			struct store s = STORE_INIT;
			struct error e;
			char session[16];
			struct change change = { .status = TASK_IN_PROGRESS, .owner = session };
			struct store_op op = { STORE_UPDATE, "1", .change = &change,
				.rule = claim_rule };
			struct claim_request req = { .op = &op, .ops = 1 };

			snprintf(session, sizeof(session), "session-%d", i);
			req.agent.session = session;
			req.agent.name = session;
			if (store_open(&s, list.dir, false, &e) != 1)
				_exit(9);
			_exit(claim_take(&list, &s, &req, NULL, deadline_in(60000), &e) == CLAIM_OK
				  ? 0
				  : 1);
		}
	for (int i = 0; i < 8; i++) {
		cr_assert_eq(waitpid(pid[i], &status, 0), pid[i]);
		cr_assert(WIFEXITED(status) && WEXITSTATUS(status) < 2, "status %x", status);
		winners += WEXITSTATUS(status) == 0;
	}
	cr_expect_eq(winners, 1, "%d", winners);
}

Test(claim, damaged_claims_are_a_fault)
{
	char path[256];
	FILE *f;

	write_task("1", "pending", "");
	cr_expect_eq(take("1", &sub, false, NULL), CLAIM_OK);
	snprintf(path, sizeof(path), "%s/task-hooks/lab/claims.json", top);
	f = fopen(path, "w");
	fputs("{\"claims\":[{]}", f);
	fclose(f);
	cr_expect_eq(take("1", &sub, false, NULL), CLAIM_FAULT);
	cr_expect_neq(strstr(err.text, "claims.json, is damaged"), NULL, "%s", err.text);
}

/* ---- releases ---- */

Test(release, an_agent_releases_all_its_tasks)
{
	struct released r = { 0 };
	struct buf out = { 0 };

	write_task("1", "pending", "");
	write_task("2", "pending", ",\"owner\":\"worker\"");
	write_task("3", "completed", ",\"owner\":\"worker\"");
	write_task("4", "in_progress", ",\"owner\":\"other\"");
	write_task("5", "pending", "");
	write_task("6", "in_progress", ",\"owner\":\"worker\",\"blockedBy\":[\"4\"]");
	cr_expect_eq(take("1", &mate, true, NULL), CLAIM_OK, "%s", err.text);
	cr_expect_eq(take("5", &mate, false, NULL), CLAIM_OK, "%s", err.text);
	cr_expect_eq(release_agent(&list, &store, &mate, "it stopped", NULL, &r, SOON, &err), 0,
	    "%s", err.text);
	task_set_sort(&r.tasks);
	cr_expect_eq(r.tasks.count, 3, "%zu", r.tasks.count);
	cr_expect_str_eq(state("1"), "pending -");
	cr_expect_str_eq(state("2"), "pending -", "a task with only its name as the owner");
	cr_expect_str_eq(state("3"), "completed worker");
	cr_expect_str_eq(state("4"), "in_progress other");
	cr_expect_str_eq(state("6"), "pending -");
	cr_expect_eq(r.ready.count, 2, "6 is blocked");
	cr_expect_eq(claim_count(), 0);
	release_message(&out, "worker", false, &r);
	cr_expect_str_eq(buf_text(&out),
	    "worker has shut down. 3 task(s) were unassigned: #1 \"T1\", #6 \"T6\", #2 \"T2\". Use "
	    "TaskList to "
	    "check availability and TaskUpdate with owner to reassign them to idle teammates.");
	buf_reset(&out);
	released_free(&r);
	release_message(&out, "worker", true, &r);
	cr_expect_str_eq(buf_text(&out), "worker was terminated.");
	buf_free(&out);
	cr_expect_eq(journal_lines(), 5, "begin, a hook's claim, 3 releases: %d", journal_lines());
}

Test(release, a_main_thread_releases_only_what_it_claimed)
{
	struct released r = { 0 };

	write_task("1", "pending", "");
	write_task("2", "in_progress", "");
	cr_expect_eq(take("1", &lead, true, NULL), CLAIM_OK);
	cr_expect_eq(
	    release_agent(&list, &store, &lead, "x", NULL, &r, SOON, &err), 0, "%s", err.text);
	cr_expect_eq(r.tasks.count, 1);
	cr_expect_str_eq(state("1"), "pending -");
	cr_expect_str_eq(state("2"), "in_progress -", "a task without a claim");
	released_free(&r);
}

static int
release_one(const char *id, struct released *r)
{
	struct strings one = { (char *[]){ (char *)id }, 1 };

	return release_tasks(&list, &store, &one, "by hand", r, SOON, &err);
}

Test(release, a_single_task_is_released)
{
	struct released r = { 0 };

	write_task("1", "in_progress", ",\"owner\":\"x\"");
	write_task("2", "completed", "");
	cr_expect_eq(release_one("1", &r), 0, "%s", err.text);
	cr_expect_str_eq(state("1"), "pending -");
	cr_expect_eq(release_one("2", &r), -1);
	cr_expect_eq(release_one("9", &r), -1);
	cr_expect_eq(err.kind, ERROR_NOT_FOUND);
	released_free(&r);
}

/* Does a process hold a flock on the file?  Our processes wait for its lock with that. */
static bool
is_queued_at(const char *path)
{
	int fd = open(path, O_RDONLY);
	bool held = fd != -1 && flock(fd, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK;

	close(fd);
	return held;
}

/*
 * The client completes task 1 under the lock of the task, while we hold the lock of the
 * list, have read the task and wait for its lock.
 */
static pid_t
client_completes(void)
{
	char lock[310], task[300];
	pid_t pid, parent = getpid();
	int ready[2];
	char c;

	snprintf(task, sizeof(task), "%s/1.json", list.dir);
	snprintf(lock, sizeof(lock), "%s.lock", task);
	cr_assert_eq(pipe(ready), 0);
	cr_assert_neq(pid = fork(), -1);
	if (pid == 0) {
		if (mkdir(lock, 0777) == -1 || write(ready[1], "", 1) != 1)
			_exit(1);
		while (!is_queued_at(task)) {
			if (getppid() != parent)
				_exit(1);
			usleep(1000);
		}
		write_task("1", "completed", "");
		_exit(rmdir(lock) == -1);
	}
	cr_assert_eq(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void
client_done(pid_t pid)
{
	int status;

	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(status, 0);
	cr_assert_str_eq(state("1"), "completed -");
}

Test(claim, a_task_completed_meanwhile_is_not_claimed)
{
	pid_t pid;

	write_task("1", "pending", "");
	pid = client_completes();
	cr_assert_eq(take("1", &lead, true, NULL), CLAIM_RESOLVED, "%s", err.text);
	client_done(pid);
	cr_assert_eq(claim_count(), 0);
}

Test(release, a_task_completed_meanwhile_is_not_released)
{
	struct released r = { 0 };
	pid_t pid;

	write_task("1", "in_progress", "");
	pid = client_completes();
	cr_assert_eq(release_one("1", &r), -1);
	cr_assert_eq(err.kind, ERROR_REFUSED, "%s", err.text);
	client_done(pid);
	cr_assert_eq(r.tasks.count, 0);
	released_free(&r);
}

Test(release, without_claims_nothing_is_written)
{
	struct released r = { 0 };
	char path[128];

	write_task("1", "in_progress", ",\"owner\":\"x\"");
	cr_expect_eq(release_dead(&list, &store, NULL, &lead, NULL, &r, SOON, &err), 0);
	snprintf(path, sizeof(path), "%s/task-hooks", top);
	cr_expect_eq(access(path, F_OK), -1);
	cr_expect_str_eq(state("1"), "in_progress x", "a task without a claim is not released");
}

Test(release, claims_of_dead_processes_are_released)
{
	struct agent dead = sub, alive = mate, unknown = second;
	struct released r = { 0 };

	dead.pid = GONE;
	dead.pid_start = 1;
	alive.pid = getpid();
	write_task("1", "pending", "");
	write_task("2", "pending", "");
	write_task("3", "pending", "");
	write_task("4", "pending", "");
	cr_expect_eq(take("1", &dead, true, NULL), CLAIM_OK);
	cr_expect_eq(take("2", &alive, true, NULL), CLAIM_OK);
	cr_expect_eq(take("3", &unknown, true, NULL), CLAIM_OK);
	cr_expect_eq(take("4", &dead, false, NULL), CLAIM_OK);
	cr_expect_eq(
	    release_dead(&list, &store, NULL, &lead, NULL, &r, SOON, &err), 0, "%s", err.text);
	cr_expect_eq(r.tasks.count, 1);
	cr_expect_str_eq(state("1"), "pending -");
	cr_expect_str_eq(state("2"), "in_progress worker");
	cr_expect_str_eq(state("3"), "in_progress -", "an unknown process may be running");
	cr_expect_eq(claim_count(), 2);
	released_free(&r);
	/* another agent took the task before the sweep */
	cr_expect_eq(take("1", &dead, true, NULL), CLAIM_OK);
	write_task("1", "in_progress", ",\"owner\":\"somebody-else\"");
	cr_expect_eq(
	    release_dead(&list, &store, NULL, &lead, NULL, &r, SOON, &err), 0, "%s", err.text);
	cr_expect_str_eq(state("1"), "in_progress somebody-else");
	cr_expect_eq(r.tasks.count, 0);
	cr_expect_eq(claim_count(), 2);
	released_free(&r);
}

Test(release, a_reused_pid_is_not_the_same_process)
{
	struct agent old = sub;
	struct released r = { 0 };

	old.pid = getpid();
	old.pid_start = 1; /* an earlier process with this pid */
	write_task("1", "pending", "");
	cr_expect_eq(take("1", &old, true, NULL), CLAIM_OK);
	cr_expect_eq(release_dead(&list, &store, NULL, &lead, NULL, &r, SOON, &err), 0);
	cr_expect_eq(r.tasks.count, 1);
	released_free(&r);
}

Test(release, claims_of_an_ended_session_are_released)
{
	struct agent resumed = { .session = "11111111-lead", .pid = getppid() }, self = lead;
	struct released r = { 0 };

	self.pid = getpid();
	write_task("1", "pending", "");
	write_task("2", "pending", "");
	write_task("3", "pending", "");
	cr_expect_eq(take("1", &sub, true, NULL), CLAIM_OK);
	cr_expect_eq(take("2", &second, true, NULL), CLAIM_OK);
	cr_expect_eq(take("3", &resumed, true, NULL), CLAIM_OK);
	cr_expect_eq(release_dead(&list, &store, "11111111-lead", &self, NULL, &r, SOON, &err), 0,
	    "%s", err.text);
	cr_expect_eq(r.tasks.count, 1, "%zu", r.tasks.count);
	cr_expect_str_eq(state("1"), "pending -");
	cr_expect_str_eq(state("2"), "in_progress -");
	cr_expect_str_eq(state("3"), "in_progress -", "the session continues in another process");
	released_free(&r);
}

Test(release, finished_and_lost_claims_are_dropped)
{
	struct released r = { 0 };
	struct strings two = { 0 };
	int64_t hour = 3600000;

	write_task("1", "pending", "");
	cr_expect_eq(take("1", &sub, false, NULL), CLAIM_OK);
	write_task("1", "in_progress", ",\"owner\":\"a0123456789abcdef\"");
	cr_expect_eq(release_dead(&list, &store, NULL, &lead, NULL, &r, SOON, &err), 0);
	make_old(hour);
	cr_expect_eq(release_dead(&list, &store, NULL, &lead, NULL, &r, SOON, &err), 0);
	cr_expect_eq(claim_count(), 1, "the claim of a started task is kept");
	cr_expect_str_eq(state("1"), "in_progress a0123456789abcdef");
	write_task("1", "pending", "");
	cr_expect_eq(release_dead(&list, &store, NULL, &lead, NULL, &r, SOON, &err), 0);
	cr_expect_eq(claim_count(), 0, "the client set the task to pending");
	cr_expect_eq(take("1", &sub, false, NULL), CLAIM_OK);
	write_task("1", "completed", "");
	cr_expect_eq(release_dead(&list, &store, NULL, &lead, NULL, &r, SOON, &err), 0);
	cr_expect_eq(claim_count(), 0, "the task is completed");
	write_task("2", "pending", "");
	cr_expect_eq(take("2", &sub, false, NULL), CLAIM_OK);
	cr_expect_eq(release_dead(&list, &store, NULL, &lead, NULL, &r, SOON, &err), 0);
	cr_expect_eq(claim_count(), 1, "the call of the claim may still come");
	make_old(hour);
	cr_expect_eq(release_dead(&list, &store, NULL, &lead, NULL, &r, SOON, &err), 0);
	cr_expect_eq(claim_count(), 0, "the call of the claim did not come");
	strings_add(&two, "2");
	cr_expect_eq(claims_forget(&list, &two, SOON, &err), 0, "nothing to forget");
	strings_free(&two);
	released_free(&r);
}

/* A report_rule: allow tasks without an owner and those of the subagent. */
static int
only_own(
    void *arg, struct store *s, const struct claims *claims, const struct task *t, struct error *e)
{
	int *asked = arg;

	(void)s;
	(void)claims;
	++*asked;
	if (t->owner == NULL || strcmp(t->owner, sub.id) == 0)
		return 0;
	return error_set(e, ERROR_REFUSED, "it belongs to %s", t->owner);
}

Test(release, reported_changes_are_applied_if_allowed)
{
	static const struct {
		const char *task;
		enum task_status status;
		int want;
		const char *reason, *state;
	} rows[] = {
		{ "1", TASK_COMPLETED, 1, NULL, "completed a0123456789abcdef" },
		{ "2", TASK_COMPLETED, -1, "belongs to other", "in_progress other" },
		{ "9", TASK_COMPLETED, -1, "no task #9", NULL },
		{ "3", TASK_BLOCKED, 1, NULL, "blocked -" },
		{ "3", TASK_IN_PROGRESS, 1, NULL, "in_progress a0123456789abcdef" },
		{ "4", TASK_COMPLETED, 0, NULL, "completed -" },
	};
	struct claims claims = { 0 };
	int asked = 0;

	write_task("1", "pending", "");
	write_task("2", "in_progress", ",\"owner\":\"other\"");
	write_task("3", "pending", "");
	write_task("4", "completed", "");
	cr_expect_eq(take("1", &sub, true, NULL), CLAIM_OK);
	cr_assert_eq(claims_load(&list, &claims, &err), 0, "%s", err.text);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct report_item item = { (char *)rows[i].task, rows[i].status, false, NULL };

		cr_expect_eq(
		    report_apply(&list, &store, &sub, &item, only_own, &asked, &claims, SOON, &err),
		    rows[i].want, "report %zu: %s", i, err.text);
		cr_expect_eq(item.applied, rows[i].want != -1, "report %zu", i);
		if (rows[i].want == -1)
			cr_expect_neq(strstr(item.reason, rows[i].reason), NULL, "%s", item.reason);
		if (rows[i].state != NULL)
			cr_expect_str_eq(state(rows[i].task), rows[i].state);
		free(item.reason);
	}
	cr_expect_eq(asked, 5, "the rule is called for every existing task");
	cr_expect_eq(claims.count, 0, "the claim of a completed task is dropped");
	cr_expect_eq(claim_count(), 0);
	claims_free(&claims);
}

Test(claim, a_claimed_task_is_not_offered)
{
	struct buf reason = { 0 };

	write_task("1", "pending", "");
	write_task("2", "pending", "");
	cr_assert_eq(take("1", &lead, false, NULL), CLAIM_OK);
	cr_assert_eq(take("1", &second, false, &reason), CLAIM_TAKEN);
	cr_expect_neq(
	    strstr(buf_text(&reason), "Ready now: #2 \"T2\"."), NULL, "%s", buf_text(&reason));
	buf_free(&reason);
}

/* Is a claim by a missing process, made in this space, alive? */
static bool
alive_in(const char *space, int64_t time_ms)
{
	struct claim c = { .pid = GONE, .space = (char *)space, .time_ms = time_ms };

	return claims_alive(&c);
}

Test(claim, a_pid_of_another_machine_counts_as_alive)
{
	int64_t now = clock_wall_ms(), before = (os_boot_s() - 60) * 1000;
	char space[256], id[64] = "";

	os_boot_name(id, sizeof(id));
	cr_assert_neq(strstr(claims_space(), id), NULL, "the boot is part of '%s'", claims_space());
	cr_expect(!alive_in(claims_space(), now), "a missing process in our own space");

	/* The same names, but another boot. */
	strcpy(space, claims_space());
	if (id[0] != '\0') {
		memset(strstr(space, id), 'f', strlen(id));
		cr_expect(alive_in(space, now), "another machine with the same host name");
		cr_expect(!alive_in(space, before), "this machine before its last boot");
	}
	strcpy(strrchr(space, '/'), "/1");
	cr_expect(alive_in(space, before), "a container before the last boot");

	strcpy(space, claims_space());
	strcpy(strrchr(space, '/'), "/1");
	cr_expect(alive_in(space, now), "a container of this machine");
	cr_expect(alive_in("elsewhere/1", before));
	cr_expect(alive_in("", before));
}

Test(claim, the_space_of_older_versions_is_the_host_name)
{
	struct claim c = { .pid = GONE, .time_ms = clock_wall_ms() };
	char space[256], host[128] = "";
	uint64_t pids;

	cr_assert_eq(gethostname(host, sizeof(host) - 1), 0);
	cr_assert_eq(os_pid_space(&pids), 0);
	snprintf(space, sizeof(space), "%s/%llu", host, (unsigned long long)pids);
	c.space = space;
	cr_expect(!claims_alive(&c), "its process has ended");
	c.pid = getpid();
	cr_expect(claims_alive(&c), "its process is running");
	snprintf(space, sizeof(space), "%s/1", host);
	c.pid = GONE;
	cr_expect(claims_alive(&c), "another namespace");
}
