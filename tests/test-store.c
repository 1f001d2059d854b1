/*
 * The store, in the layout of the client.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "store-one.h"

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
	    "'*.tmp' -o -name '.task-hooks-*')\"",
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
rule_no(
    void *arg, struct store *s, const struct task *now, const struct task *then, struct error *e)
{
	struct task other = TASK_INIT;

	/* a rule may read other tasks */
	cr_expect_eq(store_get(s, "1", &other, e), 1);
	task_free(&other);
	return error_set(e, ERROR_REFUSED, "%s: %s -> %s", (const char *)arg,
	    now != NULL ? now->subject : "none", then != NULL ? then->subject : "none");
}

Test(store, a_rule_can_refuse_a_change)
{
	struct change c = CHANGE_INIT;

	make_task("a");
	c.subject = "b";
	cr_expect_eq(store_update(&store, "1", &c, rule_no, "no", NULL, NULL, SOON, &err), -1);
	cr_expect_str_eq(err.text, "no: a -> b");
	cr_expect_eq(store_create(&store, &c, rule_no, "no", NULL, SOON, &err), -1);
	cr_expect_str_eq(err.text, "no: none -> b");
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
		syscall(SYS_renameat2, AT_FDCWD, s->a, AT_FDCWD, s->b, RENAME_EXCHANGE);
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
count_children(void *arg, const struct task *t)
{
	*(int *)arg += t->parent != NULL && strcmp(t->parent, "1") == 0;
	return 0;
}

Test(store, a_scan_finds_the_tasks_with_a_parent)
{
	static const char *const parents[] = { ",\"metadata\":{\"parent\":\"1\"}",
		",\"metadata\":{\"parent_id\":1}", ",\"metadata\":{\"parentId\":\"1\"}",
		",\"subject\":\"[^#1] a\"", ",\"subject\":\"\\u005b^#1] a\"",
		",\"metadata\":{\"p\\u0061rent\":\"1\"}" };
	int n = 0;

	write_task("1", ",\"description\":\"a\\nb\"");
	write_task("2", ",\"activeForm\":\"[#1]\"");
	for (size_t i = 0; i < sizeof(parents) / sizeof(parents[0]); i++) {
		char id[8];

		snprintf(id, sizeof(id), "%zu", i + 10);
		write_task(id, parents[i]);
	}
	cr_expect_eq(store_scan_children(&store, count_children, &n, &err), 0);
	cr_expect_eq(n, 6, "%d", n);
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

static int
put(const char *id, const char *text)
{
	struct store_op op = { STORE_CREATE, id, .text = text, .len = strlen(text) };
	int rc = store_apply(&store, &op, 1, SOON, &err);

	store_ops_free(&op, 1);
	return rc;
}

Test(store, puts_a_task_under_its_id_once)
{
	static const char text[] =
	    "{\"id\":\"5\",\"subject\":\"s\",\"description\":\"d\","
	    "\"status\":\"pending\",\"blocks\":[],\"blockedBy\":[],\"x\":1.0}";

	cr_expect_eq(put("5", text), 1, "%s", err.text);
	cr_expect_str_eq(content("5.json"), text);
	cr_expect_eq(put("5", text), -1);
	cr_expect_eq(err.kind, ERROR_REFUSED, "%s", err.text);
	cr_expect_eq(put("6", "{}"), -1, "the text is not a task");
	cr_expect_eq(put("../6", text), -1, "the id is invalid");
	cr_expect_eq(put("tasks", text), -1, "the name of a document");
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
	cr_expect_str_eq(err.text, "why not: inner -> inner");
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

/* Every byte and every name of the list; the caller frees it. */
static char *
all_bytes(void)
{
	struct buf text = { 0 };
	char command[300], line[512];
	FILE *f;

	snprintf(command, sizeof(command),
	    "cd '%s' && ls -lA --time-style=+%%s.%%N && cat .highwatermark *.json 2>&1", dir);
	cr_assert_neq(f = popen(command, "r"), NULL);
	while (fgets(line, sizeof(line), f) != NULL)
		buf_puts(&text, line);
	pclose(f);
	return buf_take(&text);
}

static struct strings
ids(char *one)
{
	char **item = mem_alloc(sizeof(*item));

	*item = one;
	return (struct strings){ item, 1 };
}

Test(store, several_changes_are_made_as_one)
{
	struct strings one = ids("1"), three = ids("3");
	struct change owner = { TASK_IN_PROGRESS, .owner = "me" };
	struct change wait = { TASK_NO_STATUS, .add_blocked_by = &three };
	struct change new = { TASK_NO_STATUS, .subject = "new", .add_blocks = &one };
	struct store_op op[] = {
		{ STORE_UPDATE, "2", .change = &owner },
		{ STORE_UPDATE, "2", .change = &wait },
		{ STORE_CREATE, .change = &new },
		{ STORE_CREATE, .change = &new },
		{ .kind = STORE_DELETE, .id = "4" },
		{ STORE_UPDATE, "1", .change = &(struct change){ .status = TASK_PENDING } },
	};

	make_task("a"), make_task("b"), make_task("c"), make_task("d");
	cr_assert_eq(store_depend(&store, "1", "4", false, SOON, &err), 1, "%s", err.text);
	cr_assert_eq(store_apply(&store, op, 6, SOON, &err), 1, "%s", err.text);
	cr_expect_str_eq(content("2.json"),
	    "{\n  \"id\": \"2\",\n  \"subject\": \"b\",\n  \"description\": \"b\",\n"
	    "  \"owner\": \"me\",\n  \"status\": \"in_progress\",\n  \"blocks\": [],\n"
	    "  \"blockedBy\": [\n    \"3\"\n  ]\n}",
	    "as after two writes of the client");
	cr_expect_neq(strstr(content("3.json"), "\"blocks\": [\n    \"2\"\n  ]"), NULL);
	cr_expect_neq(strstr(content("1.json"), "\"blockedBy\": [\n    \"5\",\n    \"6\"\n  ]"),
	    NULL, "4 has gone, 5 and 6 have come: %s", content("1.json"));
	cr_expect_eq(content("4.json"), NULL);
	cr_expect_str_eq(content(".highwatermark"), "4");
	cr_expect_str_eq(op[2].after.id, "5");
	cr_expect_str_eq(op[3].after.id, "6");
	cr_expect_eq(op[3].before.id, NULL);
	cr_expect_str_eq(op[4].before.subject, "d");
	cr_expect_eq(op[4].after.id, NULL);
	cr_expect_eq(op[0].before.status, TASK_PENDING);
	cr_expect_eq(op[0].after.blocked_by.count, 1, "before and after are those of the whole");
	for (int i = 0; i < 6; i++)
		cr_expect_eq(op[i].result, i < 5, "result of %d", i);
	store_ops_free(op, 6);
	free(one.item);
	free(three.item);
	no_debris();
}

static int
no(void *arg, struct store *s, const struct task *now, const struct task *then, struct error *e)
{
	(void)arg, (void)s, (void)now, (void)then;
	return error_set(e, ERROR_REFUSED, "no");
}

/* Whatever the last of several is refused for. */
Test(store, what_is_refused_has_changed_nothing)
{
	struct strings one = ids("1"), two = ids("2"), three = ids("3"), nine = ids("9");
	struct change subject = { TASK_IN_PROGRESS, .subject = "changed", .metadata = "{\"a\":1}" };
	struct change new = { TASK_NO_STATUS, .subject = "new", .add_blocked_by = &one };
	const struct {
		const char *name, *says;
		struct store_op op;
	} rows[] = {
		{ "an unknown task", "no task #9", { STORE_UPDATE, "9", .change = &subject } },
		{ "an unknown blocker", "no task #9; create it first",
		    { STORE_UPDATE, "2",
			.change = &(struct change){ TASK_NO_STATUS, .add_blocked_by = &nine } } },
		{ "an unknown task to block", "no task #9; create it first",
		    { STORE_CREATE, .change = &(struct change){ TASK_NO_STATUS, .subject = "x",
					.add_blocks = &nine } } },
		{ "itself", "cannot wait for itself",
		    { STORE_UPDATE, "2",
			.change = &(struct change){ TASK_NO_STATUS, .add_blocked_by = &two } } },
		{ "a cycle", "the cycle #1 -> #3 -> #2 -> #1",
		    { STORE_UPDATE, "1",
			.change = &(struct change){ TASK_NO_STATUS, .add_blocked_by = &three } } },
		{ "a rule", "no", { STORE_UPDATE, "1", .change = &subject, .rule = no } },
		{ "a value that cannot be set", "original_status follows the status",
		    { STORE_UPDATE, "1",
			.change = &(struct change){ TASK_NO_STATUS,
			    .metadata = "{\"original_status\":\"cancelled\"}" } } },
		{ "metadata that is not an object", "metadata is not an object",
		    { STORE_UPDATE, "1",
			.change = &(struct change){ TASK_NO_STATUS, .metadata = "[]" } } },
		{ "an unknown task to delete", "no task #9", { .kind = STORE_DELETE, .id = "9" } },
		{ "a task that is there", "there is already a task #3",
		    { STORE_CREATE, "3", .change = &new } },
		{ "an invalid id", "cannot be the id", { STORE_CREATE, "../3", .change = &new } },
		{ "a file that is not a task", "invalid JSON",
		    { STORE_UPDATE, "7", .change = &subject } },
		{ "a task that was just deleted", "no task #3; create it first",
		    { STORE_UPDATE, "1",
			.change = &(struct change){ TASK_NO_STATUS, .add_blocked_by = &three } } },
	};

	make_task("a"), make_task("b"), make_task("c");
	cr_assert_eq(store_depend(&store, "2", "1", false, SOON, &err), 1, "%s", err.text);
	cr_assert_eq(store_depend(&store, "3", "2", false, SOON, &err), 1, "%s", err.text);
	write_file("7.json", "{}}");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct store_op op[] = { { STORE_UPDATE, "1", .change = &subject },
			{ STORE_CREATE, .change = &new }, { STORE_UPDATE, "2", .change = &subject },
			rows[i].op };
		char *before = all_bytes(), *after;

		if (i + 1 == sizeof(rows) / sizeof(rows[0]))
			op[2] = (struct store_op){ .kind = STORE_DELETE, .id = "3" };
		cr_expect_eq(store_apply(&store, op, 4, SOON, &err), -1, "%s", rows[i].name);
		cr_expect_neq(
		    strstr(err.text, rows[i].says), NULL, "%s: %s", rows[i].name, err.text);
		cr_expect_eq(op[3].result, -1, "%s: which one", rows[i].name);
		cr_expect(op[0].result == 0 && op[0].before.id == NULL && op[0].after.id == NULL,
		    "%s", rows[i].name);
		after = all_bytes();
		cr_expect_str_eq(before, after, "%s", rows[i].name);
		free(before);
		free(after);
	}
	free(one.item), free(two.item), free(three.item), free(nine.item);
}

/* One change adds an edge that closes a cycle and removes another that opens it. */
Test(store, a_cycle_is_looked_for_in_the_outcome)
{
	struct strings one = ids("1"), two = ids("2");
	struct change turn = { TASK_NO_STATUS, .add_blocked_by = &two, .remove_blocks = &two };
	struct change on = { TASK_NO_STATUS, .add_blocked_by = &one };
	struct store_op both[] = { { STORE_UPDATE, "3", .change = &on },
		{ STORE_UPDATE, "1",
		    .change = &(struct change){ TASK_NO_STATUS,
			.add_blocked_by = &(struct strings){ (char *[]){ "3" }, 1 } } } };

	make_task("a"), make_task("b"), make_task("c");
	cr_assert_eq(store_depend(&store, "2", "1", false, SOON, &err), 1);
	cr_expect_eq(store_update(&store, "1", &turn, NULL, NULL, NULL, NULL, SOON, &err), 1, "%s",
	    err.text);
	cr_expect_neq(strstr(content("2.json"), "\"blockedBy\": []"), NULL);
	cr_expect_eq(store_apply(&store, both, 2, SOON, &err), -1, "two that close it together");
	cr_expect_neq(strstr(err.text, "cycle"), NULL, "%s", err.text);
	free(one.item), free(two.item);
}

Test(store, a_lock_that_another_holds_stops_all_changes)
{
	struct change c = { TASK_NO_STATUS, .owner = "me" };
	struct store_op op[] = { { STORE_UPDATE, "1", .change = &c },
		{ STORE_UPDATE, "3", .change = &c }, { STORE_UPDATE, "2", .change = &c } };
	char *before, *after;

	make_task("a"), make_task("b"), make_task("c");
	mkdir(in_dir("3.json.lock"), 0755);
	before = all_bytes();
	cr_expect_eq(store_apply(&store, op, 3, deadline_in(60), &err), -1);
	cr_expect_eq(err.kind, ERROR_BUSY, "%s", err.text);
	rmdir(in_dir("3.json.lock"));
	mkdir(in_dir("3.json.lock"), 0755);
	after = all_bytes();
	/* the locks that were taken and released have changed the time of no file */
	cr_expect_eq(strstr(after, "1.json.lock"), NULL);
	cr_expect_eq(strstr(content("1.json"), "me"), NULL);
	cr_expect_eq(strstr(content("2.json"), "me"), NULL);
	free(before);
	free(after);
}

/* Another program holds the lock of task 3 until somebody has taken and released that of task 1. */
static void *
let_go_first(void *arg)
{
	char first[300], last[300];

	(void)arg;
	snprintf(first, sizeof(first), "%s/1.json.lock", dir);
	snprintf(last, sizeof(last), "%s/3.json.lock", dir);
	while (access(first, F_OK) == -1)
		usleep(20);
	while (access(first, F_OK) == 0)
		usleep(20);
	rmdir(last);
	return NULL;
}

/* The client gives up after 2.7 s. */
Test(store, locks_are_not_kept_while_waiting)
{
	struct change c = { TASK_NO_STATUS, .owner = "me" };
	struct store_op op[] = { { STORE_UPDATE, "1", .change = &c },
		{ STORE_UPDATE, "3", .change = &c } };
	pthread_t thread;

	make_task("a"), make_task("b"), make_task("c");
	mkdir(in_dir("3.json.lock"), 0755);
	cr_assert_eq(pthread_create(&thread, NULL, let_go_first, NULL), 0);
	cr_expect_eq(store_apply(&store, op, 2, deadline_in(8000), &err), 1, "%s", err.text);
	pthread_join(thread, NULL);
	store_ops_free(op, 2);
	no_debris();
}

Test(store, two_names_of_one_file_are_not_changed_together)
{
	struct change c = { TASK_NO_STATUS, .owner = "me" };
	struct store_op op[] = { { STORE_UPDATE, "1", .change = &c },
		{ STORE_UPDATE, "2", .change = &c } };

	make_task("a");
	cr_assert_eq(symlink("1.json", in_dir("2.json")), 0);
	cr_expect_eq(store_apply(&store, op, 2, SOON, &err), -1);
	cr_expect_eq(err.kind, ERROR_REFUSED, "%s", err.text);
	cr_expect_eq(store_apply(&store, op, 1, SOON, &err), 1, "one of them: %s", err.text);
	store_ops_free(op, 2);
	no_debris();
}

/* renameat(2) fails at this call, counted from 1, and at so many more. */
static int fail_at, fail_more;

int
renameat(int from, const char *old, int to, const char *new)
{
	if (fail_at > 0 && --fail_at == 0) {
		if (fail_more > 0) {
			fail_more--;
			fail_at = 1;
		}
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_renameat2, from, old, to, new, 0);
}

/* unlinkat(2) fails for this name. */
static const char *stays;

int
unlinkat(int dirfd, const char *name, int flags)
{
	if (stays != NULL && strcmp(name, stays) == 0) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_unlinkat, dirfd, name, flags);
}

/* The tasks alone: their files are written again. */
static char *
all_tasks(void)
{
	struct task_set set = { 0 };
	struct buf text = { 0 };

	cr_assert_eq(store_load(&store, &set, &err), 0, "%s", err.text);
	for (size_t i = 0; i < set.count; i++)
		buf_printf(&text, "%s\n", buf_text(&set.item[i].text));
	task_set_free(&set);
	return buf_take(&text);
}

Test(store, a_write_that_fails_after_others_leaves_the_old_texts)
{
	struct strings two = ids("2");
	struct change c = { TASK_NO_STATUS, .owner = "me", .add_blocked_by = &two };
	struct change new = { TASK_NO_STATUS, .subject = "new" };
	struct store_op op[] = { { STORE_CREATE, .change = &new },
		{ STORE_UPDATE, "1", .change = &c }, { .kind = STORE_DELETE, .id = "3" } };
	char *before, *after;
	int n, rc = -1;

	make_task("a"), make_task("b"), make_task("c"), make_task("d");
	cr_assert_eq(store_depend(&store, "4", "3", false, SOON, &err), 1, "%s", err.text);
	write_file(".highwatermark", "50");
	before = all_tasks();
	for (n = 1; rc == -1; n++) {
		fail_at = n;
		rc = store_apply(&store, op, 3, SOON, &err);
		after = all_tasks();
		cr_expect_eq(strcmp(before, after) == 0, rc == -1, "the rename %d: %s", n, after);
		free(after);
	}
	cr_expect_eq(n, 6, "the new task, 1, 2 that it waits for, 4 that waited for 3: %d", n);
	store_ops_free(op, 3);
	free(before);
	free(two.item);
	no_debris();
}

Test(store, a_deletion_that_is_taken_back_keeps_the_mode_of_the_file)
{
	struct store_op op[] = { { .kind = STORE_DELETE, .id = "1" },
		{ .kind = STORE_DELETE, .id = "2" } };
	static const mode_t modes[] = { 0600, 0664 };
	struct stat st;

	make_task("a"), make_task("b");
	for (size_t i = 0; i < 2; i++) {
		cr_assert_eq(fchmodat(store.dirfd, "1.json", modes[i], 0), 0);
		stays = "2.json";
		cr_expect_eq(store_apply(&store, op, 2, SOON, &err), -1);
		stays = NULL;
		cr_assert_eq(fstatat(store.dirfd, "1.json", &st, 0), 0);
		cr_expect_eq(st.st_mode & 0777, modes[i], "%o", st.st_mode);
	}
	no_debris();
}

Test(store, a_write_that_fails_for_good_says_what_is_written)
{
	struct change c = { TASK_NO_STATUS, .owner = "me" };
	struct store_op op[] = { { STORE_UPDATE, "1", .change = &c },
		{ STORE_UPDATE, "2", .change = &c } };

	make_task("a"), make_task("b");
	fail_at = 2;
	fail_more = 1;
	cr_expect_eq(store_apply(&store, op, 2, SOON, &err), -1);
	cr_expect_neq(strstr(err.text, "1 of 2 tasks are written and could not be restored"), NULL,
	    "%s", err.text);
	no_debris();
}

/* Whatever the order in which a call names them. */
Test(store, blocked_follows_from_the_dependencies_of_the_same_call)
{
	struct strings one = ids("1"), two = ids("2"), three = ids("3");
	struct change blocked = { .status = TASK_BLOCKED, .follows = true };
	struct change wait = { .status = TASK_BLOCKED, .follows = true, .add_blocked_by = &one };
	struct change hold = { .status = TASK_NO_STATUS, .add_blocks = &two };
	struct change ended = { .status = TASK_BLOCKED, .follows = true, .add_blocked_by = &three };
	struct change done = { .status = TASK_COMPLETED };
	struct change asked = { .status = TASK_BLOCKED };
	struct change new = {
		.status = TASK_BLOCKED, .follows = true, .subject = "new", .add_blocked_by = &one
	};
	struct store_op op[] = {
		{ STORE_UPDATE, "2", .change = &blocked },
		{ STORE_UPDATE, "1", .change = &hold },
		{ STORE_UPDATE, "3", .change = &done },
		{ STORE_UPDATE, "4", .change = &ended },
		{ STORE_UPDATE, "5", .change = &wait },
		{ STORE_CREATE, .change = &new },
	};

	for (int i = 0; i < 5; i++)
		make_task("t");
	cr_assert_eq(store_apply(&store, op, 6, SOON, &err), 1, "%s", err.text);
	for (int i = 0; i < 6; i++)
		if (i != 1 && i != 2)
			cr_expect_eq(task_held(&op[i].after), i == 3, "%d: %s", i,
			    buf_text(&op[i].after.text));
	cr_expect_eq(store_update(&store, "4", &blocked, NULL, NULL, NULL, NULL, SOON, &err), 0,
	    "it was set before");
	cr_expect_eq(store_update(&store, "1", &blocked, NULL, NULL, NULL, NULL, SOON, &err), 1,
	    "it waits for no task");
	cr_expect_neq(strstr(content("1.json"), "\"original_status\": \"blocked\""), NULL);
	cr_expect_eq(store_update(&store, "2", &asked, NULL, NULL, NULL, NULL, SOON, &err), 1,
	    "it waits, and stays blocked afterwards");
	cr_expect_neq(strstr(content("2.json"), "\"original_status\": \"blocked\""), NULL);
	store_ops_free(op, 6);
	free(one.item), free(two.item), free(three.item);
}

Test(store, a_plan_writes_nothing)
{
	struct change c = { TASK_NO_STATUS, .owner = "me" };
	struct change new = { TASK_NO_STATUS, .subject = "new" };
	struct store_op op[] = { { STORE_UPDATE, "1", .change = &c, .rule = no },
		{ STORE_CREATE, .change = &new }, { .kind = STORE_DELETE, .id = "2" } };
	char *before, *after;

	make_task("a"), make_task("b");
	before = all_bytes();
	cr_expect_eq(store_plan(&store, op, 3, &err), 1, "%s", err.text);
	cr_expect_str_eq(op[0].after.owner, "me");
	cr_expect_str_eq(op[1].after.id, "3");
	after = all_bytes();
	cr_expect_str_eq(before, after);
	op[2].id = "9";
	cr_expect_eq(store_plan(&store, op, 3, &err), -1);
	cr_expect_eq(err.kind, ERROR_NOT_FOUND);
	store_ops_free(op, 3);
	free(before);
	free(after);
}

static int
guard_once(void *arg, struct store *s, struct error *e)
{
	int *asked = arg;

	cr_expect_eq(s->depth, 1, "the list is locked");
	if (++*asked > 1)
		return 0;
	return error_set(e, ERROR_BUSY, "not now");
}

Test(store, a_guard_is_asked_once_for_all_operations_and_refuses_them_as_one)
{
	enum { COUNT = STORE_PORTION + 10 };
	struct change new = { TASK_NO_STATUS, .subject = "new" };
	struct change c = { TASK_NO_STATUS, .owner = "me" };
	struct store_op op[COUNT], one = { STORE_UPDATE, "1", .change = &c };
	int asked = 0;
	char *before, *after;

	make_task("a");
	for (int i = 0; i < COUNT; i++)
		op[i] = (struct store_op){ STORE_CREATE, .change = &new };
	before = all_tasks();
	store.guard = guard_once;
	store.guard_arg = &asked;
	cr_expect_eq(store_apply(&store, op, COUNT, SOON, &err), -1);
	cr_expect_eq(err.kind, ERROR_BUSY, "%s", err.text);
	after = all_tasks();
	cr_expect_str_eq(before, after);
	cr_expect_eq(store_apply(&store, op, COUNT, SOON, &err), 1, "%s", err.text);
	cr_expect_eq(asked, 2, "%d", asked);
	cr_expect_eq(store_apply(&store, &one, 1, SOON, &err), 1, "%s", err.text);
	cr_expect_eq(asked, 3, "one update alone");
	store.guard = NULL;
	store_ops_free(op, COUNT);
	store_ops_free(&one, 1);
	free(before);
	free(after);
	no_debris();
}

Test(store, more_tasks_than_descriptors_and_a_portion_can_be_changed)
{
	enum { MANY = 1100 };
	struct change new = { TASK_NO_STATUS, .subject = "new" }, c = { .status = TASK_COMPLETED };
	struct store_op *op = mem_alloc(MANY * sizeof(*op));
	struct rlimit room = { 64, 4096 }, now;
	struct task_set set = { 0 };
	char(*id)[16] = mem_alloc(MANY * sizeof(*id));

	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &room), 0);
	for (int i = 0; i < MANY; i++)
		op[i] = (struct store_op){ STORE_CREATE, .change = &new };
	cr_assert_eq(store_apply(&store, op, MANY, SOON, &err), 1, "%s", err.text);
	cr_expect_str_eq(op[MANY - 1].after.id, "1100");
	store_ops_free(op, MANY);
	for (int i = 0; i < MANY; i++) {
		snprintf(id[i], sizeof(id[i]), "%d", i + 1);
		op[i] = (struct store_op){ STORE_UPDATE, id[i], .change = &c };
	}
	strcpy(id[MANY - 1], "none");
	cr_expect_eq(store_apply(&store, op, MANY, SOON, &err), -1, "the last of several portions");
	cr_expect_eq(err.kind, ERROR_NOT_FOUND, "%s", err.text);
	cr_expect_neq(strstr(content("1.json"), "pending"), NULL);
	cr_expect_eq(store_apply(&store, op, MANY - 1, SOON, &err), 1, "%s", err.text);
	store_ops_free(op, MANY);
	cr_assert_eq(store_load(&store, &set, &err), 0);
	for (size_t i = 0; i < set.count; i++)
		cr_expect_eq(set.item[i].status == TASK_COMPLETED,
		    strcmp(set.item[i].id, "1100") != 0, "%s", set.item[i].id);
	getrlimit(RLIMIT_NOFILE, &now);
	cr_expect_eq(now.rlim_cur, 64, "the limit is what it was");
	task_set_free(&set);
	free(op);
	free(id);
	no_debris();
}

