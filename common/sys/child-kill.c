/*
 * Killing all descendants.
 *
 * Killing the process group is not enough: a process that calls setsid()
 * leaves it.  A subreaper inherits every orphan among its descendants, so killing
 * one's own children until there are none (ECHILD) finds them all, whatever
 * they did to their groups and sessions; a child's pid cannot be reused
 * before we reap it, so the right process is hit.  The leader is reaped
 * last, for the same reason: its group id stays ours while we signal the group.
 *
 * Known holes: descendants that changed their user id, work handed to a
 * daemon that was there before (docker, a build server), processes stuck in
 * the kernel.  The first and the last are counted as survivors.
 */
#include "sys/child-kill.h"

#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/process.h"

#define KILL_LIMIT_MS 5000 /* then what is left counts as a survivor */
#define KILL_PAUSE_US 200

/* Send sig to each of our children; how many there were, the leader aside. */
static unsigned
signal_children(pid_t leader, int sig)
{
	char path[64], *at, *end, *list;
	size_t len = 0, room = 1 << 16;
	unsigned count = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return 0;
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
		count += pid != leader;
	}
	free(list);
	return count;
}

/* Without CONFIG_PROC_CHILDREN: every process in /proc whose parent we are. */
static unsigned
signal_children_by_scan(pid_t leader, int sig)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	unsigned count = 0;

	while (proc != NULL && (d = readdir(proc)) != NULL) {
		long pid = strtol(d->d_name, NULL, 10);
		struct process p;

		if (pid <= 0 || process_read((pid_t)pid, &p) != 1 || p.parent != getpid())
			continue;
		kill((pid_t)pid, sig);
		count += pid != leader;
	}
	if (proc != NULL)
		closedir(proc);
	return count;
}

void
child_kill_all(pid_t leader, void (*idle)(void *), void *arg, unsigned *strays, unsigned *survivors)
{
	struct deadline limit = deadline_in(KILL_LIMIT_MS);
	unsigned seen = 0, most = 0;
	bool scan;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	scan = access(path, R_OK) == -1;
	if (leader > 0)
		kill(-leader, SIGKILL);
	for (;;) {
		pid_t pid;
		bool any = false;

		seen = scan ? signal_children_by_scan(leader, SIGKILL)
			    : signal_children(leader, SIGKILL);
		most = seen > most ? seen : most;
		while ((pid = waitpid(-1, NULL, WNOHANG | __WALL)) > 0)
			any = true;
		if (pid == -1 && errno == ECHILD) {
			seen = 0;
			break;
		}
		if (deadline_past(limit))
			break;
		idle(arg);
		if (!any)
			clock_sleep_us(KILL_PAUSE_US);
	}
	*strays = most;
	*survivors = seen;
}
