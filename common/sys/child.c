/*
 * Our end of a command that runs: a socket to its monitor.
 *
 * The monitor sends one record when all is over, then the tail of the
 * output; until then the socket is silent.  Both ends are the same
 * executable, so the record is sent as it is in memory.  Closing the socket,
 * or dying, makes the monitor kill everything.  A monitor that goes away
 * without a record was killed: the command did not give an answer.
 */
#include "sys/child.h"

#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/os.h"
#include "sys/child-kill.h"
#include "sys/child-part.h"

#define CHILDREN_MAX 128
#define GONE_MS 10000 /* how long we wait for a monitor to finish killing */

struct child_record {
	int32_t end, status;
	int64_t ms;
	uint64_t total;
	uint32_t strays, survivors, tail;
	char digest[HASH_HEX];
	char problem[200];
}; /* then `tail` bytes */

/* For child_stop_all(), which may run in a signal handler. */
static volatile sig_atomic_t live[CHILDREN_MAX]; /* descriptor + 1; 0 free */
static volatile sig_atomic_t stopping;

static void
stop_fd(int fd)
{
	int saved = errno;

	os_send(fd, "s", 1, false);
	errno = saved;
}

static int
register_fd(int fd)
{
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		if (live[i] == 0) {
			live[i] = fd + 1;
			if (stopping)
				stop_fd(fd);
			return 0;
		}
	errno = EMFILE;
	return -1;
}

static void
forget_fd(int fd)
{
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		if (live[i] == fd + 1)
			live[i] = 0;
}

void
child_stop_all(void)
{
	stopping = 1;
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		if (live[i] != 0)
			stop_fd(live[i] - 1);
}

