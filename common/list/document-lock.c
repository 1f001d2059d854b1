/*
 * Two locks.  Other tools flock tasks.json itself and write in place.  We take
 * that flock too, but we replace the file, and the flock is then on the old
 * one.  So our processes exclude each other by a flock on .tasks.lock, and
 * after a write the next read flocks the new tasks.json.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "list/document.h"
#include "sys/lock-dir.h"

#define DOCUMENT_LOCK ".tasks.lock"
#define RETRY_US 500

/* Flocks the descriptor; closes it on failure. */
static int
lock_fd(const struct store *s, int fd, struct deadline deadline, struct error *err)
{
	for (;;) {
		switch (lock_flock(fd)) {
		case FLOCK_GOT:
		case FLOCK_NONE: /* no flock on this file system: .tasks.lock is all we have */
			return 0;
		case FLOCK_HELD:
			if (!deadline_past(deadline)) {
				clock_sleep_us(RETRY_US);
				continue;
			}
			error_set(err, ERROR_BUSY,
			    "busy: another program holds a lock on '%s/%s'; try again", s->dir,
			    DOCUMENT);
			break;
		case FLOCK_FAILED:
			error_sys(err, "cannot lock '%s/%s'", s->dir, DOCUMENT);
			break;
		}
		close(fd);
		return -1;
	}
}

/* Flocks the file that is named tasks.json now. */
int
document_lock_file(struct store *s, struct deadline deadline, struct error *err)
{
	struct stat held, named;
	int fd;

	for (;;) {
		fd = openat(s->dirfd, DOCUMENT, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd == -1)
			return error_sys(err, "cannot open '%s/%s'", s->dir, DOCUMENT);
		if (lock_fd(s, fd, deadline, err) == -1)
			return -1;
		if (fstat(fd, &held) == -1 ||
		    fstatat(s->dirfd, DOCUMENT, &named, AT_SYMLINK_NOFOLLOW) == -1) {
			error_sys(err, "cannot stat '%s/%s'", s->dir, DOCUMENT);
			close(fd);
			return -1;
		}
		if (held.st_ino == named.st_ino && held.st_dev == named.st_dev)
			break;
		close(fd); /* replaced while we waited */
	}
	if (s->document != -1)
		close(s->document);
	s->document = fd;
	return 0;
}

int
document_lock(struct store *s, struct deadline deadline, struct error *err)
{
	if (lock_own(&s->lock, s->dirfd, DOCUMENT_LOCK, deadline, err) == -1)
		return -1;
	if (document_lock_file(s, deadline, err) == -1) {
		lock_release(&s->lock);
		return -1;
	}
	return 0;
}

void
document_unlock(struct store *s)
{
	if (s->document != -1)
		close(s->document);
	s->document = -1;
}
