#ifndef GATE_GIT_FILE_H
#define GATE_GIT_FILE_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"

/*
 * Files of commits.  root is the top of the work tree; nothing that the repository
 * configures is executed (git.h).
 */

/* The last commits, up to this one, that changed the file or a link on the way to it, the newest
 * first. */
int git_file_commits(const char *root, const char *commit, const char *path, struct deadline,
    struct strings *, struct error *);

/* The text of a file in a commit, path from the root: 1, 0 there is none, -1.  Symbolic links are
 * followed inside the tree; one that leads elsewhere is an error (ERROR_INPUT). */
int git_file_at(const char *root, const char *commit, const char *path, struct deadline,
    struct buf *, struct error *);

/* The files of the index that match. */
int git_tracked(
    const char *root, const char *pathspec, struct deadline, struct strings *, struct error *);

#endif