static int
send_all(int sock, const void *data, size_t len)
{
	const char *at = data;
	int tries = 0;

	while (len > 0) {
		ssize_t n = os_send(sock, at, len, true);

		if (n == -1 && error_again(&tries))
			continue;
		if (n == -1)
			return -1;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

static void
record_send(int sock, const struct child *c)
{
	struct child_record r = {
		.end = c->end,
		.status = c->status,
		.ms = c->ms,
		.total = c->total,
		.strays = c->strays,
		.survivors = c->survivors,
		.tail = (uint32_t)c->tail.len,
	};

	memcpy(r.digest, c->digest, sizeof(r.digest));
	memcpy(r.problem, c->problem, sizeof(r.problem));
	if (send_all(sock, &r, sizeof(r)) == 0)
		send_all(sock, buf_text(&c->tail), c->tail.len);
}

/* The environment as execve wants it; the pointers borrow from `list`. */
static char **
env_vector(struct strings *list, const struct child_spec *spec, const char *mark)
{
	child_env(list, spec->env, spec->pass, spec->sessionless);
	if (mark[0] != '\0')
		strings_add(list, mark);
	return strings_argv(list);
}

/* A variable of its own for each command, where its processes are found by it: a command within the
 * command inherits both. */
static void
make_mark(char mark[CHILD_MARK])
{
	if (os_mark_name() != NULL)
		snprintf(
		    mark, CHILD_MARK, "%s_%08x%08x=1", os_mark_name(), arc4random(), arc4random());
}

int
child_start(struct child *c, const struct child_spec *spec, struct error *e)
{
	struct strings list = { 0 };
	int pair[2] = { -1, -1 }, rc = -1;
	char **env;

	*c = (struct child)CHILD_INIT;
	make_mark(c->mark);
	env = env_vector(&list, spec, c->mark);
	if (os_socket_pair(pair) == -1 || register_fd(pair[0]) == -1) {
		error_sys(e, "cannot start '%s'", spec->argv[0]);
		goto out;
	}
	c->pid = fork();
	if (c->pid == 0) {
		struct child result = CHILD_INIT;

		memcpy(result.mark, c->mark, sizeof(result.mark));
		child_monitor_run(spec, env, pair[1], &result);
		record_send(3, &result); /* child_monitor_run() has moved the socket there */
		_exit(0);
	}
	if (c->pid == -1) {
		forget_fd(pair[0]);
		error_sys(e, "cannot start '%s': no process could be made", spec->argv[0]);
		goto out;
	}
	c->fd = pair[0];
	pair[0] = -1;
	rc = 0;
out:
	if (pair[0] != -1)
		close(pair[0]);
	if (pair[1] != -1)
		close(pair[1]);
	strings_free(&list);
	free(env);
	return rc;
}

static void
record_done(struct child *c)
{
	forget_fd(c->fd);
	close(c->fd);
	c->fd = -1;
	c->done = true;
	buf_free(&c->in);
	waitpid(c->pid, NULL, 0);
}

/* Take the record over, once it is whole. */
static void
record_take(struct child *c, bool eof)
{
	struct child_record r = { 0 };

	if (c->in.len >= sizeof(r)) {
		memcpy(&r, c->in.data, sizeof(r));
		if (c->in.len < sizeof(r) + r.tail && !eof)
			return;
	}
	if (c->in.len < sizeof(r) || c->in.len < sizeof(r) + r.tail) {
		if (!eof)
			return;
		c->end = CHILD_NOT_RUN;
		c->status = ECHILD;
		snprintf(c->problem, sizeof(c->problem), "its monitor was killed");
		child_kill_marked(c->mark);
		record_done(c);
		return;
	}
	c->end = (enum child_end)r.end;
	c->status = r.status;
	c->ms = r.ms;
	c->total = r.total;
	c->strays = r.strays;
	c->survivors = r.survivors;
	memcpy(c->digest, r.digest, sizeof(c->digest));
	memcpy(c->problem, r.problem, sizeof(c->problem));
	buf_add(&c->tail, c->in.data + sizeof(r), r.tail);
	record_done(c);
}

static void
record_read(struct child *c)
{
	char chunk[16384];
	ssize_t n = recv(c->fd, chunk, sizeof(chunk), MSG_DONTWAIT);

	if (n > 0)
		buf_add(&c->in, chunk, (size_t)n);
	else if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return;
	record_take(c, n <= 0);
}

int
child_wait(struct child **list, size_t count, struct deadline until)
{
	struct pollfd *fds = mem_alloc((count + 1) * sizeof(*fds));
	int done = 0;

	for (;;) {
		int64_t left = deadline_left(until);
		size_t n = 0;

		done = 0;
		for (size_t i = 0; i < count; i++) {
			if (!list[i]->done && list[i]->fd != -1)
				fds[n++] = (struct pollfd){ list[i]->fd, POLLIN, 0 };
			done += list[i]->done;
		}
		if (done > 0 || n == 0 || left == 0)
			break;
		if (poll(fds, (nfds_t)n, left > 60000 ? 60000 : (int)left) == -1 && errno != EINTR)
			clock_sleep_us(1000);
		for (size_t i = 0; i < count; i++)
			if (!list[i]->done && list[i]->fd != -1)
				record_read(list[i]);
	}
	free(fds);
	return done;
}

void
child_free(struct child *c)
{
	if (c->fd != -1) {
		struct deadline limit = deadline_in(GONE_MS);

		forget_fd(c->fd);
		close(c->fd);
		while (waitpid(c->pid, NULL, WNOHANG) == 0 && !deadline_past(limit))
			clock_sleep_us(500);
	}
	buf_free(&c->tail);
	buf_free(&c->in);
	*c = (struct child)CHILD_INIT;
}

int
child_run(struct child *c, const struct child_spec *spec, struct error *e)
{
	if (child_start(c, spec, e) == -1)
		return -1;
	/* The monitor keeps the deadline; if it is killed, the socket ends. */
	while (!c->done)
		child_wait(&c, 1, DEADLINE_NEVER);
	return 0;
}

static const char *
signal_name(int sig)
{
	static const struct {
		int sig;
		char name[12];
	} names[] = { { SIGHUP, "SIGHUP" }, { SIGINT, "SIGINT" }, { SIGQUIT, "SIGQUIT" },
		{ SIGILL, "SIGILL" }, { SIGTRAP, "SIGTRAP" }, { SIGABRT, "SIGABRT" },
		{ SIGBUS, "SIGBUS" }, { SIGFPE, "SIGFPE" }, { SIGKILL, "SIGKILL" },
		{ SIGUSR1, "SIGUSR1" }, { SIGSEGV, "SIGSEGV" }, { SIGUSR2, "SIGUSR2" },
		{ SIGPIPE, "SIGPIPE" }, { SIGALRM, "SIGALRM" }, { SIGTERM, "SIGTERM" },
		{ SIGXCPU, "SIGXCPU" }, { SIGXFSZ, "SIGXFSZ" }, { SIGSYS, "SIGSYS" } };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].sig == sig)
			return names[i].name;
	return NULL;
}

void
child_describe(struct buf *b, const struct child *c)
{
	switch (c->end) {
	case CHILD_RUNNING:
		buf_puts(b, "still running");
		break;
	case CHILD_EXITED:
		buf_printf(b, "exit %d", c->status);
		break;
	case CHILD_SIGNALED:
		if (signal_name(c->status) != NULL)
			buf_printf(b, "killed by %s", signal_name(c->status));
		else
			buf_printf(b, "killed by signal %d", c->status);
		break;
	case CHILD_TIMED_OUT:
		buf_printf(b, "timed out after %lld.%lld s", (long long)(c->ms / 1000),
		    (long long)(c->ms % 1000 / 100));
		break;
	case CHILD_STOPPED:
		buf_puts(b, "stopped before it had finished");
		break;
	case CHILD_NOT_RUN:
		buf_puts(b, c->problem);
		break;
	}
}
