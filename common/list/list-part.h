#ifndef LIST_LIST_PART_H
#define LIST_LIST_PART_H

#include "list/list.h"

/* What the parts of list.h need of each other. */

/* list_find() for --dir. */
int list_find_dir(struct list *, const char *given, struct error *);

/* The list that list_learn() noted for a session, NULL if none; owned. */
char *list_learnt(const char *config, const char *session);

#endif
