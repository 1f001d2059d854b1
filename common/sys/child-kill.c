/*
 * Killing all descendants.
 *
 * Killing the process group is not enough: a process that calls setsid()
 * leaves it.  A subreaper inherits every orphan among its descendants, so killing
 * one's own children until there are none finds them all, whatever
 * they did to their groups and sessions; a child's pid cannot be reused
 * before we reap it, so the right process is hit.  The leader is reaped
 * last, for the same reason: its group id stays ours while we signal the group.
 * Systems without subreapers find them by a mark in the environment.
 *
 * Known holes: descendants that changed their user id, work handed to a
 * daemon that was there before (docker, a build server), processes stuck in
 * the kernel.  The first and the last are counted as survivors.
 */
#include "sys/child-kill.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "os/os.h"

#define KILL_LIMIT_MS 5000 /* then what is left counts as a survivor */
#define KILL_PAUSE_US 200

void
child_kill_all(pid_t leader, const char *mark, void (*idle)(void *), void *arg, unsigned *strays,
    unsigned *survivors)
{
	struct deadline limit = deadline_in(KILL_LIMIT_MS);
	unsigned seen, most = 0;

	if (leader > 0)
		kill(-leader, SIGKILL);
	for (;;) {
		pid_t pid;
		bool any = false;

		seen = os_kill_children(leader, mark[0] != '\0' ? mark : NULL, SIGKILL);
		most = seen > most ? seen : most;
		while ((pid = os_reap()) > 0)
			any = true;
		if (pid == -1 && errno == ECHILD && (seen == 0 || mark[0] == '\0')) {
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

void
child_kill_marked(const char *mark)
{
	struct deadline limit = deadline_in(KILL_LIMIT_MS);

	while (mark[0] != '\0' && os_kill_children(-1, mark, SIGKILL) > 0 && !deadline_past(limit))
		clock_sleep_us(KILL_PAUSE_US);
}
