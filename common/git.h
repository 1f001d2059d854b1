#ifndef COMMON_GIT_H
#define COMMON_GIT_H

#include <stdbool.h>

#include "clock.h"
#include "error.h"
#include "mem.h"

/*
 * What the tree is, as git sees it.
 *
 * git_tree() asks `git status` once: HEAD, and every path that is dirty,
 * staged or untracked (ignored files are no part of the tree).
 * git_tree_hash() reads the content of those in scope.  Two equal hashes
 * mean the same tree; whatever cannot be hashed (a dirty submodule, a nested
 * repository, more than GIT_HASH_MAX bytes, an unreadable file) has no hash
 * and a reason.
 */
#define GIT_HASH_MAX (256u << 20)

struct git_entry {
	char *path;   /* from the root */
	char *record; /* git's own line about it: modes and object ids */
	bool opaque;  /* has content that we cannot hash */
};

struct git_tree {
	bool repository; /* false: not inside one (or no git) */
	char *root;      /* of the working tree */
	char *head;      /* commit; NULL: none yet */
	struct git_entry *entry;
	size_t count;
};

/* 0 (also outside a repository), -1 if git failed. */
int git_tree(struct git_tree *, const char *cwd, struct deadline, struct error *);
void git_tree_free(struct git_tree *);

/* Globs from the root; files NULL or empty: everything; writes: left out. 1 hashed, 0 cannot be
 * (why says), -1 fault. */
int git_tree_hash(const struct git_tree *, const struct strings *files,
    const struct strings *writes, char out[65], char **why, struct error *);

/* Outside a repository: the files below dir that match; 1, 0, -1 as above. */
int git_files_hash(const char *dir, const struct strings *files, const struct strings *writes,
    char out[65], char **why, struct error *);

/* Paths that differ from `since` (a commit; NULL: HEAD), dirty and untracked ones included. */
int git_changed(
    const struct git_tree *, const char *since, struct deadline, struct strings *, struct error *);

/* All paths git knows (tracked and untracked): to find globs that match nothing. */
int git_paths(const struct git_tree *, struct deadline, struct strings *, struct error *);

/* HEAD's commit by reading .git alone, no process: cheap enough for a claim.
 * NULL if that is not possible. */
char *git_head(const char *cwd);

#endif
