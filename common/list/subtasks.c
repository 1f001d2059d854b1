/*
 * The mark saves a scan: 3,000 system calls in a list of 1,000 tasks.  It is an empty file.
 * Two processes may set and remove it at the same time, in any order: see the
 * header for why it may be wrong.
 */
#include "list/subtasks.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

#define MARK "no-subtasks"

struct subtask_search {
	const char *parent;
	struct task_set *open;
	bool parents;
};

static int
subtask_visit(void *arg, const struct task *t)
{
	struct subtask_search *s = arg;

	s->parents |= t->parent != NULL;
	if (task_open(t) && text_equal(t->parent, s->parent))
		task_copy(task_set_add(s->open), t);
	return 0;
}

int
subtasks_open(
    struct store *store, const char *id, struct task_set *open, bool *parents, struct error *err)
{
	struct subtask_search s = { .parent = id, .open = open };
	int rc = store_scan_children(store, subtask_visit, &s, err);

	task_set_sort(open);
	*parents = s.parents;
	return rc;
}

bool
subtasks_marked_none(const struct list *list)
{
	return list_state_has(list, MARK);
}

void
subtasks_mark_none(const struct list *list)
{
	struct error ignored;
	int state = list_state(list, true, &ignored), fd = -1;

	if (state != -1)
		fd = openat(state, MARK, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd != -1)
		close(fd);
}

void
subtasks_unmark(const struct list *list)
{
	struct error ignored;
	int state;

	if (list_state_has(list, MARK) && (state = list_state(list, false, &ignored)) != -1)
		(void)unlinkat(state, MARK, 0);
}

/* The keys that task_parent() knows all contain "parent"; a subject has "[^#67]". */
void
subtasks_see_call(const struct list *list, const struct json *j, json_ref input)
{
	size_t len;
	const char *raw = json_raw(j, input, &len);

	if (memmem(raw, len, "parent", 6) != NULL || memmem(raw, len, "[^#", 3) != NULL)
		subtasks_unmark(list);
}
