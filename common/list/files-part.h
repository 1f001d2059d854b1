#ifndef LIST_FILES_PART_H
#define LIST_FILES_PART_H

#include <sys/resource.h>

#include "list/files.h"

/* Shared by the parts of files.h: the operations that only read, and clear. */

int files_get(struct store *, const char *id, struct task *, struct error *);
/* needles: a file with none of these, up to NULL, is skipped; NULL: none is. */
int files_find(
    struct store *, const char *id, const char *const *needles, struct task *, struct error *);
int files_load(struct store *, struct task_set *, struct error *);
int files_bad(struct store *, store_bad_fn *, void *, struct error *);
int files_scan(struct store *, const char *const *needles, store_visit *, void *, struct error *);
int files_walk(struct store *, const char *const *needles, store_visit *, void *, struct error *);
int files_clear(struct store *, struct task_set *, struct strings *others, struct error *);
/* Room for so many descriptors.  True if the limit had to be raised; before: what it was. */
bool files_room(size_t count, struct rlimit *before);

#endif
