/*
 * tool-kill-at N PROGRAM [ARGUMENT...]: run the program, and kill it (SIGKILL)
 * when the first process that it forks is about to make its Nth system call.
 *
 * Exit status 0: it was killed, and the forked process continues; 3: the forked
 * process made fewer calls, and both ended normally.
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define FORKED(status)                                          \
	((status) >> 8 == (SIGTRAP | PTRACE_EVENT_FORK << 8) || \
	    (status) >> 8 == (SIGTRAP | PTRACE_EVENT_CLONE << 8))

static int
next_stop(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, __WALL) == -1)
		if (errno != EINTR)
			err(1, "waitpid");
	return status;
}

/* Run the program until it forks; returns the new process, which is stopped. */
static pid_t
first_child(pid_t front)
{
	unsigned long pid;
	int status;

	if (!WIFSTOPPED(next_stop(front)) ||
	    ptrace(PTRACE_SETOPTIONS, front, 0, PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE) == -1)
		err(1, "ptrace");
	for (int sig = 0;; sig = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status)) {
		ptrace(PTRACE_CONT, front, 0, sig);
		status = next_stop(front);
		if (!WIFSTOPPED(status))
			errx(1, "it ended without a child");
		if (FORKED(status))
			break;
	}
	ptrace(PTRACE_GETEVENTMSG, front, 0, &pid);
	ptrace(PTRACE_DETACH, front, 0, 0);
	next_stop((pid_t)pid);
	/* Do not trace the processes that it forks. */
	ptrace(PTRACE_SETOPTIONS, (pid_t)pid, 0, PTRACE_O_TRACESYSGOOD);
	return (pid_t)pid;
}

int
main(int argc, char *argv[])
{
	long left = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
	int status, sig = 0, entering = 0;
	pid_t front, child;

	if (left <= 0)
		return 64;
	if ((front = fork()) == -1)
		err(1, "fork");
	if (front == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execvp(argv[2], argv + 2);
		err(127, "%s", argv[2]);
	}
	child = first_child(front);
	while (left > 0) {
		ptrace(PTRACE_SYSCALL, child, 0, sig);
		status = next_stop(child);
		if (!WIFSTOPPED(status)) {
			next_stop(front);
			return 3;
		}
		sig = WSTOPSIG(status) == (SIGTRAP | 0x80) ? 0 : WSTOPSIG(status);
		if (sig == 0 && (entering = !entering))
			left--;
	}
	kill(front, SIGKILL);
	next_stop(front);
	ptrace(PTRACE_DETACH, child, 0, 0);
	return 0;
}
