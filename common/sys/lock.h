#ifndef SYS_LOCK_H
#define SYS_LOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"

/*
 * The client's locks, taken in its own protocol, and safe among ours.
 *
 * The client locks a file F by making the directory F.lock (proper-lockfile:
 * stale after 10 s, refreshed every 5 s, given up after 2.7 s).  We make the
 * same directory and hold a flock on it.  Ours has the sticky bit: if such
 * a directory can be flocked, its maker is dead, and it is taken over at once,
 * in place.  (How, and why it is safe: lock-dir.c.)
 *
 *	struct lock l = LOCK_INIT;
 *	lock_list(&l, dirfd, deadline, &err)	  the list: .lock, .lock.lock
 *	lock_task(&l, dirfd, "3.json", ...)	  a task: 3.json.lock
 *	... read again, decide, file_stage ...
 *	lock_verify(&l, &err)			  right before file_commit
 *	lock_release(&l)			  a no-op if not held
 *
 * Order everywhere: the list's lock before a task's, a task's before the
 * journal's; several tasks' only under the list's (the client holds one lock
 * at a time, and waits for no second one).  Hold for a millisecond, never while
 * a child runs: from 2 s on the client may take the lock over.
 *
 * Errors: ERROR_BUSY if it was not free before the deadline, or cannot be
 * taken at all (a file in its place); the text names the lock's path.
 * ERROR_LOST from lock_verify() if it was taken over meanwhile: drop the
 * staged file and start over.  ERROR_NOT_FOUND if the directory is gone.
 */
struct lock {
	int dirfd; /* of the directory that the lock is in; borrowed unless own_dirfd */
	bool own_dirfd;
	int queue; /* the locked file, flocked: our place in the queue; -1 */
	int fd;    /* the lock directory, flocked where that is possible; -1 */
	int file;  /* lock_own(), lock_file(): the file itself, open; -1 */
	bool held;
	bool local;     /* the file system is this machine's alone */
	char name[264]; /* of the lock directory; "" for a plain flock */
	ino_t ino;
	struct timespec mtime; /* as we set it: another's lock has another one */
	int64_t since_ms;
	struct lock *volatile next; /* of those held; a lock must not be moved while it is held */
};

#define LOCK_INIT                                              \
	{                                                      \
		.dirfd = -1, .queue = -1, .fd = -1, .file = -1 \
	}
#define LOCK_PATIENCE_MS 2500 /* default wait */

int lock_list(struct lock *, int dirfd, struct deadline, struct error *);
int lock_task(struct lock *, int dirfd, const char *file, struct deadline, struct error *);
int lock_verify(struct lock *, struct error *);
/* Held along with others: its place in the queue, and that descriptor, are not needed. */
void lock_leave_queue(struct lock *);
void lock_release(struct lock *);

/* A plain flock on a file of our own (journal, ledger), made if missing
 * (0600).  Falls back to a lock directory where there is no flock. */
int lock_own(struct lock *, int dirfd, const char *file, struct deadline, struct error *);
/* The same on a file that other programs flock too, and that is not made.  Shared: the file is
 * open for reading, and it is not locked where there is no flock. */
int lock_file(
    struct lock *, int dirfd, const char *file, bool shared, struct deadline, struct error *);

/* Release whatever this process holds: on the way out of a fault, and from
 * signal handlers (it calls nothing that is not async-signal-safe). */
void lock_release_all(void);

#endif
