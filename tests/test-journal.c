#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "list/journal.h"
#include "sys/file.h"
#include "sys/lock.h"
#include "json/json.h"
#include "json/out.h"

static char dir[64];
static int statefd;
static struct list lab = { .name = (char *)"lab", .has_state = true };
static struct error err;

static void
setup(void)
{
	snprintf(dir, sizeof(dir), "/tmp/test-journal-XXXXXX");
	cr_assert_not_null(mkdtemp(dir));
	statefd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_neq(statefd, -1);
	lab.statefd = statefd;
}

static void
teardown(void)
{
	char command[128];

	close(statefd);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	cr_assert_eq(system(command), 0);
}

TestSuite(journal, .init = setup, .fini = teardown);

static int
append(const char *event, const char *task, const char *why)
{
	struct journal_entry e = { .event = event, .task = task, .why = why };

	return journal_append(&lab, DURABILITY_OFF, &e, deadline_in(2000), &err);
}

static void
slurp(const char *name, struct buf *b)
{
	cr_assert_eq(file_read(statefd, name, 0, FILE_MAX, b, &err), 1, "%s: %s", name, err.text);
}

static void
spill(const char *name, const void *data, size_t len)
{
	int fd = openat(statefd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	cr_assert_neq(fd, -1);
	cr_assert_eq(file_write_all(fd, data, len, &err), 0);
	close(fd);
}

static uint64_t
lines_now(void)
{
	struct journal_check c;

	cr_assert_eq(journal_verify(statefd, "lab", &c, &err), 0, "%s", err.text);
	return c.lines;
}

Test(journal, a_missing_journal_is_valid)
{
	struct journal_check c;

	cr_expect_eq(journal_verify(statefd, "lab", &c, &err), 0);
	cr_expect_eq(c.lines, 0);
	cr_expect_str_eq(c.head, "");
}

Test(journal, begins_with_the_name_of_the_list)
{
	struct journal_check c;
	struct buf b = { 0 };
	struct json j = { 0 };

	cr_assert_eq(append("claim", "3", "first"), 0, "%s", err.text);
	slurp(JOURNAL_FILE, &b);
	*strchr(b.data, '\n') = '\0';
	cr_assert_eq(json_parse(&j, b.data, strlen(b.data), &err), 0, "%s", err.text);
	cr_expect(json_equals(&j, json_member(&j, JSON_ROOT, "event"), "begin"));
	cr_expect(json_equals(&j, json_member(&j, JSON_ROOT, "list"), "lab"));
	cr_expect_eq(lines_now(), 2);
	cr_expect_eq(journal_verify(statefd, "other", &c, &err), -1);
	cr_expect_eq(c.bad_line, 1);
	cr_expect_eq(journal_verify(statefd, NULL, &c, &err), 0);
	json_free(&j);
	buf_free(&b);
}

Test(journal, is_private)
{
	struct stat st;

	cr_assert_eq(append("claim", "3", NULL), 0);
	cr_assert_eq(fstatat(statefd, JOURNAL_FILE, &st, 0), 0);
	cr_expect_eq(st.st_mode & 0777, 0600);
}

Test(journal, a_line_has_the_fields_of_its_entry)
{
	struct journal_entry e = { .event = "claim",
		.task = "3",
		.agent = "a1",
		.session = "s",
		.from = out_object(),
		.to = out_object(),
		.extra = out_object() };
	struct buf b = { 0 };

	out_string(e.from, "status", "pending");
	out_add(e.to, "list", out_raw_text("[\n  1\n]", 7));
	out_string(e.extra, "receipt", "r");
	out_string(e.extra, "seq", "forged");
	out_string(e.extra, "hash", "forged");
	cr_assert_eq(journal_append(&lab, DURABILITY_OFF, &e, deadline_in(2000), &err), 0);
	cr_expect_null(e.from, "the journal takes the objects");
	slurp(JOURNAL_FILE, &b);
	cr_expect_not_null(strstr(b.data, "\"from\":{\"status\":\"pending\"}"), "%s", b.data);
	cr_expect_not_null(strstr(b.data, "\"to\":{\"list\":[1]}"), "%s", b.data);
	cr_expect_not_null(strstr(b.data, "\"receipt\":\"r\""));
	cr_expect_null(strstr(b.data, "forged"));
	cr_expect_eq(lines_now(), 2);
	buf_free(&b);
}

Test(journal, texts_are_cut_and_escaped)
{
	static const struct {
		const char *what, *in, *want;
	} rows[] = {
		{ "newline", "a\nb", "a\\nb" },
		{ "escape", "a\033[31m", "a\\u001b[31m" },
		{ "delete", "a\177b", "a\\u007fb" },
		{ "C1", "a\302\233b", "a\\u009bb" },
		{ "right-to-left override", "a\342\200\256b", "a\\u202eb" },
		{ "tag", "a\363\240\201\201b", "a\\udb40\\udc41b" },
		{ "invalid UTF-8", "a\377b", "\357\277\275" },
		{ "quotes", "\"},\"x\":{", "\\\"},\\\"x\\\":{" },
		{ "umlaut stays", "gr\303\274n", "gr\303\274n" },
	};
	struct buf b = { 0 };
	char *huge = malloc(100001);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_assert_eq(append("refuse", "1", rows[i].in), 0, "%s", rows[i].what);
		slurp(JOURNAL_FILE, &b);
		cr_expect_not_null(strstr(b.data, rows[i].want), "%s: %s", rows[i].what, b.data);
	}
	memset(huge, 'x', 100000);
	huge[100000] = '\0';
	cr_assert_eq(append(huge, huge, huge), 0);
	slurp(JOURNAL_FILE, &b);
	cr_expect_lt(b.len, 10000);
	cr_expect_eq(lines_now(), 2 + sizeof(rows) / sizeof(rows[0]));
	free(huge);
	buf_free(&b);
}

