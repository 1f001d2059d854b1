#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/supervise.h"

enum { ANSWERED = 9 };

static int
answered(const char *why)
{
	(void)why;
	return ANSWERED;
}

/* Run `body` below a supervisor of its own; the supervisor's exit status, or -signal. */
static int
supervised(int64_t limit_ms, void (*body)(void), void (*meanwhile)(pid_t))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		supervise(limit_ms, answered);
		body();
		_exit(1);
	}
	if (meanwhile != NULL)
		meanwhile(pid);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void
pass(void)
{
	_exit(0);
}

static void
refuse(void)
{
	_exit(2);
}

static void
odd(void)
{
	_exit(64);
}

static void
crash(void)
{
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
}

static void
killed(void)
{
	raise(SIGKILL);
}

static void
aborted(void)
{
	signal(SIGABRT, SIG_DFL);
	abort();
}

static void
forever(void)
{
	for (;;)
		pause();
}

static void
stubborn(void)
{
	signal(SIGTERM, SIG_IGN);
	signal(SIGALRM, SIG_IGN);
	forever();
}

Test(supervise, the_ends_of_a_child)
{
	static const struct {
		const char *name;
		void (*body)(void);
		int64_t limit;
		int want;
	} rows[] = {
		{ "a pass is passed on", pass, 60000, 0 },
		{ "so is a refusal", refuse, 60000, 2 },
		{ "any other status is no word of ours", odd, 60000, ANSWERED },
		{ "a crash", crash, 60000, ANSWERED },
		{ "killed", killed, 60000, ANSWERED },
		{ "aborted", aborted, 60000, ANSWERED },
		{ "too late", forever, 50, ANSWERED },
		{ "too late and deaf", stubborn, 50, ANSWERED },
		{ "no time at all", forever, 0, ANSWERED },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int got = supervised(rows[i].limit, rows[i].body, NULL);

		cr_expect_eq(got, rows[i].want, "%s: %d", rows[i].name, got);
	}
}

/* The parent's only child, once it is there. */
static pid_t
child_of(pid_t pid)
{
	char path[64];
	int child = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	while (child == 0) {
		FILE *f = fopen(path, "r");

		if (f == NULL)
			return 0;
		if (fscanf(f, "%d", &child) != 1)
			child = 0;
		fclose(f);
		usleep(1000);
	}
	return child;
}

static void
kill_it(pid_t pid)
{
	kill(child_of(pid), SIGKILL);
}

/* A signal before the parent has its handlers would end it: the state says when it waits. */
static void
stop_it(pid_t pid)
{
	char path[64], line[4096];
	unsigned long long caught = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	while ((caught & (1ull << (SIGHUP - 1))) == 0) {
		FILE *f = fopen(path, "r");

		while (f != NULL && fgets(line, sizeof(line), f) != NULL)
			sscanf(line, "SigCgt: %llx", &caught);
		if (f != NULL)
			fclose(f);
		usleep(1000);
	}
	kill(pid, SIGTERM);
}

Test(supervise, from_outside)
{
	cr_expect_eq(supervised(60000, forever, kill_it), ANSWERED, "the child is killed");
	cr_expect_eq(supervised(60000, forever, stop_it), ANSWERED, "the parent is told to stop");
}
