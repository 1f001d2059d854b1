/*
 * Linux: processes, by /proc and prctl.
 */
#include "os/os.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

#define PROC_MAX (2u << 20) /* bytes of an environment or a command line */

/* "7 (name) S 1 ...".  The name may hold blanks and brackets: the last ')' ends it. */
static int
process_parse(char *stat, struct os_process *p)
{
	char *name = strchr(stat, '('), *end = strrchr(stat, ')'), state;
	int parent;

	if (name == NULL || end == NULL || end < name)
		return -1;
	*end = '\0';
	snprintf(p->name, sizeof(p->name), "%s", name + 1);
	/* Fields 3, 4 and 22. */
	if (sscanf(end + 1,
		" %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		"%" SCNu64,
		&state, &parent, &p->start) != 3)
		return -1;
	p->ended = state == 'Z' || state == 'X';
	p->parent = parent;
	return 0;
}

int
os_process_read(pid_t pid, struct os_process *p)
{
	char path[64], stat[1024];
	size_t len = 0;
	ssize_t n;
	int fd, saved;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return errno == ENOENT ? 0 : -1;
	/* The kernel makes the text, a line, at the first read. */
	while ((n = read(fd, stat + len, sizeof(stat) - 1 - len)) > 0) {
		len += (size_t)n;
		if (stat[len - 1] == '\n')
			break;
	}
	saved = errno;
	close(fd);
	if (n == -1) {
		errno = saved;
		return saved == ESRCH ? 0 : -1;
	}
	stat[len] = '\0';
	if (process_parse(stat, p) == 0)
		return 1;
	errno = EPROTO;
	return -1;
}

bool
os_process_same(uint64_t start, uint64_t other)
{
	return start == other;
}

/* A file of NUL-terminated strings; false if it cannot be read or is empty. */
static bool
process_strings(pid_t pid, const char *file, struct buf *text)
{
	char path[64];
	ssize_t n = 0;
	int fd, tries = 0;

	buf_reset(text);
	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, file);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return false;
	do {
		buf_need(text, 16384);
		n = read(fd, text->data + text->len, 16384);
		if (n > 0)
			text->len += (size_t)n;
	} while ((n > 0 && text->len <= PROC_MAX) || (n == -1 && error_again(&tries)));
	close(fd);
	text->data[text->len] = '\0';
	return n == 0 && text->len > 0;
}

bool
os_process_words(pid_t pid, struct buf *words)
{
	return process_strings(pid, "cmdline", words);
}

int
os_process_has_env(pid_t pid, const char *assignment)
{
	struct buf env = { 0 };
	int has = process_strings(pid, "environ", &env) ? 0 : -1;

	for (size_t at = 0; has == 0 && at < env.len; at += strlen(env.data + at) + 1)
		has = strcmp(env.data + at, assignment) == 0;
	buf_free(&env);
	return has;
}

/* The links themselves, not what they say: they work for a deleted file and in another root too. */
bool
os_process_program(pid_t pid, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "/proc/%ld/exe", (long)pid);
	return true;
}

bool
os_process_cwd(pid_t pid, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "/proc/%ld/cwd", (long)pid);
	return true;
}

/* /proc must be there, and that of our PID namespace. */
bool
os_processes_shown(int *error)
{
	struct statfs fs;
	char self[32];
	ssize_t n = readlink("/proc/self", self, sizeof(self) - 1);

	if (n == -1 || statfs("/proc", &fs) == -1) {
		*error = errno;
		return false;
	}
	*error = 0;
	if (fs.f_type != PROC_SUPER_MAGIC)
		return false;
	self[n] = '\0';
	return strtol(self, NULL, 10) == (long)getpid();
}

bool
os_self(char path[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);

	path[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static int64_t
clock_of(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int64_t
os_boot_s(void)
{
	return (clock_of(CLOCK_REALTIME) - clock_of(CLOCK_BOOTTIME)) / 1000000000;
}

void
os_machine_name(char *name, size_t size)
{
	(void)size;
	name[0] = '\0';
}

void
os_boot_name(char *name, size_t size)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd != -1 ? read(fd, name, size - 1) : 0;

	if (fd != -1)
		close(fd);
	name[n > 0 ? n : 0] = '\0';
	name[strcspn(name, " \n")] = '\0';
}

int
os_pid_space(uint64_t *space)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) == -1)
		return -1;
	*space = st.st_ino;
	return 0;
}

/* --- Children --- */

void
os_adopt_orphans(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

const char *
os_mark_name(void)
{
	return NULL;
}

void
os_die_with_parent(int sig)
{
	prctl(PR_SET_PDEATHSIG, sig);
}

void
os_command_dies_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* The children that the kernel lists; -1: it lists none (no CONFIG_PROC_CHILDREN). */
static int
kill_listed(pid_t leader, int sig, unsigned *count)
{
	char path[64], *at, *end, *list;
	size_t len = 0, room = 1 << 16;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return -1;
	list = malloc(room + 1);
	while (list != NULL && len < room && (n = read(fd, list + len, room - len)) > 0)
		len += (size_t)n;
	close(fd);
	if (list == NULL)
		return 0;
	/* A pid cut off by the end of the buffer would be another's. */
	while (len == room && len > 0 && list[len - 1] != ' ')
		len--;
	list[len] = '\0';
	for (at = list;; at = end) {
		long pid = strtol(at, &end, 10);

		if (end == at)
			break;
		kill((pid_t)pid, sig);
		*count += pid != leader;
	}
	free(list);
	return 0;
}

unsigned
os_kill_children(pid_t leader, const char *mark, int sig)
{
	unsigned count = 0;
	struct dirent *d;
	DIR *proc;

	(void)mark;
	if (kill_listed(leader, sig, &count) == 0 || (proc = opendir("/proc")) == NULL)
		return count;
	while ((d = readdir(proc)) != NULL) {
		long pid = strtol(d->d_name, NULL, 10);
		struct os_process p;

		if (pid <= 0 || os_process_read((pid_t)pid, &p) != 1 || p.parent != getpid())
			continue;
		kill((pid_t)pid, sig);
		count += pid != leader;
	}
	closedir(proc);
	return count;
}

pid_t
os_reap(void)
{
	return waitpid(-1, NULL, WNOHANG | __WALL);
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
