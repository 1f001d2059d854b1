/*
 * The circle that a new dependency would close, found by reading only the
 * tasks on the way: a hook that checks one edge of a list of ten thousand
 * reads a handful of files.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "list/graph.h"

struct step {
	char *id;
	size_t from; /* the step that led here; itself at the start */
};

struct trail {
	struct step *step;
	size_t count, room;
	void *seen; /* tsearch(3) over the ids */
};

static int
by_id(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void
trail_reach(struct trail *trail, const char *id, size_t from)
{
	char *own = mem_string(id);
	void *node = tsearch(own, &trail->seen, by_id);

	if (node == NULL)
		mem_exhausted();
	if (*(char **)node != own) {
		free(own);
		return;
	}
	if (trail->count == trail->room) {
		trail->room = trail->room == 0 ? 16 : 2 * trail->room;
		trail->step = mem_grow(trail->step, trail->room, sizeof(trail->step[0]));
	}
	trail->step[trail->count++] = (struct step){ own, from };
}

/* From the start to here. */
static void
trail_path(const struct trail *trail, size_t at, struct strings *path)
{
	struct strings back = { 0 };

	for (;; at = trail->step[at].from) {
		strings_add(&back, trail->step[at].id);
		if (trail->step[at].from == at)
			break;
	}
	while (back.count > 0)
		strings_take(path, back.item[--back.count]);
	free(back.item);
}

int
graph_cycle_on_disk(struct store *s, const char *blocked, const char *blocker, struct strings *path,
    struct error *err)
{
	struct trail trail = { 0 };
	struct task t = TASK_INIT;
	size_t at, i;
	int rc = 0;

	trail_reach(&trail, blocker, 0);
	for (at = 0; at < trail.count; at++) {
		if (strcmp(trail.step[at].id, blocked) == 0) {
			strings_add(path, blocked);
			trail_path(&trail, at, path);
			rc = 1;
			break;
		}
		rc = store_get(s, trail.step[at].id, &t, err);
		if (rc == -1 && err->kind != ERROR_INPUT)
			break;
		for (i = 0; rc == 1 && i < t.blocked_by.count; i++)
			trail_reach(&trail, t.blocked_by.item[i], at);
		rc = 0;
	}
	tdestroy(trail.seen, free); /* the ids */
	free(trail.step);
	task_free(&t);
	return rc;
}
