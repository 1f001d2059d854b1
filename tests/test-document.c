/*
 * The other layouts: tasks.json and .tasks/.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "store-one.h"

#define SOON deadline_in(20000)

static char top[] = "/tmp/test-document.XXXXXX", dir[64];
static struct store store = STORE_INIT;
static struct error err;

static void
setup(void)
{
	strcpy(top + sizeof(top) - 7, "XXXXXX");
	cr_assert_neq(mkdtemp(top), NULL);
	snprintf(dir, sizeof(dir), "%s/lab", top);
	mkdir(dir, 0755);
}

static void
teardown(void)
{
	char command[128];

	store_close(&store);
	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	cr_assert_eq(system(command), 0);
}

TestSuite(document, .init = setup, .fini = teardown);
TestSuite(folder, .init = setup, .fini = teardown);
TestSuite(layout, .init = setup, .fini = teardown);

static void
write_file(const char *name, const char *text)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	cr_assert_neq(f, NULL, "%s", path);
	fputs(text, f);
	fclose(f);
}

static const char *
content(const char *name)
{
	static char text[16384];
	char path[300];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if ((f = fopen(path, "r")) == NULL)
		return "";
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static bool
has(const char *needle)
{
	return strstr(content("tasks.json"), needle) != NULL;
}

static void
open_store(void)
{
	cr_assert_eq(store_open(&store, dir, false, &err), 1, "%s", err.text);
	store.durability = DURABILITY_OFF;
}

#define EXAMPLE                                                                                 \
	"{\n  \"tasks\": [\n    {\n      \"id\": \"task-001\",\n"                               \
	"      \"description\": \"Set up project structure\",\n"                                \
	"      \"status\": \"completed\",\n      \"created_at\": \"2025-02-06T10:00:00Z\",\n"   \
	"      \"updated_at\": \"2025-02-06T10:30:00Z\",\n      \"assignee\": null,\n"          \
	"      \"dependencies\": [],\n      \"metadata\": {\n        \"priority\": \"high\",\n" \
	"        \"tags\": [\n          \"setup\"\n        ]\n      }\n    },\n    {\n"         \
	"      \"id\": \"task-002\",\n      \"description\": \"Implement\\nauth\",\n"           \
	"      \"status\": \"in_progress\",\n      \"created_at\": \"2025-02-06T10:05:00Z\",\n" \
	"      \"updated_at\": \"2025-02-06T11:00:00Z\",\n      \"assignee\": \"agent-123\",\n" \
	"      \"dependencies\": [\n        \"task-001\"\n      ]\n    },\n    {\n"             \
	"      \"id\": \"task-003\",\n      \"description\": \"Create dashboard\",\n"           \
	"      \"status\": \"blocked\",\n      \"created_at\": \"2025-02-06T10:10:00Z\",\n"     \
	"      \"updated_at\": \"2025-02-06T10:10:00Z\",\n      \"assignee\": null,\n"          \
	"      \"dependencies\": [\n        \"task-002\"\n      ]\n    }\n  ],\n"               \
	"  \"version\": 2,\n  \"last_updated\": \"2025-02-06T11:00:00Z\"\n}"

Test(document, reads_all_tasks)
{
	struct task_set set = { 0 };
	struct task t = TASK_INIT;

	write_file("tasks.json", EXAMPLE);
	open_store();
	cr_expect_eq(store.layout, STORE_DOCUMENT);
	cr_assert_eq(store_load(&store, &set, &err), 0, "%s", err.text);
	cr_assert_eq(set.count, 3);
	cr_expect_str_eq(set.item[0].id, "task-002", "in progress comes first");
	cr_expect_eq(store_get(&store, "task-003", &t, &err), 1);
	cr_expect_eq(t.status, TASK_BLOCKED);
	cr_expect_eq(store_get(&store, "nope", &t, &err), 0);
	task_free(&t);
	task_set_free(&set);
}

Test(document, the_status_blocked_follows_the_blockers)
{
	struct change c = { .status = TASK_COMPLETED };
	struct task after = TASK_INIT, t = TASK_INIT;

	write_file("tasks.json", EXAMPLE);
	open_store();
	cr_assert_eq(store_update(&store, "task-002", &c, NULL, NULL, NULL, &after, SOON, &err), 1,
	    "%s", err.text);
	cr_expect_eq(store_get(&store, "task-003", &t, &err), 1);
	cr_expect_eq(t.status, TASK_PENDING, "no blocker is left");
	cr_expect(!has("\"last_updated\": \"2025-02-06T11:00:00Z\""), "last_updated is changed");
	cr_expect(has("\"updated_at\": \"2025-02-06T10:30:00Z\""), "the first task is unchanged");
	c.status = TASK_PENDING;
	cr_assert_eq(store_update(&store, "task-001", &c, NULL, NULL, NULL, NULL, SOON, &err), 1);
	c.status = TASK_IN_PROGRESS;
	cr_expect_eq(store_update(&store, "task-003", &c, NULL, NULL, NULL, NULL, SOON, &err), 1,
	    "%s", err.text);
	c.status = TASK_PENDING;
	cr_assert_eq(store_update(&store, "task-002", &c, NULL, NULL, NULL, &after, SOON, &err), 1);
	cr_expect_eq(after.status, TASK_BLOCKED, "it is reopened while its blocker is open");
	cr_expect_eq(store_get(&store, "task-003", &t, &err), 1);
	cr_expect_eq(t.status, TASK_BLOCKED, "0.27: also who is at work");
	c.status = TASK_IN_PROGRESS;
	cr_expect_eq(store_update(&store, "task-002", &c, NULL, NULL, NULL, NULL, SOON, &err), -1);
	cr_expect_eq(err.kind, ERROR_REFUSED);
	cr_expect_neq(strstr(err.text, "blocked by #task-001"), NULL, "%s", err.text);
	task_free(&after);
	task_free(&t);
}

Test(document, an_update_changes_only_its_task)
{
	struct change c = {
		.status = TASK_NO_STATUS, .owner = "me", .metadata = "{\"priority\":\"low\"}"
	};
	const char *text;
	char want[8192], *p;

	write_file("tasks.json", EXAMPLE);
	open_store();
	cr_assert_eq(store_update(&store, "task-003", &c, NULL, NULL, NULL, NULL, SOON, &err), 1,
	    "%s", err.text);
	/* the text before the edited task is unchanged, the rest is JSON with two spaces */
	text = content("tasks.json");
	snprintf(want, sizeof(want), "%s", EXAMPLE);
	p = strstr(want, "      \"id\": \"task-003\"");
	cr_expect_eq(strncmp(text, want, (size_t)(p - want)), 0, "%s", text);
	cr_expect(
	    has("      \"assignee\": \"me\",\n      \"dependencies\": [\n        \"task-002\"\n    "
		"  ],\n"
		"      \"metadata\": {\n        \"priority\": \"low\"\n      }\n    }\n  ],\n"),
	    "%s", text);
}

