/*
 * Changing the layouts of one file per task.
 *
 * The client's locks, in the client's order: a new task under the list's
 * lock, a change of one under that task's.  The client takes no list lock
 * for a change; we do when other tasks too must not change before the write
 * (a rule, a dependency, several tasks), so that our processes do it one after
 * the other.  Then the lock of every task concerned is taken before any is
 * read: a lock that another program holds is found before the first byte is
 * written.  The client never holds more than one lock, so no two processes
 * wait for each other.
 *
 * Every write is: lock, read, decide, stage, verify the locks, rename.  If a
 * lock was lost in between (we were stopped for seconds, and another process
 * took it over), the whole operation starts over.  If a rename fails after
 * others, their files get the old texts again.
 *
 * To put the data of many files on the disk takes long.  They are staged before
 * the locks are taken, from what is read without a lock; under the locks all is
 * read and decided again, and only what is different then is staged again.
 * What they replace is freed after the locks: store_pin().
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "list/batch.h"
#include "list/files-part.h"
#include "list/watermark.h"

#define MANY 16         /* files: stage them first */
#define CROWDED_MS 500  /* how long to wait for a task's lock while others are held */
#define OTHER_FILES 100 /* descriptors that are not of locks */

static int
files_new_id(struct store *s, const char *last, char id[64], struct error *err)
{
	if (!store_ops(s)->numbers)
		snprintf(id, 64, "task_%lld_%04x", (long long)(clock_wall_ms() / 1000),
		    arc4random() & 0xffff);
	else if (last == NULL)
		return watermark_next(s, id, err);
	else
		watermark_print(id, watermark_number(last) + 1);
	return 0;
}

/* ---- locks ---- */

/* Two links to one file have one lock: we would wait for ourselves. */
static int
check_link(struct batch *b, size_t i, const char *name, struct error *err)
{
	struct stat st, other;
	char path[256];

	if (fstatat(b->store->dirfd, name, &st, 0) == -1)
		return 0; /* its target does not exist */
	for (size_t k = 0; k < b->count; k++)
		if (k != i && files_name(b->store, b->task[k]->id, path) &&
		    fstatat(b->store->dirfd, path, &other, 0) == 0 && other.st_ino == st.st_ino &&
		    other.st_dev == st.st_dev)
			return error_set(err, ERROR_REFUSED,
			    "tasks #%s and #%s are the same file; change only one of them",
			    b->task[i]->id, b->task[k]->id);
	return 0;
}

/* Is there such a file?  Asked first, so that no lock is made for a missing one. */
static int
look(struct batch *b, size_t i, char name[256], struct error *err)
{
	struct batch_task *t = b->task[i];
	struct stat st;

	t->there = false;
	if (!files_name(b->store, t->id, name))
		return 0;
	if (fstatat(b->store->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return errno == ENOENT ? 0
				       : error_sys(err, "cannot stat '%s/%s'", b->store->dir, name);
	t->there = true;
	t->mode = S_ISREG(st.st_mode) ? st.st_mode & 07777 : 0;
	return b->count > 1 && S_ISLNK(st.st_mode) ? check_link(b, i, name, err) : 0;
}

bool
files_room(size_t count, struct rlimit *before)
{
	struct rlimit room;

	if (getrlimit(RLIMIT_NOFILE, before) == -1 || count + OTHER_FILES <= before->rlim_cur)
		return false;
	/* Not all that is allowed: on macOS that is no number, and older ones then refuse. */
	room = *before;
	room.rlim_cur = count + OTHER_FILES < room.rlim_max ? count + OTHER_FILES : room.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &room) == 0;
}

static int
lock_all(struct batch *b, struct error *err)
{
	struct deadline deadline = b->deadline;
	bool first = true;
	char name[256];

	for (size_t i = 0; i < b->count; i++) {
		struct lock *l = &b->task[i]->lock;

		if (look(b, i, name, err) == -1)
			return -1;
		if (!b->task[i]->there || b->plan)
			continue;
		if (lock_task(l, b->store->dirfd, name, deadline, err) == -1) {
			b->crowded = !first && deadline_past(deadline);
			return -1;
		}
		if (first)
			deadline = deadline_first(b->deadline, deadline_in(CROWDED_MS));
		first = false;
		if (b->count > 1)
			lock_leave_queue(l);
	}
	return 0;
}

static void
unlock_all(struct batch *b)
{
	for (size_t i = 0; i < b->count; i++) {
		struct lock *l = &b->task[i]->lock;

		if (l->held && b->count > MANY)
			store_pin(b->store, l->name);
		lock_release(l);
	}
}

static int
read_batch(struct batch *b, struct error *err)
{
	for (size_t i = 0; i < b->count; i++) {
		struct batch_task *t = b->task[i];
		int rc = t->there ? files_get(b->store, t->id, &t->was, err) : 0;

		if (rc == -1 && err->kind != ERROR_INPUT)
			return -1;
		if (rc == -1) {
			t->bad = mem_alloc(sizeof(*t->bad));
			*t->bad = *err;
		} else if (rc == 1)
			task_copy(&t->now, &t->was);
	}
	return 0;
}

/* ---- writing ---- */

/* ahead: what was staged before the locks were taken; NULL. */
static int
stage_all(struct batch *b, struct batch *ahead, struct error *err)
{
	struct store *s = b->store;
	char name[256];

	for (size_t i = 0; i < b->count; i++) {
		struct batch_task *t = b->task[i];
		struct batch_task *a = ahead != NULL ? batch_find(ahead, t->id) : NULL;
		const struct buf *text = &t->now.text;

		if (t->now.id == NULL || !batch_changed(t))
			continue;
		if (a != NULL && a->stage.temp[0] != '\0' && a->now.text.len == text->len &&
		    memcmp(a->now.text.data, text->data, text->len) == 0) {
			t->stage = a->stage;
			a->stage = (struct file_stage)FILE_STAGE_INIT;
			continue;
		}
		(void)files_name(s, t->id, name);
		if (file_stage(&t->stage, s->dirfd, name, text->data, text->len, 0, s->durability,
			err) == -1)
			return -1;
	}
	return 0;
}

static int
verify_all(struct batch *b, struct error *err)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->task[i]->lock.held && lock_verify(&b->task[i]->lock, err) == -1)
			return -1;
	return store_verify(b->store, NULL, err);
}

