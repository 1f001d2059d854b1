#ifndef LIST_LIST_PART_H
#define LIST_LIST_PART_H

#include "list/list.h"

/* Shared by the parts of list.h. */

/* list_find() for a directory; takes why. */
int list_find_dir(struct list *, const char *given, char *why, struct error *);

/* The name of the project that an absolute directory belongs to: "name" of the nearest
 * package.json, or the directory that holds .git, whichever comes first on the way up; else the
 * directory's own name, else "default".  Never NULL, owned.  why: where it comes from. */
char *list_project(const char *cwd, const char **why);

/* The list that list_learn() noted for a session, NULL if none; owned. */
char *list_learnt(const char *config, const char *session);

#endif
