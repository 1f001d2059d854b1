#ifndef SYS_FILE_H
#define SYS_FILE_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * Files below a directory descriptor: read bounded, replaced whole.
 *
 * Names are single components (never "", ".", ".." or with a slash); a
 * name that is anything but a regular file is refused (a FIFO does not block
 * us).  A missing file is ERROR_NOT_FOUND, any other failure ERROR_FAULT,
 * unless said.
 */
#define FILE_MAX (8u << 20) /* maximum size of a task file or config */

enum file_flags {
	FILE_FOLLOW = 1, /* the name may be a symbolic link to the file */
};

/* 1 read, 0 not there, -1 error (too large, not regular, ...). buf is reset. */
int file_read(int dirfd, const char *name, int flags, size_t max, struct buf *, struct error *);
int file_read_path(const char *path, size_t max, struct buf *, struct error *); /* follows links */
/* All of a descriptor, at most max bytes (ERROR_INPUT if there is more). */
int file_read_fd(int fd, size_t max, struct buf *, struct error *);
int file_write_all(int fd, const void *, size_t, struct error *);
int file_write_at(int fd, const void *, size_t, off_t, struct error *);
int file_flush(int fd); /* its data to the disk; -1 and errno */

/*
 * Which file a name is, to find out later whether it must be read again.  The file is kept open, so
 * that no other file gets its inode.
 */
struct file_mark {
	bool set;   /* false: nothing is known */
	bool there; /* false: there was no file */
	int fd;
	struct stat st;
};
/* file_read() that also sets the mark. */
int file_read_mark(int dirfd, const char *name, int flags, size_t max, struct buf *,
    struct file_mark *, struct error *);
void file_mark(struct file_mark *, int dirfd, const char *name);
void file_unmark(struct file_mark *);
/* Is it still this file, with the same bytes?  False if nothing is known. */
bool file_marked(const struct file_mark *, int dirfd, const char *name);

/*
 * Replace in two steps, so that a lock can be verified in between:
 *
 *	file_stage()	writes a temporary file in the same directory (a dot
 *			name that does not end in ".json"), with the mode of
 *			the file it will replace (`mode`, or 0666 if that is
 *			0, less the umask, for a new one), and syncs it
 *	file_commit()	renames it over the name
 *	file_drop()	forgets it; a no-op after a commit, or after a
 *			file_stage() that failed
 *
 * A name that is a symbolic link stays one: the target is replaced, if it is
 * in the directory above dirfd, where the lists are, or below that.  So a link
 * that replaced a task after it was read cannot direct a write elsewhere.
 */
enum durability {
	DURABILITY_OFF,  /* nothing is synced */
	DURABILITY_FILE, /* the data, before the rename */
	DURABILITY_FULL, /* and the directory, after it */
};

struct file_stage {
	int dirfd; /* of the directory that is really written to */
	bool own_dirfd;
	char temp[64]; /* "": nothing staged */
	char name[256];
	enum durability durability;
};

#define FILE_STAGE_INIT      \
	{                    \
		.dirfd = -1, \
	}

int file_stage(struct file_stage *, int dirfd, const char *name, const void *, size_t, int mode,
    enum durability, struct error *);
int file_commit(struct file_stage *, struct error *);
void file_drop(struct file_stage *);

/* Both steps, for files of a person's or our own: a link is followed anywhere.  Writes nothing if
 * the file has these bytes already. */
int file_replace(
    int dirfd, const char *name, const void *, size_t, int mode, enum durability, struct error *);

/* The same for a file that the caller has read under a lock: it is written without a look at its
 * bytes, and a link is followed as by file_stage(). */
int file_write(
    int dirfd, const char *name, const void *, size_t, int mode, enum durability, struct error *);

/* Remove temporaries that were left behind (by a killed process, a minute
 * ago or more); best called under the list's lock.  How many were removed. */
int file_sweep(int dirfd);
bool file_is_temp(const char *name);

/* Is this path, without links, in the directory above dirfd, at whatever depth? */
bool file_inside(int dirfd, const char *path);

/* "/the/directory/name", for messages only; falls back to the name. */
const char *file_path(char out[PATH_MAX], int dirfd, const char *name);

/* Is there anything of that name?  True also if that cannot be found out: opening it gives the
 * reason. */
bool file_there(int dirfd, const char *name);

bool name_ok(const char *); /* a single path component that does not begin with a dot */

#endif