Test(document, other_formatting_is_kept)
{
	struct change c = { .status = TASK_COMPLETED };

	write_file("tasks.json",
	    "{\"x\":1.0, \"version\":2,\"tasks\":[ "
	    "{\"id\":\"a\",\"description\":\"A\",\"status\":\"pending\"},\n"
	    "7, {\"id\":\"b\",\"description\":\"B\",\"status\":\"pending\",\"z\":1e2} ]}\n");
	open_store();
	cr_assert_eq(
	    store_update(&store, "a", &c, NULL, NULL, NULL, NULL, SOON, &err), 1, "%s", err.text);
	cr_expect(has("{\"x\":1.0, \"version\":2,\"tasks\":[ {\"id\":\"a\",\"description\":\"A\","
		      "\"status\":\"completed\",\"updated_at\":\""),
	    "%s", content("tasks.json"));
	cr_expect(
	    has("\n7, {\"id\":\"b\",\"description\":\"B\",\"status\":\"pending\",\"z\":1e2} ]"),
	    "%s", content("tasks.json"));
}

static int
put(const char *id, const char *text)
{
	struct store_op op = { STORE_CREATE, id, .text = text, .len = strlen(text) };
	int rc = store_apply(&store, &op, 1, SOON, &err);

	store_ops_free(&op, 1);
	return rc;
}

