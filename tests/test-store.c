/*
 * The store, in the layout of the client.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "list/store.h"

#define SOON deadline_in(20000)

static char top[] = "/tmp/test-store.XXXXXX", dir[64];
static struct store store = STORE_INIT;
static struct error err;

static void
setup(void)
{
	strcpy(top + sizeof(top) - 7, "XXXXXX");
	cr_assert_neq(mkdtemp(top), NULL);
	snprintf(dir, sizeof(dir), "%s/tasks/lab", top);
	cr_assert_eq(store_open(&store, dir, true, &err), 1, "%s", err.text);
	store.durability = DURABILITY_OFF;
}

static void
teardown(void)
{
	char command[128];

	store_close(&store);
	snprintf(command, sizeof(command), "chmod -R u+w '%s'; rm -rf '%s'", top, top);
	cr_assert_eq(system(command), 0);
}

TestSuite(store, .init = setup, .fini = teardown);

static const char *
in_dir(const char *name)
{
	static char path[2][300];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
	return path[turn];
}

static void
write_file(const char *name, const char *text)
{
	FILE *f = fopen(in_dir(name), "w");

	cr_assert_neq(f, NULL, "%s", name);
	fputs(text, f);
	fclose(f);
}

static void
write_task(const char *id, const char *more)
{
	char name[64], text[1024];

	snprintf(name, sizeof(name), "%s.json", id);
	snprintf(text, sizeof(text),
	    "{\"id\":\"%s\",\"subject\":\"Task %s\",\"description\":\"d\",\"status\":\"pending\","
	    "\"blocks\":[],\"blockedBy\":[]%s}",
	    id, id, more);
	write_file(name, text);
}

static const char *
content(const char *name)
{
	static char text[8192];
	FILE *f = fopen(in_dir(name), "r");
	size_t n = 0;

	if (f == NULL)
		return NULL;
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static char *
make_task(const char *subject)
{
	static char id[2][32];
	static int turn;
	struct change c = CHANGE_INIT;
	struct task t = TASK_INIT;

	turn = !turn;
	c.subject = subject;
	cr_assert_eq(store_create(&store, &c, NULL, NULL, &t, SOON, &err), 0, "%s", err.text);
	snprintf(id[turn], sizeof(id[turn]), "%s", t.id);
	task_free(&t);
	return id[turn];
}

static void
no_debris(void)
{
	char command[256];

	snprintf(command, sizeof(command),
	    "test -z \"$(find '%s' -name '*.lock' ! -name .lock -o -name '.*tmp*' -o -name "
	    "'*.tmp')\"",
	    dir);
	cr_expect_eq(system(command), 0, "a lock or temporary file is left");
}

Test(store, create_writes_the_bytes_of_the_client)
{
	cr_expect_str_eq(make_task("One"), "1");
	cr_expect_str_eq(content("1.json"),
	    "{\n  \"id\": \"1\",\n  \"subject\": \"One\",\n  \"description\": \"One\",\n"
	    "  \"status\": \"pending\",\n  \"blocks\": [],\n  \"blockedBy\": []\n}");
	cr_expect_str_eq(make_task("Two"), "2");
	cr_expect_str_eq(content(".lock"), "", "the file that the client locks");
	cr_expect_eq(content(".highwatermark"), NULL, "only a deletion writes it");
	no_debris();
}

Test(store, a_new_id_is_above_all_others)
{
	static const struct {
		const char *file, *text, *next;
	} rows[] = {
		{ "20.json", "garbage", "21" },
		{ "12abc.json", "", "13" },
		{ "007.json", "", "8" },
		{ "1e3.json", "", "2" },
		{ "-3.json", "", "1" },
		{ "abc.json", "", "1" },
		{ "58.tmp.json", "", "59" },
		{ "5.json.bak", "", "1" },
		{ "tasks.json", "{}", "1" },
		{ ".highwatermark", "9\n", "10" },
		{ ".highwatermark", "9abc", "10" },
		{ ".highwatermark", "x9", "1" },
		{ ".highwatermark", " 41", "42" },
		{ ".highwatermark", "", "1" },
		{ "99999999999999999999.json", "", "100000000000000000000" },
		{ "12345678901234567890.json", "", "12345678901234567000" },
		{ "9007199254740990.json", "", "9007199254740991" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		teardown();
		setup();
		write_file(rows[i].file, rows[i].text);
		cr_expect_str_eq(
		    make_task("x"), rows[i].next, "%s '%s'", rows[i].file, rows[i].text);
	}
}

Test(store, a_deleted_id_is_not_used_again)
{
	struct change c = CHANGE_INIT;
	struct strings one = { (char *[]){ "1" }, 1 };
	struct task t = TASK_INIT;

	make_task("a"), make_task("b"), make_task("c");
	c.add_blocked_by = &one;
	cr_assert_eq(
	    store_update(&store, "2", &c, NULL, NULL, NULL, NULL, SOON, &err), 1, "%s", err.text);
	cr_assert_eq(store_depend(&store, "1", "3", false, SOON, &err), 1, "%s", err.text);
	cr_expect_eq(store_delete(&store, "1", NULL, NULL, &t, SOON, &err), 1, "%s", err.text);
	cr_expect_str_eq(t.subject, "a", "the deleted task is returned");
	cr_expect_eq(strstr(content("2.json"), "\"1\""), NULL, "%s", content("2.json"));
	cr_expect_eq(strstr(content("3.json"), "\"1\""), NULL, "%s", content("3.json"));
	cr_expect_str_eq(content(".highwatermark"), "1");
	cr_expect_eq(store_delete(&store, "3", NULL, NULL, NULL, SOON, &err), 1, "%s", err.text);
	cr_expect_str_eq(content(".highwatermark"), "3");
	cr_expect_eq(store_delete(&store, "2", NULL, NULL, NULL, SOON, &err), 1, "%s", err.text);
	cr_expect_str_eq(content(".highwatermark"), "3", "it never decreases");
	cr_expect_str_eq(make_task("d"), "4");
	cr_expect_eq(store_delete(&store, "3", NULL, NULL, NULL, SOON, &err), -1);
	cr_expect_eq(err.kind, ERROR_NOT_FOUND);
	task_free(&t);
	no_debris();
}

Test(store, ids_that_are_paths_are_not_found)
{
	static const char *const ids[] = { "../lab/1", "", ".", "..", "#1", " 1 ", "01", "1.0",
		"1.json", "1/", "x.y", "1\n", "\xce\xb1" };
	struct change c = CHANGE_INIT;
	struct task t = TASK_INIT;

	make_task("a");
	write_task("x-y", "");
	c.owner = "me";
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		cr_expect_eq(store_get(&store, ids[i], &t, &err), 0, "get '%s'", ids[i]);
		cr_expect_eq(store_update(&store, ids[i], &c, NULL, NULL, NULL, NULL, SOON, &err),
		    -1, "update '%s'", ids[i]);
		cr_expect_eq(err.kind, ERROR_NOT_FOUND, "update '%s'", ids[i]);
		cr_expect_eq(store_delete(&store, ids[i], NULL, NULL, NULL, SOON, &err), -1,
		    "delete '%s'", ids[i]);
	}
	cr_expect_eq(store_get(&store, "1", &t, &err), 1);
	task_free(&t);
}

Test(store, update_changes_a_task_once)
{
	struct change c = CHANGE_INIT;
	struct task before = TASK_INIT, after = TASK_INIT;

	make_task("a");
	c.status = TASK_IN_PROGRESS;
	c.owner = "me";
	cr_expect_eq(store_update(&store, "1", &c, NULL, NULL, &before, &after, SOON, &err), 1,
	    "%s", err.text);
	cr_expect_eq(before.status, TASK_PENDING);
	cr_expect_eq(after.status, TASK_IN_PROGRESS);
	cr_expect_str_eq(after.owner, "me");
	cr_expect_eq(store_update(&store, "1", &c, NULL, NULL, &before, &after, SOON, &err), 0,
	    "nothing to change");
	cr_expect_eq(before.status, TASK_IN_PROGRESS);
	cr_expect_str_eq(after.owner, "me");
	task_free(&before);
	task_free(&after);
	no_debris();
}

static int
rule_no(void *arg, struct store *s, const struct task *t, struct error *e)
{
	struct task other = TASK_INIT;

	/* a rule may read other tasks */
	cr_expect_eq(store_get(s, "1", &other, e), 1);
	task_free(&other);
	return error_set(
	    e, ERROR_REFUSED, "%s: %s", (const char *)arg, t != NULL ? t->subject : "new");
}

