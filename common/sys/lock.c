/*
 * Waiting, holding, giving back.  The taking is in lock-dir.c.
 *
 * Waiting.  Sleeps grow and are jittered, and end at the caller's deadline.
 * Behind one of ours they stay short, because a hold of ours lasts about a
 * millisecond.
 *
 * The queue.  The client sleeps 5 to 100 ms between its tries, so against a
 * crowd of quick processes it never finds the lock free (measured: waits of
 * 1.5 s with 8 of them).  So ours queue up first, by a flock on the locked
 * file itself (the task's, or .lock; the client does not notice), and only
 * the first in the queue contends with the client.  If it had to wait, or
 * held the same lock a moment ago, it leaves the lock free for 300 us before
 * it tries.  The queue is for fairness, not for safety: a file may be replaced
 * or made while we queue, there may be no flock, the first in the queue may
 * be stopped.  Then we go on without; the lock directory excludes by itself.
 *
 * The list of held locks is for lock_release_all(): claude-tasks when it is
 * told to stop, and any program that runs out of memory, must not leave the
 * client waiting 2 s for nothing.  Hooks install no signal handler: a lock
 * directory of one that is killed is taken over when it is stale.
 */
#include "sys/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/os.h"
#include "sys/dir.h"
#include "sys/file.h" /* NOLINT(readability-duplicate-include): not <sys/file.h> */
#include "sys/lock-dir.h"

#define COURTESY_US 300
#define NAP_FIRST_US 60
#define NAP_OURS_US 500
#define NAP_CLIENT_US 5000
#define NAP_LONG_US 100000 /* of a waiter without a deadline */
#define QUEUE_MS 1000      /* then the first in the queue is stopped: go on without */
#define REFRESH_MS 1000

/* The locks that this process holds, for lock_release_all(), which a signal handler may call: it
 * finds the list whole after each of the assignments below. */
static struct lock *volatile held;

/* The lock that this process released last, and when: taken again at once, it is left free for
 * COURTESY_US first, so that the client gets a turn. */
static struct {
	char name[sizeof(((struct lock *)0)->name)];
	int64_t ms;
} released;

static void
held_add(struct lock *l)
{
	l->held = true;
	l->next = held;
	held = l;
}

static void
held_remove(const struct lock *l)
{
	struct lock *volatile *at = &held;

	while (*at != NULL && *at != l)
		at = &(*at)->next;
	if (*at == l)
		*at = l->next;
}

/* Between half of `us` and one and a half.  A generator per process (xorshift), seeded with its
 * id, so that waiters do not try in step. */
static int64_t
jitter(int64_t us)
{
	static uint32_t state;

	if (state == 0)
		state = (uint32_t)getpid() * 2654435761u | 1;
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return us / 2 + (int64_t)(state % (uint32_t)(us + 1));
}

/* Sleep, but not past the deadline.  False if that is reached. */
static bool
nap(int64_t *us, int64_t most_us, struct deadline deadline)
{
	int64_t left = deadline_left(deadline), sleep_us;

	if (left == 0)
		return false;
	sleep_us = jitter(*us > most_us ? most_us : *us);
	if (left < INT64_MAX / 1000 && sleep_us > left * 1000)
		sleep_us = left * 1000;
	clock_sleep_us(sleep_us);
	if (*us < most_us)
		*us *= 2;
	return true;
}

