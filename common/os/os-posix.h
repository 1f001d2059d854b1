#ifndef OS_OS_POSIX_H
#define OS_OS_POSIX_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/clock.h"
#include "os/os.h"

/*
 * The utility ps, from which a POSIX system's processes are known.
 *
 * It is started by its path, without a shell and with an environment of our own, so that nobody can
 * put another in its place.  Of its options only those are used that all BSDs and procps have.
 */
#define OS_PS_MAX (2u << 20)  /* bytes of a few processes */
#define OS_PS_ALL (64u << 20) /* of all processes, with their environments */

struct os_ps {
	pid_t pid;
	int fd;
	struct deadline until; /* then it is killed, and nothing is known */
	size_t left;           /* bytes that we still take */
};

int os_ps_open(struct os_ps *, char *const argv[], size_t max);
/* Up to size bytes of its output; 0 at the end, -1 if it takes too long or is too much. */
ssize_t os_ps_read(struct os_ps *, char *, size_t size);
/* Did it run?  whole: its output was read to the end. */
bool os_ps_close(struct os_ps *, bool whole);

/* The columns that os_ps_parse() reads: pid, ppid, etime, stat, comm. */
#define OS_PS_COLUMNS                                                                      \
	(char[]){ "-o" }, (char[]){ "pid=" }, (char[]){ "-o" }, (char[]){ "ppid=" },       \
	    (char[]){ "-o" }, (char[]){ "etime=" }, (char[]){ "-o" }, (char[]){ "stat=" }, \
	    (char[]){ "-o" }, (char[])                                                     \
	{                                                                                  \
		"comm="                                                                    \
	}
/* A line of them, read at this time (in seconds since 1970). */
bool os_ps_parse(char *line, int64_t now, pid_t *, struct os_process *);

/* All its output as text, at most size - 1 bytes: the length, or -1.  Does not allocate. */
ssize_t os_ps_line(char *const argv[], char *text, size_t size);
/* What it says about these processes ("1,2"): a line "pid what" each, without the last newline;
 * false if that is nothing. */
bool os_ps_text(const char *pids, const char *environment, const char *what, struct buf *);

/*
 * The processes above this one, which are asked for again and again: read by one ps, and known for
 * half a second.
 */
/* NULL: it is not one of them, or they cannot be read. */
const struct os_process *os_above_find(pid_t);
/* Are they read, and is what ps shows our own space of processes? */
bool os_above_shown(void);
/* Its command line, as ps writes it; false if it is not one of them. */
bool os_above_words(pid_t, struct buf *);

#endif