Test(store, a_rule_can_refuse_a_change)
{
	struct change c = CHANGE_INIT;

	make_task("a");
	c.subject = "b";
	cr_expect_eq(store_update(&store, "1", &c, rule_no, "no", NULL, NULL, SOON, &err), -1);
	cr_expect_str_eq(err.text, "no: a");
	cr_expect_eq(store_create(&store, &c, rule_no, "no", NULL, SOON, &err), -1);
	cr_expect_str_eq(err.text, "no: new");
	cr_expect_eq(store_delete(&store, "1", rule_no, "no", NULL, SOON, &err), -1);
	cr_expect_eq(err.kind, ERROR_REFUSED);
	cr_expect_neq(strstr(content("1.json"), "\"a\""), NULL);
	cr_expect_eq(content("2.json"), NULL);
	no_debris();
}

Test(store, a_dependency_is_written_on_both_sides)
{
	struct change c = CHANGE_INIT;
	struct strings two = { (char *[]){ "2" }, 1 }, three = { (char *[]){ "3" }, 1 };
	struct strings unknown = { (char *[]){ "9" }, 1 };
	struct task t = TASK_INIT;

	make_task("a"), make_task("b"), make_task("c");
	cr_expect_eq(store_depend(&store, "2", "1", false, SOON, &err), 1, "%s", err.text);
	cr_expect_eq(store_depend(&store, "2", "1", false, SOON, &err), 0, "again");
	cr_expect_str_eq(content("1.json"),
	    "{\n  \"id\": \"1\",\n  \"subject\": \"a\",\n  \"description\": \"a\",\n"
	    "  \"status\": \"pending\",\n  \"blocks\": [\n    \"2\"\n  ],\n  \"blockedBy\": []\n}");
	cr_expect_neq(strstr(content("2.json"), "\"blockedBy\": [\n    \"1\"\n  ]"), NULL);
	cr_expect_eq(store_depend(&store, "3", "2", false, SOON, &err), 1, "%s", err.text);
	cr_expect_eq(store_depend(&store, "1", "3", false, SOON, &err), -1, "a cycle");
	cr_expect_eq(err.kind, ERROR_REFUSED);
	cr_expect_neq(strstr(err.text, "#1 -> #3 -> #2 -> #1"), NULL, "%s", err.text);
	cr_expect_eq(
	    store_depend(&store, "1", "1", false, SOON, &err), -1, "a dependency on itself");
	cr_expect_eq(store_depend(&store, "1", "9", false, SOON, &err), -1, "unknown");
	cr_expect_neq(strstr(err.text, "no task #9"), NULL, "%s", err.text);
	cr_expect_eq(store_depend(&store, "9", "1", false, SOON, &err), -1, "unknown");
	c.add_blocks = &two;
	c.add_blocked_by = &three;
	cr_expect_eq(store_update(&store, "1", &c, NULL, NULL, NULL, NULL, SOON, &err), -1);
	c = (struct change)CHANGE_INIT;
	c.subject = "new";
	c.add_blocks = &two;
	c.add_blocked_by = &three;
	cr_expect_eq(store_create(&store, &c, NULL, NULL, &t, SOON, &err), -1,
	    "3 waits for 2, so a task between them is a circle");
	c.add_blocks = &three;
	c.add_blocked_by = &two;
	cr_expect_eq(store_create(&store, &c, NULL, NULL, &t, SOON, &err), 0, "%s", err.text);
	cr_expect_neq(strstr(content("3.json"), "\"4\""), NULL, "both sides");
	cr_expect_neq(strstr(content("2.json"), "\"4\""), NULL, "both sides");
	c.add_blocked_by = &unknown;
	cr_expect_eq(store_create(&store, &c, NULL, NULL, NULL, SOON, &err), -1, "unknown");
	cr_expect_eq(store_depend(&store, "2", "1", true, SOON, &err), 1, "removed");
	cr_expect_eq(strstr(content("1.json"), "\"2\""), NULL);
	task_free(&t);
	no_debris();
}