/* First the watermark: after a crash in between the number must not be given again. */
static int
raise_mark(struct batch *b, struct error *err)
{
	const char *highest = NULL;

	for (size_t i = 0; i < b->count && store_ops(b->store)->numbers; i++) {
		const struct batch_task *t = b->task[i];

		if (t->was.id != NULL && t->now.id == NULL &&
		    (highest == NULL || watermark_number(t->id) > watermark_number(highest)))
			highest = t->id;
	}
	return highest != NULL ? watermark_raise(b->store, highest, err) : 0;
}

/* One task, unless it is written: 0, or -1. */
static int
commit_one(struct batch *b, struct batch_task *t, size_t all, struct error *err)
{
	struct store *s = b->store;
	char name[256];

	if (t->written || !batch_changed(t))
		return 0;
	/* One sync of the directory for all, at the end. */
	if (all > 1 && !t->stage.own_dirfd)
		t->stage.durability = DURABILITY_FILE;
	(void)files_name(s, t->id, name);
	if (b->count > MANY && t->there)
		store_pin(s, name);
	if (t->now.id != NULL) {
		if (file_commit(&t->stage, err) == -1)
			return -1;
	} else if (unlinkat(s->dirfd, name, 0) == -1 && errno != ENOENT)
		/* The client deletes without a lock: it may be gone. */
		return error_sys(err, "cannot remove '%s/%s'", s->dir, name);
	t->written = true;
	return 0;
}

static void
set_time(struct store *s, const char *id, int64_t wall_ms)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
		{ .tv_sec = wall_ms / 1000, .tv_nsec = wall_ms % 1000 * 1000000 } };
	char name[256];

	(void)files_name(s, id, name);
	(void)utimensat(s->dirfd, name, times, AT_SYMLINK_NOFOLLOW);
}

/*
 * The tasks of the operations in their order, then the other sides, then the deletions: if we are
 * killed in between, no task waits for one that is not there, if the order of the caller is such.
 */
static int
commit_all(struct batch *b, size_t all, struct error *err)
{
	for (size_t i = 0; i < b->ops; i++) {
		struct batch_task *t = batch_find(b, b->id[i]);

		if (t->now.id != NULL && commit_one(b, t, all, err) == -1)
			return -1;
	}
	for (int gone = 0; gone <= 1; gone++)
		for (size_t i = 0; i < b->count; i++)
			if ((b->task[i]->now.id == NULL) == gone &&
			    commit_one(b, b->task[i], all, err) == -1)
				return -1;
	for (size_t i = 0; i < b->ops; i++)
		if (b->op[i].changed_ms != 0)
			set_time(b->store, b->id[i], b->op[i].changed_ms);
	if (all > 1 && b->store->durability == DURABILITY_FULL)
		(void)fsync(b->store->dirfd);
	return 0;
}

