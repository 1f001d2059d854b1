#ifndef GATE_GIT_HISTORY_H
#define GATE_GIT_HISTORY_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"

/*
 * Questions about commits.  root is the top of the work tree; nothing that the
 * repository configures is executed (git.h).
 */

/* Is this commit HEAD, or one that HEAD was made from?  False also if it is not known here. */
bool git_before_head(const char *root, const char *commit, struct deadline);

/* The best common ancestor of HEAD and this commit, by its name in full; owned; NULL: none is
 * known, or it is older than where a shallow history begins. */
char *git_base_of(const char *root, const char *commit, struct deadline);

/* The best common ancestor of HEAD and this: a remote branch ("origin/main"), else a local one, a
 * name that begins with refs/, HEAD^ or HEAD~2, or a commit's name in full.  Owned; NULL: none that
 * is known here.  A tag of the same name is not taken for it. */
char *git_merge_base(const char *root, const char *ref, struct deadline);

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
