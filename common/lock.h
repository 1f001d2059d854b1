#ifndef COMMON_LOCK_H
#define COMMON_LOCK_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "clock.h"
#include "error.h"

/*
 * The client's locks, taken in its own protocol, and a queue among ours.
 *
 * The client locks a file F by making the directory F.lock (proper-lockfile:
 * stale after 10 s, refreshed every 5 s, given up after 2.7 s).  We do the
 * same, after waiting in a flock queue of our own, so that our processes
 * never meet at the directory and a killed one is noticed at once: the
 * directory carries the sticky bit, and whoever holds the flock and finds
 * such a directory knows that its maker is dead.
 *
 *	struct lock l = LOCK_INIT;
 *	lock_list(&l, dirfd, deadline, &err)	  the list: .lock, .lock.lock
 *	lock_task(&l, dirfd, "3.json", ...)	  a task: 3.json.lock
 *	... read again, decide, file_stage ...
 *	lock_verify(&l, &err)			  right before file_commit
 *	lock_release(&l)			  a no-op if not held
 *
 * Order everywhere: the list's lock before a task's, a task's before the
 * journal's; never two task locks at once.  Hold for a millisecond, never
 * while a child runs.  A timeout is ERROR_BUSY and names the lock.
 * A lock that was lost meanwhile is ERROR_LOST: drop the staged file and
 * start over.
 */
struct lock {
	int dirfd; /* borrowed */
	int queue; /* the flock, -1 */
	bool held;
	char name[264]; /* of the directory */
	ino_t ino;
	struct timespec ctime;
};

#define LOCK_INIT                        \
	{                                \
		.dirfd = -1, .queue = -1 \
	}
#define LOCK_PATIENCE_MS 2500 /* default wait */

int lock_list(struct lock *, int dirfd, struct deadline, struct error *);
int lock_task(struct lock *, int dirfd, const char *file, struct deadline, struct error *);
int lock_verify(struct lock *, struct error *);
void lock_release(struct lock *);

/* A plain flock on a file of our own (journal, ledger): made if missing. */
int lock_own(struct lock *, int dirfd, const char *file, struct deadline, struct error *);

/* Release whatever this process holds (on the way out of a fault). */
void lock_release_all(void);

#endif
