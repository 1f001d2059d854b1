#include "task/task-index.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a; linear probing in a table that is at most half full. */
static size_t
hash(const char *s)
{
	size_t h = 14695981039346656037u;

	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	return h ^ h >> 29;
}

void
task_index_make(struct task_index *index, const struct task_set *set)
{
	size_t room = 16, i, at;

	while (room < set->count * 2)
		room *= 2;
	index->set = set;
	index->mask = room - 1;
	index->slot = mem_grow(NULL, room, sizeof(index->slot[0]));
	for (i = 0; i < room; i++)
		index->slot[i] = TASK_NOWHERE;
	for (i = 0; i < set->count; i++) {
		for (at = hash(set->item[i].id) & index->mask; index->slot[at] != TASK_NOWHERE;)
			at = (at + 1) & index->mask;
		index->slot[at] = i;
	}
}

size_t
task_index_find(const struct task_index *index, const char *id)
{
	size_t at;

	for (at = hash(id) & index->mask; index->slot[at] != TASK_NOWHERE;
	     at = (at + 1) & index->mask)
		if (strcmp(index->set->item[index->slot[at]].id, id) == 0)
			return index->slot[at];
	return TASK_NOWHERE;
}

void
task_index_free(struct task_index *index)
{
	free(index->slot);
	index->slot = NULL;
}