/* 0.53: a new task is as deep as its siblings, and on one line if they are. */
Test(document, a_new_task_has_the_form_of_the_document)
{
	static const char text[] = "{\n  \"id\": \"x\",\n  \"description\": \"d\",\n"
				   "  \"status\": \"pending\",\n  \"n\": [\n    1\n  ]\n}";
#define COMPACT "{\"id\":\"x\",\"description\":\"d\",\"status\":\"pending\",\"n\":[1]}"
#define PRINTED(s)                                                            \
	"\n" s "{\n" s "  \"id\": \"x\",\n" s "  \"description\": \"d\",\n" s \
	"  \"status\": \"pending\",\n" s "  \"n\": [\n" s "    1\n" s "  ]\n" s "}\n"
	static const struct {
		const char *before, *after;
	} rows[] = {
		{ "{\"version\":2,\"tasks\":[]}", "{\"version\":2,\"tasks\":[" COMPACT "]," },
		{ "{\"version\":2,\"tasks\": [7, 8]}",
		    "{\"version\":2,\"tasks\": [7, 8, " COMPACT "]," },
		{ "{\n  \"version\": 2,\n  \"tasks\": []\n}",
		    "{\n  \"version\": 2,\n  \"tasks\": [" PRINTED("    ") "  ]," },
		{ "{\n\"version\": 2,\n\"tasks\": [\n 7\n]\n}",
		    "{\n\"version\": 2,\n\"tasks\": [\n 7," PRINTED(" ") "]," },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_file("tasks.json", rows[i].before);
		open_store();
		cr_assert_eq(put("x", text), 1, "%s", err.text);
		cr_expect_eq(strncmp(content("tasks.json"), rows[i].after, strlen(rows[i].after)),
		    0, "%s\n%s", content("tasks.json"), rows[i].after);
		store_close(&store);
	}
}

Test(document, version_1_is_upgraded)
{
	struct change c = { .status = TASK_COMPLETED };

	write_file("tasks.json",
	    "{\n  \"tasks\": [\n    {\n      \"id\": \"a\",\n      \"description\": \"A\",\n"
	    "      \"status\": \"pending\"\n    }\n  ],\n  \"version\": 1\n}\n");
	open_store();
	cr_assert_eq(
	    store_update(&store, "a", &c, NULL, NULL, NULL, NULL, SOON, &err), 1, "%s", err.text);
	cr_expect(has("\"version\": 2"), "%s", content("tasks.json"));
	cr_expect(has("      \"dependencies\": [],\n      \"metadata\": {}\n"), "%s",
	    content("tasks.json"));
	cr_expect_eq(content("tasks.json")[strlen(content("tasks.json")) - 1], '\n',
	    "the final newline is kept");
}

