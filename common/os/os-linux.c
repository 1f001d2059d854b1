/*
 * Linux, with any libc: descriptors, files and watching, by memfd, O_PATH, renameat2, statx,
 * inotify.
 */
#include "os/os.h"

#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif
#define ZFS_MAGIC 0x2fc12fc1
#define BCACHEFS_MAGIC 0xca451a4e

/* --- Descriptors --- */

int
os_pipe(int ends[2])
{
	return pipe2(ends, O_CLOEXEC);
}

int
os_socket_pair(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
}

ssize_t
os_send(int fd, const void *data, size_t len, bool wait)
{
	return send(fd, data, len, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));
}

void
os_pipe_enlarge(int fd)
{
	(void)fcntl(fd, F_SETPIPE_SZ, 1 << 20);
}

void
os_close_from(int fd)
{
	if (syscall(SYS_close_range, fd, ~0u, 0) == -1)
		for (; fd < 4096; fd++)
			close(fd);
}

int
os_memory_file(void)
{
	return memfd_create("task-hooks", MFD_CLOEXEC);
}

int
os_flush(int fd)
{
	return fdatasync(fd);
}

int
os_reserve(int fd, off_t len)
{
	return fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, len);
}

/* --- Files --- */

size_t
os_fd_path(int fd, char path[PATH_MAX])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

int
os_pin(int dirfd, const char *name)
{
	return openat(dirfd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

int
os_open_dir(const char *path)
{
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* The kernel resolves the links once, so that what the path says is what was opened. */
int
os_open_target(int dirfd, const char *name, char path[PATH_MAX])
{
	int fd = openat(dirfd, name, O_PATH | O_CLOEXEC), saved;

	if (fd == -1 || os_fd_path(fd, path) > 0)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

int
os_reopen(int fd)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

int
os_exchange(int dirfd, const char *a, const char *b)
{
	return (int)syscall(SYS_renameat2, dirfd, a, dirfd, b, RENAME_EXCHANGE);
}

bool
os_mkdir_sticky(void)
{
	return true;
}

bool
os_fs_local(int fd, dev_t dev)
{
	struct statfs fs;

	/* Network and user-space file systems have no block device. */
	if (major(dev) != 0)
		return true;
	if (fstatfs(fd, &fs) == -1)
		return false;
	switch ((unsigned long)fs.f_type) {
	case EXT4_SUPER_MAGIC:
	case XFS_SUPER_MAGIC:
	case BTRFS_SUPER_MAGIC:
	case F2FS_SUPER_MAGIC:
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
	case OVERLAYFS_SUPER_MAGIC:
	case ZFS_MAGIC:
	case BCACHEFS_MAGIC:
		return true;
	default:
		return false;
	}
}

static int64_t
time_ms(const struct statx_timestamp *t)
{
	return (int64_t)t->tv_sec * 1000 + t->tv_nsec / 1000000;
}

void
os_file_times(int dirfd, const char *name, int64_t *written, int64_t *made)
{
	struct statx st = { 0 };

	(void)statx(dirfd, name, 0, STATX_MTIME | STATX_BTIME, &st);
	*written = time_ms(&st.stx_mtime);
	*made = st.stx_mask & STATX_BTIME ? time_ms(&st.stx_btime) : *written;
}

/* --- Watching a directory --- */

int
os_watch_open(struct os_watch *w)
{
	*w = (struct os_watch){
		.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), .period_ms = -1, .id = -1
	};
	return w->fd == -1 ? -1 : 0;
}

int
os_watch_dir(struct os_watch *w, const char *dir)
{
	const uint32_t what = IN_CREATE | IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM |
			      IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF;
	char *path = mem_string(dir), *slash;

	if (w->id != -1)
		inotify_rm_watch(w->fd, w->id);
	/* The end of the former watch is an event too. */
	while (os_watch_changed(w) == 1)
		;
	while ((w->id = inotify_add_watch(w->fd, path, what)) == -1 && errno == ENOENT) {
		slash = strrchr(path, '/');
		if (slash == NULL || slash == path)
			break;
		*slash = '\0';
	}
	free(path);
	return w->id == -1 ? -1 : 0;
}

int
os_watch_changed(struct os_watch *w)
{
	char drain[4096];

	if (read(w->fd, drain, sizeof(drain)) > 0)
		return 1;
	return errno == EAGAIN ? 0 : -1;
}

void
os_watch_close(struct os_watch *w)
{
	close(w->fd);
}