Test(journal, long_lines_are_read_back)
{
	struct journal_entry e;
	size_t size[] = { 100, 5000, 70000, 1000000, 10, 4096 };

	for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
		char *text = malloc(size[i] + 1);

		memset(text, 'y', size[i]);
		text[size[i]] = '\0';
		e = (struct journal_entry){ .event = "delete", .extra = out_object() };
		out_string(e.extra, "snapshot", text);
		cr_assert_eq(journal_append(&lab, DURABILITY_OFF, &e, deadline_in(2000), &err), 0);
		cr_expect_eq(lines_now(), i + 2, "size %zu", size[i]);
		free(text);
	}
}

Test(journal, a_text_that_is_too_long_is_omitted)
{
	struct journal_entry e = { .event = "delete", .task = "1", .extra = out_object() };
	struct buf b = { 0 };
	char *text = malloc(JOURNAL_LINE_MAX + 1);

	memset(text, 'z', JOURNAL_LINE_MAX);
	text[JOURNAL_LINE_MAX] = '\0';
	out_string(e.extra, "snapshot", text);
	cr_assert_eq(journal_append(&lab, DURABILITY_OFF, &e, deadline_in(2000), &err), 0);
	slurp(JOURNAL_FILE, &b);
	cr_expect_not_null(strstr(b.data, "\"omitted\":true"));
	cr_expect_eq(lines_now(), 2);
	free(text);
	buf_free(&b);
}

Test(journal, many_lines_are_appended_at_once)
{
	struct journal_entry e[50];

	for (int i = 0; i < 50; i++)
		e[i] = (struct journal_entry){ .event = "release", .task = "9" };
	cr_assert_eq(journal_append_all(&lab, DURABILITY_OFF, e, 50, deadline_in(2000), &err), 0);
	cr_expect_eq(lines_now(), 51);
	cr_expect_eq(journal_append_all(&lab, DURABILITY_OFF, e, 0, deadline_in(2000), &err), 0);
	cr_expect_eq(lines_now(), 51);
}

static int
count_events(void *arg, const struct json *j, const char *line, size_t len)
{
	(void)line, (void)len;
	*(int *)arg += json_equals(j, json_member(j, JSON_ROOT, "event"), "claim");
	return *(int *)arg == 3 ? 7 : 0;
}

