#ifndef SYS_CHILD_PART_H
#define SYS_CHILD_PART_H

#include "sys/child.h"

/*
 * The process that stands between us and a command (inner part of child.c).
 *
 * child_monitor_run() is called in a freshly forked process and never returns to
 * its caller's program: it makes the process a session leader and subreaper,
 * lets go of every descriptor but `sock`, runs the command, kills
 * what is left, and fills in the result.  End-of-file on sock means that
 * our starter is dead, a byte that it wants us to stop; sock -1: nobody to listen to.
 */
struct child_record {
	int32_t end, status;
	int64_t ms;
	uint64_t total;
	uint32_t strays, survivors, tail;
	char digest[65];
	char problem[200];
}; /* then `tail` bytes */

void child_monitor_run(const struct child_spec *, char *const *env, int sock, struct child *result);
void child_record_send(int sock, const struct child *);

#endif