Test(document, creates_depends_and_deletes)
{
	struct change c = { .status = TASK_NO_STATUS, .subject = "New", .description = "More" };
	struct strings two = { (char *[]){ "task-002" }, 1 };
	struct task t = TASK_INIT;
	char *id;

	write_file("tasks.json", EXAMPLE);
	open_store();
	c.add_blocked_by = &two;
	cr_assert_eq(store_create(&store, &c, NULL, NULL, &t, SOON, &err), 0, "%s", err.text);
	cr_expect_eq(strlen(t.id), 36, "%s", t.id);
	cr_expect_eq(t.id[14], '4', "%s", t.id);
	cr_expect_neq(strchr("89ab", t.id[19]), NULL, "%s", t.id);
	cr_expect_eq(t.status, TASK_BLOCKED);
	cr_expect(has("\"description\": \"New\\n\\nMore\""));
	id = strdup(t.id);
	cr_expect_eq(store_depend(&store, "task-002", id, false, SOON, &err), -1, "a cycle");
	cr_expect_neq(strstr(err.text, "#task-002 -> "), NULL, "%s", err.text);
	cr_expect_eq(store_depend(&store, id, id, false, SOON, &err), -1, "a dependency on itself");
	cr_expect_eq(store_depend(&store, id, "nope", false, SOON, &err), -1,
	    "a dependency on a missing task");
	cr_expect_eq(store_depend(&store, id, "task-001", false, SOON, &err), 1, "%s", err.text);
	cr_expect_eq(
	    store_delete(&store, "task-002", NULL, NULL, NULL, SOON, &err), 1, "%s", err.text);
	cr_expect_eq(store_get(&store, id, &t, &err), 1);
	cr_expect_eq(t.blocked_by.count, 1);
	cr_expect_eq(t.status, TASK_PENDING);
	cr_expect(!has("task-002"), "%s", content("tasks.json"));
	cr_expect_eq(store_delete(&store, "task-002", NULL, NULL, NULL, SOON, &err), -1);
	cr_expect_eq(err.kind, ERROR_NOT_FOUND);
	free(id);
	task_free(&t);
}

Test(document, new_tasks_have_the_order_of_the_call)
{
	char name[3] = "A", all[64] = "";
	struct change c[8] = { 0 };
	struct store_op op[8];

	for (int i = 0; i < 8; i++, name[0]++) {
		c[i] = (struct change){ TASK_NO_STATUS, .subject = mem_string(name) };
		op[i] = (struct store_op){ STORE_CREATE, .change = &c[i] };
	}
	write_file("tasks.json", "{\"tasks\":[],\"version\":2}");
	open_store();
	cr_assert_eq(store_apply(&store, op, 8, SOON, &err), 1, "%s", err.text);
	for (const char *at = content("tasks.json");
	     (at = strstr(at, "\"description\":\"")) != NULL;)
		strncat(all, at += strlen("\"description\":\""), 1);
	cr_expect_str_eq(all, "ABCDEFGH");
	store_ops_free(op, 8);
	for (int i = 0; i < 8; i++)
		free((char *)c[i].subject);
}

Test(document, puts_a_task_under_its_id_once)
{
	static const char text[] = "{\"id\":\"x\",\"description\":\"d\",\"status\":\"pending\"}";

	write_file("tasks.json", EXAMPLE);
	open_store();
	cr_expect_eq(put("y", text), -1, "the text has another id");
	cr_expect_eq(put("x", text), 1, "%s", err.text);
	cr_expect_eq(put("x", text), -1, "the id exists already");
}

static int
nested(void *arg, struct store *s, struct error *e)
{
	struct change c = { .status = TASK_NO_STATUS, .subject = "inner" };

	(void)arg;
	for (int i = 0; i < 3; i++)
		if (store_create(s, &c, NULL, NULL, NULL, SOON, e) == -1)
			return -1;
	return 0;
}

Test(document, a_lock_of_another_tool_is_respected)
{
	char path[300];
	int fd;

	write_file("tasks.json", EXAMPLE);
	open_store();
	snprintf(path, sizeof(path), "%s/tasks.json", dir);
	fd = open(path, O_RDWR | O_CLOEXEC);
	cr_assert_eq(flock(fd, LOCK_EX), 0);
	cr_expect_eq(store_locked(&store, nested, NULL, deadline_in(50), &err), -1);
	cr_expect_eq(err.kind, ERROR_BUSY, "another tool holds it: %s", err.text);
	flock(fd, LOCK_UN);
	cr_expect_eq(store_locked(&store, nested, NULL, SOON, &err), 0, "%s", err.text);
	close(fd);
}

