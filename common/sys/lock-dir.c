/*
 * The lock directory.
 *
 * proper-lockfile's protocol: mkdir takes the lock, rmdir gives it back, a
 * directory whose mtime is over 10 s old may be removed by anyone.  Its
 * weakness is the takeover: "stat, rmdir, mkdir" is three steps, and two that
 * find the same stale lock both get it.
 *
 * Our processes add two things that proper-lockfile does not see: the
 * sticky bit on the directory ("one of ours made this"), and a flock on the
 * directory itself, held as long as the lock.  The kernel drops the flock
 * when its holder dies, however it dies.  So:
 *
 *  - A directory with our mark that can be flocked has no living holder.
 *    It is taken over at once and IN PLACE: it stays where it is and gets a
 *    new mtime.  As nothing is removed, nothing of anybody else's can be
 *    removed by mistake; and as there is one flock, there is one winner.
 *  - A directory without the mark is the client's.  It is left alone, its
 *    mtime too, until it is stale; then it is taken over in the same way,
 *    under the flock, so that there is one winner among ours.  The client
 *    may break the same stale lock at the same moment.  Then its rmdir
 *    removes the directory we hold, and lock_verify() says so before we
 *    write.
 *  - The maker itself holds the lock only once it has the flock.  Between
 *    its mkdir and its flock another of ours may take the directory over
 *    (nothing is lost: the maker then waits like the others), and finish,
 *    and the client may make a new one.  Hence the look at the mark after the
 *    flock: without it, it is not the one we made, and not ours.
 *  - An open descriptor pins the inode: its number is not given to another
 *    directory while we compare against it.
 *  - On systems whose mkdir() leaves the sticky bit out, the maker sets it when
 *    it has the flock.  Until then nobody of ours touches the directory, as it
 *    looks like one of the client's; only when it is stale, and the maker, if it
 *    was stopped for so long, no longer takes it for its own.
 *
 * Waiters of ours poll the flock and not mkdir, which takes the parent's
 * lock exclusively even when it fails.  There is no file per lock that would
 * stay behind, and all this works beside the target of a symbolic link too,
 * where we have no business making one.
 *
 * A flock may be known to this machine only (NFS, FUSE, 9p, ...).  There the
 * mark is not used and not believed, and all is as the client does it.
 *
 * The mtime we set is 8 s in the past.  A client that finds the lock of a killed
 * process of ours breaks it after 2 s then, within its 2.7 s of patience,
 * and not after 10.  So a process that holds a lock for over 2 s may lose it.
 */
#include "sys/lock-dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/os.h"
#include "sys/dir.h"
#include "sys/file.h" /* NOLINT(readability-duplicate-include): not <sys/file.h> */

#define STALE_MS 10000
#define BACK_DATE_S 8
#define FRESH_MS 5000 /* so long what we made without the mark is ours: nobody finds it stale */

