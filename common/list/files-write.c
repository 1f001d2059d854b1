/*
 * Changing the layouts of one file per task.
 *
 * The client's locks, in the client's order: a new task under the list's
 * lock, a change of one under that task's.  The client takes no list lock
 * for a change; we do when other tasks too must not change before the write
 * (a rule, a dependency), so that our processes do it one after the other.
 * Both sides of a dependency are two writes under one list lock.
 *
 * Every write is: lock, read, decide, stage, verify the lock, rename.  If the
 * lock was lost in between (we were stopped for seconds, and another process
 * took it over), the whole operation starts over.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "list/files-part.h"
#include "list/watermark.h"

struct files_request {
	const char *id;
	const struct change *change;
	store_rule *rule;
	void *arg;
	struct task *before, *after; /* may be NULL */
	struct deadline deadline;
};

/* Writes a text under the locks that are held; `task`: that task's, or NULL. */
static int
commit_text(
    struct store *s, const char *name, const struct buf *text, struct lock *task, struct error *err)
{
	struct file_stage stage = FILE_STAGE_INIT;

	if (file_stage(&stage, s->dirfd, name, text->data, text->len, 0, s->durability, err) == -1)
		return -1;
	if (store_verify(s, task, err) == -1) {
		file_drop(&stage);
		return -1;
	}
	return file_commit(&stage, err);
}

static int
edit_held(struct store *s, const struct files_request *q, const char *name, struct lock *lock,
    struct error *err)
{
	struct task t = TASK_INIT;
	struct buf text = { 0 };
	int rc = files_get(s, q->id, &t, err);

	if (rc == 0)
		rc = error_set(err, ERROR_NOT_FOUND, "there is no task #%s", q->id);
	else if (rc == 1 && q->rule != NULL && q->rule(q->arg, s, &t, err) != 0)
		rc = -1;
	else if (rc == 1)
		rc = task_edit(&t, q->change, clock_wall_ms(), &text, err);
	if (rc == 1 && commit_text(s, name, &text, lock, err) == -1)
		rc = -1;
	if (rc != -1 && q->before != NULL)
		task_copy(q->before, &t);
	if (rc == 1 && q->after != NULL)
		rc = task_read(q->after, t.dialect, q->id, buf_text(&text), text.len, err) == -1
			 ? -1
			 : 1;
	else if (rc == 0 && q->after != NULL)
		task_copy(q->after, &t);
	task_free(&t);
	buf_free(&text);
	return rc;
}