/* A document with one task, of this status and with this text. */
#define ONE(status, text)                                                                     \
	"{\"tasks\":[{\"id\":\"a\",\"description\":\"" text "\",\"status\":\"" status "\"}]," \
	"\"version\":2}"

/* What a process leaves that dies while it writes. */
static void
write_copy(const char *old, const char *new)
{
	char text[4096], hash[HASH_HEX], file[8192];

	snprintf(text, sizeof(text), "%s%s", old, new);
	hash_text(text, strlen(text), hash);
	snprintf(file, sizeof(file), "%s %zu\n%s", hash, strlen(old), text);
	write_file(".tasks.json.copy", file);
}

static bool
copy_there(void)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/.tasks.json.copy", dir);
	return access(path, F_OK) == 0;
}

static int
nothing(void *arg, struct store *s, struct error *e)
{
	(void)arg;
	(void)s;
	(void)e;
	return 0;
}

/* 0.50: a write that was cut off is finished by whoever opens the list next, reader or writer. */
Test(document, a_write_that_was_cut_off_is_finished)
{
	static const char old[] = ONE("pending", "A"), new[] = ONE("blocked", "B"),
			  longer[] = ONE("in_progress", "AB"), other[] = ONE("completed", "C");
	static const struct {
		const char *name, *now, *old, *new, *want;
	} rows[] = {
		{ "before the first byte", old, old, new, old },
		{ "after the last byte", new, old, new, new },
		{ "half of it, and that is JSON", ONE("blocked", "A"), old, new, new },
		{ "the other half", ONE("pending", "B"), old, new, new },
		{ "a part of a longer text",
		    "{\"tasks\":[{\"id\":\"a\",\"description\":\"AB\",\"st", old, longer, longer },
		{ "a shorter text, the rest blank", ONE("pending", "A") "     ", longer, old, old },
		{ "empty", "", old, new, new },
		{ "torn by another program", "{\"tasks\":[", old, new, new },
		{ "written by another program", other, old, new, other },
		{ "the same, by one that adds a newline", ONE("pending", "A") "\n", old, new,
		    ONE("pending", "A") "\n" },
	};
	struct task t = TASK_INIT;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_file("tasks.json", rows[i].now);
		write_copy(rows[i].old, rows[i].new);
		open_store();
		cr_expect_eq(store_get(&store, "a", &t, &err), 1, "%s: %s", rows[i].name, err.text);
		if (strcmp(rows[i].now, rows[i].want) != 0)
			cr_expect(!copy_there(), "%s: a reader recovers", rows[i].name);
		cr_expect_str_eq(content("tasks.json"), rows[i].want, "%s", rows[i].name);
		store_close(&store);

		write_file("tasks.json", rows[i].now);
		write_copy(rows[i].old, rows[i].new);
		open_store();
		cr_expect_eq(store_locked(&store, nothing, NULL, SOON, &err), 0, "%s", err.text);
		cr_expect_str_eq(content("tasks.json"), rows[i].want, "%s", rows[i].name);
		cr_expect(!copy_there(), "%s: a writer removes it", rows[i].name);
		store_close(&store);
	}
	task_free(&t);
}

/* 0.50: what is torn is neither an empty list nor overwritten. */
Test(document, a_damaged_document_is_refused_and_not_changed)
{
	static const char *const rows[] = { "", "{\"tasks\":[", "\n", "{\"tasks\":[]}}" };
	struct change c = { .status = TASK_NO_STATUS, .subject = "New" };
	struct task_set set = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_file("tasks.json", rows[i]);
		write_file(".tasks.json.copy", "a copy that is cut off");
		open_store();
		cr_expect_eq(store_load(&store, &set, &err), -1, "%s", rows[i]);
		cr_expect_neq(strstr(err.text, "put a backup in its place"), NULL, "%s", err.text);
		cr_expect_eq(store_create(&store, &c, NULL, NULL, NULL, SOON, &err), -1);
		cr_expect_str_eq(content("tasks.json"), rows[i]);
		store_close(&store);
	}
}

