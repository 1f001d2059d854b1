/*
 * Replacing.
 *
 * The temporary is in the same directory, because a rename is atomic only
 * within one file system.  Its name begins with a dot and does not end in ".json": the
 * client numbers new tasks by every name of the form <digits>...json, and
 * would count a "58.tmp.json" as task 58.  It carries the maker's process
 * id, so that a sweep can spare what a living process is about to commit.
 * The id alone does not prove death (another container may share the
 * directory and not the ids), hence the age: nothing of ours takes a minute
 * from the temporary to the rename.
 *
 * Data is synced before the rename and the directory is not (unless asked
 * to): after a power cut the name is that of the old file or of the new one,
 * whole.  That is the promise; "the newest" costs another sync.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/os.h"
#include "sys/dir.h"
#include "sys/file.h"

#define TEMP_PREFIX ".task-hooks-"
#define TEMP_AGE_S 60

bool
file_is_temp(const char *name)
{
	return strncmp(name, TEMP_PREFIX, sizeof(TEMP_PREFIX) - 1) == 0;
}

/* Open for writing a name that was not there before. */
static int
temp_open(int dirfd, char temp[64], mode_t mode)
{
	static unsigned count;
	struct timespec now;
	int fd, tries;

	for (tries = 0; tries < 100; tries++) {
		clock_gettime(CLOCK_REALTIME, &now);
		snprintf(temp, 64, TEMP_PREFIX "%ld-%lx%u", (long)getpid(),
		    (unsigned long)now.tv_nsec, count++);
		fd = openat(dirfd, temp,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, mode);
		if (fd != -1 || (errno != EEXIST && errno != EINTR))
			return fd;
	}
	return -1;
}

int
file_flush(int fd)
{
	int rc, tries = 0;

	while ((rc = os_flush(fd)) == -1 && error_again(&tries))
		;
	/* Some file systems have no sync; there is nothing to wait for then. */
	if (rc == -1 && (errno == EINVAL || errno == EROFS || errno == ENOTSUP))
		rc = 0;
	return rc;
}

/* The old file's mode, and its owner if another's, on the new one. */
static int
keep_mode(int fd, const struct stat *old)
{
	if (old->st_uid != geteuid() && fchown(fd, old->st_uid, old->st_gid) == -1)
		errno = 0; /* not root: we become the owner, as with any rename */
	return fchmod(fd, old->st_mode & 0777);
}

bool
file_inside(int dirfd, const char *path)
{
	char root[PATH_MAX];
	size_t len = os_fd_path(dirfd, root);

	while (len > 0 && root[len - 1] != '/')
		len--;
	/* root[0..len) ends in the slash */
	return len > 0 && (strncmp(path, root, len) == 0 ||
			      (strlen(path) == len - 1 && memcmp(path, root, len - 1) == 0));
}

static int
stage(struct file_stage *s, int dirfd, const char *name, const void *data, size_t len, int mode,
    enum durability durability, bool anywhere, struct error *err)
{
	char path[PATH_MAX];
	struct stat old;
	int found, fd;

	memset(s, 0, sizeof(*s));
	s->dirfd = -1;
	s->durability = durability;
	found = dir_follow(dirfd, name, &s->dirfd, &s->own_dirfd, s->name, &old, err);
	if (found == -1)
		return -1;
	if (s->own_dirfd && !anywhere &&
	    (os_fd_path(s->dirfd, path) == 0 || !file_inside(dirfd, path))) {
		error_set(err, ERROR_INPUT,
		    "'%s' is a symbolic link out of the directory of the lists, which is not "
		    "followed",
		    file_path(path, dirfd, name));
		goto fail;
	}
	if (found == 1 && !S_ISREG(old.st_mode)) {
		error_set(err, ERROR_INPUT, "'%s' is not a regular file",
		    file_path(path, s->dirfd, s->name));
		goto fail;
	}
	/* What replaces a private file is private from its first byte. */
	fd = temp_open(s->dirfd, s->temp, found == 1 ? 0600 : mode != 0 ? (mode_t)mode : 0666);
	if (fd == -1) {
		error_sys(err, "cannot write beside '%s'", file_path(path, s->dirfd, s->name));
		s->temp[0] = '\0';
		goto fail;
	}
	if (file_write_all(fd, data, len, err) == -1)
		error_prefix(err, "'%s'", file_path(path, s->dirfd, s->name));
	else if (found == 1 && keep_mode(fd, &old) == -1)
		error_sys(err, "cannot set the mode of '%s'", file_path(path, s->dirfd, s->name));
	else if (durability != DURABILITY_OFF && file_flush(fd) == -1)
		error_sys(err, "cannot sync '%s'", file_path(path, s->dirfd, s->name));
	else if (close(fd) == -1 && errno != EINTR) {
		error_sys(err, "cannot write '%s'", file_path(path, s->dirfd, s->name));
		goto fail;
	} else
		return 0;
	close(fd);
fail:
	file_drop(s);
	return -1;
}

