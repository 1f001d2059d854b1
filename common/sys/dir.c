/*
 * Directories and links.
 *
 * A symbolic link is resolved as the client does it: by opening it and
 * asking the system for the path of what was opened.
 */
#include "sys/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os/os.h"
#include "sys/file.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)

/* mkdir failed; with EACCES or EROFS, too, the directory may exist already. */
static int
make_error(struct error *err, const char *path)
{
	int saved = errno;

	if (saved == EEXIST || access(path, F_OK) == 0)
		return 0;
	errno = saved;
	return error_sys(err, "cannot make directory '%s'", path);
}

static int
dir_error(struct error *err, const char *path)
{
	int saved = errno;

	error_sys(err, "cannot open directory '%s'", path);
	if (saved == ENOENT && err != NULL)
		err->kind = ERROR_NOT_FOUND;
	return -1;
}

int
dir_open(const char *path, struct error *err)
{
	int fd = open(path, DIR_FLAGS);

	return fd == -1 ? dir_error(err, path) : fd;
}

int
dir_make(const char *path, mode_t mode, struct error *err)
{
	char part[PATH_MAX];
	size_t len = strlen(path), i;

	if (len == 0 || len >= sizeof(part))
		return error_set(err, ERROR_INPUT, "'%.100s...' is not a usable path", path);
	if (mkdir(path, mode) == 0 || errno == EEXIST)
		return dir_open(path, err);
	if (errno != ENOENT)
		return make_error(err, path) == -1 ? -1 : dir_open(path, err);
	memcpy(part, path, len + 1);
	for (i = 1; i < len; i++) {
		if (part[i] != '/' || part[i - 1] == '/')
			continue;
		part[i] = '\0';
		if (mkdir(part, 0777) == -1 && make_error(err, part) == -1)
			return -1;
		part[i] = '/';
	}
	if (mkdir(path, mode) == -1 && errno != EEXIST)
		return error_sys(err, "cannot make directory '%s'", path);
	return dir_open(path, err);
}

int
dir_open_at(int dirfd, const char *name, bool make, mode_t mode, struct error *err)
{
	char path[PATH_MAX];
	int fd;

	if (make && mkdirat(dirfd, name, mode) == -1 && errno != EEXIST)
		return error_sys(err, "cannot make directory '%s'", file_path(path, dirfd, name));
	fd = openat(dirfd, name, DIR_FLAGS | O_NOFOLLOW);
	return fd == -1 ? dir_error(err, file_path(path, dirfd, name)) : fd;
}

DIR *
dir_read(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), saved;
	DIR *dir = fd != -1 ? fdopendir(fd) : NULL;

	if (dir == NULL && fd != -1) {
		saved = errno;
		close(fd);
		errno = saved;
	}
	return dir;
}

/* Splits "/a/b/c", the path of what was opened; opens "/a/b". */
static int
open_parent(char *path, int *parent, char name[256], const struct stat *st)
{
	char *slash = strrchr(path, '/');
	struct stat now;

	if (path[0] != '/' || slash == NULL || strlen(slash + 1) > 255) {
		errno = ENAMETOOLONG;
		return -1;
	}
	snprintf(name, 256, "%s", slash + 1);
	*(slash == path ? slash + 1 : slash) = '\0';
	*parent = open(path, DIR_FLAGS);
	if (*parent == -1)
		return -1;
	/* "/a/b/c (deleted)" and mounts over the path are caught here. */
	if (fstatat(*parent, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_ino == st->st_ino &&
	    now.st_dev == st->st_dev)
		return 0;
	close(*parent);
	*parent = -1;
	errno = ESTALE;
	return -1;
}

int
dir_follow(int dirfd, const char *name, int *target_dirfd, bool *own, char target[256],
    struct stat *st, struct error *err)
{
	char path[PATH_MAX];
	int fd, rc;

	*target_dirfd = dirfd;
	*own = false;
	if (strlen(name) > 255)
		return error_set(err, ERROR_INPUT, "'%.100s...' is too long for a file name", name);
	snprintf(target, 256, "%s", name);
	if (fstatat(dirfd, name, st, AT_SYMLINK_NOFOLLOW) == -1) {
		if (errno == ENOENT)
			return 0;
		return error_sys(err, "cannot stat '%s'", file_path(path, dirfd, name));
	}
	if (!S_ISLNK(st->st_mode))
		return 1;
	fd = os_open_target(dirfd, name, path);
	if (fd == -1 || fstat(fd, st) == -1 || open_parent(path, target_dirfd, target, st) == -1) {
		rc = errno;
		if (fd != -1)
			close(fd);
		errno = rc;
		error_sys(
		    err, "cannot follow the symbolic link '%s'", file_path(path, dirfd, name));
		if (rc == ENOENT && err != NULL)
			err->kind = ERROR_NOT_FOUND;
		return -1;
	}
	close(fd);
	*own = true;
	return 1;
}

bool
dir_contains(const char *root, const char *path)
{
	size_t len = strlen(root);

	return strncmp(path, root, len) == 0 &&
	       (path[len] == '\0' || path[len] == '/' || strcmp(root, "/") == 0);
}
