#ifndef LIST_STORE_PART_H
#define LIST_STORE_PART_H

#include "list/store.h"

/*
 * What the parts of the store need of each other.
 *
 * "Files" are the layouts with one file per task (native and folder);
 * documents are the other kind.
 */

/* The dialect of the layout. */
enum task_dialect store_dialect(const struct store *);

/* The list's lock, nested calls counted. */
int store_enter(struct store *, struct deadline, struct error *);
void store_leave(struct store *);
/* All that we hold is still ours: right before a commit. task may be NULL. */
int store_verify(struct store *, struct lock *task, struct error *);

/* "<id>.json", or false if no file of this layout is called so. */
bool files_name(const struct store *, const char *id, char name[256]);
/* The id of a file's name, or false. */
bool files_id(const struct store *, const char *name, char id[256]);

int files_get(struct store *, const char *id, struct task *, struct error *);
/* needle: bytes without which (and without escapes) a file is of no interest; NULL: all. */
int files_find(struct store *, const char *id, const char *needle, struct task *, struct error *);
int files_load(struct store *, struct task_set *, struct error *);
int files_bad(struct store *, void (*fn)(void *, const char *file, const char *reason), void *,
    struct error *);
int files_scan(struct store *, const char *needle, int (*fn)(void *, const struct task *), void *,
    struct error *);
int files_walk(struct store *, const char *needle, int (*fn)(void *, const struct task *), void *,
    struct error *);

int files_create(struct store *, const struct change *, store_rule *, void *, struct task *made,
    struct deadline, struct error *);
int files_update(struct store *, const char *id, const struct change *, store_rule *, void *,
    struct task *before, struct task *after, struct deadline, struct error *);
int files_delete(struct store *, const char *id, store_rule *, void *, struct task *before,
    struct deadline, struct error *);
int files_clear(struct store *, struct task_set *removed, struct deadline, struct error *);
int files_put(
    struct store *, const char *id, const char *text, size_t len, struct deadline, struct error *);

/* graph_check_change() of the list. */
int store_check_change(struct store *, const char *id, const struct change *, struct error *);

#endif