enum lock_flock
lock_flock(int fd, bool shared)
{
	/* ENOLCK: NFS without its lock daemon.  The next two are one number on some systems. */
	static const int none[] = { ENOLCK, ENOTSUP, EOPNOTSUPP, ENOSYS, EINVAL };
	int tries = 0;

	while (flock(fd, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == -1) {
		if (error_again(&tries))
			continue;
		if (errno == EWOULDBLOCK)
			return FLOCK_HELD;
		for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
			if (errno == none[i])
				return FLOCK_NONE;
		return FLOCK_FAILED;
	}
	return FLOCK_GOT;
}

/* A time in the future is not stale, as with the client. */
static bool
is_stale(const struct stat *st)
{
	int64_t mtime = (int64_t)st->st_mtim.tv_sec * 1000 + st->st_mtim.tv_nsec / 1000000;

	return mtime < clock_wall_ms() - STALE_MS;
}

static bool
is_marked(const struct lock *l, const struct stat *st)
{
	return l->local && (st->st_mode & S_ISVTX) != 0;
}

/* Was it just made by us, without the mark? */
static bool
is_fresh(const struct lock *l, bool made)
{
	if (!made || !l->local)
		return made;
	return !os_mkdir_sticky() && clock_ms() - l->since_ms < FRESH_MS;
}

/* Was the open directory removed?  APFS leaves it its two links, so the name is looked at too. */
static bool
is_gone(const struct lock *l, const struct stat *st)
{
	struct stat named;

	return st->st_nlink == 0 || fstatat(l->dirfd, l->name, &named, AT_SYMLINK_NOFOLLOW) == -1 ||
	       named.st_ino != st->st_ino || named.st_dev != st->st_dev;
}

static bool
is_empty(int fd)
{
	DIR *dir = dir_read(fd, ".");
	struct dirent *e = NULL;

	while (dir != NULL && (e = readdir(dir)) != NULL &&
	       (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0))
		;
	if (dir != NULL)
		closedir(dir);
	return e == NULL;
}

static int
set_mtime(struct lock *l, struct stat *st)
{
	struct timespec times[2];

	clock_gettime(CLOCK_REALTIME, &times[1]);
	if (l->local)
		times[1].tv_sec -= BACK_DATE_S;
	times[0].tv_sec = 0;
	times[0].tv_nsec = UTIME_OMIT;
	/* If this fails the lock is still valid, only not back-dated. */
	(void)futimens(l->fd, times);
	/* Read back, because a file system may round it. */
	if (fstat(l->fd, st) == -1)
		return -1;
	l->mtime = st->st_mtim;
	l->ino = st->st_ino;
	return 0;
}

/* l->fd is a directory that we may take: make it ours. */
static enum lock_try
lock_dir_take(struct lock *l, const struct stat *found)
{
	struct stat st;

	if (l->local && (found->st_mode & S_ISVTX) == 0)
		(void)fchmod(l->fd, (found->st_mode & 0777) | S_ISVTX);
	if (set_mtime(l, &st) == -1 || is_gone(l, &st)) {
		lock_dir_forget(l); /* removed meanwhile */
		return LOCK_AGAIN;
	}
	l->since_ms = clock_ms();
	return LOCK_TAKEN;
}

static enum lock_try
lock_dir_blocked(struct lock *l, const char *what, struct error *err)
{
	char path[PATH_MAX];

	error_set(err, ERROR_BUSY, "the lock '%s' %s; remove it to go on",
	    file_path(path, l->dirfd, l->name), what);
	return LOCK_FAILED;
}

static enum lock_try
lock_dir_failed(struct lock *l, const char *what, struct error *err)
{
	char path[PATH_MAX];
	int saved = errno;

	error_sys(err, "%s '%s'", what, file_path(path, l->dirfd, l->name));
	if (saved == ENOENT && err != NULL)
		err->kind = ERROR_NOT_FOUND;
	return LOCK_FAILED;
}

/* Open the directory that the name leads to, unless it is the one we have. */
static enum lock_try
lock_dir_look(struct lock *l, bool made, struct error *err)
{
	struct stat st;
	int tries = 0;

	if (!made) {
		if (fstatat(l->dirfd, l->name, &st, AT_SYMLINK_NOFOLLOW) == -1)
			return errno == ENOENT || errno == EINTR
				   ? LOCK_AGAIN
				   : lock_dir_failed(l, "cannot stat the lock", err);
		if (!S_ISDIR(st.st_mode))
			return lock_dir_blocked(l, "is not a directory", err);
		if (!is_marked(l, &st) && !is_stale(&st))
			return LOCK_CLIENTS;
		if (l->fd != -1 && st.st_ino == l->ino)
			return LOCK_TAKEN;
	}
	lock_dir_forget(l);
	/* One that we have made must not stay behind without the mark. */
	do
		l->fd = openat(l->dirfd, l->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	while (l->fd == -1 && made && error_again(&tries));
	if (l->fd != -1)
		return LOCK_TAKEN;
	if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EINTR)
		return LOCK_AGAIN;
	if (errno == EACCES && !made)
		return LOCK_CLIENTS; /* another user's */
	return lock_dir_failed(l, "cannot open the lock", err);
}

/* Takes the directory at the name, which we have just made or found, if we may. */
static enum lock_try
lock_dir_seize(struct lock *l, bool made, struct error *err)
{
	struct stat st;
	enum lock_try seen;
	enum lock_flock locked;
	bool marked;

	seen = lock_dir_look(l, made, err);
	if (seen != LOCK_TAKEN)
		return seen;
	locked = lock_flock(l->fd, false);
	if (l->local && locked == FLOCK_FAILED)
		return lock_dir_failed(l, "cannot flock", err);
	if (l->local && locked == FLOCK_NONE) {
		/* Without flock the mark would be wrong: make it again without. */
		l->local = false;
		if (made)
			(void)unlinkat(l->dirfd, l->name, AT_REMOVEDIR);
		return LOCK_AGAIN;
	}
	if (fstat(l->fd, &st) == -1)
		return lock_dir_failed(l, "cannot stat the lock", err);
	l->ino = st.st_ino;
	if (st.st_nlink == 0)
		return LOCK_AGAIN;
	marked = is_marked(l, &st);
	if (locked == FLOCK_HELD)
		return marked ? LOCK_OURS : LOCK_CLIENTS;
	if (!marked && !is_fresh(l, made) && !is_stale(&st))
		return LOCK_CLIENTS;
	if (!made && !is_empty(l->fd))
		return lock_dir_blocked(l, "is a directory that is not empty", err);
	return lock_dir_take(l, &st);
}

enum lock_try
lock_dir_try(struct lock *l, struct error *err)
{
	enum lock_try seen;
	bool made;

	l->since_ms = clock_ms();
	made = mkdirat(l->dirfd, l->name, l->local && os_mkdir_sticky() ? 01777 : 0777) == 0;
	if (!made && errno != EEXIST)
		return errno == EINTR ? LOCK_AGAIN
				      : lock_dir_failed(l, "cannot make the lock", err);
	seen = lock_dir_seize(l, made, err);
	/* Keep the descriptor of one of ours: waiting polls its flock. */
	if (seen != LOCK_TAKEN && seen != LOCK_OURS)
		lock_dir_forget(l);
	if (made && seen == LOCK_FAILED)
		(void)unlinkat(l->dirfd, l->name, AT_REMOVEDIR);
	return seen;
}

bool
lock_dir_free(struct lock *l, enum lock_try seen)
{
	struct stat st;

	/* Ours: released, removed by the client, or its holder died. */
	if (seen == LOCK_OURS)
		return lock_flock(l->fd, false) != FLOCK_HELD || fstat(l->fd, &st) == -1 ||
		       is_gone(l, &st);
	return fstatat(l->dirfd, l->name, &st, AT_SYMLINK_NOFOLLOW) == -1 || is_marked(l, &st) ||
	       is_stale(&st);
}

bool
lock_dir_mine(const struct lock *l)
{
	struct stat st;
	int tries = 0;

	while (fstatat(l->dirfd, l->name, &st, AT_SYMLINK_NOFOLLOW) == -1) {
		if (errno != EINTR || ++tries == 10)
			return false;
	}
	errno = 0;
	return st.st_ino == l->ino && st.st_mtim.tv_sec == l->mtime.tv_sec &&
	       st.st_mtim.tv_nsec == l->mtime.tv_nsec;
}

/* For a hold that turns out long: the client must not find it stale. */
int
lock_dir_refresh(struct lock *l)
{
	struct stat st;

	if (set_mtime(l, &st) == -1 || is_gone(l, &st))
		return -1;
	l->since_ms = clock_ms();
	return 0;
}

void
lock_dir_forget(struct lock *l)
{
	if (l->fd != -1)
		close(l->fd);
	l->fd = -1;
}
