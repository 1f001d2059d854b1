#ifndef GATE_GIT_PART_H
#define GATE_GIT_PART_H

#include "gate/git.h"
#include "sys/child.h"

/*
 * Only for the parts of git:
 *
 *	git.c		the tree: what differs, what is untracked, what is hidden
 *	git-run.c	run git, by itself and without the repository's settings
 *	git-plain.c	does git status alone tell all?
 *	git-raw.c	compare files with the index without asking status
 *	git-proven.c	write the tree, and compare with a written one
 *	git-times.c	when its files were changed last
 *	git-hash.c	the hash of a tree
 *	git-head.c	what is read without a process
 *	git-history.c	questions about commits
 *	git-file.c	a file in a commit
 */
struct git_call {
	struct child child;
	int fd;            /* its output */
	const void *input; /* its standard input; NULL: none */
	size_t input_len;
	const char *index; /* another index; NULL: that of the repository */
};

#define GIT_CALL_INIT                         \
	{                                     \
		.child = CHILD_INIT, .fd = -1 \
	}

/* What the configuration says and the commands here have to know. */
struct git_settings {
	struct strings filters; /* names of filter settings: each is set to nothing */
	char *excludes;         /* the user's own file of ignored names; NULL: none */
};

/* filters: settings to unset; NULL for a command that compares no content. */
int git_start(struct git_call *, const char *root, const char *const *words,
    const struct strings *filters, struct deadline, struct error *);
int git_finish(struct git_call *, const char *what, struct buf *out, struct error *);
void git_call_free(struct git_call *);

/* Run git; its NUL-separated output as strings. */
int git_list(
    const char *root, const char *const *words, struct deadline, struct strings *, struct error *);

int git_settings_read(struct git_settings *, const char *root, struct deadline, struct error *);
void git_settings_free(struct git_settings *);

/* git-raw.c: files whose content is compared with the index by its bytes. */
struct git_raw {
	struct strings path, oid;
};

/* One line of the index: a file of this mode and object id. */
void git_raw_add(struct git_raw *, const char *path, const char *mode, const char *oid);
/* Move to `differ` those that are not what the index says, or cannot be compared. */
void git_raw_compare(struct git_raw *, const char *root, struct deadline, struct strings *differ);
void git_raw_free(struct git_raw *);

/* git-plain.c: nothing is hidden from status, and it runs no filter. */
bool git_plain(const char *root);
/* Does .git/info/attributes say anything?  Then status may take a changed file for unchanged. */
bool git_hidden_attributes(const char *root);

/* git-head.c: the directories of the repository, owned.  -1: there is none. */
int git_directories(const char *root, char **git, char **common);

/* git-hash.c: fill in sum or why of every entry (inner part of git_tree()). */
void git_read_entries(struct git_tree *);

#endif