/* Is there such a file?  Asked first, so that no lock is made for a missing one. */
static int
find_file(struct store *s, const char *id, char name[256], struct error *err)
{
	struct stat st;

	if (!files_name(s, id, name))
		return error_set(err, ERROR_NOT_FOUND, "there is no task #%.40s", id);
	if (fstatat(s->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	if (errno != ENOENT)
		return error_sys(err, "cannot stat '%s/%s'", s->dir, name);
	return error_set(err, ERROR_NOT_FOUND, "there is no task #%.40s", id);
}

/* One task, under its lock: 1 written, 0 nothing to write, -1. */
static int
edit_one(struct store *s, const struct files_request *q, struct error *err)
{
	struct lock lock = LOCK_INIT;
	char name[256];
	int rc;

	if (find_file(s, q->id, name, err) == -1)
		return -1;
	if (lock_task(&lock, s->dirfd, name, q->deadline, err) == -1)
		return -1;
	s->in_task = true;
	rc = edit_held(s, q, name, &lock, err);
	s->in_task = false;
	lock_release(&lock);
	return rc;
}

/* The other side of dependencies: adds `id` to the list of each other task, or removes it. */
static int
edit_others(struct store *s, const char *id, const struct strings *others, bool blocks, bool add,
    struct deadline deadline, struct error *err)
{
	struct strings one = { (char *[]){ (char *)id }, 1 };
	struct change change = CHANGE_INIT;
	struct files_request q = { .change = &change, .deadline = deadline };
	int rc, changed = 0;
	size_t i;

	change.add_blocks = add && blocks ? &one : NULL;
	change.add_blocked_by = add && !blocks ? &one : NULL;
	change.remove_blocks = !add && blocks ? &one : NULL;
	change.remove_blocked_by = !add && !blocks ? &one : NULL;
	for (i = 0; others != NULL && i < others->count; i++) {
		q.id = others->item[i];
		rc = edit_one(s, &q, err);
		/* A task that is gone, or that the client does not show, needs no edit. */
		if (rc == -1 && !add && (err->kind == ERROR_NOT_FOUND || err->kind == ERROR_INPUT))
			rc = 0;
		if (rc == -1)
			return -1;
		changed |= rc;
	}
	return changed;
}

static int
edit_other_sides(struct store *s, const char *id, const struct change *c, struct deadline deadline,
    struct error *err)
{
	int a, b, r, t;

	if ((a = edit_others(s, id, c->add_blocked_by, true, true, deadline, err)) == -1 ||
	    (b = edit_others(s, id, c->add_blocks, false, true, deadline, err)) == -1 ||
	    (r = edit_others(s, id, c->remove_blocked_by, true, false, deadline, err)) == -1 ||
	    (t = edit_others(s, id, c->remove_blocks, false, false, deadline, err)) == -1)
		return -1;
	return a | b | r | t;
}

static bool
has_dependencies(const struct change *c)
{
	return c->add_blocks != NULL || c->add_blocked_by != NULL || c->remove_blocks != NULL ||
	       c->remove_blocked_by != NULL;
}

/* *own is -1 until the task itself is edited, then the result of edit_one(): another try edits only
 * the other sides, so that `before` stays the task before the first try. */
static int
update_once(struct store *s, const struct files_request *q, int *own, struct error *err)
{
	bool dependencies = has_dependencies(q->change), whole = dependencies || q->rule != NULL;
	int others = 0;

	if (whole && store_enter(s, q->deadline, err) == -1)
		return -1;
	if (*own == -1 && (!dependencies || store_check_change(s, q->id, q->change, err) == 0))
		*own = edit_one(s, q, err);
	if (*own != -1 && dependencies)
		others = edit_other_sides(s, q->id, q->change, q->deadline, err);
	if (whole)
		store_leave(s);
	return *own == -1 || others == -1 ? -1 : *own | others;
}

static int
files_update(struct store *s, const char *id, const struct change *change, store_rule *rule,
    void *arg, struct task *before, struct task *after, struct deadline deadline, struct error *err)
{
	struct files_request q = { id, change, rule, arg, before, after, deadline };
	int rc, own = -1, i = 0;

	do
		rc = update_once(s, &q, &own, err);
	while (store_again(s, rc, &i, deadline, err));
	return rc;
}

static void
folder_id(char id[32])
{
	uint32_t random = arc4random();

	snprintf(id, 32, "task_%lld_%04x", (long long)(clock_wall_ms() / 1000), random & 0xffff);
}

/* id[0] is set once the task exists: if something fails after that, it must
 * not be made a second time. */
static int
create_once(struct store *s, const struct files_request *q, char id[32], struct task *made,
    struct error *err)
{
	struct buf text = { 0 };
	char name[40];
	bool there = false;
	int rc = -1;

	id[0] = '\0';
	if (store_enter(s, q->deadline, err) == -1)
		return -1;
	if (store_check_change(s, "", q->change, err) == -1 ||
	    (q->rule != NULL && q->rule(q->arg, s, NULL, err) != 0))
		goto out;
	if (s->layout == STORE_FOLDER)
		folder_id(id);
	else if (watermark_next(s, id, err) == -1)
		goto out;
	snprintf(name, sizeof(name), "%s.json", id);
	if (file_there(s->dirfd, name)) {
		/* Another program made it without the lock; choose another number. */
		error_set(err, ERROR_LOST, "another program made task #%s at the same time", id);
		goto out;
	}
	if (task_make(store_dialect(s), id, q->change, clock_wall_ms(), &text, err) == -1 ||
	    commit_text(s, name, &text, NULL, err) == -1)
		goto out;
	there = true;
	if (made != NULL && task_read(made, store_dialect(s), id, text.data, text.len, err) == -1)
		goto out;
	rc = edit_other_sides(s, id, q->change, q->deadline, err) == -1 ? -1 : 0;
out:
	if (!there)
		id[0] = '\0';
	store_leave(s);
	buf_free(&text);
	return rc;
}

/* Edits the other sides again, for a task that was made. */
static int
create_finish(struct store *s, const struct files_request *q, const char *id, struct error *err)
{
	int rc;

	if (store_enter(s, q->deadline, err) == -1)
		return -1;
	rc = edit_other_sides(s, id, q->change, q->deadline, err);
	store_leave(s);
	return rc == -1 ? -1 : 0;
}

static int
files_create(struct store *s, const struct change *change, store_rule *rule, void *arg,
    struct task *made, struct deadline deadline, struct error *err)
{
	struct files_request q = {
		.change = change, .rule = rule, .arg = arg, .deadline = deadline
	};
	char id[32] = "";
	int rc, i = 0;

	do
		rc = id[0] == '\0' ? create_once(s, &q, id, made, err)
				   : create_finish(s, &q, id, err);
	while (store_again(s, rc, &i, deadline, err));
	if (rc == -1 && id[0] != '\0') {
		error_prefix(err,
		    "task #%s was made, but not all of its dependencies (repair: claude-tasks "
		    "doctor --fix)",
		    id);
		if (err->kind == ERROR_LOST)
			err->kind = ERROR_FAULT; /* starting over would make another task */
	}
	return rc;
}

static int
delete_held(struct store *s, const struct files_request *q, const char *name, struct lock *lock,
    struct error *err)
{
	struct task t = TASK_INIT;
	int rc = files_get(s, q->id, &t, err);

	if (rc == 0)
		rc = error_set(err, ERROR_NOT_FOUND, "there is no task #%s", q->id);
	else if (rc == 1 && q->rule != NULL && q->rule(q->arg, s, &t, err) != 0)
		rc = -1;
	/* First the watermark: after a crash in between the number must not be given again. */
	if (rc == 1 && s->layout == STORE_NATIVE && watermark_raise(s, q->id, err) == -1)
		rc = -1;
	if (rc == 1 && store_verify(s, lock, err) == -1)
		rc = -1;
	if (rc == 1 && unlinkat(s->dirfd, name, 0) == -1)
		rc = error_sys(err, "cannot remove '%s/%s'", s->dir, name);
	if (rc == 1 && q->before != NULL)
		task_copy(q->before, &t);
	task_free(&t);
	return rc;
}

static int
delete_once(struct store *s, const struct files_request *q, struct error *err)
{
	struct lock lock = LOCK_INIT;
	char name[256];
	int rc = -1;

	if (find_file(s, q->id, name, err) == -1)
		return -1;
	if (store_enter(s, q->deadline, err) == -1)
		return -1;
	if (lock_task(&lock, s->dirfd, name, q->deadline, err) == 0) {
		s->in_task = true;
		rc = delete_held(s, q, name, &lock, err);
		s->in_task = false;
		lock_release(&lock);
	}
	store_leave(s);
	return rc;
}

struct mention {
	const char *id;
	struct strings by;
};

static int
note_mention(void *arg, const struct task *t)
{
	struct mention *m = arg;

	if (strings_has(&t->blocks, m->id) || strings_has(&t->blocked_by, m->id))
		strings_add(&m->by, t->id);
	return 0;
}

/* The id of a deleted task cannot be added any more, so the search needs no lock. */
static int
forget_id(struct store *s, const char *id, struct deadline deadline, struct error *err)
{
	struct mention m = { .id = id };
	char *needle = mem_printf("\"%s\"", id);
	int rc = files_scan(s, needle, note_mention, &m, err);

	if (rc != -1)
		rc = edit_others(s, id, &m.by, true, false, deadline, err);
	if (rc != -1)
		rc = edit_others(s, id, &m.by, false, false, deadline, err);
	free(needle);
	strings_free(&m.by);
	return rc == -1 ? -1 : 0;
}

static int
files_delete(struct store *s, const char *id, store_rule *rule, void *arg, struct task *before,
    struct deadline deadline, struct error *err)
{
	struct files_request q = { id, NULL, rule, arg, before, NULL, deadline };
	int rc, i = 0;

	do
		rc = delete_once(s, &q, err);
	while (store_again(s, rc, &i, deadline, err));
	if (rc != -1 && forget_id(s, id, deadline, err) == -1)
		return error_prefix(err,
		    "task #%s was deleted, but others still depend on it (claude-tasks doctor "
		    "names them)",
		    id);
	return rc;
}

static int
files_put(struct store *s, const char *id, const char *text, size_t len, struct deadline deadline,
    struct error *err)
{
	struct buf bytes = { (char *)text, len, len };
	struct task t = TASK_INIT;
	char name[256];
	int rc = -1;

	if (!files_name(s, id, name))
		return error_set(
		    err, ERROR_INPUT, "'%.40s' cannot be the id of a task in this list", id);
	if (task_read(&t, store_dialect(s), id, text, len, err) == -1)
		return error_prefix(err, "task #%s", id);
	task_free(&t);
	if (store_enter(s, deadline, err) == -1)
		return -1;
	if (file_there(s->dirfd, name))
		error_set(err, ERROR_REFUSED, "there is already a task #%s", id);
	else
		rc = commit_text(s, name, &bytes, NULL, err);
	store_leave(s);
	return rc;
}

static int
files_lock(struct store *s, struct deadline deadline, struct error *err)
{
	return lock_list(&s->lock, s->dirfd, deadline, err);
}

const struct store_ops files_ops = {
	.lock = files_lock,
	.get = files_get,
	.load = files_load,
	.scan = files_scan,
	.walk = files_walk,
	.bad = files_bad,
	.create = files_create,
	.update = files_update,
	.delete = files_delete,
	.put = files_put,
};
