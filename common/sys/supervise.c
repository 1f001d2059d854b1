/*
 * supervise: the client lets an action through when its hook dies.
 *
 * The parent only waits, so it has nothing to crash on: a few system calls,
 * no allocation, no file.  It blocks all signals it acts on before it forks,
 * and takes them one by one with sigtimedwait(): none can kill it.  The
 * signals by which the client ends a hook are passed on to the child, which
 * dies of them (the monitors of its gates notice and kill the gates); then
 * the parent answers.
 */
#include "sys/supervise.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

static pid_t parent; /* of a supervised child; 0 */

/* Until the limit, which the child may change: 1 it has ended, 0 it has not. */
static int
wait_for(pid_t pid, const sigset_t *set, int64_t limit_ms, int *status)
{
	int64_t start = clock_ms();

	for (;;) {
		int64_t left = start + limit_ms - clock_ms();
		struct timespec t = { (time_t)(left / 1000), (long)(left % 1000) * 1000000 };
		siginfo_t si;
		pid_t got;
		int sig;

		if (left < 0 || ((sig = sigtimedwait(set, &si, &t)) == -1 && errno == EAGAIN))
			return 0;
		if (sig == SIGUSR1 && si.si_code == SI_QUEUE && si.si_pid == pid)
			limit_ms = si.si_value.sival_int;
		/* The client signals the whole group, `kill` and `timeout` perhaps only us. */
		if (sig == SIGTERM || sig == SIGINT || sig == SIGHUP)
			kill(pid, SIGTERM);
		got = waitpid(pid, status, WNOHANG);
		if (got == pid)
			return 1;
		if (got == -1 && errno != EINTR)
			return 0;
	}
}

void
supervise_limit(int64_t limit_ms)
{
	union sigval ms = { .sival_int = (int)limit_ms };

	if (parent != 0 && getppid() == parent)
		sigqueue(parent, SIGUSR1, ms);
}

void
supervise(int64_t limit_ms, int (*refuse)(const char *why))
{
	static const int taken[] = { SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1 };
	sigset_t set, before;
	pid_t self = getpid(), pid;
	int status;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		sigaddset(&set, taken[i]);
	sigprocmask(SIG_BLOCK, &set, &before);
	/* A caller may have left it ignored; it would then not arrive. */
	signal(SIGCHLD, SIG_DFL);
	pid = fork();
	if (pid == -1)
		_exit(refuse("no process could be started for the check"));
	if (pid == 0) {
		/* If the parent is killed, this process and its gates must end too. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != self)
			_exit(1);
		parent = self;
		sigprocmask(SIG_SETMASK, &before, NULL);
		return;
	}
	if (!wait_for(pid, &set, limit_ms, &status)) {
		kill(pid, SIGKILL);
		_exit(refuse("the check did not end within its time limit"));
	}
	/* 0 and 2 are the hook's answers; after any other end there was none. */
	if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2))
		_exit(WEXITSTATUS(status));
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM)
		_exit(refuse("the check was told to stop before it was done"));
	_exit(refuse("the check crashed"));
}
