/*
 * Run one command so that no process of it is left.
 *
 * The hook itself cannot do this, because the client may kill the
 * hook with SIGKILL; the monitor sees its end as end-of-file on the socket.
 */
#include "sys/child-part.h"

#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "os/os.h"
#include "sys/child-kill.h"
#include "sys/signal-pipe.h"

#define READ_SIZE (64u << 10)
#define READ_TURNS 16 /* reads before the deadline is checked again */

enum step { STEP_SETUP, STEP_DIRECTORY, STEP_EXEC, STEP_INTERPRETER };

struct failure { /* what the child writes when it cannot become the command */
	int step, error;
};

struct monitor {
	const struct child_spec *spec;
	struct child *result;
	pid_t leader;
	int sock, output, out, signals;
	struct hash hash;
	uint64_t hashed;
	char ring[CHILD_TAIL];
};

/*
 * Keep only sock, as descriptor 3, output, as 4, and the null device as 0, 1,
 * 2.  First all go where none of these can overwrite another.
 */
static int
keep_only(int *sock, int *output)
{
	int keep[3] = { open("/dev/null", O_RDWR), *sock, *output };

	for (int i = 0; i < 3; i++)
		if (keep[i] != -1 && (keep[i] = fcntl(keep[i], F_DUPFD_CLOEXEC, 5)) == -1)
			return -1;
	if (dup2(keep[0], 0) == -1 || dup2(keep[0], 1) == -1 || dup2(keep[0], 2) == -1)
		return -1;
	close(3);
	close(4);
	if (keep[1] != -1 && (*sock = fcntl(keep[1], F_DUPFD_CLOEXEC, 3)) != 3)
		return -1;
	if (keep[2] != -1 && (*output = dup2(keep[2], 4)) != -1)
		(void)fcntl(4, F_SETFD, FD_CLOEXEC);
	os_close_from(5);
	return keep[2] != -1 && *output == -1 ? -1 : 0;
}

