#ifndef GATE_GIT_HISTORY_H
#define GATE_GIT_HISTORY_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"

/*
 * Questions about commits, for --ci.  root is the top of the work tree; nothing that the
 * repository configures is executed (git.h).
 */

/* Is this commit HEAD, or one that HEAD was made from?  False also if it is not known here. */
bool git_before_head(const char *root, const char *commit, struct deadline);

#endif