Test(journal, is_read_in_order_until_told_to_stop)
{
	int count = 0;

	cr_expect_eq(journal_read(statefd, count_events, &count, &err), 0);
	for (int i = 0; i < 5; i++)
		cr_assert_eq(append("claim", "1", NULL), 0);
	cr_expect_eq(journal_read(statefd, count_events, &count, &err), 7);
	cr_expect_eq(count, 3);
}

/* Every change of a chain of five lines is found, at the right line. */
Test(journal, tampering_is_found)
{
	struct journal_check c;
	struct buf b = { 0 }, bad = { 0 };
	const char *line[6], *p;
	size_t len[6];

	for (int i = 0; i < 4; i++)
		cr_assert_eq(append("claim", "1", "because"), 0);
	slurp(JOURNAL_FILE, &b);
	p = b.data;
	for (int i = 0; i < 5; i++) {
		line[i] = p;
		p = strchr(p, '\n') + 1;
		len[i] = (size_t)(p - line[i]);
	}
	/* any changed byte */
	for (size_t at = 0; at < b.len; at++) {
		char was = b.data[at];
		uint64_t want = 1;

		for (int i = 0; i < 5 && b.data + at >= line[i] + len[i]; i++)
			want++;
		b.data[at] ^= 1;
		cr_expect_eq(journal_verify_text(b.data, b.len, "lab", &c, &err), -1,
		    "the change of byte %zu is not found", at);
		cr_expect_eq(c.bad_line, want, "byte %zu: line %d", at, (int)c.bad_line);
		b.data[at] = was;
	}
	/* a line that is missing (except the last), repeated, or moved */
	for (int i = 0; i < 5; i++) {
		for (int twice = 0; twice < 2; twice++) {
			buf_reset(&bad);
			for (int k = 0; k < 5; k++) {
				for (int n = k == i ? 2 * twice : 1; n > 0; n--)
					buf_add(&bad, line[k], len[k]);
			}
			if (i == 4 && !twice)
				continue;
			cr_expect_eq(journal_verify_text(bad.data, bad.len, "lab", &c, &err), -1,
			    "line %d %s is not found", i + 1, twice ? "repeated" : "missing");
		}
	}
	buf_reset(&bad);
	for (int i = 0; i < 5; i++)
		buf_add(&bad, line[i == 2 ? 3 : i == 3 ? 2 : i], len[i == 2 ? 3 : i == 3 ? 2 : i]);
	cr_expect_eq(journal_verify_text(bad.data, bad.len, "lab", &c, &err), -1);
	cr_expect_eq(c.bad_line, 3);
	cr_expect_not_null(strstr(err.text, "line 3"));
	buf_free(&b);
	buf_free(&bad);
}

/* Cut at any byte: the next append moves the incomplete line to a file and records that. */
Test(journal, a_torn_last_line_is_moved_to_another_file)
{
	struct journal_check c;
	struct buf b = { 0 }, torn = { 0 }, now = { 0 };
	size_t whole, last;

	for (int i = 0; i < 3; i++)
		cr_assert_eq(append("claim", "1", "because"), 0);
	slurp(JOURNAL_FILE, &b);
	last = (size_t)((char *)memrchr(b.data, '\n', b.len - 1) + 1 - b.data);
	for (size_t cut = last + 1; cut < b.len; cut += cut < b.len - 3 ? 7 : 1) {
		spill(JOURNAL_FILE, b.data, cut);
		cr_assert_eq(journal_verify(statefd, "lab", &c, &err), -1);
		cr_expect(c.torn, "cut at %zu", cut);
		cr_expect_eq(c.lines, 3);
		cr_assert_eq(append("claim", "2", "after"), 0, "%s", err.text);
		cr_expect_eq(lines_now(), 5, "cut at %zu", cut);
		slurp("journal.torn-1", &torn);
		cr_expect_eq(torn.len, cut - last);
		cr_expect_eq(memcmp(torn.data, b.data + last, torn.len), 0);
		slurp(JOURNAL_FILE, &now);
		cr_expect_eq(memcmp(now.data, b.data, last), 0, "the complete lines are unchanged");
		cr_expect_not_null(strstr(now.data, "\"event\":\"torn\""));
		cr_expect_not_null(strstr(now.data, "journal.torn-1"));
		cr_assert_eq(unlinkat(statefd, "journal.torn-1", 0), 0);
	}
	/* a block of zeros, longer than the line that replaces it */
	whole = b.len;
	buf_need(&b, 100000);
	memset(b.data + whole, 0, 100000);
	spill(JOURNAL_FILE, b.data, whole + 100000);
	cr_assert_eq(append("claim", "2", "after"), 0, "%s", err.text);
	cr_expect_eq(lines_now(), 6);
	slurp("journal.torn-1", &torn);
	cr_expect_eq(torn.len, 100000);
	/* a line with zeros in it and a valid end */
	spill(JOURNAL_FILE, b.data, whole);
	slurp(JOURNAL_FILE, &b);
	memset(b.data + last + 20, 0, 16);
	spill(JOURNAL_FILE, b.data, whole);
	cr_assert_eq(append("claim", "2", "after"), 0, "%s", err.text);
	cr_expect_eq(lines_now(), 5);
	/* only invalid bytes */
	spill(JOURNAL_FILE, "rubbish\nmore\n", 13);
	cr_assert_eq(append("claim", "2", "after"), 0, "%s", err.text);
	cr_expect_eq(lines_now(), 3);
	buf_free(&b);
	buf_free(&torn);
	buf_free(&now);
}