static int
lock_busy(const struct lock *l, bool ours, struct error *err)
{
	char path[PATH_MAX];
	const char *note = "";
	struct stat st;

	if (!ours && fstatat(l->dirfd, l->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    (int64_t)st.st_mtim.tv_sec > clock_wall_ms() / 1000 + 2)
		note = " (its time is in the future: was the clock set back?)";
	return error_set(err, ERROR_BUSY, "busy: %s holds the lock '%s'%s; try again",
	    ours ? "another hook or claude-tasks process" : "Claude Code or another program",
	    file_path(path, l->dirfd, l->name), note);
}

/* Wait until it looks free.  False if the deadline is reached first. */
static bool
wait_free(struct lock *l, enum lock_try seen, int64_t *us, struct deadline deadline)
{
	do {
		if (!nap(us, seen == LOCK_OURS ? NAP_OURS_US : NAP_CLIENT_US, deadline))
			return false;
	} while (!lock_dir_free(l, seen));
	return true;
}

/* Is the file we have open still the one of that name?  1, 0, or -1 and errno. */
static int
same_file(int dirfd, const char *name, int fd)
{
	struct stat a, b;

	if (fstat(fd, &a) == -1)
		return -1;
	if (fstatat(dirfd, name, &b, AT_SYMLINK_NOFOLLOW) == -1)
		return errno == ENOENT ? 0 : -1;
	return a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* Be the first of ours at the file.  Did that take waiting? */
static bool
queue_up(struct lock *l, const char *file, struct deadline deadline)
{
	struct deadline until = deadline_first(deadline, deadline_in(QUEUE_MS));
	int64_t us = NAP_FIRST_US;
	bool waited = false;

	for (;;) {
		l->queue = openat(
		    l->dirfd, file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
		if (l->queue == -1)
			return waited;
		while (lock_flock(l->queue, false) == FLOCK_HELD) {
			waited = true;
			if (!nap(&us, NAP_OURS_US, until))
				return waited;
		}
		/* Replaced meanwhile, the rest of ours are at the new one. */
		if (!waited || same_file(l->dirfd, file, l->queue) != 0)
			return waited;
		close(l->queue);
	}
}

/* The lock directory l->name in l->dirfd; `file` is what it locks. */
static int
lock_take(struct lock *l, const char *file, struct deadline deadline, struct error *err)
{
	int64_t us = NAP_FIRST_US;
	enum lock_try seen;
	bool yield;
	int again = 0;

	if (strcmp(released.name, l->name) == 0 && clock_ms() - released.ms <= 1)
		clock_sleep_us(COURTESY_US);
	yield = file != NULL && l->local && queue_up(l, file, deadline);
	for (;;) {
		if (yield)
			clock_sleep_us(COURTESY_US);
		yield = false;
		seen = lock_dir_try(l, err);
		switch (seen) {
		case LOCK_TAKEN:
			held_add(l);
			return 0;
		case LOCK_FAILED:
			return -1;
		case LOCK_AGAIN:
			/* Back off every 8th retry to avoid livelock. */
			if (++again % 8 == 0 && !nap(&us, NAP_OURS_US, deadline))
				return lock_busy(l, true, err);
			break;
		case LOCK_OURS:
		case LOCK_CLIENTS:
			if (!wait_free(l, seen, &us, deadline)) {
				lock_dir_forget(l);
				return lock_busy(l, seen == LOCK_OURS, err);
			}
			yield = seen == LOCK_OURS;
			break;
		}
	}
}

static void
lock_begin(struct lock *l, int dirfd)
{
	*l = (struct lock)LOCK_INIT;
	l->dirfd = dirfd;
}

/* Nothing is held: close what lock_begin() and its like opened. */
static int
lock_give_up(struct lock *l)
{
	lock_release(l);
	return -1;
}

int
lock_list(struct lock *l, int dirfd, struct deadline deadline, struct error *err)
{
	char path[PATH_MAX];
	struct stat st;
	int fd, saved;

	lock_begin(l, dirfd);
	while (fstatat(dirfd, ".lock", &st, AT_SYMLINK_NOFOLLOW) == -1) {
		/* The client's target; it makes it in the same way and leaves it. */
		fd = errno == ENOENT
			 ? openat(dirfd, ".lock", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)
			 : -1;
		if (fd == -1 && errno != EEXIST) {
			saved = errno;
			error_sys(err, "cannot make '%s'", file_path(path, dirfd, ".lock"));
			if (saved == ENOENT && err != NULL)
				err->kind = ERROR_NOT_FOUND;
			return -1;
		}
		if (fd != -1)
			close(fd);
	}
	if (S_ISLNK(st.st_mode))
		return error_set(
		    err, ERROR_REFUSED, "'%s' is a symbolic link", file_path(path, dirfd, ".lock"));
	l->local = os_fs_local(dirfd, st.st_dev);
	snprintf(l->name, sizeof(l->name), ".lock.lock");
	if (lock_take(l, ".lock", deadline, err) == -1)
		return lock_give_up(l);
	return 0;
}

int
lock_task(struct lock *l, int dirfd, const char *file, struct deadline deadline, struct error *err)
{
	char target[256];
	struct stat st;
	int found;

	lock_begin(l, dirfd);
	/* Beside the target of a link: that is where the client locks. */
	found = dir_follow(dirfd, file, &l->dirfd, &l->own_dirfd, target, &st, err);
	if (found == -1)
		return -1;
	if (found == 0 && fstat(dirfd, &st) == -1)
		return error_sys(err, "cannot stat the list's directory");
	l->local = os_fs_local(l->dirfd, st.st_dev);
	snprintf(l->name, sizeof(l->name), "%s.lock", target);
	if (lock_take(l, found == 1 && S_ISREG(st.st_mode) ? target : NULL, deadline, err) == -1)
		return lock_give_up(l);
	return 0;
}

/* Flock a file, opened with these flags, that stays in its place meanwhile. */
static int
flock_take(struct lock *l, const char *file, int flags, bool shared, struct deadline deadline,
    struct error *err)
{
	char path[PATH_MAX];
	int64_t us = NAP_FIRST_US;
	int same, tries = 0;

	for (;;) {
		l->file = openat(
		    l->dirfd, file, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
		if (l->file == -1 && error_again(&tries))
			continue;
		if (l->file == -1)
			return error_sys(err, "cannot open '%s'", file_path(path, l->dirfd, file));
		switch (lock_flock(l->file, shared)) {
		case FLOCK_GOT:
			if ((same = same_file(l->dirfd, file, l->file)) == 1) {
				held_add(l);
				return 0;
			}
			if (same == 0)
				break;
			return error_sys(err, "cannot stat '%s'", file_path(path, l->dirfd, file));
		case FLOCK_HELD:
			break;
		case FLOCK_NONE:
			if (shared)
				return 0;
			snprintf(l->name, sizeof(l->name), "%s.lock", file);
			return lock_take(l, NULL, deadline, err);
		case FLOCK_FAILED:
			return error_sys(err, "cannot lock '%s'", file_path(path, l->dirfd, file));
		}
		close(l->file);
		l->file = -1;
		if (!nap(&us, deadline.at_ms == INT64_MAX ? NAP_LONG_US : NAP_OURS_US, deadline))
			return error_set(err, ERROR_BUSY,
			    "busy: another process holds the lock on '%s'; try again",
			    file_path(path, l->dirfd, file));
	}
}

int
lock_own(struct lock *l, int dirfd, const char *file, struct deadline deadline, struct error *err)
{
	lock_begin(l, dirfd);
	if (flock_take(l, file, O_RDWR | O_CREAT, false, deadline, err) == -1)
		return lock_give_up(l);
	return 0;
}

int
lock_file(struct lock *l, int dirfd, const char *file, bool shared, struct deadline deadline,
    struct error *err)
{
	lock_begin(l, dirfd);
	if (flock_take(l, file, shared ? O_RDONLY : O_RDWR, shared, deadline, err) == -1)
		return lock_give_up(l);
	return 0;
}

int
lock_verify(struct lock *l, struct error *err)
{
	char path[PATH_MAX];

	if (l->held && l->name[0] == '\0')
		return 0;
	errno = 0;
	if (l->held && lock_dir_mine(l)) {
		if (clock_ms() - l->since_ms < REFRESH_MS || lock_dir_refresh(l) == 0)
			return 0;
		errno = 0;
	}
	if (errno != 0 && errno != ENOENT)
		return error_sys(
		    err, "cannot stat the lock '%s'", file_path(path, l->dirfd, l->name));
	return error_set(err, ERROR_LOST,
	    "another program took over the lock '%s'; nothing was written",
	    l->name[0] == '\0' ? "" : file_path(path, l->dirfd, l->name));
}

/* If this fails, the next process takes the directory over, because no process holds it. */
static void
remove_dir(const struct lock *l)
{
	int tries;

	for (tries = 0; tries < 10 && lock_dir_mine(l); tries++) {
		if (unlinkat(l->dirfd, l->name, AT_REMOVEDIR) == 0 || errno != EINTR)
			break;
	}
	memcpy(released.name, l->name, sizeof(released.name));
	released.ms = clock_ms();
}

void
lock_leave_queue(struct lock *l)
{
	if (l->queue != -1)
		close(l->queue);
	l->queue = -1;
}

void
lock_release(struct lock *l)
{
	int saved = errno;

	if (l->held) {
		held_remove(l);
		l->held = false;
		if (l->name[0] != '\0')
			remove_dir(l);
	}
	/* Release the flock last: while it is held the directory is not taken over. */
	lock_dir_forget(l);
	lock_leave_queue(l);
	if (l->file != -1)
		close(l->file);
	l->file = -1;
	if (l->own_dirfd)
		close(l->dirfd);
	l->own_dirfd = false;
	errno = saved;
}

void
lock_release_all(void)
{
	int saved = errno;

	for (const struct lock *l = held; l != NULL; l = l->next)
		if (l->name[0] != '\0' && lock_dir_mine(l))
			(void)unlinkat(l->dirfd, l->name, AT_REMOVEDIR);
	errno = saved;
}