Test(store, one_sided_dependency_is_completed)
{
	write_task("1", "");
	write_file("2.json",
	    "{\"id\":\"2\",\"subject\":\"b\",\"description\":\"d\",\"status\":\"pending\","
	    "\"blocks\":[],\"blockedBy\":[\"1\",\"77\"]}");
	cr_expect_eq(store_depend(&store, "2", "1", false, SOON, &err), 1, "%s", err.text);
	cr_expect_neq(
	    strstr(content("1.json"), "\"blocks\":[\"2\"]"), NULL, "%s", content("1.json"));
	cr_expect_eq(store_depend(&store, "2", "77", true, SOON, &err), 1,
	    "a dependency on a missing task is removed");
	cr_expect_eq(strstr(content("2.json"), "77"), NULL);
}

static size_t bad_count;
static char bad_text[4096];

static void
note_bad(void *arg, const char *file, const char *reason)
{
	(void)arg;
	bad_count++;
	strcat(strcat(strcat(strcat(bad_text, file), ": "), reason), "\n");
}

Test(store, files_that_the_client_does_not_show_are_reported)
{
	struct task_set set = { 0 };
	struct task t = TASK_INIT;
	static const char *const bad[] = { "10.json", "11.json", "12.json", "13.json", "14.json",
		"15.json", "16.json", "17.json", ".47.json", "58.tmp.json" };
	char outside[128];

	make_task("good");
	write_task("10", ",\"owner\":null");
	write_file("11.json", "");
	write_file("12.json", "\xef\xbb\xbf{}");
	mkdir(in_dir("13.json"), 0755);
	mkfifo(in_dir("14.json"), 0644);
	cr_assert_eq(symlink("nowhere", in_dir("15.json")), 0);
	snprintf(outside, sizeof(outside), "%s/outside.json", top);
	cr_assert_eq(rename(in_dir("1.json"), outside), 0);
	cr_assert_eq(symlink(outside, in_dir("16.json")), 0);
	cr_assert_eq(symlink("16.json", in_dir("17.json")), 0);
	write_task(".47", "");
	write_task("58.tmp", "");
	write_task("2", "");
	write_file("48.json.bak", "x");
	write_file("57.JSON", "x");
	cr_assert_eq(store_load(&store, &set, &err), 0, "%s", err.text);
	cr_expect_eq(set.count, 1, "%zu", set.count);
	task_set_free(&set);
	cr_expect_eq(store_bad(&store, note_bad, NULL, &err), 0);
	cr_expect_eq(bad_count, sizeof(bad) / sizeof(bad[0]), "%s", bad_text);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_expect_neq(strstr(bad_text, bad[i]), NULL, "%s is not reported", bad[i]);
	for (const char *id = "10\0"
			      "11\0"
			      "12\0"
			      "13\0"
			      "14\0"
			      "15\0"
			      "16\0"
			      "17\0";
	     *id != '\0'; id += 3) {
		cr_expect_eq(store_get(&store, id, &t, &err), -1, "%s", id);
		cr_expect(err.kind == ERROR_INPUT, "%s: %s", id, err.text);
	}
	no_debris();
}