/* Write the old text again, or remove a new file. */
static int
restore_one(struct batch *b, struct batch_task *t)
{
	struct store *s = b->store;
	const struct buf *text = &t->was.text;
	struct error ignored;
	char name[256];

	(void)files_name(s, t->id, name);
	if (t->was.id == NULL)
		return unlinkat(s->dirfd, name, 0) == -1 && errno != ENOENT ? -1 : 0;
	if (file_stage(&t->stage, s->dirfd, name, text->data, text->len, (int)t->mode,
		s->durability, &ignored) == -1)
		return -1;
	/* The umask may have taken bits from a file that was deleted. */
	if (t->mode != 0 && fchmodat(t->stage.dirfd, t->stage.temp, t->mode, 0) == -1)
		return -1;
	return file_commit(&t->stage, &ignored);
}

/* Undo the earlier writes of this batch after a failed one. */
static int
restore_all(struct batch *b, size_t all, struct error *err)
{
	size_t left = 0;

	store_unpin(b->store); /* descriptors are needed */
	for (size_t i = 0; i < b->count; i++)
		if (b->task[i]->written && restore_one(b, b->task[i]) == -1)
			left++;
	return left == 0 ? -1
			 : error_prefix(err,
			       "%zu of %zu tasks are written and could not be restored, the "
			       "others are unchanged",
			       left, all);
}

static int
put_batch(struct batch *b, struct batch *ahead, struct error *err)
{
	size_t all = 0;

	for (size_t i = 0; i < b->count; i++)
		all += batch_changed(b->task[i]);
	if (all == 0)
		return 0;
	if (stage_all(b, ahead, err) == -1 || verify_all(b, err) == -1 || raise_mark(b, err) == -1)
		return -1;
	return commit_all(b, all, err) == -1 ? restore_all(b, all, err) : 0;
}

/* Under the locks, unless it is a plan. */
static int
work(struct batch *b, struct batch *ahead, struct error *err)
{
	int rc;

	if (lock_all(b, err) == -1)
		return -1;
	b->store->in_task = !b->plan;
	rc = read_batch(b, err);
	if (rc == 0)
		rc = batch_run(b, err);
	if (rc == 0 && !b->plan)
		rc = put_batch(b, ahead, err);
	b->store->in_task = false;
	return rc;
}

/* Checks and stages the batch without a lock; b is then as it was before batch_begin(). */
static void
work_ahead(struct batch *b, struct batch *ahead)
{
	struct error ignored;

	*ahead = *b;
	ahead->plan = true;
	if (work(ahead, NULL, &ignored) == 0)
		(void)stage_all(ahead, NULL, &ignored);
	*b = (struct batch){
		.store = b->store, .op = b->op, .ops = b->ops, .deadline = b->deadline
	};
}

/* Is anything but one task concerned? */
static bool
is_whole(const struct batch *b)
{
	const struct store_op *op = b->op;

	return b->ops != 1 || op->kind != STORE_UPDATE || op->rule != NULL ||
	       b->store->guard != NULL || op->change->parent != NULL ||
	       op->change->add_blocks != NULL || op->change->add_blocked_by != NULL ||
	       op->change->remove_blocks != NULL || op->change->remove_blocked_by != NULL;
}

static int
files_apply(struct batch *b, struct error *err)
{
	struct store *s = b->store;
	struct batch ahead = { 0 };
	struct rlimit room;
	bool whole = is_whole(b) && !b->plan, raised;
	int rc;

	if (whole && store_enter(s, b->deadline, err) == -1)
		return -1;
	rc = batch_begin(b, err);
	if (rc == 0 && b->count > MANY && whole) {
		store_leave(s);
		work_ahead(b, &ahead);
		if (store_enter(s, b->deadline, err) == -1) {
			batch_end(&ahead);
			return -1;
		}
		rc = batch_begin(b, err);
	}
	/* Three descriptors per task: the lock, and the pins of the old file and of the lock. */
	raised = b->count > MANY && files_room(3 * b->count, &room);
	if (rc == 0)
		rc = work(b, &ahead, err);
	unlock_all(b);
	if (raised)
		(void)setrlimit(RLIMIT_NOFILE, &room);
	if (whole)
		store_leave(s);
	batch_end(&ahead);
	return rc;
}

static int
files_lock(struct store *s, struct deadline deadline, struct error *err)
{
	return lock_list(&s->lock, s->dirfd, deadline, err);
}

#define FILES_OPS                                                                           \
	.lock = files_lock, .get = files_get, .load = files_load, .scan = files_scan,       \
	.walk = files_walk, .bad = files_bad, .new_id = files_new_id, .apply = files_apply, \
	.clear = files_clear

const struct store_ops files_native_ops = { .dialect = TASK_NATIVE, .numbers = true, FILES_OPS };
const struct store_ops files_folder_ops = { .dialect = TASK_FOLDER, FILES_OPS };
