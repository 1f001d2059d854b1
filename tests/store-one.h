#ifndef TESTS_STORE_ONE_H
#define TESTS_STORE_ONE_H

#include "list/store.h"

/*
 * store_apply() of one operation, as store_update() is.  made, before may be NULL.
 */
static inline int
store_create(struct store *s, const struct change *change, store_rule *rule, void *arg,
    struct task *made, struct deadline deadline, struct error *err)
{
	struct store_op op = { STORE_CREATE, .change = change, .rule = rule, .arg = arg };
	int rc = store_apply(s, &op, 1, deadline, err);

	if (rc != -1 && made != NULL) {
		task_free(made);
		*made = op.after;
		op.after = (struct task)TASK_INIT;
	}
	store_ops_free(&op, 1);
	return rc == -1 ? -1 : 0;
}

static inline int
store_delete(struct store *s, const char *id, store_rule *rule, void *arg, struct task *before,
    struct deadline deadline, struct error *err)
{
	struct store_op op = { STORE_DELETE, id, .rule = rule, .arg = arg };
	int rc = store_apply(s, &op, 1, deadline, err);

	if (rc != -1 && before != NULL) {
		task_free(before);
		*before = op.before;
		op.before = (struct task)TASK_INIT;
	}
	store_ops_free(&op, 1);
	return rc;
}

#endif
