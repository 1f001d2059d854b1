#include "os/platform.h"

#include <limits.h> /* defines __GLIBC__ */
#include <stddef.h>

#if defined(__GLIBC__) && !defined(__UCLIBC__)
#include <gnu/libc-version.h>

#include <stdio.h>
#endif

#if defined(__linux__)
#define SYSTEM "linux"
#elif defined(__APPLE__)
#define SYSTEM "darwin"
#elif defined(__FreeBSD__)
#define SYSTEM "freebsd"
#elif defined(__OpenBSD__)
#define SYSTEM "openbsd"
#elif defined(__NetBSD__)
#define SYSTEM "netbsd"
#elif defined(__sun)
#define SYSTEM "sunos"
#else
#define SYSTEM "unknown"
#endif

#if defined(__x86_64__)
#define CPU "x64"
#elif defined(__aarch64__)
#define CPU "arm64"
#elif defined(__i386__)
#define CPU "ia32"
#elif defined(__arm__)
#define CPU "arm"
#elif defined(__powerpc64__)
#define CPU "ppc64"
#elif defined(__s390x__)
#define CPU "s390x"
#elif defined(__riscv) && __riscv_xlen == 64
#define CPU "riscv64"
#elif defined(__loongarch64)
#define CPU "loong64"
#else
#define CPU "unknown"
#endif

const char *
platform_name(void)
{
	return SYSTEM "-" CPU;
}

const char *
platform_libc(void)
{
#if defined(__GLIBC__) && !defined(__UCLIBC__)
	static char name[32];

	(void)snprintf(name, sizeof(name), "glibc %s", gnu_get_libc_version());
	return name;
#elif defined(__UCLIBC__)
	return "uClibc";
#elif defined(__BIONIC__)
	return "bionic";
#elif defined(__linux__)
	return "musl"; /* it has no macro of its own */
#elif defined(__APPLE__)
	return "libSystem";
#else
	return "libc";
#endif
}
