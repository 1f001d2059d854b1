#ifndef LIST_LIST_PROJECT_H
#define LIST_LIST_PROJECT_H

/*
 * The project's name for an absolute directory, else the directory's own,
 * else "default"; never NULL, owned.  why: where it comes from.
 */
char *list_project(const char *cwd, const char **why);

#endif