/* .lock and the next number stay. */
Test(store, clear_removes_every_task_and_returns_their_texts)
{
	struct task_set tasks = { 0 };
	struct strings others = { 0 };

	make_task("a"), make_task("b");
	write_task("7", ",\"metadata\":{\"_internal\":true}");
	write_file("12.json", "not a task");
	write_file("tasks.json", "kept");
	write_file("notes.txt", "kept");
	mkdir(in_dir("9.json"), 0755);
	cr_expect_eq(store_clear(&store, &tasks, &others, SOON, &err), 4, "%s", err.text);
	cr_expect_eq(tasks.count, 3, "%zu", tasks.count);
	cr_expect_eq(others.count, 2);
	cr_expect_str_eq(others.item[0], "12.json");
	cr_expect_str_eq(others.item[1], "not a task");
	cr_expect_str_eq(content(".highwatermark"), "12");
	cr_expect_str_eq(content(".lock"), "");
	cr_expect_str_eq(content("tasks.json"), "kept");
	cr_expect_str_eq(content("notes.txt"), "kept");
	cr_expect_str_eq(make_task("c"), "13");
	for (const char *name = "1.json\0002.json\0007.json\0"; *name != '\0'; name += 7)
		cr_expect_eq(content(name), NULL, "%s", name);
	cr_expect_eq(store_clear(&store, &tasks, &others, SOON, &err), 1, "again");
	task_set_free(&tasks);
	strings_free(&others);
	no_debris();
}
