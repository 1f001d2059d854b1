/*
 * Any POSIX system: files, and when it was started.  Processes: os-posix-process.c.
 */
#include "os/os.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __has_include
#if __has_include(<utmpx.h>)
#include <utmpx.h>
#define HAS_BOOT_TIME
#endif
#endif

#ifdef O_SEARCH
#define DIR_FLAGS (O_SEARCH | O_DIRECTORY | O_CLOEXEC)
#else
#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#endif
#define BOOT_SLACK 5
#define TARGET_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/* --- The machine --- */

/* If nobody has recorded it: the first process was started then, to a few seconds. */
int64_t
os_boot_s(void)
{
	struct os_process first;
	int64_t boot = 0;

#ifdef HAS_BOOT_TIME
	struct utmpx *found;

	setutxent();
	if ((found = getutxid(&(struct utmpx){ .ut_type = BOOT_TIME })) != NULL)
		boot = found->ut_tv.tv_sec;
	endutxent();
#endif
	if (boot == 0 && os_process_read(1, &first) == 1 && first.start > BOOT_SLACK)
		boot = (int64_t)first.start - BOOT_SLACK;
	return boot;
}

void
os_machine_name(char *name, size_t size)
{
	(void)size;
	name[0] = '\0';
}

void
os_boot_name(char *name, size_t size)
{
	(void)size;
	name[0] = '\0';
}

/* --- Descriptors --- */

int
os_flush(int fd)
{
	return fdatasync(fd);
}

int
os_reserve(int fd, off_t len)
{
	(void)fd;
	(void)len;
	errno = ENOSYS;
	return -1;
}

/* --- Files --- */

static bool
is_same(const char *path, const struct stat *st)
{
	struct stat now;

	return stat(path, &now) == 0 && now.st_dev == st->st_dev && now.st_ino == st->st_ino;
}

/* The working directory, to come back to. */
struct here {
	int fd;
	char path[PATH_MAX]; /* "" unknown */
};

static int
here_open(struct here *h)
{
	if (getcwd(h->path, sizeof(h->path)) == NULL)
		h->path[0] = '\0';
	h->fd = open(".", DIR_FLAGS);
	return h->fd == -1 ? -1 : 0;
}

/* If this is not possible, relative names would now be other files. */
static void
here_back(struct here *h)
{
	struct stat st, now;
	int saved = errno, again;

	for (again = 0; again < 3 && fchdir(h->fd) == -1; again++)
		;
	if (again == 3 &&
	    (h->path[0] == '\0' || chdir(h->path) == -1 || fstat(h->fd, &st) == -1 ||
		stat(".", &now) == -1 || st.st_dev != now.st_dev || st.st_ino != now.st_ino))
		abort();
	close(h->fd);
	errno = saved;
}

/* Of a directory: go there, ask, and come back. */
size_t
os_fd_path(int fd, char path[PATH_MAX])
{
	struct here here;
	struct stat st;
	bool known;

	if (fstat(fd, &st) == -1 || !S_ISDIR(st.st_mode) || here_open(&here) == -1)
		return 0;
	known = fchdir(fd) == 0 && getcwd(path, PATH_MAX) != NULL;
	here_back(&here);
	return known && is_same(path, &st) ? strlen(path) : 0;
}

int
os_pin(int dirfd, const char *name)
{
	return openat(dirfd, name, TARGET_FLAGS | O_NOFOLLOW);
}

int
os_open_dir(const char *path)
{
	return open(path, DIR_FLAGS);
}

/* Enter the directory of an absolute path, with no link on the way whatever is changed meanwhile.
 */
static int
enter(char *path)
{
	struct stat st, now;
	char *at = path + 1, *slash;
	int rc = chdir("/");

	for (; rc == 0 && (slash = strchr(at, '/')) != NULL; at = slash + 1) {
		*slash = '\0';
		rc = lstat(at, &st);
		if (rc == 0 && (rc = S_ISDIR(st.st_mode) ? chdir(at) : -1) == 0 &&
		    (rc = stat(".", &now)) == 0 &&
		    (now.st_dev != st.st_dev || now.st_ino != st.st_ino))
			rc = -1;
		*slash = '/';
	}
	return rc;
}

/* The path is resolved first, and then opened without following links: so it says what was opened.
 */
static int
open_resolved(const char *path)
{
	char copy[PATH_MAX];
	struct here here;
	int fd = -1;

	if (here_open(&here) == -1)
		return -1;
	snprintf(copy, sizeof(copy), "%s", path);
	errno = ESTALE;
	if (enter(copy) == 0)
		fd = open(strrchr(copy, '/') + 1, TARGET_FLAGS | O_NOFOLLOW);
	if (fd == -1 && errno == ELOOP)
		errno = ESTALE;
	here_back(&here);
	return fd;
}

int
os_open_target(int dirfd, const char *name, char path[PATH_MAX])
{
	char dir[PATH_MAX] = "", whole[PATH_MAX];

	if (name[0] != '/' && dirfd != AT_FDCWD && os_fd_path(dirfd, dir) == 0) {
		errno = ENOENT;
		return -1;
	}
	if (snprintf(whole, sizeof(whole), "%s%s%s", dir, dir[0] != '\0' ? "/" : "", name) >=
	    (int)sizeof(whole)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return realpath(whole, path) != NULL ? open_resolved(path) : -1;
}

int
os_exchange(int dirfd, const char *a, const char *b)
{
	(void)dirfd;
	(void)a;
	(void)b;
	errno = ENOSYS;
	return -1;
}

/* Few systems say it. */
bool
os_fs_local(int fd, dev_t dev)
{
	(void)dev;
#ifdef ST_LOCAL
	struct statvfs fs;

	return fstatvfs(fd, &fs) == 0 && (fs.f_flag & ST_LOCAL) != 0;
#else
	(void)fd;
	return true;
#endif
}

void
os_file_times(int dirfd, const char *name, int64_t *written, int64_t *made)
{
	struct stat st;

	*written = 0;
	if (fstatat(dirfd, name, &st, 0) == 0)
		*written = (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
	*made = *written;
}
