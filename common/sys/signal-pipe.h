#ifndef SYS_SIGNAL_PIPE_H
#define SYS_SIGNAL_PIPE_H

#include <stddef.h>

/*
 * Signals that make a pipe readable, to wait for them with poll(): none is lost that comes between
 * a look and the wait.  For one set of signals in a process.
 */

/* Take these signals from now on, blocked or not; the descriptor to poll, or -1 and errno. */
int signal_pipe_open(const int *signals, size_t count);
/* One that has come; 0: none.  Call it until then. */
int signal_pipe_next(int fd);

#endif
