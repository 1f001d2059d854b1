/*
 * The self-test: each installed hook gets an event that it must refuse, on a list in a temporary
 * directory.  The client continues silently if a hook is missing, crashes or prints something
 * wrong, so this is the only way to see that it works.
 */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor.h"
#include "sys/child.h"
#include "sys/dir.h"
#include "sys/file.h"

#define SESSION "00000000-0000-4000-8000-000000000000"
#define AGENT "a0123456789abcdef"
#define COMMON "{\"session_id\":\"" SESSION "\",\"transcript_path\":\"/dev/null\",\"cwd\":\"/\","

static const struct {
	const char *program, *event, *expected; /* expected: in the answer on standard output */
} cases[] = {
	{ "on-pretooluse-task",
	    COMMON
	    "\"permission_mode\":\"default\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":"
	    "\"TaskUpdate\",\"tool_input\":{\"taskId\":\"2\",\"status\":\"in_progress\"},"
	    "\"tool_use_id\":\"toolu_selftest\"}\n",
	    "\"permissionDecision\":\"deny\"" },
	{ "on-task-completed-verify",
	    COMMON
	    "\"hook_event_name\":\"TaskCompleted\",\"task_id\":\"2\",\"task_subject\":\"second\","
	    "\"task_description\":\"second\"}\n",
	    "\"decision\":\"block\"" },
	{ "on-subagent-stop",
	    COMMON "\"permission_mode\":\"default\",\"agent_id\":\"" AGENT
		   "\",\"agent_type\":\"general-purpose\",\"hook_event_name\":\"SubagentStop\","
		   "\"stop_hook_active\":false,\"agent_transcript_path\":\"/dev/null\","
		   "\"last_assistant_message\":\"done\"}\n",
	    "\"decision\":\"block\"" },
};

static const struct {
	const char *name, *text;
} test_files[] = {
	{ "tasks/selftest/1.json",
	    "{\"id\":\"1\",\"subject\":\"first\",\"description\":\"first\",\"status\":\"pending\","
	    "\"blocks\":[\"2\"],\"blockedBy\":[]}" },
	{ "tasks/selftest/2.json", "{\"id\":\"2\",\"subject\":\"second\",\"description\":"
				   "\"second\",\"status\":\"pending\","
				   "\"blocks\":[],\"blockedBy\":[\"1\"]}" },
	{ "tasks/selftest/3.json", "{\"id\":\"3\",\"subject\":\"third\",\"description\":\"third\","
				   "\"status\":\"in_progress\","
				   "\"blocks\":[],\"blockedBy\":[],\"owner\":\"" AGENT "\"}" },
	{ "task-hooks.json", "{\"durability\":\"off\",\"stop\":{\"unfinished\":\"block\"}}" },
};

static int
write_test_files(const char *dir, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < sizeof(test_files) / sizeof(test_files[0]) && rc == 0; i++) {
		char *path = mem_printf("%s/%s", dir, test_files[i].name),
		     *slash = strrchr(path, '/');
		int fd;

		*slash = '\0';
		fd = dir_make(path, 0700, err);
		rc = fd == -1 ? -1
			      : file_replace(fd, slash + 1, test_files[i].text,
				    strlen(test_files[i].text), 0600, DURABILITY_OFF, err);
		if (fd != -1)
			close(fd);
		free(path);
	}
	return rc;
}

static int
remove_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st, (void)kind, (void)ftw;
	(void)remove(path);
	return 0;
}

/* One hook: NULL, or what was wrong with its answer (owned). */
static char *
try_hook(const char *path, size_t n, const char *dir)
{
	char *argv[] = { mem_string(path), NULL }, *problem = NULL;
	struct strings env = { 0 };
	struct child_spec spec = { .argv = argv,
		.cwd = dir,
		.env = &env,
		.deadline = deadline_in(60000),
		.input = cases[n].event,
		.input_len = strlen(cases[n].event) };
	struct child child = CHILD_INIT;
	struct buf end = { 0 };
	struct error err;

	strings_take(&env, mem_printf("CLAUDE_CONFIG_DIR=%s", dir));
	strings_add(&env, "CLAUDE_CODE_TASK_LIST_ID=selftest");
	strings_add(&env, "CLAUDE_CODE_SESSION_ID=" SESSION);
	if (child_run(&child, &spec, &err) == -1) {
		problem = mem_string(err.text);
	} else if (child.end != CHILD_EXITED || child.status != 2) {
		child_describe(&end, &child);
		problem = mem_printf("it ended with %s", buf_text(&end));
	} else if (strstr(buf_text(&child.tail), cases[n].expected) == NULL) {
		problem = mem_printf("it did not print %s", cases[n].expected);
	}
	child_free(&child);
	buf_free(&end);
	strings_free(&env);
	free(argv[0]);
	return problem;
}

static void
test_path(struct doctor *d, const char *path, const char *program)
{
	const char *base = getenv("TMPDIR");
	char *dir =
	    mem_printf("%s/claude-tasks-XXXXXX", base != NULL && *base == '/' ? base : "/tmp");
	char *problem = NULL;
	struct error err;

	if (mkdtemp(dir) == NULL) {
		doctor_add(d, "hooks.selftest", LEVEL_NOTE,
		    mem_printf(
			"the self-test did not run: cannot make %s: %s", dir, strerror(errno)),
		    NULL, NULL);
		free(dir);
		return;
	}
	for (size_t n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
		if (strcmp(cases[n].program, program) != 0)
			continue;
		if (write_test_files(dir, &err) == -1)
			problem = mem_string(err.text);
		else
			problem = try_hook(path, n, dir);
	}
	if (problem != NULL)
		doctor_add(d, "hooks.selftest", LEVEL_PROBLEM,
		    mem_printf("%s did not refuse a test event: %s", path, problem),
		    "it enforces no rules", mem_string("claude-tasks install, or build it again"));
	free(problem);
	nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	free(dir);
}

void
doctor_selftest(struct doctor *d)
{
	struct strings seen = { 0 };

	doctor_checked(d, "hooks.selftest");
	for (int i = 0; i < SCOPES; i++)
		for (size_t k = 0; k < d->registration.file[i].entries.count; k++) {
			const struct settings_entry *e = &d->registration.file[i].entries.item[k];

			if (strings_has(&seen, e->path) || strstr(e->path, "${") != NULL ||
			    access(e->path, X_OK) == -1)
				continue;
			strings_add(&seen, e->path);
			test_path(d, e->path, e->program);
		}
	strings_free(&seen);
}
