#ifndef SYS_PROCESS_H
#define SYS_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

/* What /proc/PID/stat says about a process. */
struct process {
	char name[64]; /* the kernel cuts a program's name to 15 bytes, a kernel thread's to 63 */
	char state;    /* 'Z' and 'X': it has ended, and its parent has not waited for it yet */
	pid_t parent;
	uint64_t start; /* ticks since boot; with the pid it names one process */
};

/* 1 read, 0 there is no such process, -1 and errno.  Does not allocate. */
int process_read(pid_t, struct process *);

/* A file of NUL-terminated strings ("cmdline", "environ"); false if it cannot be read or is
 * empty. */
bool process_strings(pid_t, const char *file, struct buf *);

/* Was the process started with this in its environment ("NAME=value")?  1, 0, -1 unknown. */
int process_has_env(pid_t, const char *);

/* The topmost of the processes above this one that run the same command line, each the parent of
 * the next (a forked subshell lives only as long as its command); if there is none, itself. */
pid_t process_origin(pid_t);

#endif
