#ifndef SYS_LOCK_DIR_H
#define SYS_LOCK_DIR_H

#include "sys/lock.h"

/*
 * One try at a lock directory; the waiting is lock.c's.
 *
 * l->dirfd, l->name and l->local are set.  l->fd is kept between tries on
 * the same directory, and closed by lock_dir_forget().
 */
enum lock_try {
	LOCK_TAKEN,   /* ours now */
	LOCK_AGAIN,   /* it changed meanwhile: try again at once */
	LOCK_OURS,    /* a live process of ours has it */
	LOCK_CLIENTS, /* the client has it, or a program with the same protocol */
	LOCK_FAILED,  /* the error says why; do not try again */
};

enum lock_try lock_dir_try(struct lock *, struct error *);
/* If not, errno says why: 0 or ENOENT, it was taken over; else it is not known.
 * Async-signal-safe. */
bool lock_dir_mine(const struct lock *);
int lock_dir_refresh(struct lock *);
void lock_dir_forget(struct lock *);

/* Worth another try?  Asks the file system as little as possible. */
bool lock_dir_free(struct lock *, enum lock_try);

enum lock_flock { FLOCK_FAILED = -1, FLOCK_HELD, FLOCK_GOT, FLOCK_NONE /* no such locks here */ };
enum lock_flock lock_flock(int fd, bool shared); /* does not wait */

#endif