Test(store, an_update_keeps_a_link_and_its_mode)
{
	struct change c = CHANGE_INIT;
	struct stat st;
	char link[16] = "";
	char other[128];

	snprintf(other, sizeof(other), "%s/tasks/other", top);
	mkdir(other, 0755);
	write_task("1", "");
	strcat(other, "/x.json");
	cr_assert_eq(rename(in_dir("1.json"), other), 0);
	cr_assert_eq(symlink("../other/x.json", in_dir("1.json")), 0);
	chmod(other, 0600);
	c.owner = "me";
	cr_expect_eq(
	    store_update(&store, "1", &c, NULL, NULL, NULL, NULL, SOON, &err), 1, "%s", err.text);
	cr_assert_eq(readlink(in_dir("1.json"), link, sizeof(link)), 15, "still a link");
	cr_expect_neq(strstr(content("1.json"), "\"me\""), NULL);
	stat(other, &st);
	cr_expect_eq(st.st_mode & 0777, 0600, "the mode is kept");
	no_debris();
}

/* Swaps two names until it is told to stop. */
struct swap {
	char a[128], b[128];
	atomic_bool stop;
};

static void *
swap_names(void *arg)
{
	struct swap *s = arg;

	while (!atomic_load(&s->stop))
		renameat2(AT_FDCWD, s->a, AT_FDCWD, s->b, RENAME_EXCHANGE);
	return NULL;
}

