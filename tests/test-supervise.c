#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/supervise.h"

enum { ANSWERED = 9 };

/* The reader of the answer has gone. */
static int
answered(const char *why)
{
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	close(ends[0]);
	(void)!write(ends[1], why, 1);
	return ANSWERED;
}

/* Called by the supervisor before it starts the child, or NULL. */
static void (*prepare)(void);

/* Run `body` under a new supervisor; returns its exit status, or -signal. */
static int
supervised(int64_t limit_ms, void (*body)(void), void (*meanwhile)(pid_t))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (prepare != NULL)
			prepare();
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

Test(supervise, every_end_of_the_child_gives_an_answer)
{
	static const struct {
		const char *name;
		void (*body)(void);
		int64_t limit;
		int want;
	} rows[] = {
		{ "status 0 is returned", pass, 60000, 0 },
		{ "status 2 is returned", refuse, 60000, 2 },
		{ "another status is a fault", odd, 60000, ANSWERED },
		{ "a crash", crash, 60000, ANSWERED },
		{ "killed", killed, 60000, ANSWERED },
		{ "aborted", aborted, 60000, ANSWERED },
		{ "past the limit", forever, 50, ANSWERED },
		{ "past the limit, SIGTERM ignored", stubborn, 50, ANSWERED },
		{ "a limit of 0", forever, 0, ANSWERED },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int got = supervised(rows[i].limit, rows[i].body, NULL);

		cr_expect_eq(got, rows[i].want, "%s: %d", rows[i].name, got);
	}
}

/* Wait for the only child of the process. */
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

static void
stop_it(pid_t pid)
{
	child_of(pid);
	kill(pid, SIGTERM);
}

static void
send_others(pid_t pid)
{
	static const int others[] = { SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE, SIGQUIT };

	child_of(pid);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		kill(pid, others[i]);
	kill(pid, SIGTERM);
}

Test(supervise, a_signal_from_outside_gives_an_answer)
{
	cr_expect_eq(supervised(60000, forever, send_others), ANSWERED, "none of them ends it");
	cr_expect_eq(supervised(60000, forever, kill_it), ANSWERED, "the child is killed");
	cr_expect_eq(supervised(60000, forever, stop_it), ANSWERED, "the parent gets SIGTERM");
}

static void
ignore_children(void)
{
	signal(SIGCHLD, SIG_IGN);
}

Test(supervise, an_ignored_sigchld_does_not_lose_the_status, .timeout = 60)
{
	prepare = ignore_children;
	cr_expect_eq(supervised(600000, pass, NULL), 0, "a pass");
	cr_expect_eq(supervised(600000, refuse, NULL), 2, "a refusal");
}

static void
stop_self(void)
{
	kill(getpid(), SIGTERM);
}

static void
stop_self_after_fork(void)
{
	pthread_atfork(NULL, stop_self, NULL);
}

Test(supervise, sigterm_before_fork_returns_is_not_lost)
{
	prepare = stop_self_after_fork;
	cr_expect_eq(supervised(60000, forever, NULL), ANSWERED);
}

static void
shorten(void)
{
	supervise_limit(50);
	forever();
}

/* Ends with status 0 after the first limit. */
static void
lengthen(void)
{
	supervise_limit(60000);
	clock_sleep_us(3 * 1000 * 1000);
	_exit(0);
}

Test(supervise, the_child_sets_the_limit, .timeout = 60)
{
	cr_expect_eq(supervised(600000, shorten, NULL), ANSWERED, "a shorter limit");
	cr_expect_eq(supervised(2000, lengthen, NULL), 0, "a longer limit");
}
