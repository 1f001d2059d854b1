#ifndef CONFIG_REPOSITORY_H
#define CONFIG_REPOSITORY_H

#include <stdbool.h>

/*
 * The git repository around a directory, read from its .git without running git.
 *
 * A linked worktree is believed only if the repository knows it too (its
 * worktrees/NAME/gitdir names this .git): otherwise any unpacked directory could pass for a
 * worktree of a project whose commands are trusted.
 */
struct repository {
	char *top;    /* of the work tree */
	char *place;  /* the directory, below top; "" for top itself */
	char *common; /* the common git directory: the same for all its worktrees */
	char *main;   /* top of the main work tree, if this is a linked one that has it; NULL */
};

/* The top of the work tree that dir (NULL: the working directory) is in; owned; NULL: outside any.
 */
char *repository_top(const char *dir);
bool repository_find(struct repository *, const char *dir); /* false: outside any */
void repository_free(struct repository *);

#endif
