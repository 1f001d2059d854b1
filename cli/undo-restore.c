/*
 * restore: create missing tasks again as the journal last recorded them, also those that another
 * program removed.
 */
#include <stdlib.h>
#include <string.h>

#include "undo.h"
#include "view.h"

const struct history_entry *
undo_last_text(const struct history *h, const char *id)
{
	for (size_t i = h->count; i > 0; i--) {
		const struct history_entry *p = &h->item[i - 1];

		if (p->task != NULL && strcmp(p->task, id) == 0 &&
		    (p->before != NULL || p->after != NULL))
			return p;
	}
	return NULL;
}

/* Was the task removed by one of our commands? */
static bool
deleted_by_us(const struct history_entry *p)
{
	return p->after == NULL &&
	       (strcmp(p->event, "delete") == 0 || strcmp(p->event, "undo") == 0);
}

struct restore {
	struct cli *c;
	struct history h;
	struct view v;                      /* the list before */
	const struct history_entry **found; /* the lines to restore from */
	size_t count;
	struct strings *waiting; /* of each: the tasks that waited for it */
	struct change *change;   /* of each: they wait again */
};

/* The tasks that were named, each once. */
static int
restore_named(struct restore *r, const struct strings *ids)
{
	void *seen = NULL;
	int status = EXIT_DONE;

	for (size_t i = 0; status == EXIT_DONE && i < ids->count; i++) {
		const struct history_entry *p = undo_last_text(&r->h, ids->item[i]);

		if (p == NULL)
			status = cli_fail(r->c, EXIT_UNKNOWN,
			    "the journal of '%s' has no task #%s (try: claude-tasks restore)",
			    r->c->list.name, ids->item[i]);
		else if (view_find(&r->v, ids->item[i]) != NULL)
			status = cli_fail(r->c, EXIT_RULE,
			    "task #%s exists: there is nothing to restore", ids->item[i]);
		else if (strings_first(&seen, ids->item[i]))
			r->found[r->count++] = p;
	}
	strings_forget(seen);
	return status;
}

/* All missing tasks; those that a command deleted only with --deleted. */
static void
restore_missing(struct restore *r)
{
	void *seen = NULL;

	for (size_t i = 0; i < r->h.count; i++) {
		const char *id = r->h.item[i].task;
		const struct history_entry *p;

		if (id == NULL || view_find(&r->v, id) != NULL || !strings_first(&seen, id) ||
		    (p = undo_last_text(&r->h, id)) == NULL ||
		    (deleted_by_us(p) && !cli_flag(r->c, "deleted")))
			continue;
		r->found[r->count++] = p;
	}
	strings_forget(seen);
}

static const char *
restore_text(const struct history_entry *p)
{
	return p->after != NULL ? p->after : p->before;
}

/* The task as it is, or as it will be restored. */
static int
task_again(const struct restore *r, const char *id, struct task *t)
{
	const struct task *there = view_find(&r->v, id);
	struct error ignored;

	if (there != NULL) {
		task_copy(t, there);
		return 0;
	}
	for (size_t i = 0; i < r->count; i++)
		if (strcmp(r->found[i]->task, id) == 0)
			return task_read(t, store_dialect(&r->c->store), id,
			    restore_text(r->found[i]), strlen(restore_text(r->found[i])), &ignored);
	return -1;
}

/* Did this line take a dependency on the task away, and is its own task still as the line left it?
 */
static bool
waited(const struct restore *r, const struct history_entry *q, const char *id)
{
	struct task was = TASK_INIT, is = TASK_INIT, now = TASK_INIT;
	enum task_dialect dialect = store_dialect(&r->c->store);
	struct error ignored;
	bool yes = false;

	if (task_read(&was, dialect, q->task, q->before, strlen(q->before), &ignored) == 0 &&
	    task_read(&is, dialect, q->task, q->after, strlen(q->after), &ignored) == 0 &&
	    task_again(r, q->task, &now) == 0)
		yes = strings_has(&was.blocked_by, id) && !strings_has(&is.blocked_by, id) &&
		      strings_equal(&now.blocked_by, &is.blocked_by) &&
		      task_begun(&now) == task_begun(&is) && task_open(&now) == task_open(&is);
	task_free(&was);
	task_free(&is);
	task_free(&now);
	return yes;
}

/* The tasks that waited for a deleted one, where only they say so: the lines of the command that
 * deleted it have them. */
static void
find_waiting(struct restore *r)
{
	for (size_t k = 0; k < r->h.count; k++) {
		const struct history_entry *q = &r->h.item[k];

		if (strcmp(q->event, "update") != 0 || q->before == NULL || q->after == NULL ||
		    q->group == NULL || q->task == NULL)
			continue;
		for (size_t i = 0; i < r->count; i++)
			if (r->found[i]->group != NULL &&
			    strcmp(r->found[i]->group, q->group) == 0 &&
			    strcmp(r->found[i]->event, "delete") == 0 &&
			    waited(r, q, r->found[i]->task))
				strings_add(&r->waiting[i], q->task);
	}
}

