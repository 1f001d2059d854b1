#ifndef SYS_PROCESS_H
#define SYS_PROCESS_H

#include <sys/types.h>

/* The topmost of the processes above this one that run the same command line, each the parent of
 * the next (a forked subshell lives only as long as its command); if there is none, itself. */
pid_t process_origin(pid_t);

#endif
