/*
 * supervise: the client lets an action through when its hook dies.
 *
 * The parent only waits, so it has nothing to crash on: a few system calls,
 * no allocation, no file.  It blocks all signals before it forks, and takes
 * those it acts on from a pipe: none that can be blocked kills it, nor does a
 * reader of its answer that has gone.  The signals by which the client ends a hook are passed on to
 * the child, which dies of them (the monitors of its gates notice and kill the gates); then the
 * parent answers.
 */
#include "sys/supervise.h"

#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/os.h"
#include "sys/signal-pipe.h"

static pid_t parent;               /* of a supervised child; 0 */
static int limits[2] = { -1, -1 }; /* the child writes its new limits */

/* Pass on what came; the client signals the whole group, `kill` and `timeout` perhaps only us. */
static void
pass_signals(int signals, pid_t pid)
{
	int sig;

	while ((sig = signal_pipe_next(signals)) != 0)
		if (sig != SIGCHLD)
			kill(pid, SIGTERM);
}

/* Until the limit, which the child may change: 1 it has ended, 0 it has not. */
static int
wait_for(pid_t pid, int signals, int64_t limit_ms, int *status)
{
	struct pollfd p[2] = { { signals, POLLIN, 0 }, { limits[0], POLLIN, 0 } };
	int64_t start = clock_ms(), left, limit;

	for (;;) {
		pid_t got = waitpid(pid, status, WNOHANG);
		ssize_t n;

		if (got == pid)
			return 1;
		left = start + limit_ms - clock_ms();
		if ((got == -1 && errno != EINTR) || left < 0)
			return 0;
		if (poll(p, 2, left < 60000 ? (int)left + 1 : 60000) == -1 && errno != EINTR)
			clock_sleep_us(1000);
		pass_signals(signals, pid);
		while (p[1].fd != -1 && (n = read(p[1].fd, &limit, sizeof(limit))) != -1) {
			if (n == (ssize_t)sizeof(limit))
				limit_ms = limit;
			else
				p[1].fd = -1; /* the child has closed it */
		}
	}
}

void
supervise_limit(int64_t limit_ms)
{
	if (parent != 0 && getppid() == parent)
		(void)!write(limits[1], &limit_ms, sizeof(limit_ms));
}

/* The child: it goes on as if nothing had happened. */
static void
supervised(pid_t self, const sigset_t *before)
{
	/* If the parent is killed, this process and its gates must end too. */
	os_die_with_parent(SIGTERM);
	if (getppid() != self)
		_exit(1);
	parent = self;
	close(limits[0]);
	sigprocmask(SIG_SETMASK, before, NULL);
}

void
supervise(int64_t limit_ms, int (*refuse)(const char *why))
{
	static const int taken[] = { SIGCHLD, SIGTERM, SIGINT, SIGHUP };
	sigset_t set, before;
	pid_t self = getpid(), pid;
	int status, signals;

	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	/* A caller may have left it ignored; its children would then not be there to wait for. */
	signal(SIGCHLD, SIG_DFL);
	pid = os_pipe(limits) == -1 ? -1 : fork();
	if (pid == -1)
		_exit(refuse("no process could be started for the check"));
	if (pid == 0) {
		supervised(self, &before);
		return;
	}
	close(limits[1]);
	signals = fcntl(limits[0], F_SETFL, O_NONBLOCK) == -1
		      ? -1
		      : signal_pipe_open(taken, sizeof(taken) / sizeof(taken[0]));
	if (signals == -1 || !wait_for(pid, signals, limit_ms, &status)) {
		kill(pid, SIGKILL);
		_exit(refuse(signals == -1 ? "the check could not be supervised"
					   : "the check did not end within its time limit"));
	}
	/* 0 and 2 are the hook's answers; after any other end there was none. */
	if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2))
		_exit(WEXITSTATUS(status));
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM)
		_exit(refuse("the check was told to stop before it was done"));
	_exit(refuse("the check crashed"));
}
