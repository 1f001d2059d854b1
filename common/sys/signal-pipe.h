#ifndef SYS_SIGNAL_PIPE_H
#define SYS_SIGNAL_PIPE_H

#include <stddef.h>

/*
 * Signals as bytes in a pipe, to wait for them with poll(): none is lost that comes between a look
 * and the wait.  For one set of signals in a process.
 */

/* Take these signals from now on, blocked or not; the descriptor to poll, or -1 and errno. */
int signal_pipe_open(const int *signals, size_t count);
/* The next one that has come; 0: none. */
int signal_pipe_next(int fd);

#endif
