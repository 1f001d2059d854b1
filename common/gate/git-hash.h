#ifndef GATE_GIT_HASH_H
#define GATE_GIT_HASH_H

#include "gate/git.h"

/* Fill in sum or why of every entry (inner part of git_tree()). */
void git_read_entries(struct git_tree *);

#endif
