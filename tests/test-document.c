/*
 * The layouts that are not the client's own: tasks.json, and .tasks/.
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

#include "list/store.h"

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

Test(document, read)
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

Test(document, blocked_in_step)
{
	struct change c = { .status = TASK_COMPLETED };
	struct task after = TASK_INIT, t = TASK_INIT;

	write_file("tasks.json", EXAMPLE);
	open_store();
	cr_assert_eq(store_update(&store, "task-002", &c, NULL, NULL, NULL, &after, SOON, &err), 1,
	    "%s", err.text);
	cr_expect_eq(store_get(&store, "task-003", &t, &err), 1);
	cr_expect_eq(t.status, TASK_PENDING, "nothing before it any more");
	cr_expect(!has("\"last_updated\": \"2025-02-06T11:00:00Z\""), "stamped");
	cr_expect(has("\"updated_at\": \"2025-02-06T10:30:00Z\""), "the first is as it was");
	c.status = TASK_PENDING;
	cr_assert_eq(store_update(&store, "task-001", &c, NULL, NULL, NULL, NULL, SOON, &err), 1);
	c.status = TASK_IN_PROGRESS;
	cr_expect_eq(store_update(&store, "task-003", &c, NULL, NULL, NULL, NULL, SOON, &err), 1,
	    "%s", err.text);
	c.status = TASK_PENDING;
	cr_assert_eq(store_update(&store, "task-002", &c, NULL, NULL, NULL, &after, SOON, &err), 1);
	cr_expect_eq(after.status, TASK_BLOCKED, "re-opened, and what it waits for is too");
	cr_expect_eq(store_get(&store, "task-003", &t, &err), 1);
	cr_expect_eq(t.status, TASK_IN_PROGRESS, "who is at work is left at it");
	c.status = TASK_IN_PROGRESS;
	cr_expect_eq(store_update(&store, "task-002", &c, NULL, NULL, NULL, NULL, SOON, &err), -1);
	cr_expect_eq(err.kind, ERROR_REFUSED);
	cr_expect_neq(strstr(err.text, "blocked by #task-001"), NULL, "%s", err.text);
	task_free(&after);
	task_free(&t);
}

Test(document, bytes)
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
	/* all before the edited task is as it was, and the rest is two-space JSON */
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

Test(document, another_form_stays)
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
	cr_expect(has("}\n"), "the newline at its end stays");
}

Test(document, create_depend_delete)
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
	cr_expect_eq(store_depend(&store, "task-002", id, false, SOON, &err), -1, "a circle");
	cr_expect_neq(strstr(err.text, "#task-002 -> "), NULL, "%s", err.text);
	cr_expect_eq(store_depend(&store, id, id, false, SOON, &err), -1, "itself");
	cr_expect_eq(store_depend(&store, id, "nope", false, SOON, &err), -1, "unknown");
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

static int
put(const char *id, const char *text)
{
	struct store_op op = { STORE_CREATE, id, .text = text, .len = strlen(text) };
	int rc = store_apply(&store, &op, 1, SOON, &err);

	store_ops_free(&op, 1);
	return rc;
}

Test(document, put)
{
	static const char text[] = "{\"id\":\"x\",\"description\":\"d\",\"status\":\"pending\"}";

	write_file("tasks.json", EXAMPLE);
	open_store();
	cr_expect_eq(put("y", text), -1, "not its id");
	cr_expect_eq(put("x", text), 1, "%s", err.text);
	cr_expect_eq(put("x", text), -1, "twice");
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

Test(document, locks)
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

Test(document, many_writers)
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

Test(document, bad_elements)
{
	struct task_set set = { 0 };
	char text[1024] = "";

	write_file("tasks.json", "{\"tasks\":[{\"id\":\"a\",\"description\":\"A\",\"status\":"
				 "\"pending\"},{\"id\":\"b\"},7,"
				 "{\"id\":\"c\",\"description\":\"C\",\"status\":\"cancelled\"}]}");
	open_store();
	cr_assert_eq(store_load(&store, &set, &err), 0, "%s", err.text);
	cr_expect_eq(set.count, 1);
	cr_expect_eq(store_bad(&store, note, text, &err), 0);
	cr_expect_neq(
	    strstr(text, "tasks.json tasks[1]: description is missing"), NULL, "%s", text);
	cr_expect_neq(strstr(text, "tasks[2]: it is a number"), NULL, "%s", text);
	cr_expect_neq(strstr(text, "tasks[3]: status 'cancelled'"), NULL, "%s", text);
	task_set_free(&set);
}

#define FOLDER_TASK(id, more)                                                              \
	"{\"id\":\"" id                                                                    \
	"\",\"subject\":\"S\",\"description\":\"\",\"status\":\"pending\",\"owner\":null," \
	"\"blockedBy\":[" more "]}"

Test(folder, works)
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
	    -1, "a circle");
	cr_expect_eq(store_depend(&store, t.id, "task_1738950001_cd34", false, SOON, &err), 1, "%s",
	    err.text);
	cr_expect_eq(strstr(content("task_1738950001_cd34.json"), "blocks"), NULL, "one side only");
	cr_expect_eq(store_delete(&store, "task_1738950001_cd34", NULL, NULL, NULL, SOON, &err), 1,
	    "%s", err.text);
	cr_assert_eq(store_load(&store, &set, &err), 0);
	cr_expect_eq(set.count, 2);
	cr_expect_eq(strcmp(content(".highwatermark"), ""), 0, "no numbers here");
	task_set_free(&set);
	task_free(&t);
}

Test(layout, found)
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
		    STORE_NATIVE },
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