Test(document, a_copy_that_is_a_link_is_not_followed)
{
	struct change c = { .status = TASK_NO_STATUS, .subject = "New" };
	char path[300];

	write_file("tasks.json", EXAMPLE);
	write_file("target", "untouched");
	snprintf(path, sizeof(path), "%s/.tasks.json.copy", dir);
	cr_assert_eq(symlink("target", path), 0);
	open_store();
	cr_expect_eq(store_create(&store, &c, NULL, NULL, NULL, SOON, &err), -1);
	cr_expect_neq(
	    strstr(err.text, ".tasks.json.copy' is a symbolic link"), NULL, "%s", err.text);
	cr_expect_str_eq(content("target"), "untouched");
	cr_expect_str_eq(content("tasks.json"), EXAMPLE);
}

/* 0.50: the file stays the same one, whether it grows or shrinks. */
Test(document, a_write_keeps_the_inode)
{
	static const char *const texts[] = { "a much longer text than the one before", "short" };
	struct change c = CHANGE_INIT;
	struct stat before, after;
	char path[300];

	write_file("tasks.json", EXAMPLE);
	snprintf(path, sizeof(path), "%s/tasks.json", dir);
	cr_assert_eq(stat(path, &before), 0);
	open_store();
	for (int i = 0; i < 2; i++) {
		c.description = texts[i];
		cr_expect_eq(
		    store_update(&store, "task-003", &c, NULL, NULL, NULL, NULL, SOON, &err), 1,
		    "%s", err.text);
		cr_assert_eq(stat(path, &after), 0);
		cr_expect_eq(after.st_ino, before.st_ino);
		cr_expect_eq((size_t)after.st_size, strlen(content("tasks.json")));
		cr_expect_eq(content("tasks.json")[after.st_size - 1], '}', "nothing is left over");
		cr_expect(has(texts[i]), "%s", content("tasks.json"));
		cr_expect(!copy_there());
	}
}

/* A rule that puts another document in the place of the locked one, once. */
static int
replaces(
    void *arg, struct store *s, const struct task *now, const struct task *then, struct error *e)
{
	int *times = arg;

	(void)now, (void)then, (void)e;
	if ((*times)++ == 0) {
		write_file("other", "{\"tasks\":[{\"id\":\"x\",\"description\":\"X\","
				    "\"status\":\"pending\"}]}");
		cr_assert_eq(renameat(s->dirfd, "other", s->dirfd, "tasks.json"), 0);
	}
	return 0;
}

Test(document, a_change_starts_over_if_the_document_is_replaced)
{
	struct change c = { .status = TASK_NO_STATUS, .subject = "New" };
	int times = 0;

	write_file("tasks.json", EXAMPLE);
	open_store();
	cr_expect_eq(
	    store_create(&store, &c, replaces, &times, NULL, SOON, &err), 0, "%s", err.text);
	cr_expect_eq(times, 2, "it starts over");
	cr_expect(has("\"id\":\"x\"") && has("New"), "%s", content("tasks.json"));
}

/* How often this process has slept. */
static long
naps(pid_t pid)
{
	char path[64], line[128];
	long n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if ((f = fopen(path, "r")) == NULL)
		return 0;
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1)
			break;
	fclose(f);
	return n;
}