static void
default_signals(void)
{
	for (int sig = 1; sig < NSIG; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			signal(sig, SIG_DFL);
}

/* A descriptor the command can read its input from. */
static int
open_input(const struct child_spec *spec)
{
	const char *at = spec->input;
	size_t left = spec->input_len;
	int fd, tries = 0;

	if (spec->input == NULL)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	if ((fd = os_memory_file()) == -1)
		return -1;
	while (left > 0) {
		ssize_t n = write(fd, at, left);

		if (n == -1 && error_again(&tries))
			continue;
		if (n <= 0) {
			close(fd);
			return -1;
		}
		at += n;
		left -= (size_t)n;
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static void
become(const struct monitor *m, char *const *env, pid_t parent, int in, int out, int notify)
{
	const struct child_spec *spec = m->spec;
	struct failure f = { STEP_SETUP, 0 };
	sigset_t none;
	int tries = 0;

	/* Die with the monitor; it may be gone already. */
	os_command_dies_with_parent();
	if (getppid() != parent)
		_exit(127);
	setsid();
	default_signals();
	sigemptyset(&none);
	if (dup2(in, 0) == -1 || dup2(m->output != -1 ? m->output : out, 1) == -1 ||
	    dup2(out, 2) == -1 || sigprocmask(SIG_SETMASK, &none, NULL) == -1)
		goto failed;
	f.step = STEP_DIRECTORY;
	if (spec->cwd != NULL && chdir(spec->cwd) == -1)
		goto failed;
	f.step = STEP_EXEC;
	os_execute(spec->argv, env);
	if (errno == ENOENT && strchr(spec->argv[0], '/') != NULL &&
	    access(spec->argv[0], F_OK) == 0) {
		f.step = STEP_INTERPRETER;
		errno = ENOENT;
	}
failed:
	f.error = errno;
	while (write(notify, &f, sizeof(f)) == -1 && error_again(&tries))
		;
	_exit(127);
}

static void
explain(struct child *c, const struct child_spec *spec, const struct failure *f)
{
	const char *program = spec->argv[0];
	size_t room = sizeof(c->problem);

	c->end = CHILD_NOT_RUN;
	c->status = f->error;
	if (f->step == STEP_DIRECTORY)
		snprintf(c->problem, room, "cannot enter the directory '%s': %s", spec->cwd,
		    strerror(f->error));
	else if (f->step == STEP_EXEC && f->error == ENOENT)
		snprintf(c->problem, room, "no such program: '%s'", program);
	else if (f->step == STEP_INTERPRETER)
		snprintf(c->problem, room, "'%s' names an interpreter that is not there", program);
	else if (f->step == STEP_EXEC)
		snprintf(c->problem, room, "cannot run '%s': %s", program, strerror(f->error));
	else
		snprintf(c->problem, room, "cannot set up the command: %s", strerror(f->error));
}

/* Fork the command.  0, or -1 with the result filled in. */
static int
launch(struct monitor *m, char *const *env)
{
	struct failure f = { STEP_SETUP, 0 };
	int out[2] = { -1, -1 }, notify[2] = { -1, -1 }, in = -1, tries = 0;
	pid_t self = getpid();
	ssize_t n = 0;

	if ((in = open_input(m->spec)) == -1 || os_pipe(out) == -1 || os_pipe(notify) == -1 ||
	    (m->leader = fork()) == -1) {
		f.error = errno;
		n = sizeof(f);
	} else if (m->leader == 0)
		become(m, env, self, in, out[1], notify[1]);
	close(in);
	close(out[1]);
	close(notify[1]);
	m->out = out[0];
	if (m->out != -1 && fcntl(m->out, F_SETFL, O_NONBLOCK) == -1 && n == 0) {
		f.error = errno;
		n = sizeof(f);
	}
	os_pipe_enlarge(m->out);
	while (n == 0 && (n = read(notify[0], &f, sizeof(f))) == -1 && error_again(&tries))
		n = 0;
	close(notify[0]);
	if (n != (ssize_t)sizeof(f))
		return 0;
	explain(m->result, m->spec, &f);
	return -1;
}

/* Take what is there; false at the end of the file. */
static bool
drain(struct monitor *m)
{
	static char chunk[READ_SIZE];

	for (int turn = 0; turn < READ_TURNS; turn++) {
		ssize_t n = read(m->out, chunk, sizeof(chunk));
		size_t at, part;

		if (n == -1)
			return errno == EAGAIN || errno == EINTR;
		if (n == 0)
			return false;
		if (m->hashed < CHILD_DIGEST) {
			size_t take = (size_t)n;

			if (take > CHILD_DIGEST - m->hashed)
				take = CHILD_DIGEST - (size_t)m->hashed;
			hash_add(&m->hash, chunk, take);
			m->hashed += take;
		}
		for (size_t done = 0; done < (size_t)n; done += part) {
			at = m->result->total % CHILD_TAIL;
			part = CHILD_TAIL - at;
			if (part > (size_t)n - done)
				part = (size_t)n - done;
			memcpy(m->ring + at, chunk + done, part);
			m->result->total += part;
		}
		if (m->spec->live != NULL) {
			part = (size_t)n < CHILD_LIVE - 1 ? (size_t)n : CHILD_LIVE - 1;
			memcpy(m->spec->live, chunk + n - part, part);
			m->spec->live[part] = '\0';
		}
	}
	return true;
}

/* Between two rounds of killing. */
static void
drain_on(void *arg)
{
	struct monitor *m = arg;

	if (m->out != -1)
		drain(m);
}

/* Has the leader ended?  It stays a zombie; orphans given to this process are reaped. */
static bool
leader_ended(struct monitor *m)
{
	for (;;) {
		siginfo_t si = { 0 };

		if (waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) == -1)
			return errno == ECHILD;
		if (si.si_pid == 0)
			return false;
		if (si.si_pid == m->leader) {
			m->result->end = si.si_code == CLD_EXITED ? CHILD_EXITED : CHILD_SIGNALED;
			/* macOS gives all bits that were given to exit(). */
			m->result->status = si.si_status & 0xff;
			return true;
		}
		waitpid(si.si_pid, NULL, WNOHANG);
	}
}

/* Does the starter want us to stop?  'd' it died, 's' it said so, 0 no. */
static char
asked_to_stop(struct monitor *m, const struct pollfd *sock, const struct pollfd *signals)
{
	char byte;
	ssize_t n;
	int sig;
	char answer = 0;

	while (signals->revents != 0 && (sig = signal_pipe_next(m->signals)) != 0)
		if (sig != SIGCHLD)
			answer = 's';
	if (sock->revents != 0) {
		n = recv(m->sock, &byte, 1, MSG_DONTWAIT);
		if (n == 1)
			answer = 's';
		else if (n == 0 || (errno != EAGAIN && errno != EINTR))
			answer = 'd';
	}
	return answer;
}

static void
watch(struct monitor *m)
{
	struct deadline until = m->spec->deadline;
	enum child_end why = CHILD_RUNNING;
	bool more = true;

	for (;;) {
		struct pollfd fds[3] = { { m->signals, POLLIN, 0 },
			{ more ? m->out : -1, POLLIN, 0 }, { m->sock, POLLIN, 0 } };
		int64_t left = deadline_left(until);
		char stop;

		if (leader_ended(m))
			break;
		if (left > 0 && poll(fds, 3, left > 60000 ? 60000 : (int)left) == -1 &&
		    errno != EINTR)
			clock_sleep_us(1000); /* no memory: go on by the clock */
		stop = asked_to_stop(m, &fds[2], &fds[0]);
		if (fds[1].revents != 0)
			more = drain(m);
		if (stop == 'd') {
			why = CHILD_STOPPED;
			break;
		}
		if (stop == 0 && !deadline_past(until))
			continue;
		if (why != CHILD_RUNNING && stop == 0)
			break; /* the grace is over */
		if (why == CHILD_RUNNING) {
			why = stop != 0 ? CHILD_STOPPED : CHILD_TIMED_OUT;
			until = deadline_in(CHILD_GRACE_MS);
			kill(-m->leader, SIGTERM);
			kill(-m->leader, SIGCONT);
		}
	}
	if (why != CHILD_RUNNING) {
		m->result->end = why;
		m->result->status = 0;
	}
}

static void
finish(struct monitor *m)
{
	struct child *c = m->result;
	size_t at = (size_t)(c->total % CHILD_TAIL);

	if (c->total > CHILD_TAIL)
		buf_add(&c->tail, m->ring + at, CHILD_TAIL - at);
	buf_add(&c->tail, m->ring, c->total >= CHILD_TAIL && at == 0 ? CHILD_TAIL : at);
	hash_end(&m->hash, c->digest);
	c->done = true;
}

void
child_monitor_run(const struct child_spec *spec, char *const *env, int sock, struct child *result)
{
	static const int taken[] = { SIGTERM, SIGINT, SIGHUP, SIGCHLD };
	static struct monitor m;
	int64_t start = clock_ms();
	sigset_t mask;
	int error;

	m = (struct monitor){ .spec = spec,
		.result = result,
		.sock = sock,
		.output = spec->output != NULL ? *spec->output : -1,
		.out = -1,
		.signals = -1 };
	hash_begin(&m.hash);
	setsid();
	os_adopt_orphans();
	sigfillset(&mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	default_signals();
	error = keep_only(&m.sock, &m.output) == -1 ? errno : 0;
	m.signals = signal_pipe_open(taken, sizeof(taken) / sizeof(taken[0]));
	if (error != 0 || m.signals == -1)
		explain(result, spec, &(struct failure){ STEP_SETUP, error != 0 ? error : errno });
	else if (launch(&m, env) == 0)
		watch(&m);
	result->ms = clock_ms() - start;
	child_kill_all(m.leader, result->mark, drain_on, &m, &result->strays, &result->survivors);
	for (int turn = 0; m.out != -1 && turn < 4 && drain(&m); turn++)
		;
	finish(&m);
}
