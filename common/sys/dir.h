#ifndef SYS_DIR_H
#define SYS_DIR_H

#include <sys/stat.h>

#include <dirent.h>
#include <stdbool.h>

#include "base/error.h"

/* A directory's descriptor, close-on-exec.  dir_make() makes it with its parents
 * (0777 & ~umask) and the last one with mode; an existing one is left as it is. */
int dir_open(const char *path, struct error *);
int dir_make(const char *path, mode_t mode, struct error *);
/* Below another; never through a symlink. */
int dir_open_at(int dirfd, const char *name, bool make, mode_t mode, struct error *);
/* Read the names of a directory below dirfd ("." for dirfd itself), with a position of its own.
 * NULL, and errno. */
DIR *dir_read(int dirfd, const char *name);

/* Is path the directory root, or below it?  By their texts: both absolute, without links. */
bool dir_contains(const char *root, const char *path);

/* Where a name leads: for a symbolic link the directory of its target, opened
 * (*own set), and the target's name.  1, 0 not there, -1. */
int dir_follow(int dirfd, const char *name, int *target_dirfd, bool *own, char target[256],
    struct stat *, struct error *);

#endif
