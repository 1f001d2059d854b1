#ifndef SYS_CHILD_KILL_H
#define SYS_CHILD_KILL_H

#include <sys/types.h>

/*
 * Kill and reap every child of this process, which must be a subreaper, until none is
 * left (inner part of child-monitor.c).  leader, not yet reaped, leads the
 * command's group; <= 0: there is none.  idle(arg) is called between two rounds.
 * strays: how many there were beside the leader; survivors: how many are still alive.
 */
void child_kill_all(
    pid_t leader, void (*idle)(void *), void *arg, unsigned *strays, unsigned *survivors);

#endif
