/*
 * preload-jitter: before half of the calls that take a lock, sleep for up to
 * JITTER_US microseconds.  This makes races likely that otherwise need two
 * processes within nanoseconds.  With NO_FLOCK set flock fails, as on some
 * file systems.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void
dawdle(void)
{
	static uint32_t state, most;
	struct timespec t = { 0 };

	if (state == 0) {
		const char *us = getenv("JITTER_US");

		most = us != NULL ? (uint32_t)atoi(us) : 500;
		clock_gettime(CLOCK_REALTIME, &t);
		state = ((uint32_t)getpid() * 2654435761u ^ (uint32_t)t.tv_nsec) | 1;
	}
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	if ((state & 1) == 0 || most == 0)
		return;
	t.tv_sec = 0;
	t.tv_nsec = (long)((state >> 1) % most) * 1000;
	nanosleep(&t, NULL);
}

#define REAL(name) ((__typeof__(name) *)(uintptr_t)dlsym(RTLD_NEXT, #name))

int
mkdirat(int fd, const char *name, mode_t mode)
{
	dawdle();
	return REAL(mkdirat)(fd, name, mode);
}

int
unlinkat(int fd, const char *name, int flags)
{
	dawdle();
	return REAL(unlinkat)(fd, name, flags);
}

int
flock(int fd, int operation)
{
	dawdle();
	if (getenv("NO_FLOCK") != NULL) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return REAL(flock)(fd, operation);
}

int
fstat(int fd, struct stat *st)
{
	dawdle();
	return REAL(fstat)(fd, st);
}

int
fstatat(int fd, const char *name, struct stat *st, int flags)
{
	dawdle();
	return REAL(fstatat)(fd, name, st, flags);
}

int
futimens(int fd, const struct timespec times[2])
{
	dawdle();
	return REAL(futimens)(fd, times);
}

int
renameat(int from, const char *old, int to, const char *new)
{
	dawdle();
	return REAL(renameat)(from, old, to, new);
}
