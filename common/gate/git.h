#ifndef GATE_GIT_H
#define GATE_GIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"

/*
 * The state of the working tree, as git sees it.
 *
 * git_tree() asks git for HEAD and for every path that is dirty, staged or
 * untracked (ignored files are not part of the tree; those that .git/info/exclude
 * alone ignores are), and for tracked files that git was told not to look at, and
 * reads the content of all of them.  Settings that would make git overlook a change
 * (core.worktree, core.fileMode, core.trustctime, ...) are not obeyed.
 * Two equal git_tree_hash() mean the same tree; whatever cannot be hashed (a
 * changed submodule, a nested repository, an unreadable file, more than
 * GIT_HASH_MAX bytes) has no hash and a reason.
 *
 * No command that the repository names is executed (no hooks, no file system monitor,
 * no filters, no fetch of missing objects; the same in its submodules), and nothing is
 * written (no optional locks).  A file that has a filter and whose times are not those
 * in the index counts as changed.
 */
#define GIT_HASH_MAX (256u << 20)

struct git_entry {
	char *path;         /* from the root */
	char *record;       /* what git printed about it: modes and object ids */
	char sum[HASH_HEX]; /* of its mode and content now; "" if it cannot be hashed */
	char *why;          /* why not */
	bool hidden;        /* assume-unchanged or skip-worktree: maybe not changed at all */
	bool differs; /* not what the index has, or not known to be, though status is silent */
};

struct git_tree {
	bool repository; /* false: not inside one */
	char *root;      /* of the working tree */
	char *head;      /* commit; NULL: none yet */
	struct git_entry *entry;
	size_t count;
};

/* When each tracked file of a tree was changed last.  A change that was undone shows here alone. */
struct git_time {
	uint64_t inode;
	int64_t seconds, nanoseconds;
};

struct git_times {
	struct strings path;
	struct git_time *item;
};

int git_times_read(struct git_times *, const struct git_tree *, struct deadline, struct error *);
/* The paths with another time now. */
void git_times_changed(const struct git_times *, const struct git_tree *, struct strings *);
void git_times_free(struct git_times *);

/* 0 (also outside a repository), -1 if git is missing or failed. */
int git_tree(struct git_tree *, const char *cwd, struct deadline, struct error *);
void git_tree_free(struct git_tree *);

/* Globs from the root.  files NULL or empty: everything; writes: left out.
 * 1 hashed; 0 it cannot be (why, owned, says). */
int git_tree_hash(const struct git_tree *, const struct strings *files,
    const struct strings *writes, char out[HASH_HEX], char **why);

bool git_in_scope(const struct strings *files, const struct strings *writes, const char *path);

/* Outside a repository: the files below dir that match; 1 or 0 as above. */
int git_files_hash(const char *dir, const struct strings *files, const struct strings *writes,
    char out[HASH_HEX], char **why);

/* Files below dir that match, ignored or not; there may be none.  1 or 0 as above. */
int git_inputs_hash(const char *dir, const struct strings *inputs, char out[HASH_HEX], char **why);

/* The paths in scope whose state differs between two trees of one repository. */
void git_tree_difference(const struct git_tree *, const struct git_tree *,
    const struct strings *files, const struct strings *writes, struct strings *);

/* Paths that differ from `since` (a commit; NULL: HEAD), untracked ones included. */
int git_changed(
    const struct git_tree *, const char *since, struct deadline, struct strings *, struct error *);

/* Write the tree as it is now into the repository's objects, as its bytes are: its name.  -1: git
 * failed, or something in it cannot be written as it is (submodules, hidden files). */
int git_tree_write(const struct git_tree *, struct deadline, char oid[HASH_HEX], struct error *);

/* Keep it reachable by refs/task-hooks/proven/NAME of each name. */
int git_tree_keep(const struct git_tree *, const char *oid, const struct strings *names,
    struct deadline, struct error *);

/* Paths that differ from a tree written before; more of them if that is not known. */
int git_changed_from_tree(
    const struct git_tree *, const char *oid, struct deadline, struct strings *, struct error *);

/* All paths git knows, tracked and untracked: to find globs that match nothing. */
int git_paths(const struct git_tree *, struct deadline, struct strings *, struct error *);

/* Run a git command that compares no content, in root; its standard output. */
int git_output(
    const char *root, const char *const *words, struct deadline, struct buf *, struct error *);

/* The directory that the worktrees of a repository share; owned; NULL: not known. */
char *git_common(const char *root);

/* HEAD's commit by reading .git alone, no process: cheap enough for a claim.
 * NULL if that is not possible. */
char *git_head(const char *cwd);

/* The same for the branch that refs/remotes/origin/HEAD names, in the directory that worktrees
 * share: "COMMIT REF", owned; NULL: it is not known. */
char *git_default_branch(const char *common);

#endif
