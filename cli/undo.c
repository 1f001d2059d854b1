/*
 * undo: undo the last command (all its lines in the journal), if no field that it changed was
 * changed since.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "undo.h"
#include "view.h"
#include "json/json.h"

static bool
undoable(const struct history_entry *p)
{
	static const char *const events[] = { "create", "update", "delete", "complete", "claim",
		"release", "restore" };

	if (p->undone || p->task == NULL)
		return false;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (strcmp(p->event, events[i]) == 0)
			return p->before != NULL || p->after != NULL || p->from != NULL;
	return false;
}

/* Did this line create the task? */
static bool
is_creation(const struct history_entry *p)
{
	return strcmp(p->event, "create") == 0 || strcmp(p->event, "restore") == 0;
}

/* An empty metadata object counts as absent. */
static json_ref
metadata_of(const struct task *t)
{
	json_ref m = task_metadata(t);

	return json_count(&t->json, m) > 0 ? m : JSON_ABSENT;
}

static bool
all_in(const struct strings *ids, const struct strings *set)
{
	for (size_t i = 0; i < ids->count; i++)
		if (!strings_has(set, ids->item[i]))
			return false;
	return true;
}

/* A store_rule: the task is still as it was created. */
static int
unchanged_since(
    void *arg, struct store *s, const struct task *now, const struct task *then, struct error *err)
{
	const struct history_entry *p = arg;
	struct task was = TASK_INIT;
	bool is;

	(void)s, (void)then;
	if (task_read(&was, now->dialect, now->id, p->after, strlen(p->after), err) == -1)
		return -1;
	/* Edges may have been removed with tasks undone before it; none may have been added. */
	is = was.status == now->status && strcmp(was.subject, now->subject) == 0 &&
	     strcmp(was.description, now->description) == 0 &&
	     (now->owner == NULL) == (was.owner == NULL) &&
	     all_in(&now->blocked_by, &was.blocked_by) && all_in(&now->blocks, &was.blocks) &&
	     json_same(&was.json, metadata_of(&was), &now->json, metadata_of(now));
	task_free(&was);
	if (!is)
		return error_set(
		    err, ERROR_REFUSED, "task #%s was changed since it was created", p->task);
	return 0;
}

/* A store_rule: the task is still as it was when the inverse was made. */
static int
unchanged_meanwhile(
    void *arg, struct store *s, const struct task *now, const struct task *then, struct error *err)
{
	const struct undo_inverse *v = arg;

	(void)s;
	/* A portion before this one may have restored its dependencies. */
	return strcmp(buf_text(&now->text), buf_text(&v->now.text)) == 0 ||
		       strcmp(buf_text(&now->text), buf_text(&then->text)) == 0
		   ? 0
		   : error_set(
			 err, ERROR_REFUSED, "task #%s was changed meanwhile. Try again", now->id);
}

struct undo {
	struct cli *c;
	const struct history *h;
	struct history_entry *last; /* the line to undo */
	bool alone;                 /* without the other lines of its command */
	bool check;                 /* change and print nothing */
	bool beside;                /* the other side of a move */
	struct change_batch batch;
	struct history_entry **line;  /* parallel to the operations */
	struct undo_inverse *inverse; /* the same; only for those that change a task */
};

/* Make the operation that undoes a line. */
static int
undo_line(struct undo *u, struct history_entry *p, struct error *err)
{
	struct store_op *op = &u->batch.op[u->batch.count];
	struct undo_inverse *v = &u->inverse[u->batch.count];
	struct task now = TASK_INIT;
	bool deleted = strcmp(p->event, "delete") == 0;
	int rc = store_get(&u->c->store, p->task, &now, err);

	op->id = p->task;
	if (rc == -1)
		;
	else if (deleted && rc == 1)
		rc = error_set(err, ERROR_REFUSED, "task #%s exists again", p->task);
	else if (deleted && p->before == NULL)
		rc = error_set(
		    err, ERROR_REFUSED, "the journal did not record the text of task #%s", p->task);
	else if (deleted) {
		op->kind = STORE_CREATE;
		op->text = p->before;
		op->len = strlen(p->before);
	} else if (rc == 0)
		rc = error_set(err, ERROR_REFUSED,
		    "task #%s is gone (try: claude-tasks restore %s)", p->task, p->task);
	else if (is_creation(p)) {
		op->kind = STORE_DELETE;
		op->rule = unchanged_since;
		op->arg = p;
		rc = unchanged_since(p, &u->c->store, &now, NULL, err);
	} else {
		op->kind = STORE_UPDATE;
		op->change = &v->change;
		op->rule = unchanged_meanwhile;
		op->arg = v;
		rc = undo_inverse_make(v, p, &now, err);
		if (rc == 0 && v->change.status == TASK_COMPLETED && task_open(&now) &&
		    cli_by_agent())
			rc = error_set(err, ERROR_REFUSED,
			    "the task would be completed again without its checks. Complete it "
			    "(claude-tasks complete %s), or ask the user to undo this in a "
			    "terminal outside Claude Code",
			    p->task);
	}
	task_free(&now);
	return rc == -1 ? -1 : 0;
}

