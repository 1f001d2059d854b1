/*
 * preload-memory: make allocations fail.
 *
 *	MEMFAIL=N	the Nth allocation fails
 *	MEMFAIL=N+	the Nth allocation and all later ones fail
 *	MEMFAIL_SEEN	a file that is created when the first one fails
 *
 * Allocations are counted from the constructor of this library on, which is
 * about the start of main(); a forked process continues the count of its
 * parent.  In a program that is started from it no allocation fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static long left; /* allocations until the failure; 0: no failure */
static bool for_ever, failing;
static const char *seen;

static bool
fails(void)
{
	if (failing) {
		errno = ENOMEM;
		return true;
	}
	if (left == 0 || --left > 0)
		return false;
	failing = for_ever;
	if (seen != NULL)
		close(open(seen, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	errno = ENOMEM;
	return true;
}

__attribute__((constructor)) static void
begin(void)
{
	const char *when = getenv("MEMFAIL");
	char *end;

	unsetenv("LD_PRELOAD");
	if (when == NULL)
		return;
	seen = getenv("MEMFAIL_SEEN");
	left = strtol(when, &end, 10);
	for_ever = *end == '+';
}

void *
malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *
realloc(void *p, size_t size)
{
	return fails() ? NULL : __libc_realloc(p, size);
}

void *
aligned_alloc(size_t align, size_t size)
{
	return fails() ? NULL : __libc_memalign(align, size);
}

void *
memalign(size_t align, size_t size)
{
	return aligned_alloc(align, size);
}

int
posix_memalign(void **p, size_t align, size_t size)
{
	*p = aligned_alloc(align, size);
	return *p != NULL ? 0 : ENOMEM;
}
