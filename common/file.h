#ifndef COMMON_FILE_H
#define COMMON_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "buf.h"
#include "error.h"

/*
 * Files below a directory descriptor: read bounded, replaced whole.
 *
 * Names are single components (never "", ".", ".." or with a slash); a
 * name that is anything but a regular file is refused without being opened
 * for good (a FIFO does not block us).
 */
#define FILE_MAX (8u << 20) /* bytes of a task file or config we are ready to read */

enum file_flags {
	FILE_FOLLOW = 1, /* a symbolic link may lead to the file */
};

/* 1 read, 0 not there, -1 error (too large, not regular, ...). buf is reset. */
int file_read(int dirfd, const char *name, int flags, size_t max, struct buf *, struct error *);
int file_read_path(const char *path, size_t max, struct buf *, struct error *);
/* All of a descriptor, at most max bytes (ERROR_INPUT if there is more). */
int file_read_fd(int fd, size_t max, struct buf *, struct error *);
int file_write_all(int fd, const void *, size_t, struct error *);

/*
 * Replace in two steps, so that a lock can be verified in between:
 *
 *	file_stage()	writes a temporary file in the same directory (dot
 *			name that neither ends in ".json" nor looks like a
 *			task), with the mode of the file it will replace
 *			(0644 & ~umask, or `mode`, for a new one), and syncs it
 *	file_commit()	renames it over the name
 *	file_drop()	forgets it; a no-op after a commit
 *
 * A name that is a symbolic link stays one: the target is replaced.
 */
enum file_sync { FILE_SYNC_OFF, FILE_SYNC_FILE, FILE_SYNC_FULL };

struct file_stage {
	int dirfd; /* of the directory that is really written to */
	bool own_dirfd;
	char temp[64];
	char name[256];
	enum file_sync sync;
};

int file_stage(struct file_stage *, int dirfd, const char *name, const void *, size_t, int mode,
    enum file_sync, struct error *);
int file_commit(struct file_stage *, struct error *);
void file_drop(struct file_stage *);

/* Both steps.  Does nothing if the file has these bytes already. */
int file_replace(
    int dirfd, const char *name, const void *, size_t, int mode, enum file_sync, struct error *);

/* Remove temporaries whose makers are dead (call under the lock). */
void file_sweep(int dirfd);

/* Open (and, with `make`, create with mode and parents) a directory. */
int dir_open(const char *path, struct error *);
int dir_make(const char *path, mode_t mode,
    struct error *); /* parents 0777 & ~umask, last one with mode; fd */
int dir_open_at(int dirfd, const char *name, bool make, mode_t mode,
    struct error *);        /* never through a symlink */
bool name_ok(const char *); /* a single path component that is no dot name */

#endif
