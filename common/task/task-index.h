#ifndef TASK_TASK_INDEX_H
#define TASK_TASK_INDEX_H

#include "task/task.h"

/*
 * Tasks of a set by their ids, without a search.  Good as long as the set
 * is not changed; the first of two with one id is found.
 */
struct task_index {
	const struct task_set *set;
	size_t *slot, mask;
};

#define TASK_NOWHERE ((size_t)-1)

void task_index_make(struct task_index *, const struct task_set *);
size_t task_index_find(const struct task_index *, const char *id); /* TASK_NOWHERE */
void task_index_free(struct task_index *);

#endif
