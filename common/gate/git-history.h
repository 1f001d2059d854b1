#ifndef GATE_GIT_HISTORY_H
#define GATE_GIT_HISTORY_H

#include <stdbool.h>

#include "base/clock.h"

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

#endif
