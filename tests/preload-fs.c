/*
 * preload-fs: simulate other file systems.
 *
 *	FS_SHORT=N	a read or write moves at most N bytes
 *	FS_FLOCK=ERRNO	there is no flock: it fails with this error
 *	FS_NFS=1	it is NFS, and has times in whole seconds
 *	FS_RENAME=1	a rename succeeds but reports a failure (as if the answer
 *			was lost and the request was repeated)
 *
 * Standard input, pipes of children and child programs are not affected.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(name) *)(uintptr_t)dlsym(RTLD_NEXT, #name))

static size_t most = SIZE_MAX;
static int no_flock, nfs, lying;

static int
number(const char *name)
{
	const char *value = getenv(name);

	return value != NULL ? atoi(value) : 0;
}

__attribute__((constructor)) static void
begin(void)
{
	if (number("FS_SHORT") > 0)
		most = (size_t)number("FS_SHORT");
	no_flock = number("FS_FLOCK");
	nfs = number("FS_NFS");
	lying = number("FS_RENAME");
	unsetenv("LD_PRELOAD");
}

static size_t
some(int fd, size_t len)
{
	struct stat st;

	return len > most && REAL(fstat)(fd, &st) == 0 && S_ISREG(st.st_mode) ? most : len;
}

ssize_t
read(int fd, void *data, size_t len)
{
	return REAL(read)(fd, data, some(fd, len));
}

ssize_t
pread(int fd, void *data, size_t len, off_t at)
{
	return REAL(pread)(fd, data, some(fd, len), at);
}

ssize_t
write(int fd, const void *data, size_t len)
{
	return REAL(write)(fd, data, some(fd, len));
}

ssize_t
pwrite(int fd, const void *data, size_t len, off_t at)
{
	return REAL(pwrite)(fd, data, some(fd, len), at);
}

int
flock(int fd, int operation)
{
	if (no_flock != 0) {
		errno = no_flock;
		return -1;
	}
	return REAL(flock)(fd, operation);
}

/* No block device, whole seconds. */
static int
as_nfs(int rc, struct stat *st)
{
	if (rc == 0 && nfs) {
		st->st_dev &= 0xff;
		st->st_atim.tv_nsec = st->st_mtim.tv_nsec = st->st_ctim.tv_nsec = 0;
	}
	return rc;
}

int
fstat(int fd, struct stat *st)
{
	return as_nfs(REAL(fstat)(fd, st), st);
}

int
stat(const char *path, struct stat *st)
{
	return as_nfs(REAL(stat)(path, st), st);
}

int
lstat(const char *path, struct stat *st)
{
	return as_nfs(REAL(lstat)(path, st), st);
}

int
fstatat(int fd, const char *name, struct stat *st, int flags)
{
	return as_nfs(REAL(fstatat)(fd, name, st, flags), st);
}

int
fstatfs(int fd, struct statfs *fs)
{
	int rc = REAL(fstatfs)(fd, fs);

	if (rc == 0 && nfs)
		fs->f_type = NFS_SUPER_MAGIC;
	return rc;
}

int
renameat(int from, const char *old, int to, const char *new)
{
	int rc = REAL(renameat)(from, old, to, new);

	if (rc == 0 && lying) {
		errno = EIO;
		return -1;
	}
	return rc;
}