/* The record of an undo names the line that it undoes. */
static void
undo_note(struct change_note *note, const struct history_entry *p)
{
	struct json_object *seqs;

	note->event = "undo";
	note->extra = out_object();
	seqs = out_add(note->extra, "undoes", out_array());
	json_object_array_add(seqs, json_object_new_int64(p->seq));
}

/* The last line that can be undone (of this task), or NULL. */
static struct history_entry *
last_undoable(const struct history *h, const char *task)
{
	for (size_t i = h->count; i > 0; i--)
		if (undoable(&h->item[i - 1]) &&
		    (task == NULL || strcmp(h->item[i - 1].task, task) == 0))
			return &h->item[i - 1];
	return NULL;
}

/* Is this the last line, or (unless that is undone alone) another line of its command? */
static bool
undone_with(const struct undo *u, const struct history_entry *p)
{
	return p == u->last || (!u->alone && undoable(p) && p->group != NULL &&
				   u->last->group != NULL && strcmp(p->group, u->last->group) == 0);
}

static void
undo_text(const struct undo *u, const struct history_entry *p, bool dry)
{
	static const char *const names[][2] = { { "create", "the creation" },
		{ "delete", "the deletion" }, { "complete", "the completion" },
		{ "claim", "the claim" }, { "release", "the release" } };
	const char *what = "a change";
	struct cli *c = u->c;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(p->event, names[i][0]) == 0)
			what = names[i][1];
	cli_print(c, "%s %s of #%s", dry ? "would undo" : "undid", what, p->task);
	if (p->other_list != NULL)
		cli_print(c, " in '%s'", c->list.name);
	if (p->time != NULL) {
		buf_puts(&c->out, " (");
		view_time(&c->out, p->time);
		buf_putc(&c->out, ')');
	}
	buf_putc(&c->out, '\n');
}

/* What to do instead, after a move between this list and another; else "". */
static char *
way_back(const char *here, const struct history_entry *last)
{
	const char *other = last->other_list;
	bool left = strcmp(last->event, "create") != 0;

	return other == NULL ? mem_string("")
			     : mem_printf(" (to move the tasks back: claude-tasks rehome %s %s)",
				   left ? other : here, left ? here : other);
}

static int
undo_refused(struct undo *u, int status, const char *reason)
{
	char *back = way_back(u->c->list.name, u->last);
	size_t i = 0;

	while (i < u->batch.count && u->batch.op[i].result != -1)
		i++;
	if (i < u->batch.count)
		cli_fail(u->c, status, "cannot undo %s of #%s: %s%s", u->line[i]->event,
		    u->line[i]->task, reason, back);
	else
		cli_fail(u->c, status, "cannot undo the command: %s%s", reason, back);
	free(back);
	return status;
}

static void
undo_print(struct undo *u, bool dry)
{
	struct strings undone = { 0 };
	struct json_object *o;

	for (size_t i = 0; i < u->batch.count; i++) {
		strings_add(&undone, u->line[i]->task);
		if (!u->c->json)
			undo_text(u, u->line[i], dry);
	}
	if (u->c->json && !u->beside) {
		o = out_object();
		out_bool(o, "dry_run", dry);
		out_strings(o, "undone", &undone);
		out_string(o, "other_list", u->last->other_list);
		cli_json(u->c, o);
	}
	strings_free(&undone);
}

/* The lines of the command from its last to its first: those that deleted a task (gone), or the
 * others. */
static int
undo_lines(struct undo *u, bool gone, struct error *err)
{
	struct change_batch *b = &u->batch;

	for (struct history_entry *p = u->last + 1; p-- > u->h->item;) {
		if ((strcmp(p->event, "delete") == 0) != gone || !undone_with(u, p))
			continue;
		u->line[b->count] = p;
		undo_note(&b->note[b->count], p);
		if (undo_line(u, p, err) == -1) {
			b->op[b->count++].result = -1;
			return -1;
		}
		b->count++;
	}
	return 0;
}

/* Undo the command, all of it or nothing.  First come the deleted tasks, for which others wait:
 * many are written in portions. */
