/*
 * What Darwin and the POSIX systems have in common: what Linux does by a call of its own is done
 * here by POSIX and sockets alone, or left out where nothing depends on it.
 */
#include "os/os.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define PARENT_MS 200      /* between two looks at the parent */
#define WATCH_MS 500       /* between two looks at a watched directory */
#define WATCH_ENTRIES 8192 /* of a directory are looked at */
#define FILES_MAX 65536    /* descriptors, where the open ones are not listed */

extern char **environ;

/* --- Processes --- */

int
os_pid_space(uint64_t *space)
{
	*space = 0;
	return 0;
}

/* --- Children --- */

static volatile pid_t first_parent;
static volatile sig_atomic_t parent_signal;

void
os_adopt_orphans(void)
{
}

const char *
os_mark_name(void)
{
	return "TASK_HOOKS_MARK";
}

static void
look_at_parent(int sig)
{
	const struct itimerval off = { 0 };
	int saved = errno;

	(void)sig;
	if (getppid() != first_parent) {
		setitimer(ITIMER_REAL, &off, NULL);
		raise(parent_signal);
	}
	errno = saved;
}

/* The caller executes no other program: that would get the alarms and end by them.  A child has no
 * timer. */
void
os_die_with_parent(int sig)
{
	const struct timeval period = { 0, PARENT_MS * 1000 };
	const struct itimerval timer = { period, period };
	struct sigaction action = { .sa_handler = look_at_parent, .sa_flags = SA_RESTART };
	sigset_t alarm_only;

	first_parent = getppid();
	parent_signal = sig;
	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

void
os_command_dies_with_parent(void)
{
}

pid_t
os_reap(void)
{
	return waitpid(-1, NULL, WNOHANG);
}

char **
os_environment(void)
{
	return environ;
}

void
os_execute(char *const argv[], char *const env[])
{
	environ = (char **)env;
	execvp(argv[0], argv);
}

/* --- Descriptors --- */

static int
close_on_exec(const int ends[2])
{
	int saved;

	if (fcntl(ends[0], F_SETFD, FD_CLOEXEC) != -1 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) != -1)
		return 0;
	saved = errno;
	close(ends[0]);
	close(ends[1]);
	errno = saved;
	return -1;
}

int
os_pipe(int ends[2])
{
	return pipe(ends) == -1 ? -1 : close_on_exec(ends);
}

int
os_socket_pair(int ends[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == -1 || close_on_exec(ends) == -1)
		return -1;
#ifdef SO_NOSIGPIPE
	for (int i = 0; i < 2; i++)
		setsockopt(ends[i], SOL_SOCKET, SO_NOSIGPIPE, &(int){ 1 }, sizeof(int));
#endif
	return 0;
}

ssize_t
os_send(int fd, const void *data, size_t len, bool wait)
{
	int flags = wait ? 0 : MSG_DONTWAIT;

#ifdef MSG_NOSIGNAL
	flags |= MSG_NOSIGNAL;
#endif
	return send(fd, data, len, flags);
}

void
os_pipe_enlarge(int fd)
{
	(void)fd;
}

#if defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__) || defined(__DragonFly__)
/* Their /dev/fd may list the first three only. */
void
os_close_from(int fd)
{
	closefrom(fd);
}
#else
void
os_close_from(int fd)
{
	DIR *open_ones = opendir("/dev/fd");
	long last = open_ones == NULL ? FILES_MAX : 0;
	struct dirent *d;

	while (open_ones != NULL && (d = readdir(open_ones)) != NULL) {
		long n = strtol(d->d_name, NULL, 10);

		last = n > last ? n : last;
	}
	if (open_ones != NULL)
		closedir(open_ones);
	for (; fd <= last; fd++)
		close(fd);
}
#endif

int
os_memory_file(void)
{
	const char *dir = getenv("TMPDIR");
	char path[PATH_MAX];
	int fd = -1;

	if (dir == NULL || dir[0] != '/' ||
	    snprintf(path, sizeof(path), "%s/task-hooks-XXXXXX", dir) >= (int)sizeof(path) ||
	    (fd = mkstemp(path)) == -1) {
		snprintf(path, sizeof(path), "/tmp/task-hooks-XXXXXX");
		if ((fd = mkstemp(path)) == -1)
			return -1;
	}
	unlink(path);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

/* --- Files --- */

/* The BSDs and Darwin take the nine bits of the permissions from its mode. */
bool
os_mkdir_sticky(void)
{
	return false;
}

/* It is open for reading already. */
int
os_reopen(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (copy != -1)
		(void)lseek(copy, 0, SEEK_SET);
	return copy;
}

/* --- Watching a directory --- */

static uint64_t
mix(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *at = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
	return hash;
}

/* The entry's name and what of it changes when it is written or replaced. */
static uint64_t
mix_entry(int dirfd, const char *name)
{
	uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), name, strlen(name));
	struct stat st;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return hash;
	hash = mix(hash, &st.st_ino, sizeof(st.st_ino));
	hash = mix(hash, &st.st_size, sizeof(st.st_size));
	hash = mix(hash, &st.st_mtim.tv_sec, sizeof(st.st_mtim.tv_sec));
	return mix(hash, &st.st_mtim.tv_nsec, sizeof(st.st_mtim.tv_nsec));
}

/* Of this directory, or the nearest above it that exists; the order of its entries does not matter.
 * 0 it cannot be read. */
static uint64_t
look_at(const char *dir)
{
	char *path = mem_string(dir), *slash;
	uint64_t sum = 1;
	struct dirent *d;
	DIR *entries;

	while ((entries = opendir(path)) == NULL && errno == ENOENT) {
		slash = strrchr(path, '/');
		if (slash == NULL || slash == path)
			break;
		*slash = '\0';
	}
	sum += mix(1, path, strlen(path));
	free(path);
	if (entries == NULL)
		return 0;
	for (int n = 0; n < WATCH_ENTRIES && (d = readdir(entries)) != NULL; n++)
		if (strcmp(d->d_name, "..") != 0)
			sum += mix_entry(dirfd(entries), d->d_name);
	closedir(entries);
	return sum;
}

int
os_watch_open(struct os_watch *w)
{
	*w = (struct os_watch){ .fd = -1, .period_ms = WATCH_MS, .id = -1 };
	return 0;
}

int
os_watch_dir(struct os_watch *w, const char *dir)
{
	if (w->dir == NULL || strcmp(w->dir, dir) != 0) {
		free(w->dir);
		w->dir = mem_string(dir);
	}
	w->seen = look_at(dir);
	return w->seen != 0 ? 0 : -1;
}

int
os_watch_changed(struct os_watch *w)
{
	uint64_t now = look_at(w->dir);
	bool changed = now != w->seen;

	w->seen = now;
	return changed ? 1 : 0;
}

void
os_watch_close(struct os_watch *w)
{
	free(w->dir);
	w->dir = NULL;
}
