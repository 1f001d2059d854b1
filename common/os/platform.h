#ifndef OS_PLATFORM_H
#define OS_PLATFORM_H

/*
 * What this program was built for.
 */

/* As npm names it, "linux-x64": the name of a directory of make cross, of a package, of a release.
 */
const char *platform_name(void);
/* "glibc 2.36" (the one that is linked in, or loaded), "musl", "libSystem". */
const char *platform_libc(void);

#endif