/* A changed last line is not repaired by the next append. */
Test(journal, a_changed_last_line_stays_invalid)
{
	struct journal_check c;
	struct buf b = { 0 };

	cr_assert_eq(append("claim", "1", "because"), 0);
	slurp(JOURNAL_FILE, &b);
	memcpy(strstr(b.data, "because"), "BECAUSE", 7);
	spill(JOURNAL_FILE, b.data, b.len);
	cr_assert_eq(append("claim", "1", "later"), 0, "%s", err.text);
	cr_expect_eq(journal_verify(statefd, "lab", &c, &err), -1);
	cr_expect_eq(c.bad_line, 2);
	buf_free(&b);
}

Test(journal, other_kinds_of_file_are_refused)
{
	struct journal_check c;

	cr_assert_eq(mkfifoat(statefd, JOURNAL_FILE, 0600), 0);
	cr_expect_eq(append("claim", "1", NULL), -1);
	cr_expect_eq(journal_verify(statefd, "lab", &c, &err), -1);
	unlinkat(statefd, JOURNAL_FILE, 0);
	cr_assert_eq(symlinkat("elsewhere", statefd, JOURNAL_FILE), 0);
	cr_expect_eq(append("claim", "1", NULL), -1);
	cr_expect_eq(journal_verify(statefd, "lab", &c, &err), -1);
	cr_expect_eq(faccessat(statefd, "elsewhere", F_OK, 0), -1, "the link was followed");
	unlinkat(statefd, JOURNAL_FILE, 0);
	cr_assert_eq(mkdirat(statefd, JOURNAL_FILE, 0700), 0);
	cr_expect_eq(append("claim", "1", NULL), -1);
}

Test(journal, a_hard_link_is_not_written_through)
{
	struct buf b = { 0 };

	spill("precious", "text", 4);
	cr_assert_eq(linkat(statefd, "precious", statefd, "journal.jsonl", 0), 0);
	cr_assert_eq(append("note", "1", NULL), -1);
	cr_assert(strstr(err.text, "hard link") != NULL, "%s", err.text);
	slurp("precious", &b);
	cr_assert_str_eq(buf_text(&b), "text");
	buf_free(&b);
}

Test(journal, waits_for_its_lock_until_the_deadline)
{
	struct lock l = LOCK_INIT;

	cr_assert_eq(lock_own(&l, statefd, JOURNAL_FILE, deadline_in(1000), &err), 0);
	cr_expect_eq(journal_append(&lab, DURABILITY_OFF,
			 &(struct journal_entry){ .event = "claim" }, deadline_in(30), &err),
	    -1);
	cr_expect_eq(err.kind, ERROR_BUSY, "%s", err.text);
	lock_release(&l);
	cr_expect_eq(append("claim", "1", NULL), 0);
	cr_expect_eq(lines_now(), 2);
}
