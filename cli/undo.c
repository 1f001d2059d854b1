/*
 * undo: undo the last command (all its lines in the journal), if no field that it changed was
 * changed since.
 */
#include <string.h>

#include "agent/claims.h"
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

static int
unchanged_since(void *arg, struct store *s, const struct task *t, struct error *err)
{
	const struct history_entry *p = arg;
	struct task was = TASK_INIT;
	bool is;

	(void)s;
	if (task_read(&was, t->dialect, t->id, p->after, strlen(p->after), err) == -1)
		return -1;
	/* Edges may have been removed with tasks undone before it; none may have been added. */
	is = was.status == t->status && strcmp(was.subject, t->subject) == 0 &&
	     strcmp(was.description, t->description) == 0 &&
	     (t->owner == NULL) == (was.owner == NULL) && all_in(&t->blocked_by, &was.blocked_by) &&
	     all_in(&t->blocks, &was.blocks) &&
	     json_same(&was.json, metadata_of(&was), &t->json, metadata_of(t));
	task_free(&was);
	if (!is)
		return error_set(
		    err, ERROR_REFUSED, "task #%s was changed since it was created", p->task);
	return 0;
}

/* A task that was just written.  The client may have removed it meanwhile. */
int
undo_read_again(struct cli *c, const char *id, struct task *t, struct error *err)
{
	int rc = store_get(&c->store, id, t, err);

	if (rc == 0)
		error_set(err, ERROR_NOT_FOUND, "another process removed task #%s", id);
	return rc == 1 ? 0 : -1;
}

static int
apply_ids(struct cli *c, const char *id, const struct undo_inverse *v, struct error *err)
{
	const struct {
		const struct strings *ids;
		bool blocks, remove;
	} edits[] = { { &v->add, false, false }, { &v->drop, false, true },
		{ &v->add_blocks, true, false }, { &v->drop_blocks, true, true } };

	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++)
		for (size_t k = 0; k < edits[i].ids->count; k++) {
			const char *other = edits[i].ids->item[k];

			if (store_depend(&c->store, edits[i].blocks ? other : id,
				edits[i].blocks ? id : other, edits[i].remove, cli_deadline(),
				err) == -1)
				return -1;
		}
	return 0;
}

/*
 * A tool that starts a task writes two lines, a claim and an update: the claim of this update, or
 * NULL.
 */
static const struct history_entry *
claim_before(const struct history *h, const struct history_entry *p)
{
	if (strcmp(p->event, "update") != 0 || p->to == NULL ||
	    strstr(p->to, "in_progress") == NULL)
		return NULL;
	for (const struct history_entry *q = p; q > h->item; q--)
		if (q[-1].task != NULL && strcmp(q[-1].task, p->task) == 0)
			return strcmp(q[-1].event, "claim") == 0 ? &q[-1] : NULL;
	return NULL;
}

struct undo {
	struct cli *c;
	const struct history *h;
	struct history_entry *last;  /* the line to undo */
	bool alone;                  /* without the other lines of its command */
	bool dry;                    /* only check whether it can be undone */
	struct strings back, undone; /* back: tasks that exist again */
};

/* The record of an undo names the lines that it undoes. */
static struct json_object *
undone_lines(const struct undo *u, const struct history_entry *p)
{
	const struct history_entry *claim = claim_before(u->h, p);
	struct json_object *extra = out_object(), *seqs = out_add(extra, "undoes", out_array());

	json_object_array_add(seqs, json_object_new_int64(p->seq));
	if (claim != NULL)
		json_object_array_add(seqs, json_object_new_int64(claim->seq));
	return extra;
}

static int
undo_deletion(struct undo *u, const struct history_entry *p, bool exists, struct error *err)
{
	struct task now = TASK_INIT;
	int rc = 0;

	if (exists)
		return error_set(err, ERROR_REFUSED, "task #%s exists again", p->task);
	if (p->before == NULL)
		return error_set(
		    err, ERROR_REFUSED, "the journal did not record the text of task #%s", p->task);
	if (!u->dry && (rc = undo_put_back(u->c, p->task, p->before, &now, err)) == 0) {
		change_record(u->c, "undo", NULL, &now, NULL, undone_lines(u, p));
		strings_add(&u->back, p->task);
	}
	task_free(&now);
	return rc;
}

