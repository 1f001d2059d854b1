/*
 * Several changes as one: try, and try again if a lock is lost; in portions if they are many.
 */
#include <stdlib.h>
#include <string.h>

#include "list/batch.h"

/* Fill in the result of each operation; 1 if something changed. */
static int
fill_in(struct batch *b)
{
	int changed = 0;

	for (size_t i = 0; i < b->ops; i++) {
		const struct batch_task *t = batch_find(b, b->id[i]);

		if (t->was.id != NULL)
			task_copy(&b->op[i].before, &t->was);
		if (t->now.id != NULL)
			task_copy(&b->op[i].after, &t->now);
		changed |= b->op[i].result;
	}
	return changed;
}

/* The store's entry of a task, which an earlier portion may have changed already. */
static struct store_op *
other_op(struct store *s, const struct task *was)
{
	for (size_t i = 0; i < s->others; i++)
		if (strcmp(s->other[i].before.id, was->id) == 0)
			return &s->other[i];
	s->other = mem_more(s->other, s->others, sizeof(s->other[0]));
	s->other[s->others] = (struct store_op){ .kind = STORE_UPDATE, .result = 1 };
	task_copy(&s->other[s->others].before, was);
	return &s->other[s->others++];
}

static void
note_others(struct batch *b)
{
	void *seen = NULL;

	for (size_t i = 0; i < b->ops; i++)
		(void)strings_first(&seen, b->id[i]);
	for (size_t i = 0; i < b->count; i++) {
		const struct batch_task *t = b->task[i];

		if (t->now.id != NULL && strings_first(&seen, t->id) &&
		    !strings_equal(&t->was.blocked_by, &t->now.blocked_by))
			task_copy(&other_op(b->store, &t->was)->after, &t->now);
	}
	strings_forget(seen);
}

/* What was refused has changed nothing. */
static void
reset(struct store_op *op, size_t count, bool refused)
{
	for (size_t i = 0; i < count; i++) {
		task_free(&op[i].before);
		task_free(&op[i].after);
		if (!refused || op[i].result != -1)
			op[i].result = 0;
	}
}

static int
apply(struct store *s, struct store_op *op, size_t count, bool plan, struct deadline deadline,
    struct error *err)
{
	int rc, tries = 0;
	bool crowded;

	do {
		struct batch b = {
			.store = s, .op = op, .ops = count, .plan = plan, .deadline = deadline
		};

		reset(op, count, false);
		if ((rc = store_ops(s)->apply(&b, err)) != -1)
			rc = fill_in(&b);
		else
			reset(op, count, true);
		if (rc == 1 && !plan && s->layout != STORE_NATIVE)
			note_others(&b);
		crowded = rc == -1 && b.crowded && s->depth == 0 && !deadline_past(deadline);
		batch_end(&b);
	} while (crowded || store_again(s, rc, &tries, deadline, err));
	return rc;
}

int
store_plan(struct store *s, struct store_op *op, size_t count, struct error *err)
{
	return apply(s, op, count, true, deadline_in(LOCK_PATIENCE_MS), err);
}

int
store_apply(
    struct store *s, struct store_op *op, size_t count, struct deadline deadline, struct error *err)
{
	int changed = 0, rc;

	if (count <= store_portion(s) || s->guard != NULL)
		return apply(s, op, count, false, deadline, err);
	if (store_plan(s, op, count, err) == -1)
		return -1;
	reset(op, count, false);
	for (size_t at = 0; at < count; at += STORE_PORTION) {
		size_t some = count - at < STORE_PORTION ? count - at : STORE_PORTION;

		if ((rc = apply(s, op + at, some, false, deadline, err)) == -1 && at > 0) {
			err->kind = ERROR_PARTLY;
			error_prefix(
			    err, "%zu of %zu tasks are written, the others not", at, count);
		}
		if (rc == -1)
			return -1;
		changed |= rc;
	}
	return changed;
}

void
store_ops_free(struct store_op *op, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		task_free(&op[i].before);
		task_free(&op[i].after);
	}
}

void
store_forget_others(struct store *s)
{
	store_ops_free(s->other, s->others);
	free(s->other);
	s->other = NULL;
	s->others = 0;
}

int
store_update(struct store *s, const char *id, const struct change *change, store_rule *rule,
    void *arg, struct task *before, struct task *after, struct deadline deadline, struct error *err)
{
	struct store_op op = { STORE_UPDATE, id, .change = change, .rule = rule, .arg = arg };
	int rc = store_apply(s, &op, 1, deadline, err);

	if (rc != -1 && before != NULL) {
		task_free(before);
		*before = op.before;
		op.before = (struct task)TASK_INIT;
	}
	if (rc != -1 && after != NULL) {
		task_free(after);
		*after = op.after;
		op.after = (struct task)TASK_INIT;
	}
	store_ops_free(&op, 1);
	return rc;
}

int
store_depend(struct store *s, const char *blocked, const char *blocker, bool remove,
    struct deadline deadline, struct error *err)
{
	struct strings one = { (char *[]){ (char *)blocker }, 1 };
	struct change change = CHANGE_INIT;

	if (remove)
		change.remove_blocked_by = &one;
	else
		change.add_blocked_by = &one;
	return store_update(s, blocked, &change, NULL, NULL, NULL, NULL, deadline, err);
}

int
store_clear(struct store *s, struct task_set *tasks, struct strings *others,
    struct deadline deadline, struct error *err)
{
	int rc, tries = 0;

	do {
		if (store_enter(s, deadline, err) == -1)
			return -1;
		task_set_free(tasks);
		strings_free(others);
		rc = store_ops(s)->clear(s, tasks, others, err);
		store_leave(s);
	} while (store_again(s, rc, &tries, deadline, err));
	return rc;
}
