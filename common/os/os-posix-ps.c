#include "os/os-posix.h"

#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/os.h"

#define PS_MS 5000

static void
ps_become(char *const argv[], int out)
{
	char *const env[] = { (char[]){ "LC_ALL=C" }, NULL };
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	for (int sig = 1; sig < 32; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Out of the way of 0, 1 and 2, which the caller may have closed. */
	out = fcntl(out, F_DUPFD_CLOEXEC, 3);
	null = fcntl(null, F_DUPFD_CLOEXEC, 3);
	if (dup2(null, 0) != -1 && dup2(out, 1) != -1 && dup2(null, 2) != -1) {
		execve("/bin/ps", argv, env);
		execve("/usr/bin/ps", argv, env);
	}
	_exit(127);
}

int
os_ps_open(struct os_ps *ps, char *const argv[], size_t max)
{
	sigset_t all, before;
	int ends[2], saved;

	if (os_pipe(ends) == -1)
		return -1;
	*ps = (struct os_ps){ .fd = ends[0], .until = deadline_in(PS_MS), .left = max };
	/* The child must not run a handler of ours. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	if ((ps->pid = fork()) == 0)
		ps_become(argv, ends[1]);
	saved = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[1]);
	if (ps->pid == -1)
		close(ends[0]);
	errno = saved;
	return ps->pid == -1 ? -1 : 0;
}

ssize_t
os_ps_read(struct os_ps *ps, char *data, size_t size)
{
	for (;;) {
		struct pollfd fd = { ps->fd, POLLIN, 0 };
		int64_t left = deadline_left(ps->until);
		ssize_t n;

		if (left == 0 || ps->left == 0) {
			errno = left == 0 ? ETIMEDOUT : EFBIG;
			return -1;
		}
		if (poll(&fd, 1, (int)left) == -1 && errno != EINTR)
			return -1;
		if (fd.revents == 0)
			continue;
		n = read(ps->fd, data, size < ps->left ? size : ps->left);
		if (n == -1 && errno == EINTR)
			continue;
		if (n > 0)
			ps->left -= (size_t)n;
		return n;
	}
}

bool
os_ps_close(struct os_ps *ps, bool whole)
{
	int saved = errno, status = 0;
	pid_t got;

	close(ps->fd);
	if (!whole)
		kill(ps->pid, SIGKILL);
	while ((got = waitpid(ps->pid, &status, 0)) == -1 && errno == EINTR)
		;
	errno = saved;
	if (!whole)
		return false;
	/* The caller may ignore SIGCHLD: then there is no status. */
	if (got == ps->pid && (!WIFEXITED(status) || WEXITSTATUS(status) == 127)) {
		errno = ENOSYS;
		return false;
	}
	return true;
}

/* "[[days-]hours:]minutes:seconds"; -1.  The ps of Linux measures before it looks: for a process
 * that was started in between, it has the seconds below 0 as a number without sign, a million
 * years. */
static int64_t
elapsed_s(const char *text)
{
	int64_t days = 0, sum = 0;
	int parts = 0;
	char *end;

	for (;; text = end + 1) {
		int64_t n = strtoll(text, &end, 10);

		if (end == text || n < 0)
			return -1;
		if (n > 10000000)
			return 0;
		if (*end == '-' && parts == 0 && days == 0)
			days = n;
		else {
			sum = sum * 60 + n;
			parts++;
		}
		if (*end == '\0')
			return parts > 1 ? days * 86400 + sum : -1;
		if (*end != ':' && *end != '-')
			return -1;
	}
}

/* The name may have blanks, and is a path on some systems. */
bool
os_ps_parse(char *line, int64_t now, pid_t *pid, struct os_process *p)
{
	char elapsed[32], state[16], *name, *end;
	int64_t age;
	int id, parent, at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%d %d %31s %15s %n", &id, &parent, elapsed, state, &at) != 4 || at == 0 ||
	    (age = elapsed_s(elapsed)) == -1)
		return false;
	name = line + at;
	if ((end = strstr(name, " <defunct>")) == NULL)
		end = name + strlen(name);
	while (end > name && end[-1] == ' ')
		end--;
	*end = '\0';
	if (*name == '/')
		name = strrchr(name, '/') + 1;
	else if (*name == '-') /* a login shell */
		name++;
	*pid = id;
	*p = (struct os_process){ .ended = strchr("ZX", state[0]) != NULL,
		.parent = parent,
		.start = age < now ? (uint64_t)(now - age) : 0 };
	snprintf(p->name, sizeof(p->name), "%.*s", (int)sizeof(p->name) - 1, name);
	return true;
}

ssize_t
os_ps_line(char *const argv[], char *text, size_t size)
{
	size_t len = 0;
	ssize_t n = 0;
	struct os_ps ps;

	if (os_ps_open(&ps, argv, OS_PS_MAX) == -1)
		return -1;
	while (len < size - 1 && (n = os_ps_read(&ps, text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	return os_ps_close(&ps, n == 0) ? (ssize_t)len : -1;
}

bool
os_ps_text(const char *pids, const char *environment, const char *what, struct buf *text)
{
	/* Each column by an -o of its own: the rest of "pid=,args=" would be the heading of pid. */
	char *argv[] = { (char[]){ "ps" }, (char *)environment, (char[]){ "-o" },
		(char[]){ "pid=" }, (char[]){ "-o" }, (char *)what, (char[]){ "-p" }, (char *)pids,
		NULL };
	struct os_ps ps;
	ssize_t n;

	buf_reset(text);
	if (os_ps_open(&ps, argv, OS_PS_MAX) == -1)
		return false;
	do {
		buf_need(text, 16384);
		n = os_ps_read(&ps, text->data + text->len, 16384);
		if (n > 0)
			text->len += (size_t)n;
	} while (n > 0);
	while (text->len > 0 && strchr(" \n", text->data[text->len - 1]) != NULL)
		text->len--;
	text->data[text->len] = '\0';
	return os_ps_close(&ps, n == 0) && text->len > 0;
}
