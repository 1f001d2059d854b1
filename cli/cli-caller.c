/*
 * Who makes a call of a command or of a tool, as far as the environment and the
 * processes above tell.  What an MCP request says is added by cli-context.c.
 */
#include "cli-caller.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli.h"
#include "os/os.h"
#include "sys/process.h"

#define ABOVE 32  /* processes that are looked at */
#define PACKAGE 4 /* programs of npm, one above the other */

/* What clients set for the programs that they start. */
static const struct {
	const char *variable, *client;
} sessions[] = {
	{ "CLAUDE_CODE_SESSION_ID", AGENT_CLAUDE_CODE },
	{ "QWEN_CODE_SESSION_ID", "qwen-code" },
	{ "COPILOT_AGENT_SESSION_ID", "copilot" },
	{ "CODEX_THREAD_ID", "codex" },
};
#define SESSIONS (sizeof(sessions) / sizeof(sessions[0]))

static void
set_process(struct agent *a, pid_t pid)
{
	struct os_process p;

	a->pid = pid;
	a->pid_start = os_process_read(pid, &p) == 1 ? p.start : 0;
}

/* A shell is not a client, and may end with the command that it runs. */
static bool
is_shell(const char *name)
{
	static const char *const shells[] = { "sh", "ash", "bash", "busybox", "dash", "fish", "ksh",
		"mksh", "zsh" };

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (strcmp(name, shells[i]) == 0)
			return true;
	return false;
}

/* Is it claude-tasks.js, or npm, which both end with the program that they start?  npm names its
 * process itself: "npm exec claude-task-hooks mcp". */
static bool
is_package(pid_t pid)
{
	static const char *const scripts[] = { "claude-tasks", "claude-tasks.js",
		"claude-task-hooks", "npm", "npm-cli.js", "npx", "npx-cli.js" };
	struct buf words = { 0 };
	const char *script, *slash;
	bool is = false;

	if (os_process_words(pid, &words)) {
		is = strncmp(words.data, "npm exec ", strlen("npm exec ")) == 0;
		script = is ? NULL : cli_person_script(&words);
		slash = script != NULL ? strrchr(script, '/') : NULL;
		for (size_t i = 0; slash != NULL && i < sizeof(scripts) / sizeof(scripts[0]); i++)
			is |= strcmp(slash + 1, scripts[i]) == 0;
	}
	buf_free(&words);
	return is;
}

/* The process above our package, and above the shell by which npm starts it; without a package this
 * one. */
static pid_t
above_package(pid_t pid)
{
	struct os_process p, q;

	for (int n = 0; n < PACKAGE && pid > 0 && os_process_read(pid, &p) == 1 && p.parent > 0;
	     n++) {
		if (is_package(pid))
			pid = p.parent;
		else if (n > 0 && is_shell(p.name) && is_package(p.parent) &&
			 os_process_read(p.parent, &q) == 1 && q.parent > 0)
			pid = q.parent;
		else
			break;
	}
	return pid;
}

/* Forked workers of one program are different clients, subshells of one script are not.  The first
 * process of a container has no parent. */
void
cli_caller_from_parent(struct agent *a)
{
	pid_t pid = above_package(getppid());
	struct os_process p;

	if (pid == 0)
		pid = getpid();
	else if (os_process_read(pid, &p) == 1 && is_shell(p.name))
		pid = process_origin(pid);
	set_process(a, pid);
}

/*
 * The client that set a variable is the nearest process above that was started
 * without it.  Returns the index of that variable, the first one that is set if
 * it is not found.
 */
static size_t
find_setter(char *const assignment[SESSIONS], struct agent *a)
{
	struct os_process p;
	pid_t pid = getppid();
	int has;

	for (int n = 0; n < ABOVE && pid > 1 && os_process_read(pid, &p) == 1; n++) {
		for (size_t i = 0; i < SESSIONS; i++) {
			if (assignment[i] == NULL ||
			    (has = os_process_has_env(pid, assignment[i])) == 1)
				continue;
			/* The environment of one of Apple's shells is not shown.  It passes on what
			 * it got. */
			if (has == -1 && is_shell(p.name))
				break;
			if (has == 0 && !is_shell(p.name))
				set_process(a, process_origin(pid));
			return i;
		}
		pid = p.parent;
	}
	for (size_t i = 0; i < SESSIONS; i++)
		if (assignment[i] != NULL)
			return i;
	return 0;
}

void
cli_caller_from_environment(struct agent *a)
{
	char *assignment[SESSIONS] = { NULL };
	const char *value;
	size_t i, set = 0;

	for (i = 0; i < SESSIONS; i++)
		if ((value = getenv(sessions[i].variable)) != NULL && agent_label_ok(value)) {
			assignment[i] = mem_printf("%s=%s", sessions[i].variable, value);
			set++;
		}
	*a = (struct agent){ 0 };
	i = set == 0 || (set == 1 && assignment[0] != NULL) ? 0 : find_setter(assignment, a);
	if (assignment[i] != NULL) {
		a->session = getenv(sessions[i].variable);
		a->client = sessions[i].client;
	}
	/* Claude Code names its process itself. */
	if (i == 0)
		agent_client(a);
	for (i = 0; i < SESSIONS; i++)
		free(assignment[i]);
}