/* A directory on the path of a link is replaced again and again by a link out of the lists. */
Test(store, a_replaced_link_is_never_read_outside_the_lists)
{
	struct task t = TASK_INIT;
	struct swap swap = { 0 };
	char path[200], out[160];
	int seen[2] = { 0 };
	pthread_t thread;

	snprintf(swap.a, sizeof(swap.a), "%s/tasks/other", top);
	snprintf(swap.b, sizeof(swap.b), "%s/tasks/way-out", top);
	snprintf(out, sizeof(out), "%s/outside", top);
	cr_assert_eq(mkdir(swap.a, 0755), 0);
	cr_assert_eq(mkdir(out, 0755), 0);
	cr_assert_eq(symlink(out, swap.b), 0);
	write_task("1", ",\"owner\":\"inside\"");
	snprintf(path, sizeof(path), "%s/x.json", swap.a);
	cr_assert_eq(rename(in_dir("1.json"), path), 0);
	write_task("1", ",\"owner\":\"outside\"");
	snprintf(path, sizeof(path), "%s/x.json", out);
	cr_assert_eq(rename(in_dir("1.json"), path), 0);
	cr_assert_eq(symlink("../other/x.json", in_dir("1.json")), 0);
	cr_assert_eq(pthread_create(&thread, NULL, swap_names, &swap), 0);
	for (int i = 0; i < 20000 || seen[0] == 0 || seen[1] == 0; i++) {
		int rc = store_get(&store, "1", &t, &err);

		if (rc == 1)
			cr_assert_str_eq(t.owner, "inside", "turn %d", i);
		seen[rc == 1]++;
	}
	atomic_store(&swap.stop, true);
	pthread_join(thread, NULL);
	task_free(&t);
}

Test(store, an_update_keeps_the_mode)
{
	struct change c = CHANGE_INIT;
	struct stat st;

	make_task("a");
	chmod(in_dir("1.json"), 0600);
	c.owner = "me";
	cr_expect_eq(store_update(&store, "1", &c, NULL, NULL, NULL, NULL, SOON, &err), 1);
	stat(in_dir("1.json"), &st);
	cr_expect_eq(st.st_mode & 0777, 0600);
}

/* A writer that works as the client does: it truncates, then writes in place. */
static volatile bool writing;