/* 0.50: a reader waits for a writer that locks, and reads all the same if that takes long. */
Test(document, a_reader_waits_for_a_writer_but_not_for_a_mere_lock)
{
	struct task_set set = { 0 };
	char path[300], byte;
	int fd, ready[2], status;
	pid_t pid;

	write_file("tasks.json", EXAMPLE);
	open_store();
	snprintf(path, sizeof(path), "%s/tasks.json", dir);
	cr_assert_eq(pipe(ready), 0);
	if ((pid = fork()) == 0) {
		long slept = naps(getppid());

		fd = open(path, O_RDWR | O_CLOEXEC);
		if (flock(fd, LOCK_EX) == -1 || ftruncate(fd, 0) == -1 ||
		    write(ready[1], "", 1) != 1)
			_exit(1);
		while (naps(getppid()) < slept + 10)
			usleep(200);
		_exit(write(fd, EXAMPLE, strlen(EXAMPLE)) != (ssize_t)strlen(EXAMPLE));
	}
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	cr_expect_eq(store_load(&store, &set, &err), 0, "%s", err.text);
	cr_expect_eq(set.count, 3);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0);
	task_set_free(&set);

	fd = open(path, O_RDWR | O_CLOEXEC);
	cr_assert_eq(flock(fd, LOCK_EX), 0);
	cr_expect_eq(store_load(&store, &set, &err), 0, "%s", err.text);
	cr_expect_eq(set.count, 3);
	task_set_free(&set);
	close(fd);
	close(ready[0]);
	close(ready[1]);
}

Test(document, many_writers_lose_no_task)
{
	struct task_set set = { 0 };
	pid_t pid[4];
	int status;

	write_file("tasks.json", EXAMPLE);
	for (int i = 0; i < 4; i++)
		if ((pid[i] = fork()) == 0) {
			struct store s = STORE_INIT;
			struct error e;

			if (store_open(&s, dir, false, &e) != 1)
				_exit(9);
			s.durability = DURABILITY_OFF;
			for (int k = 0; k < 20; k++) {
				struct change c = { .status = TASK_NO_STATUS, .subject = "s" };

				if (store_create(
					&s, &c, NULL, NULL, NULL, deadline_in(60000), &e) == -1)
					_exit(1);
			}
			_exit(0);
		}
	for (int i = 0; i < 4; i++) {
		cr_assert_eq(waitpid(pid[i], &status, 0), pid[i]);
		cr_expect_eq(status, 0);
	}
	open_store();
	cr_assert_eq(store_load(&store, &set, &err), 0, "%s", err.text);
	cr_expect_eq(set.count, 83, "%zu", set.count);
	task_set_free(&set);
}

static void
note(void *arg, const char *file, const char *reason)
{
	strcat(strcat(strcat(strcat(arg, file), " "), reason), "\n");
}

Test(document, bad_elements_are_reported)
{
	struct task_set set = { 0 };
	char text[1024] = "";

	write_file("tasks.json", "{\"tasks\":[{\"id\":\"a\",\"description\":\"A\",\"status\":"
				 "\"pending\"},{\"id\":\"b\"},7,"
				 "{\"id\":\"c\",\"description\":\"C\",\"status\":\"dropped\"}]}");
	open_store();
	cr_assert_eq(store_load(&store, &set, &err), 0, "%s", err.text);
	cr_expect_eq(set.count, 1);
	cr_expect_eq(store_bad(&store, note, text, &err), 0);
	cr_expect_neq(
	    strstr(text, "tasks.json tasks[1]: description is missing"), NULL, "%s", text);
	cr_expect_neq(strstr(text, "tasks[2]: it is a number"), NULL, "%s", text);
	cr_expect_neq(strstr(text, "tasks[3]: status 'dropped'"), NULL, "%s", text);
	task_set_free(&set);
}

#define FOLDER_TASK(id, more)                                                              \
	"{\"id\":\"" id                                                                    \
	"\",\"subject\":\"S\",\"description\":\"\",\"status\":\"pending\",\"owner\":null," \
	"\"blockedBy\":[" more "]}"

