#ifndef SYS_CHILD_KILL_H
#define SYS_CHILD_KILL_H

#include <sys/types.h>

/*
 * Kill every process of a command, and reap those that are our children (inner part of
 * child-monitor.c).  leader, not yet reaped, leads the command's group; <= 0: there is none.
 * mark: what all of them have in their environment, or "".  idle(arg) is called between two rounds.
 * strays: how many there were beside the leader; survivors: how many are still alive.
 */
void child_kill_all(pid_t leader, const char *mark, void (*idle)(void *), void *arg,
    unsigned *strays, unsigned *survivors);

/* The same for the processes of a command whose monitor was killed; "": nothing is done. */
void child_kill_marked(const char *mark);

#endif
