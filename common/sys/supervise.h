#ifndef SYS_SUPERVISE_H
#define SYS_SUPERVISE_H

#include <stdint.h>

/*
 * A parent that answers when the hook itself no longer can.
 *
 * supervise() returns in a child, which goes on as if nothing had happened.
 * The parent waits and never returns: it exits with the child's status,
 * or, if the child was killed, crashed, or is not done after limit_ms, with
 * what refuse() returns (it writes the answer; it must not allocate).
 * When no child can be made, refuse() answers as well: an unsupervised
 * check is not a check.
 */
void supervise(int64_t limit_ms, int (*refuse)(const char *why));

/*
 * Called by the child: another limit, counted like the first from the call of
 * supervise(); at most INT_MAX.  Does nothing in a process without supervisor.
 */
void supervise_limit(int64_t limit_ms);

#endif