static void *
writer(void *arg)
{
	const char *text =
	    "{\"id\":\"1\",\"subject\":\"torn\",\"description\":\"d\",\"owner\":\"me\","
	    "\"status\":\"pending\",\"blocks\":[],\"blockedBy\":[]}";
	int lock, fd;
	char path[300];

	snprintf(path, sizeof(path), "%s/1.json.lock", dir);
	while (writing) {
		/* under the lock of the task, as the client does */
		if (mkdir(path, 0777) == -1)
			continue;
		fd = open((const char *)arg, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		lock = (int)write(fd, text, strlen(text));
		cr_assert_eq(lock, (int)strlen(text));
		close(fd);
		rmdir(path);
		usleep(50);
	}
	return NULL;
}

Test(store, torn_files_are_read_again)
{
	char path[300];
	struct task t = TASK_INIT;
	struct task_set set = { 0 };
	pthread_t thread;
	int rc;

	write_task("1", "");
	write_task("2", "");
	snprintf(path, sizeof(path), "%s/1.json", dir);
	writing = true;
	cr_assert_eq(pthread_create(&thread, NULL, writer, path), 0);
	for (int i = 0; i < 300; i++) {
		/* never "bad"; busy if the writer did not release the lock in time */
		rc = store_get(&store, "1", &t, &err);
		cr_expect(rc == 1 || err.kind == ERROR_BUSY, "get %d: %d %s", i, rc, err.text);
		cr_expect_eq(store_load(&store, &set, &err), 0);
		cr_expect_neq(task_set_find(&set, "2"), NULL, "load %d", i);
		task_set_free(&set);
	}
	writing = false;
	pthread_join(thread, NULL);
	task_free(&t);
}

static int
count(void *arg, const struct task *t)
{
	(void)t;
	++*(int *)arg;
	return 0;
}

static int
stop(void *arg, const struct task *t)
{
	(void)t;
	return ++*(int *)arg == 2 ? 7 : 0;
}

Test(store, a_scan_finds_the_tasks_of_an_owner)
{
	int n = 0;

	write_task("1", ",\"owner\":\"me\"");
	write_task("2", ",\"owner\":\"m\\u0065\"");
	write_task("3", ",\"owner\":\"mean\"");
	write_task("4", ",\"activeForm\":\"me\"");
	write_task("5", ",\"owner\":\"q\\\"q\"");
	write_task("6", ",\"owner\":\"\xce\xb1\"");
	write_task("7", ",\"owner\":\"\\u03b1\"");
	cr_expect_eq(store_scan(&store, "me", count, &n, &err), 0);
	cr_expect_eq(n, 2, "me: %d", n);
	n = 0;
	cr_expect_eq(store_scan(&store, "q\"q", count, &n, &err), 0);
	cr_expect_eq(n, 1, "a name that is escaped: %d", n);
	n = 0;
	cr_expect_eq(store_scan(&store, "\xce\xb1", count, &n, &err), 0);
	cr_expect_eq(n, 2, "a name that may be escaped: %d", n);
	n = 0;
	cr_expect_eq(store_scan(&store, NULL, count, &n, &err), 0);
	cr_expect_eq(n, 7, "all: %d", n);
	n = 0;
	cr_expect_eq(store_scan(&store, NULL, stop, &n, &err), 7, "stopped");
	cr_expect_eq(n, 2);
}

static int
name(void *arg, const struct task *t)
{
	buf_printf(arg, " %s", t->id);
	return strcmp(t->id, "stop") == 0 ? 7 : 0;
}

/* Sorted by number, not by the order of the directory; then the other ids. */
Test(store, a_walk_visits_tasks_in_order)
{
	static const char *const ids[] = { "10", "9", "abc", "70000", "2", "65535", "65536", "007",
		"0", "stop", "zzz", "1000000000000000000000" };
	struct buf seen = { 0 };

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		write_task(ids[i], "");
	cr_expect_eq(store_walk(&store, TASK_PENDING, name, &seen, &err), 7, "stopped");
	cr_expect_str_eq(
	    buf_text(&seen), " 2 9 10 65535 0 007 65536 70000 1000000000000000000000 abc stop");
	buf_reset(&seen);
	cr_expect_eq(store_walk(&store, TASK_COMPLETED, name, &seen, &err), 0);
	cr_expect_str_eq(buf_text(&seen), "", "no file is parsed");
	write_task("3", ",\"activeForm\":\"\\u0063ompleted\"");
	cr_expect_eq(store_walk(&store, TASK_COMPLETED, name, &seen, &err), 0);
	cr_expect_str_eq(buf_text(&seen), " 3", "a file with an escape is parsed");
	buf_free(&seen);
}

Test(store, a_large_file_is_read)
{
	struct buf text = { 0 };
	struct task t = TASK_INIT;
	struct task_set set = { 0 };

	buf_puts(&text, ",\"activeForm\":\"");
	for (int i = 0; i < 300000; i++)
		buf_puts(&text, "abcd");
	buf_puts(&text, "\"");
	{
		FILE *f = fopen(in_dir("1.json"), "w");

		fprintf(f,
		    "{\"id\":\"1\",\"subject\":\"s\",\"description\":\"d\",\"status\":\"pending\","
		    "\"blocks\":[],\"blockedBy\":[]%s}",
		    buf_text(&text));
		fclose(f);
	}
	cr_expect_eq(store_get(&store, "1", &t, &err), 1, "%s", err.text);
	cr_expect_eq(strlen(t.active_form), 1200000);
	cr_expect_eq(store_load(&store, &set, &err), 0);
	cr_expect_eq(set.count, 1);
	task_free(&t);
	task_set_free(&set);
	buf_free(&text);
}

Test(store, puts_a_task_under_its_id_once)
{
	static const char text[] =
	    "{\"id\":\"5\",\"subject\":\"s\",\"description\":\"d\","
	    "\"status\":\"pending\",\"blocks\":[],\"blockedBy\":[],\"x\":1.0}";

	cr_expect_eq(store_put(&store, "5", text, strlen(text), SOON, &err), 0, "%s", err.text);
	cr_expect_str_eq(content("5.json"), text);
	cr_expect_eq(store_put(&store, "5", text, strlen(text), SOON, &err), -1);
	cr_expect_eq(err.kind, ERROR_REFUSED, "%s", err.text);
	cr_expect_eq(store_put(&store, "6", "{}", 2, SOON, &err), -1, "the text is not a task");
	cr_expect_eq(
	    store_put(&store, "../6", text, strlen(text), SOON, &err), -1, "the id is invalid");
	no_debris();
}

static int
two_things(void *arg, struct store *s, struct error *e)
{
	struct change c = CHANGE_INIT;

	c.subject = "inner";
	cr_expect_eq(store_create(s, &c, NULL, NULL, NULL, SOON, e), 0, "%s", e->text);
	c.owner = "me";
	return store_update(s, "1", &c, rule_no, arg, NULL, NULL, SOON, e);
}

Test(store, several_changes_can_share_one_lock)
{
	struct lock l = LOCK_INIT;

	cr_expect_eq(store_locked(&store, two_things, "why not", SOON, &err), -1);
	cr_expect_str_eq(err.text, "why not: inner");
	cr_expect_eq(
	    lock_list(&l, store.dirfd, deadline_in(1000), &err), 0, "free again: %s", err.text);
	cr_expect_eq(store_locked(&store, two_things, "", deadline_in(50), &err), -1, "busy");
	cr_expect_eq(err.kind, ERROR_BUSY, "%s", err.text);
	lock_release(&l);
	no_debris();
}

Test(store, a_locked_task_is_not_changed)
{
	struct change c = CHANGE_INIT;

	make_task("a");
	mkdir(in_dir("1.json.lock"), 0755);
	c.owner = "me";
	cr_expect_eq(
	    store_update(&store, "1", &c, NULL, NULL, NULL, NULL, deadline_in(60), &err), -1);
	cr_expect_eq(err.kind, ERROR_BUSY, "%s", err.text);
	cr_expect_neq(strstr(err.text, "1.json.lock"), NULL, "%s", err.text);
	cr_expect_eq(strstr(content("1.json"), "me"), NULL);
}

Test(store, a_missing_or_linked_list_is_not_opened)
{
	struct store s = STORE_INIT;
	char path[128];

	snprintf(path, sizeof(path), "%s/tasks/none", top);
	cr_expect_eq(store_open(&s, path, false, &err), 0);
	store_close(&s);
	cr_assert_eq(symlink("lab", path), 0);
	cr_expect_eq(store_open(&s, path, false, &err), -1, "a linked list");
	store_close(&s);
}

Test(store, tasks_are_listed_in_the_order_of_the_client)
{
	struct task_set set = { 0 };

	write_task("10", "");
	write_task("9", "");
	write_task("2", ",\"status\":\"completed\"");
	write_task("11", ",\"status\":\"in_progress\"");
	cr_assert_eq(store_load(&store, &set, &err), 0);
	cr_assert_eq(set.count, 4);
	cr_expect_str_eq(set.item[0].id, "11");
	cr_expect_str_eq(set.item[1].id, "9");
	cr_expect_str_eq(set.item[2].id, "10");
	cr_expect_str_eq(set.item[3].id, "2");
	task_set_free(&set);
}