Test(folder, updates_creates_and_deletes)
{
	struct change c = { .status = TASK_IN_PROGRESS, .owner = "me" };
	struct task t = TASK_INIT;
	struct task_set set = { 0 };

	rmdir(dir);
	snprintf(dir, sizeof(dir), "%s/.tasks", top);
	mkdir(dir, 0755);
	write_file("task_1738950000_ab12.json", FOLDER_TASK("task_1738950000_ab12", ""));
	write_file("task_1738950001_cd34.json",
	    FOLDER_TASK("task_1738950001_cd34", "\"task_1738950000_ab12\""));
	open_store();
	cr_expect_eq(store.layout, STORE_FOLDER);
	cr_expect_eq(
	    store_update(&store, "task_1738950000_ab12", &c, NULL, NULL, NULL, &t, SOON, &err), 1,
	    "%s", err.text);
	cr_expect_str_eq(content("task_1738950000_ab12.json"),
	    "{\"id\":\"task_1738950000_ab12\",\"subject\":\"S\",\"description\":\"\","
	    "\"status\":\"in_progress\",\"owner\":\"me\",\"blockedBy\":[]}");
	c.owner = "";
	c.status = TASK_PENDING;
	cr_expect_eq(
	    store_update(&store, "task_1738950000_ab12", &c, NULL, NULL, NULL, &t, SOON, &err), 1);
	cr_expect_neq(strstr(content("task_1738950000_ab12.json"), "\"owner\":null"), NULL);
	c = (struct change){ .status = TASK_NO_STATUS, .subject = "New" };
	cr_expect_eq(store_create(&store, &c, NULL, NULL, &t, SOON, &err), 0, "%s", err.text);
	cr_expect_eq(strncmp(t.id, "task_", 5), 0, "%s", t.id);
	cr_expect_eq(
	    store_depend(&store, "task_1738950000_ab12", "task_1738950001_cd34", false, SOON, &err),
	    -1, "a cycle");
	cr_expect_eq(store_depend(&store, t.id, "task_1738950001_cd34", false, SOON, &err), 1, "%s",
	    err.text);
	cr_expect_eq(strstr(content("task_1738950001_cd34.json"), "blocks"), NULL,
	    "the other task has no blocks");
	cr_expect_eq(store_delete(&store, "task_1738950001_cd34", NULL, NULL, NULL, SOON, &err), 1,
	    "%s", err.text);
	cr_assert_eq(store_load(&store, &set, &err), 0);
	cr_expect_eq(set.count, 2);
	cr_expect_eq(strcmp(content(".highwatermark"), ""), 0, "this layout has no numbers");
	task_set_free(&set);
	task_free(&t);
}

Test(layout, is_found_from_the_files)
{
	static const struct {
		const char *name, *files[3], *text;
		enum store_layout want;
	} rows[] = {
		{ "nothing", { NULL }, "", STORE_NATIVE },
		{ "native", { "1.json", NULL }, "x", STORE_NATIVE },
		{ "document", { "tasks.json", NULL }, "{\"tasks\":[]}", STORE_DOCUMENT },
		{ "document, locked by a client before", { "tasks.json", ".lock", NULL },
		    "{\"tasks\":[]}", STORE_DOCUMENT },
		{ "the client's tasks beside a document", { "tasks.json", "1.json", NULL },
		    "{\"tasks\":[]}", STORE_NATIVE },
		{ "a tasks.json that is something else", { "tasks.json", NULL }, "[]",
		    STORE_DOCUMENT },
		{ "a native task called so", { "tasks.json", NULL },
		    "{\"id\":\"tasks\",\"subject\":\"\"}", STORE_NATIVE },
		{ "folder", { "task_1738950000_ab12.json", NULL }, "{}", STORE_FOLDER },
		{ "numbers beside", { "task_1738950000_ab12.json", "7.json", NULL }, "{}",
		    STORE_NATIVE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		teardown();
		setup();
		for (int k = 0; k < 3 && rows[i].files[k] != NULL; k++)
			write_file(rows[i].files[k], rows[i].text);
		open_store();
		cr_expect_eq(store.layout, rows[i].want, "%s: %d", rows[i].name, store.layout);
	}
}