int
file_stage(struct file_stage *s, int dirfd, const char *name, const void *data, size_t len,
    int mode, enum durability durability, struct error *err)
{
	return stage(s, dirfd, name, data, len, mode, durability, false, err);
}

int
file_commit(struct file_stage *s, struct error *err)
{
	char path[PATH_MAX];

	if (s->temp[0] == '\0')
		return error_set(err, ERROR_FAULT, "nothing staged");
	if (renameat(s->dirfd, s->temp, s->dirfd, s->name) == -1) {
		error_sys(err, "cannot replace '%s'", file_path(path, s->dirfd, s->name));
		file_drop(s);
		return -1;
	}
	s->temp[0] = '\0';
	/* The rename is done whether or not the directory can be synced. */
	if (s->durability == DURABILITY_FULL)
		(void)fsync(s->dirfd);
	file_drop(s);
	return 0;
}

void
file_drop(struct file_stage *s)
{
	if (s->temp[0] != '\0') {
		/* Once more after a signal; else file_sweep() removes it later. */
		if (unlinkat(s->dirfd, s->temp, 0) == -1 && errno == EINTR)
			(void)unlinkat(s->dirfd, s->temp, 0);
		s->temp[0] = '\0';
	}
	if (s->own_dirfd)
		close(s->dirfd);
	s->own_dirfd = false;
	s->dirfd = -1;
}

int
file_write(int dirfd, const char *name, const void *data, size_t len, int mode,
    enum durability durability, struct error *err)
{
	struct file_stage s = FILE_STAGE_INIT;

	return file_stage(&s, dirfd, name, data, len, mode, durability, err) == -1
		   ? -1
		   : file_commit(&s, err);
}

int
file_replace(int dirfd, const char *name, const void *data, size_t len, int mode,
    enum durability durability, struct error *err)
{
	struct file_stage s = FILE_STAGE_INIT;
	struct error ignored;
	struct buf old = { 0 };
	bool same;

	same = file_read(dirfd, name, FILE_FOLLOW, FILE_MAX, &old, &ignored) == 1 &&
	       old.len == len && (len == 0 || memcmp(old.data, data, len) == 0);
	buf_free(&old);
	if (same)
		return 0;
	if (stage(&s, dirfd, name, data, len, mode, durability, true, err) == -1 ||
	    file_commit(&s, err) == -1)
		return -1;
	return 0;
}

/* Is the process whose id the name carries alive, as far as we can see? */
static bool
maker_lives(const char *name)
{
	long pid = strtol(name + sizeof(TEMP_PREFIX) - 1, NULL, 10);

	return pid > 0 && (kill((pid_t)pid, 0) == 0 || errno != ESRCH);
}

int
file_sweep(int dirfd)
{
	struct dirent *e;
	struct stat st;
	DIR *dir = dir_read(dirfd, ".");
	int count = 0;

	if (dir == NULL)
		return 0;
	while ((e = readdir(dir)) != NULL) {
		if (!file_is_temp(e->d_name) || maker_lives(e->d_name) ||
		    fstatat(dirfd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == -1 ||
		    !S_ISREG(st.st_mode) ||
		    clock_wall_ms() / 1000 - (int64_t)st.st_mtim.tv_sec < TEMP_AGE_S)
			continue;
		if (unlinkat(dirfd, e->d_name, 0) == 0)
			count++;
	}
	closedir(dir);
	return count;
}
