/*
 * Writing: delete, clear.
 */
#include <stdlib.h>

#include "change.h"
#include "commands.h"
#include "view.h"

/* Operations that delete these tasks. */
static struct store_op *
deletions(const struct strings *ids, store_rule *rule)
{
	struct store_op *op = mem_alloc((ids->count + 1) * sizeof(*op));

	for (size_t i = 0; i < ids->count; i++)
		op[i] = (struct store_op){ STORE_DELETE, ids->item[i], .rule = rule };
	return op;
}

static void
delete_all(struct cli *c, const struct strings *ids)
{
	struct change_batch b = { .op = deletions(ids, NULL), .count = ids->count };
	struct buf reason = { 0 };
	int status = change_apply(c, &b, &reason);

	if (status != EXIT_DONE)
		change_failed(c, &b, status, &reason);
	for (size_t i = 0; status == EXIT_DONE && i < ids->count; i++)
		view_result(c, "deleted", &b.op[i].before);
	change_end(&b);
	free(b.op);
	buf_free(&reason);
}

int
delete_main(struct cli *c)
{
	struct strings ids = { 0 };

	if (cli_operand_ids(c, &ids) == 0 && cli_open_for(c, ids.item[0]) == 0) {
		change_begin();
		delete_all(c, &ids);
	}
	strings_free(&ids);
	return c->status;
}

static bool
clear_confirmed(struct cli *c, size_t count)
{
	char *question, *list;
	bool sure;

	if (count == 0)
		return true;
	list = cli_list_shown(c);
	question = mem_printf("delete %zu task%s of %s?", count, count == 1 ? "" : "s", list);
	free(list);
	sure = cli_confirm(c, question);
	free(question);
	return sure;
}

static void
clear_print(struct cli *c, size_t count)
{
	struct json_object *o;

	if (c->json) {
		o = out_object();
		out_int(o, "removed", (int64_t)count);
		cli_json(c, o);
	} else {
		buf_printf(&c->out, "deleted %zu task%s%s\n", count, count == 1 ? "" : "s",
		    count > 0 ? " (to restore: claude-tasks undo)" : "");
	}
}

static int
still_completed(
    void *arg, struct store *s, const struct task *now, const struct task *then, struct error *err)
{
	(void)arg, (void)s, (void)then;
	return task_open(now) ? error_set(err, ERROR_REFUSED,
				    "task #%s was reopened meanwhile. Try again", now->id)
			      : 0;
}

static void
clear_completed(struct cli *c, const struct view *v)
{
	struct strings ids = { 0 };
	struct change_batch b = { 0 };
	struct buf reason = { 0 };
	int status;

	for (size_t i = 0; i < v->tasks.count; i++)
		if (!v->tasks.item[i].internal && !task_open(&v->tasks.item[i]))
			strings_add(&ids, v->tasks.item[i].id);
	b.op = deletions(&ids, still_completed);
	b.count = ids.count;
	if ((status = change_apply(c, &b, &reason)) != EXIT_DONE)
		change_failed(c, &b, status, &reason);
	else
		clear_print(c, ids.count);
	change_end(&b);
	free(b.op);
	buf_free(&reason);
	strings_free(&ids);
}

static void
clear_all(struct cli *c)
{
	struct error err;
	int count = c->store.dirfd != -1 ? change_clear(c, &err) : 0;

	if (count == -1)
		cli_error(c, &err);
	else
		clear_print(c, (size_t)count);
}

int
clear_main(struct cli *c)
{
	struct view v;
	bool some = cli_flag(c, "completed");

	if (view_load(c, &v) == -1)
		return c->status;
	if (clear_confirmed(c, some ? v.completed + v.cancelled : v.shown)) {
		change_begin();
		if (some)
			clear_completed(c, &v);
		else
			clear_all(c);
	}
	view_free(&v);
	return c->status;
}