static int
undo_command(struct undo *u, bool dry)
{
	struct change_batch *b = &u->batch;
	struct buf reason = { 0 };
	struct error err;
	int status = EXIT_DONE, rc = store_cache(&u->c->store, &err);

	if (rc == 0 && (rc = undo_lines(u, true, &err)) == 0)
		rc = undo_lines(u, false, &err);
	store_uncache(&u->c->store);
	if (rc == -1)
		return undo_refused(u, cli_status(err.kind), err.text);
	if (!dry)
		status = change_apply(u->c, b, &reason);
	else if (store_plan(&u->c->store, b->op, b->count, &err) == -1) {
		buf_puts(&reason, err.text);
		status = cli_status(err.kind);
	}
	if (status != EXIT_DONE)
		status = undo_refused(u, status, buf_text(&reason));
	else if (!u->check)
		undo_print(u, dry);
	if (status == EXIT_DONE && !dry)
		undo_claims(u->c, b->op, u->line, b->count);
	buf_free(&reason);
	return status;
}

static int
undo_last(struct undo *u, bool dry)
{
	size_t room = (size_t)(u->last - u->h->item) + 1;
	int status;

	u->batch.op = mem_alloc(room * sizeof(u->batch.op[0]));
	u->batch.note = mem_alloc(room * sizeof(u->batch.note[0]));
	u->line = mem_alloc(room * sizeof(void *));
	u->inverse = mem_alloc(room * sizeof(u->inverse[0]));
	change_begin();
	status = undo_command(u, dry);
	for (size_t i = 0; i < u->batch.count; i++)
		undo_inverse_free(&u->inverse[i]);
	change_end(&u->batch);
	free(u->batch.op);
	free(u->batch.note);
	free(u->line);
	free(u->inverse);
	return status;
}

/* One side of a move: the lines of its command in the journal of this list; -1: there are none. */
static int
undo_side(struct undo u, const char *list, const struct history_entry *of, bool dry)
{
	struct history h;
	int status = -1;

	if (cli_open_list(u.c, list, false) == -1 || history_load(u.c, &h) == -1)
		return u.c->status;
	u.h = &h;
	for (size_t i = h.count; i > 0 && u.last == NULL; i--)
		if (undoable(&h.item[i - 1]) && text_equal(h.item[i - 1].group, of->group))
			u.last = &h.item[i - 1];
	if (u.last != NULL && u.c->store.dirfd != -1)
		status = undo_last(&u, dry || u.check);
	else if (u.last == NULL && u.beside && strcmp(of->event, "create") == 0)
		status = EXIT_DONE; /* nothing was deleted there */
	history_free(&h);
	return status;
}

/* Both sides of a move, if both can be undone.  First the tasks are put back. */
static int
undo_move(struct cli *c, const struct history_entry *last, bool dry)
{
	char *here = mem_string(c->list.name);
	bool left = strcmp(last->event, "create") != 0;
	const char *side[2] = { left ? here : last->other_list, left ? last->other_list : here };
	int status = EXIT_DONE, i;
	char *back;

	for (i = 0; status == EXIT_DONE && i < 4; i++) {
		struct undo u = { .c = c, .check = i < 2, .beside = side[i % 2] != here };

		status = undo_side(u, side[i % 2], last, dry);
	}
	if (status == -1) {
		back = way_back(here, last);
		status = cli_fail(c, EXIT_UNKNOWN,
		    "'%s' does not have the other side of the move%s", last->other_list, back);
		free(back);
	}
	if (status != EXIT_DONE && i == 4 && !dry)
		cli_note(c, "the tasks are in both lists, '%s' and '%s'", side[0], side[1]);
	free(here);
	return status;
}

/* A line of a move is not undone without the others: ids may differ between the lists. */
static int
refuse_part(struct cli *c, const struct history_entry *last)
{
	char *back = way_back(c->list.name, last);
	int status = cli_fail(c, EXIT_RULE,
	    "task #%s was moved %s '%s' with a whole command; to undo that: claude-tasks undo%s",
	    last->task, strcmp(last->event, "create") != 0 ? "to" : "from", last->other_list, back);

	free(back);
	return status;
}

int
undo_main(struct cli *c)
{
	struct history h;
	struct undo u = { .c = c, .h = &h };
	const char *only = NULL;
	int status;

	if ((c->operands == 1 && (only = cli_id(c, 0)) == NULL) || cli_find(c) == -1 ||
	    history_load(c, &h) == -1)
		return c->status;
	u.last = last_undoable(&h, only);
	u.alone = only != NULL;
	if (cli_open(c, false) == -1)
		status = c->status;
	else if (u.last == NULL || c->store.dirfd == -1)
		status = cli_fail(c, EXIT_UNKNOWN, "the journal of '%s' has no change %sto undo",
		    c->list.name, only != NULL ? "of this task " : "");
	else if (u.last->other_list != NULL && u.alone)
		status = refuse_part(c, u.last);
	else if (u.last->other_list != NULL)
		status = undo_move(c, u.last, cli_flag(c, "dry-run"));
	else
		status = undo_last(&u, cli_flag(c, "dry-run"));
	history_free(&h);
	return status;
}
