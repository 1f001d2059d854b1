/*
 * Processes on any POSIX system, by the utility ps.
 *
 * ps is started by its path, with an environment of our own, so that nobody can put another in its
 * place.  Of its options only those are used that all BSDs and procps have.
 */
#include "os/os.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define PS_MS 5000         /* then it is killed, and nothing is known */
#define PS_MAX (2u << 20)  /* bytes of one process */
#define PS_ALL (64u << 20) /* of all processes */
#define PS_TRIES 3
#define START_SLACK 2 /* seconds; ps tells whole ones */

/* --- ps --- */

struct ps {
	pid_t pid;
	int fd;
	struct deadline until;
	size_t left; /* bytes that we still take */
};

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

static int
ps_open(struct ps *ps, char *const argv[], size_t max)
{
	sigset_t all, before;
	int ends[2], saved;

	if (os_pipe(ends) == -1)
		return -1;
	*ps = (struct ps){ .fd = ends[0], .until = deadline_in(PS_MS), .left = max };
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

/* Up to size bytes of its output; 0 at the end, -1 if it takes too long or is too much. */
static ssize_t
ps_read(struct ps *ps, char *data, size_t size)
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

/* Did it run?  whole: its output was read to the end. */
static bool
ps_close(struct ps *ps, bool whole)
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

/* All its output as text, at most size - 1 bytes; -1, else the length. */
static ssize_t
ps_line(char *const argv[], char *text, size_t size)
{
	size_t len = 0;
	ssize_t n = 0;
	struct ps ps;

	if (ps_open(&ps, argv, PS_MAX) == -1)
		return -1;
	while (len < size - 1 && (n = ps_read(&ps, text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	return ps_close(&ps, n == 0) ? (ssize_t)len : -1;
}

/* The same of one process, without the newline; false if there is none. */
static bool
ps_text(pid_t pid, const char *environment, const char *what, struct buf *text)
{
	char number[24];
	char *argv[] = { (char[]){ "ps" }, (char *)environment, (char[]){ "-o" }, (char *)what,
		(char[]){ "-p" }, number, NULL };
	struct ps ps;
	ssize_t n;

	buf_reset(text);
	snprintf(number, sizeof(number), "%ld", (long)pid);
	if (pid <= 0 || ps_open(&ps, argv, PS_MAX) == -1)
		return false;
	do {
		buf_need(text, 16384);
		n = ps_read(&ps, text->data + text->len, 16384);
		if (n > 0)
			text->len += (size_t)n;
	} while (n > 0);
	while (text->len > 0 && strchr(" \n", text->data[text->len - 1]) != NULL)
		text->len--;
	text->data[text->len] = '\0';
	return ps_close(&ps, n == 0) && text->len > 0;
}

/* --- Processes --- */

/* "[[days-]hours:]minutes:seconds"; -1 */
static int64_t
elapsed_s(const char *text)
{
	int64_t days = 0, sum = 0;
	int parts = 0;
	char *end;

	for (;; text = end + 1) {
		int64_t n = strtoll(text, &end, 10);

		if (end == text || n < 0 || n > 10000000)
			return -1;
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

/* "  1  02-10:00:01 Ss  name": the name may have blanks, and is a path on some systems. */
static int
process_parse(char *line, int64_t now, struct os_process *p)
{
	char elapsed[32], state[16], *name, *end;
	int64_t age;
	int parent, at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%d %31s %15s %n", &parent, elapsed, state, &at) != 3 || at == 0 ||
	    (age = elapsed_s(elapsed)) == -1)
		return -1;
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
	*p = (struct os_process){ .ended = strchr("ZX", state[0]) != NULL,
		.parent = parent,
		.start = age < now ? (uint64_t)(now - age) : 0 };
	snprintf(p->name, sizeof(p->name), "%.*s", (int)sizeof(p->name) - 1, name);
	return 0;
}

int
os_process_read(pid_t pid, struct os_process *p)
{
	char line[1024], number[24];
	char *argv[] = { (char[]){ "ps" }, (char[]){ "-o" }, (char[]){ "ppid=" }, (char[]){ "-o" },
		(char[]){ "etime=" }, (char[]){ "-o" }, (char[]){ "stat=" }, (char[]){ "-o" },
		(char[]){ "comm=" }, (char[]){ "-p" }, number, NULL };
	int64_t before;
	ssize_t len;
	int tries = 0;

	if (pid <= 0 || (kill(pid, 0) == -1 && errno == ESRCH))
		return 0;
	snprintf(number, sizeof(number), "%ld", (long)pid);
	do {
		/* What was read long before now would tell a wrong start. */
		before = time(NULL);
		if ((len = ps_line(argv, line, sizeof(line))) == -1)
			return -1;
	} while (time(NULL) - before > 1 && ++tries < PS_TRIES);
	if (len > 0 && process_parse(line, time(NULL), p) == 0)
		return 1;
	if (kill(pid, 0) == -1 && errno == ESRCH)
		return 0;
	errno = EPROTO;
	return -1;
}

bool
os_process_same(uint64_t start, uint64_t other)
{
	return (start > other ? start - other : other - start) <= START_SLACK;
}

/* ps does not say where a word ends: at each blank, here. */
bool
os_process_words(pid_t pid, struct buf *words)
{
	size_t len = 0;

	if (!ps_text(pid, "-ww", "args=", words))
		return false;
	for (size_t i = 0; i < words->len; i++)
		if (words->data[i] != ' ')
			words->data[len++] = words->data[i];
		else if (len > 0 && words->data[len - 1] != '\0')
			words->data[len++] = '\0';
	words->data[len++] = '\0'; /* there is room for one */
	words->len = len;
	return len > 1;
}

/* The environment stands behind the words. */
int
os_process_has_env(pid_t pid, const char *assignment)
{
	struct buf all = { 0 }, words = { 0 };
	size_t len = strlen(assignment);
	int has = -1;

	if (ps_text(pid, "eww", "command=", &all)) {
		for (char *at = all.data; has == -1 && (at = strstr(at, assignment)) != NULL; at++)
			if (at > all.data && at[-1] == ' ' && strchr(" ", at[len]) != NULL)
				has = 1;
		/* No more than the words: none was shown. */
		if (has == -1 && ps_text(pid, "-ww", "args=", &words) && all.len > words.len)
			has = 0;
	}
	buf_free(&all);
	buf_free(&words);
	return has;
}

bool
os_process_program(pid_t pid, char path[PATH_MAX])
{
	(void)pid;
	(void)path;
	return false;
}

bool
os_process_cwd(pid_t pid, char path[PATH_MAX])
{
	(void)pid;
	(void)path;
	return false;
}

bool
os_processes_shown(int *error)
{
	struct os_process p;
	int rc = os_process_read(getpid(), &p);

	*error = rc == -1 ? errno : 0;
	return rc == 1 && p.parent == getppid();
}

static bool
is_program(const char *file, char path[PATH_MAX])
{
	struct stat st;

	return realpath(file, path) != NULL && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

static bool
search_path(const char *name, char path[PATH_MAX])
{
	const char *at = getenv("PATH");
	char file[PATH_MAX];

	for (; at != NULL && *at != '\0'; at += strspn(at, ":")) {
		int len = (int)strcspn(at, ":");

		if (snprintf(file, sizeof(file), "%.*s/%s", len, at, name) < (int)sizeof(file) &&
		    is_program(file, path))
			return true;
		at += len;
	}
	return false;
}

/* By the name it was called with.  That may have blanks: the first of its beginnings that is a
 * program. */
bool
os_self(char path[PATH_MAX])
{
	struct buf words = { 0 };
	bool found = false;
	char *end;

	if (ps_text(getpid(), "-ww", "args=", &words))
		for (end = words.data; !found && *end != '\0'; end++) {
			char kept;

			end += strcspn(end, " ");
			kept = *end;
			*end = '\0';
			found = strchr(words.data, '/') != NULL ? is_program(words.data, path)
								: search_path(words.data, path);
			*end = kept;
			if (kept == '\0')
				break;
		}
	buf_free(&words);
	return found;
}

/* --- Children --- */

struct sought {
	pid_t leader;
	const char *mark;
	int sig;
	unsigned count;
	/* The line so far. */
	char head[64];
	size_t len, matched; /* of the mark's bytes */
	bool word_begins, found;
};

static void
line_begin(struct sought *s)
{
	s->len = s->matched = 0;
	s->word_begins = s->found = false;
}

/* "  pid  ppid  pgid stat command" */
static void
line_end(struct sought *s, pid_t ps)
{
	int pid, parent, group;
	char state[8];
	bool child;

	s->head[s->len] = '\0';
	if (sscanf(s->head, "%d %d %d %7s", &pid, &parent, &group, state) != 4 || pid <= 1 ||
	    pid == getpid() || pid == ps)
		return;
	child = s->leader > 0 && parent == getpid();
	if (!child && (state[0] == 'Z' || !(s->found || (s->leader > 0 && group == s->leader))))
		return;
	kill(pid, s->sig);
	s->count += pid != s->leader;
}

/* The mark has no blanks: it is a whole word or not there. */
static void
line_byte(struct sought *s, char c)
{
	size_t len = s->mark != NULL ? strlen(s->mark) : 0;

	if (s->len < sizeof(s->head) - 1)
		s->head[s->len++] = c;
	if (c == ' ') {
		s->found |= len > 0 && s->matched == len;
		s->matched = 0;
		s->word_begins = true;
	} else {
		s->matched = (s->word_begins || s->matched > 0) && s->matched < len &&
				     s->mark[s->matched] == c
				 ? s->matched + 1
				 : 0;
		s->word_begins = false;
	}
}

/* Without a leader only what has the mark: the other children of a hook are other commands. */
unsigned
os_kill_children(pid_t leader, const char *mark, int sig)
{
	char *argv[] = { (char[]){ "ps" }, (char[]){ "axeww" }, (char[]){ "-o" },
		(char[]){ "pid=" }, (char[]){ "-o" }, (char[]){ "ppid=" }, (char[]){ "-o" },
		(char[]){ "pgid=" }, (char[]){ "-o" }, (char[]){ "stat=" }, (char[]){ "-o" },
		(char[]){ "command=" }, NULL };
	struct sought s = { .leader = leader, .mark = mark, .sig = sig };
	char chunk[16384];
	struct ps ps;
	ssize_t n;

	if (leader > 0)
		kill(-leader, sig);
	if (ps_open(&ps, argv, PS_ALL) == -1)
		return 0;
	line_begin(&s);
	while ((n = ps_read(&ps, chunk, sizeof(chunk))) > 0)
		for (ssize_t i = 0; i < n; i++)
			if (chunk[i] != '\n')
				line_byte(&s, chunk[i]);
			else {
				line_byte(&s, ' ');
				line_end(&s, ps.pid);
				line_begin(&s);
			}
	(void)ps_close(&ps, n == 0);
	return s.count;
}
