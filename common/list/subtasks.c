/*
 * A completion must not cost a scan of ten thousand files to learn that a
 * task has no subtasks.
 *
 * The marks are hints.  A mark too many costs a scan; a missing one is no
 * hole, because on-task-completed-verify always scans.
 */
#include "list/subtasks.h"

#include <sys/stat.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SEEDED "parents"

static bool
mark_name(const char *id, char out[192])
{
	if (!task_id_ok(id))
		return false;
	snprintf(out, 192, "parent-%s", id);
	return true;
}

/* Touch the file, and put one byte into it if `some`. */
static void
mark(int state, const char *file, bool some)
{
	int fd = openat(state, file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd == -1)
		return;
	if ((some && write(fd, "+", 1) != 1) || futimens(fd, NULL) == -1)
		(void)unlinkat(state, file, 0);
	close(fd);
}

/* 1 it may have subtasks, 0 it has none, -1 unknown. */
static int
hint(const struct list *list, const char *id)
{
	char *path = list_state_path(list, SEEDED), name[192];
	struct stat st;
	time_t now = time(NULL);
	bool there = lstat(path, &st) == 0;

	free(path);
	if (!there || st.st_mtime + SUBTASKS_SECONDS < now || st.st_mtime > now + 1)
		return -1;
	if (st.st_size == 0)
		return 0; /* no task of the list has any */
	return mark_name(id, name) ? list_state_has(list, name) : -1;
}

struct subtask_scan {
	const char *parent;
	struct task_set *found;
	struct strings parents;
};

static int
subtask_visit(void *arg, const struct task *t)
{
	struct subtask_scan *l = arg;

	if (t->parent == NULL)
		return 0;
	if (!strings_has(&l->parents, t->parent))
		strings_add(&l->parents, t->parent);
	if (task_open(t) && strcmp(t->parent, l->parent) == 0)
		task_copy(task_set_add(l->found), t);
	return 0;
}

int
subtasks_open(const struct list *list, struct store *store, const char *id, bool remember,
    struct task_set *found, struct error *e)
{
	struct subtask_scan l = { .parent = id, .found = found };
	struct error ignored;
	char name[192];
	int known = hint(list, id), rc, state;

	if (known == 0)
		return 0;
	rc = store_scan(store, NULL, subtask_visit, &l, e);
	if (rc != -1 && known == -1 && remember &&
	    (state = list_state(list, true, &ignored)) != -1) {
		for (size_t i = 0; i < l.parents.count; i++)
			if (mark_name(l.parents.item[i], name))
				mark(state, name, false);
		mark(state, SEEDED, l.parents.count > 0);
	}
	strings_free(&l.parents);
	return rc == -1 ? -1 : 0;
}

void
subtasks_note(const struct list *list, const struct json *j, json_ref metadata)
{
	static const char *const keys[] = { "parent_id", "parentId", "parent" };
	struct error ignored;
	char name[192], *id;
	int state;

	if (json_kind(j, metadata) != JSON_OBJECT)
		return;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if ((id = json_member_string(j, metadata, keys[i])) == NULL)
			continue;
		if (mark_name(id, name) && (state = list_state(list, true, &ignored)) != -1) {
			mark(state, name, false);
			if (list_state_has(list, SEEDED))
				mark(state, SEEDED, true);
		}
		free(id);
	}
}

void
subtasks_forget(const struct list *list)
{
	struct error ignored;
	int state;

	if (list_state_has(list, SEEDED) && (state = list_state(list, false, &ignored)) != -1)
		(void)unlinkat(state, SEEDED, 0);
}
