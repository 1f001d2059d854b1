/*
 * Reading.
 *
 * A file is opened O_NONBLOCK, so that a FIFO planted under a task's name
 * cannot hang a hook, and looked at through the descriptor, so that there
 * is no gap between the check and the use.  The read asks for one byte more
 * than the size: if just the size comes, that was all, and the usual second
 * read that only says so is saved.
 */
#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os/os.h"

bool
name_ok(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len < 256 && name[0] != '.' && strchr(name, '/') == NULL;
}

bool
file_there(int dirfd, const char *name)
{
	return faccessat(dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
	       (errno != ENOENT && errno != ENOTDIR);
}

const char *
file_path(char out[PATH_MAX], int dirfd, const char *name)
{
	size_t len = strlen(name), n;

	if (dirfd == AT_FDCWD || name[0] == '/') {
		snprintf(out, PATH_MAX, "%s", name);
		return out;
	}
	n = os_fd_path(dirfd, out);
	if (n == 0 || n + 1 + len >= PATH_MAX) {
		snprintf(out, PATH_MAX, "%s", name);
		return out;
	}
	out[n] = '/';
	memcpy(out + n + 1, name, len + 1);
	return out;
}

/* Up to max bytes into buf; `guess` is how many are expected. */
static int
read_bounded(int fd, size_t guess, size_t max, struct buf *buf, struct error *err)
{
	size_t size = guess;
	ssize_t n;
	int tries = 0;

	buf_reset(buf);
	if (guess == 0 || guess > max)
		guess = max < 16384 ? max : 16384;
	for (;;) {
		buf_need(buf, guess + 1);
		n = read(fd, buf->data + buf->len, guess + 1);
		if (n == -1 && error_again(&tries))
			continue;
		if (n == -1)
			return error_sys(err, "cannot read");
		buf->len += (size_t)n;
		buf->data[buf->len] = '\0';
		if (buf->len > max)
			return error_set(err, ERROR_INPUT, "more than %zu bytes", max);
		if (n == 0 || (size > 0 && (size_t)n <= guess && buf->len >= size))
			return 0;
		guess = buf->len > max / 2 ? max - buf->len + 1 : buf->len;
	}
}

int
file_read_fd(int fd, size_t max, struct buf *buf, struct error *err)
{
	return read_bounded(fd, 0, max, buf, err);
}

/* Takes the descriptor; it is open in the mark afterwards, if there is one. */
static int
read_opened(int fd, const char *path, size_t max, struct buf *buf, struct file_mark *mark,
    struct error *err)
{
	struct stat st;
	int rc = -1;

	if (fstat(fd, &st) == -1)
		error_sys(err, "cannot read '%s'", path);
	else if (!S_ISREG(st.st_mode))
		error_set(err, ERROR_INPUT, "'%s' is not a regular file", path);
	else if (st.st_size > 0 && (uintmax_t)st.st_size > max)
		error_set(err, ERROR_INPUT, "'%s' has %jd bytes, more than the %zu we read", path,
		    (intmax_t)st.st_size, max);
	else if (read_bounded(fd, (size_t)st.st_size, max, buf, err) == -1)
		error_prefix(err, "'%s'", path);
	else
		rc = 1;
	if (rc == 1 && mark != NULL)
		*mark = (struct file_mark){ .set = true, .there = true, .fd = fd, .st = st };
	else
		close(fd);
	return rc;
}

int
file_read_mark(int dirfd, const char *name, int flags, size_t max, struct buf *buf,
    struct file_mark *mark, struct error *err)
{
	char path[PATH_MAX];
	int fd;

	buf_reset(buf);
	if (mark != NULL)
		file_unmark(mark);
	fd = openat(dirfd, name,
	    O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (flags & FILE_FOLLOW ? 0 : O_NOFOLLOW));
	if (fd == -1 && errno == ENOENT) {
		if (mark != NULL)
			mark->set = true;
		return 0;
	}
	if (fd == -1 && errno == ELOOP && !(flags & FILE_FOLLOW))
		return error_set(
		    err, ERROR_INPUT, "'%s' is a symbolic link", file_path(path, dirfd, name));
	if (fd == -1 && (errno == ENXIO || errno == ENODEV || errno == EOPNOTSUPP))
		return error_set(
		    err, ERROR_INPUT, "'%s' is not a regular file", file_path(path, dirfd, name));
	if (fd == -1)
		return error_sys(err, "cannot open '%s'", file_path(path, dirfd, name));
	return read_opened(fd, name, max, buf, mark, err);
}

int
file_read(int dirfd, const char *name, int flags, size_t max, struct buf *buf, struct error *err)
{
	return file_read_mark(dirfd, name, flags, max, buf, NULL, err);
}

void
file_unmark(struct file_mark *mark)
{
	if (mark->there)
		close(mark->fd);
	*mark = (struct file_mark){ 0 };
}

void
file_mark(struct file_mark *mark, int dirfd, const char *name)
{
	file_unmark(mark);
	mark->fd = os_pin(dirfd, name);
	mark->set = mark->fd != -1 || errno == ENOENT;
	mark->there = mark->fd != -1;
	if (mark->there && fstat(mark->fd, &mark->st) == -1)
		file_unmark(mark);
}

bool
file_marked(const struct file_mark *mark, int dirfd, const char *name)
{
	const struct stat *was = &mark->st;
	struct stat st;

	if (!mark->set)
		return false;
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return errno == ENOENT && !mark->there;
	return mark->there && st.st_dev == was->st_dev && st.st_ino == was->st_ino &&
	       st.st_size == was->st_size && st.st_mtim.tv_sec == was->st_mtim.tv_sec &&
	       st.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

int
file_read_path(const char *path, size_t max, struct buf *buf, struct error *err)
{
	return file_read(AT_FDCWD, path, FILE_FOLLOW, max, buf, err);
}

/* at -1: write at the current offset. */
static int
write_all(int fd, const void *data, size_t len, off_t at, struct error *err)
{
	const char *p = data;
	size_t done = 0;
	ssize_t n;
	int tries = 0;

	while (done < len) {
		n = at == -1 ? write(fd, p + done, len - done)
			     : pwrite(fd, p + done, len - done, at + (off_t)done);
		if (n == -1 && error_again(&tries))
			continue;
		if (n == 0)
			errno = ENOSPC; /* should not happen, but must not loop */
		if (n <= 0)
			return error_sys(err, "cannot write");
		done += (size_t)n;
	}
	return 0;
}

int
file_write_all(int fd, const void *data, size_t len, struct error *err)
{
	return write_all(fd, data, len, -1, err);
}

int
file_write_at(int fd, const void *data, size_t len, off_t at, struct error *err)
{
	return write_all(fd, data, len, at, err);
}
