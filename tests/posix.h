/* In a trial of OS=posix: what all BSDs have, but glibc declares only for _GNU_SOURCE, and libbsd
 * not. */
#ifndef TESTS_POSIX_H
#define TESTS_POSIX_H

#include <stdarg.h>
#include <stddef.h>

void *memmem(const void *, size_t, const void *, size_t);
char *strcasestr(const char *, const char *);
int vasprintf(char **, const char *, va_list) __attribute__((format(printf, 2, 0)));

#endif
