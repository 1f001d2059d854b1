#ifndef SYS_CHILD_PART_H
#define SYS_CHILD_PART_H

#include "sys/child.h"

/*
 * The process between us and a command (inner part of child.c).
 *
 * child_monitor_run() is called in a freshly forked process, which must exit
 * after it: it makes the process a session leader and subreaper, closes every
 * descriptor but `sock`, which becomes 3, runs the command, kills what is
 * left, and fills in the result.  End-of-file on sock means that our starter
 * is dead, a byte that it wants us to stop.
 */
void child_monitor_run(const struct child_spec *, char *const *env, int sock, struct child *result);

#endif