/* Create them all again, and complete those that were completed after their line. */
static int
restore_write(struct restore *r)
{
	static const struct change completed = { .status = TASK_COMPLETED };
	struct change_batch b = { .op = mem_alloc((3 * r->count + 1) * sizeof(b.op[0])),
		.note = mem_alloc((3 * r->count + 1) * sizeof(b.note[0])) };
	struct buf reason = { 0 };
	int status;

	for (size_t i = 0; i < r->count; i++) {
		const struct history_entry *p = r->found[i];
		const char *text = restore_text(p);

		b.note[b.count].event = "restore";
		b.op[b.count++] =
		    (struct store_op){ STORE_CREATE, p->task, .text = text, .len = strlen(text) };
		/* A receipt was written while the task was still open: its completion followed. */
		if (strcmp(p->event, "receipt") == 0)
			b.op[b.count++] =
			    (struct store_op){ STORE_UPDATE, p->task, .change = &completed };
	}
	for (size_t i = 0; i < r->count; i++) {
		r->change[i] =
		    (struct change){ .status = TASK_NO_STATUS, .add_blocks = &r->waiting[i] };
		if (r->waiting[i].count > 0)
			b.op[b.count++] = (struct store_op){ STORE_UPDATE, r->found[i]->task,
				.change = &r->change[i] };
	}
	if ((status = change_apply(r->c, &b, &reason)) != EXIT_DONE)
		cli_fail(r->c, status, "%s", buf_text(&reason));
	for (size_t i = 0; status == EXIT_DONE && !r->c->json && i < b.count; i++)
		if (b.op[i].kind == STORE_CREATE)
			cli_print(r->c, "restored #%s %.120s\n", b.op[i].id, b.op[i].after.subject);
	change_end(&b);
	free(b.op);
	free(b.note);
	buf_free(&reason);
	return status;
}

static void
restore_print(struct restore *r, bool dry)
{
	struct json_object *o;

	for (size_t i = 0; i < r->count; i++) {
		if (r->c->json) {
			o = out_object();
			out_string(o, dry ? "would_restore" : "restored", r->found[i]->task);
			cli_json_line(r->c, o);
		} else if (dry)
			cli_print(r->c, "would restore #%s\n", r->found[i]->task);
	}
}

/* act: restore them; else only print what would be restored. */
static int
restore(struct restore *r, const struct strings *ids, bool act)
{
	struct cli *c = r->c;
	int status = EXIT_DONE;

	r->found = mem_alloc((ids->count + r->h.count + 1) * sizeof(void *));
	if (ids->count > 0)
		status = restore_named(r, ids);
	else
		restore_missing(r);
	r->waiting = mem_alloc((r->count + 1) * sizeof(r->waiting[0]));
	r->change = mem_alloc((r->count + 1) * sizeof(r->change[0]));
	if (status == EXIT_DONE && act && r->count > 0) {
		find_waiting(r);
		status = restore_write(r);
	}
	if (status == EXIT_DONE)
		restore_print(r, !act);
	if (status == EXIT_DONE && ids->count == 0 && r->count == 0 && !c->json)
		buf_printf(&c->out, "no task in the journal of '%s' is missing\n", c->list.name);
	else if (status == EXIT_DONE && ids->count == 0 && !cli_flag(c, "all") &&
		 !cli_flag(c, "dry-run") && !c->json)
		buf_printf(&c->out, "(to restore: claude-tasks restore %s--all)\n",
		    cli_flag(c, "deleted") ? "--deleted " : "");
	for (size_t i = 0; i < r->count; i++)
		strings_free(&r->waiting[i]);
	free(r->waiting);
	free(r->change);
	free(r->found);
	return status;
}

/* A word that is the id of a task in the journal is that id, also if it has a comma. */
static int
restore_ids(struct cli *c, const struct history *h, struct strings *ids)
{
	for (int i = 0; i < c->operands; i++) {
		const char *word = c->operand[i];

		if (undo_last_text(h, word) != NULL)
			strings_add(ids, word);
		else if (word[0] == '#' && undo_last_text(h, word + 1) != NULL)
			strings_add(ids, word + 1);
		else if (cli_word_ids(c, word, ids) == -1)
			return -1;
	}
	return 0;
}

int
restore_main(struct cli *c)
{
	struct restore r = { .c = c };
	struct strings ids = { 0 };
	bool dry = cli_flag(c, "dry-run");
	int status;

	if (cli_find(c) == -1 || history_load(c, &r.h) == -1 || restore_ids(c, &r.h, &ids) == -1 ||
	    view_load(c, &r.v) == -1 ||
	    (c->store.dirfd == -1 && !dry && r.h.count > 0 && cli_open(c, true) == -1)) {
		status = c->status;
	} else {
		change_begin();
		status = restore(&r, &ids, !dry && (ids.count > 0 || cli_flag(c, "all")));
	}
	strings_free(&ids);
	history_free(&r.h);
	view_free(&r.v);
	return status;
}
