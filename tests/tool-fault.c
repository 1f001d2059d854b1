/*
 * tool-fault DIR WORK COMMAND [ARGUMENT...]: run the command once for each line of standard input,
 * and let one of its system calls fail.  A line is `CALL N HOW`: the Nth use of the system call
 * with the number CALL fails with the error number HOW; with `5+` each use from the Nth on does;
 * with `0` the process is killed (SIGKILL) at that call.  The uses are counted in each process of
 * the command.
 *
 * The command runs in the directory WORK, reads DIR/in and writes DIR/out and DIR/err.  When all
 * its processes have ended, a line is printed: the pid in which the first fault was (0: none was),
 * the first argument of that call, the exit status, and the signal that ended the command (0:
 * none). After a minute without a call or an end, our process group is killed: start this in its
 * own group.
 *
 * strace -f -e inject does the same, but takes several times as long to start.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
	pid_t pid;
	long uses;
} counts[256];

static long nth;
static int error, onward;
static pid_t faulty;                /* the process of the first fault, or 0 */
static unsigned long long argument; /* of the call */

/* A message with one descriptor; the room for that is the caller's. */
static struct msghdr
message(struct iovec *byte, void *room, size_t size)
{
	struct msghdr m = {
		.msg_iov = byte, .msg_iovlen = 1, .msg_control = room, .msg_controllen = size
	};

	return m;
}

/* In the child: send the descriptor that reports the uses of the call, then run the command. */
static void
run(int channel, unsigned int call, char *argv[])
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = 4, .filter = code };
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))] = "";
	struct iovec byte = { .iov_base = "", .iov_len = 1 };
	struct msghdr m = message(&byte, room, sizeof(room));
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	int listener;

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	if (dup2(open("in", O_RDONLY | O_CLOEXEC), 0) == -1)
		err(126, "in");
	for (int fd = 1; fd <= 2; fd++)
		if (dup2(open(fd == 1 ? "out" : "err", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			     0600),
			fd) == -1)
			err(126, "out");
	if (chdir(argv[0]) == -1 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1 ||
	    (listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		 SECCOMP_FILTER_FLAG_NEW_LISTENER, &program)) == -1)
		err(126, "seccomp");
	memcpy(CMSG_DATA(c), &listener, sizeof(int));
	/* From here to the command no call but this one. */
	if (sendmsg(channel, &m, 0) == 1)
		execv(argv[1], argv + 1);
	_exit(126);
}

static int
receive(int channel)
{
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))];
	char c;
	struct iovec byte = { .iov_base = &c, .iov_len = 1 };
	struct msghdr m = message(&byte, room, sizeof(room));
	int fd;

	if (recvmsg(channel, &m, MSG_CMSG_CLOEXEC) != 1 || CMSG_FIRSTHDR(&m) == NULL)
		errx(126, "the command was not started");
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(int));
	return fd;
}

/* The number of uses of the call in this process. */
static long *
uses_of(pid_t pid)
{
	size_t i;

	for (i = 0; counts[i].pid != 0 && counts[i].pid != pid; i++)
		if (i == sizeof(counts) / sizeof(counts[0]) - 1)
			errx(126, "too many processes");
	counts[i].pid = pid;
	return &counts[i].uses;
}

static void
record(const struct seccomp_notif *n)
{
	if (faulty == 0) {
		faulty = (pid_t)n->pid;
		argument = n->data.args[0];
	}
}

/* The utility by which a portable build reads the processes: its calls are not those of the
 * command. */
static bool
is_ps(pid_t pid)
{
	char path[64], name[4] = "";
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/comm", (long)pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) != -1) {
		n = read(fd, name, sizeof(name));
		close(fd);
	}
	return n == 3 && memcmp(name, "ps\n", 3) == 0;
}

/* One use of the call: let it fail, or pass. */
static void
answer(int listener)
{
	struct seccomp_notif n = { 0 };
	struct seccomp_notif_resp r = { 0 };
	long *uses;

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &n) == -1)
		return; /* the process has ended, or begins this call again */
	r.id = n.id;
	r.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	if (is_ps((pid_t)n.pid)) {
		(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &r);
		return;
	}
	uses = uses_of((pid_t)n.pid);
	if (++*uses == nth || (onward && *uses > nth)) {
		if (error == 0) {
			record(&n);
			kill((pid_t)n.pid, SIGKILL);
			return;
		}
		r.flags = 0;
		r.error = -error;
	}
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &r) == -1)
		--*uses; /* a signal came first: the call begins again */
	else if (r.error != 0)
		record(&n);
}

static void
wake(int sig)
{
	(void)sig; /* ends ppoll() */
}

/* Run the command with one fault; returns its status. */
static int
watch(unsigned int call, char *argv[], const sigset_t *before)
{
	struct pollfd p = { .events = POLLIN };
	struct timespec limit = { .tv_sec = 60 };
	int channel[2], status = 0, got;
	pid_t child, pid;

	memset(counts, 0, sizeof(counts));
	faulty = 0;
	argument = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) == -1 ||
	    (child = fork()) == -1)
		err(126, "fork");
	if (child == 0) {
		sigprocmask(SIG_SETMASK, before, NULL);
		run(channel[1], call, argv);
	}
	close(channel[1]);
	int listener = p.fd = receive(channel[0]);
	close(channel[0]);
	for (;;) {
		while ((pid = waitpid(-1, &got, WNOHANG)) > 0)
			if (pid == child)
				status = got;
		if (pid == -1)
			break;
		switch (ppoll(&p, 1, &limit, before)) {
		case 1:
			if (p.revents & POLLIN)
				answer(listener);
			else
				p.fd = -1; /* no process is left that it could report */
			break;
		case 0:
			kill(0, SIGKILL);
		}
	}
	close(listener);
	return status;
}

int
main(int argc, char *argv[])
{
	struct sigaction sa = { .sa_handler = wake };
	sigset_t child_ends, before;
	char line[256];

	if (argc < 4 || chdir(argv[1]) == -1)
		errx(64, "usage: tool-fault DIR WORK COMMAND [ARGUMENT...]");
	/* Orphans of the command become ours, so that we see their end. */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	sigemptyset(&child_ends);
	sigaddset(&child_ends, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child_ends, &before);
	sigaction(SIGCHLD, &sa, NULL);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		unsigned int call;
		char plus = 0;
		int status;

		if (sscanf(line, "%u %ld %d%c", &call, &nth, &error, &plus) != 4)
			errx(64, "not CALL N HOW: %s", line);
		onward = plus == '+';
		status = watch(call, argv + 2, &before);
		printf("%d %llu %d %d\n", (int)faulty, argument, WEXITSTATUS(status),
		    WIFSIGNALED(status) ? WTERMSIG(status) : 0);
		fflush(stdout);
	}
	return 0;
}