static int
undo_creation(struct undo *u, struct history_entry *p, const struct task *now, struct error *err)
{
	struct task was = TASK_INIT;
	int rc = unchanged_since(p, &u->c->store, now, err);

	if (rc == 0 && !u->dry)
		rc = store_delete(
		    &u->c->store, p->task, unchanged_since, p, &was, cli_deadline(), err);
	if (rc != -1 && !u->dry)
		change_record(u->c, "undo", &was, NULL, NULL, undone_lines(u, p));
	task_free(&was);
	return rc;
}

static int
undo_update(
    struct undo *u, const struct history_entry *p, const struct task *now, struct error *err)
{
	struct cli *c = u->c;
	struct task then = TASK_INIT;
	struct undo_inverse v;
	int rc = undo_inverse_make(&v, p, now, err);

	if (rc == 0 && !u->dry) {
		/* The dependencies first: in a document they decide about the status. */
		rc = apply_ids(c, p->task, &v, err);
		if (rc != -1)
			rc = store_update(&c->store, p->task, &v.change, NULL, NULL, NULL, NULL,
			    cli_deadline(), err);
		if (rc != -1 && (rc = undo_read_again(c, p->task, &then, err)) == 0) {
			change_record(c, "undo", now, &then, NULL, undone_lines(u, p));
			if (!task_begun(&then))
				(void)claims_forget(&c->list, p->task, cli_deadline(), err);
		}
	}
	undo_inverse_free(&v);
	task_free(&then);
	return rc;
}

static int
undo_line(struct undo *u, struct history_entry *p, struct error *err)
{
	struct task now = TASK_INIT;
	int rc = store_get(&u->c->store, p->task, &now, err);

	if (rc == -1)
		return -1;
	if (strcmp(p->event, "delete") == 0)
		rc = undo_deletion(u, p, rc == 1, err);
	else if (rc == 0)
		rc = error_set(err, ERROR_REFUSED,
		    "task #%s is gone (try: claude-tasks restore %s)", p->task, p->task);
	else if (is_creation(p))
		rc = undo_creation(u, p, &now, err);
	else
		rc = undo_update(u, p, &now, err);
	task_free(&now);
	return rc;
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
undo_text(struct cli *c, const struct history_entry *p, bool dry)
{
	static const char *const names[][2] = { { "create", "the creation" },
		{ "delete", "the deletion" }, { "complete", "the completion" },
		{ "claim", "the claim" }, { "release", "the release" } };
	const char *what = "a change";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(p->event, names[i][0]) == 0)
			what = names[i][1];
	cli_print(c, "%s %s of #%s", dry ? "would undo" : "undid", what, p->task);
	if (p->time != NULL) {
		buf_puts(&c->out, " (");
		view_time(&c->out, p->time);
		buf_putc(&c->out, ')');
	}
	buf_putc(&c->out, '\n');
}

/* Undo the command from its last line to its first, after a check that all of it can be undone. */
static int
undo_command(struct undo *u, bool dry)
{
	struct json_object *o;
	struct error err;

	for (int pass = 0; pass < (dry ? 1 : 2); pass++) {
		u->dry = pass == 0;
		for (struct history_entry *p = u->last + 1; p-- > u->h->item;) {
			if (!undone_with(u, p))
				continue;
			if (undo_line(u, p, &err) == -1)
				return cli_fail(u->c, cli_status(err.kind),
				    "cannot undo %s of #%s: %s", p->event, p->task, err.text);
			if (u->dry == dry)
				strings_add(&u->undone, p->task);
			if (u->dry == dry && !u->c->json)
				undo_text(u->c, p, dry);
		}
	}
	for (size_t i = 0; i < u->back.count; i++)
		if (undo_link_back(u->c, u->back.item[i], &err) == -1)
			return cli_error(u->c, &err);
	if (u->c->json) {
		o = out_object();
		out_bool(o, "dry_run", dry);
		out_strings(o, "undone", &u->undone);
		cli_json(u->c, o);
	}
	return EXIT_DONE;
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
	if (cli_open(c, false) == -1) {
		status = c->status;
	} else if (u.last == NULL || c->store.dirfd == -1) {
		status = cli_fail(c, EXIT_UNKNOWN, "the journal of '%s' has no change %sto undo",
		    c->list.name, only != NULL ? "of this task " : "");
	} else {
		change_begin(c);
		status = undo_command(&u, cli_flag(c, "dry-run"));
	}
	strings_free(&u.undone);
	strings_free(&u.back);
	history_free(&h);
	return status;
}
