/*
 * supervise: the client lets an action through when its hook dies.
 *
 * The parent does nothing but wait, so it has nothing to crash on: four
 * system calls, no allocation, no file.  The signals by which the client ends
 * a hook it hands on to the child, which cleans up and dies, and then the
 * parent says what that means.
 */
#include "sys/supervise.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static int
wait_for(pid_t pid, const sigset_t *chld, int64_t limit_ms, int *status)
{
	struct timespec now, limit, left;
	pid_t got;

	clock_gettime(CLOCK_MONOTONIC, &limit);
	limit.tv_sec += (time_t)(limit_ms / 1000);
	limit.tv_nsec += (long)(limit_ms % 1000) * 1000000;
	if (limit.tv_nsec >= 1000000000) {
		limit.tv_sec++;
		limit.tv_nsec -= 1000000000;
	}
	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		left.tv_sec = limit.tv_sec - now.tv_sec;
		left.tv_nsec = limit.tv_nsec - now.tv_nsec;
		if (left.tv_nsec < 0) {
			left.tv_sec--;
			left.tv_nsec += 1000000000;
		}
		if (left.tv_sec < 0)
			return 0;
		if (sigtimedwait(chld, NULL, &left) == -1 && errno == EAGAIN)
			return 0;
		got = waitpid(pid, status, WNOHANG);
		if (got == pid)
			return 1;
		if (got == -1 && errno != EINTR)
			return 0;
	}
}

static volatile sig_atomic_t child;

/* The client signals the whole group, `kill` and `timeout` perhaps only us. */
static void
hand_on(int sig)
{
	(void)sig;
	kill((pid_t)child, SIGTERM);
}

void
supervise(int64_t limit_ms, int (*refuse)(const char *why))
{
	static const int handed_on[] = { SIGTERM, SIGINT, SIGHUP };
	sigset_t chld, before;
	pid_t parent = getpid(), pid;
	int status;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, &before);
	pid = fork();
	if (pid == -1)
		_exit(refuse("no process could be started to check the task in"));
	if (pid == 0) {
		/* A killed parent must not leave us behind, gates and all. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(1);
		sigprocmask(SIG_SETMASK, &before, NULL);
		return;
	}
	child = (sig_atomic_t)pid;
	for (size_t i = 0; i < sizeof(handed_on) / sizeof(handed_on[0]); i++)
		signal(handed_on[i], hand_on);
	if (!wait_for(pid, &chld, limit_ms, &status)) {
		kill(pid, SIGKILL);
		_exit(refuse("the check did not end in the time it has"));
	}
	/* 0 and 2 are the hook's own words; any other end is none of its. */
	if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2))
		_exit(WEXITSTATUS(status));
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		_exit(refuse("the check did not end in the time it has"));
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM)
		_exit(refuse("the check was told to stop before it was done"));
	_exit(refuse("the check crashed"));
}
