/*
 * undo and restore: back from the journal.
 *
 * undo takes back the last thing that was done (all lines of one command),
 * if nothing that it touched has moved on.  restore puts tasks back that
 * are gone, whoever removed them, as the journal last saw them.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/claims.h"
#include "base/text.h"
#include "undo-inverse.h"
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

/* The line made the task (and did not find one). */
static bool
made_it(const struct history_entry *p)
{
	return strcmp(p->event, "create") == 0 || strcmp(p->event, "restore") == 0;
}

/* An emptied metadata object is none. */
static json_ref
metadata_of(const struct task *t)
{
	json_ref m = task_metadata(t);

	return json_count(&t->json, m) > 0 ? m : JSON_ABSENT;
}

static bool
all_known(const struct strings *ids, const struct strings *known)
{
	for (size_t i = 0; i < ids->count; i++)
		if (!strings_has(known, ids->item[i]))
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
	/* Edges may have gone with tasks that were undone before it; none may have come. */
	is = was.status == t->status && strcmp(was.subject, t->subject) == 0 &&
	     strcmp(was.description, t->description) == 0 &&
	     (t->owner == NULL) == (was.owner == NULL) &&
	     all_known(&t->blocked_by, &was.blocked_by) && all_known(&t->blocks, &was.blocks) &&
	     json_same(&was.json, metadata_of(&was), &t->json, metadata_of(t));
	task_free(&was);
	if (!is)
		return error_set(
		    err, ERROR_REFUSED, "task #%s was changed since it was made", p->task);
	return 0;
}

static int
put_back(struct cli *c, const char *id, const char *text, struct task *now, struct error *err)
{
	if (store_put(&c->store, id, text, strlen(text), cli_patience(), err) == -1)
		return -1;
	return store_get(&c->store, id, now, err) == 1 ? 0 : -1;
}

/* The edges of a task that is back, where the other end is there: on both sides again. */
static int
link_back(struct cli *c, const char *id, struct error *err)
{
	struct task t = TASK_INIT, other = TASK_INIT;
	int rc = store_get(&c->store, id, &t, err);

	for (size_t i = 0; rc == 1 && i < t.blocked_by.count + t.blocks.count; i++) {
		bool up = i < t.blocked_by.count;
		const char *end = up ? t.blocked_by.item[i] : t.blocks.item[i - t.blocked_by.count];

		rc = store_get(&c->store, end, &other, err);
		if (rc == 1 && store_depend(&c->store, up ? id : end, up ? end : id, false,
				   cli_patience(), err) == -1)
			rc = -1;
		else if (rc == 0)
			rc = 1;
		task_free(&other);
	}
	task_free(&t);
	return rc == -1 ? -1 : 0;
}

static int
apply_ids(struct cli *c, const char *id, const struct undo_inverse *v, struct error *err)
{
	for (size_t i = 0; i < v->add.count; i++)
		if (store_depend(&c->store, id, v->add.item[i], false, cli_patience(), err) == -1)
			return -1;
	for (size_t i = 0; i < v->drop.count; i++)
		if (store_depend(&c->store, id, v->drop.item[i], true, cli_patience(), err) == -1)
			return -1;
	for (size_t i = 0; i < v->add_blocks.count; i++)
		if (store_depend(
			&c->store, v->add_blocks.item[i], id, false, cli_patience(), err) == -1)
			return -1;
	for (size_t i = 0; i < v->drop_blocks.count; i++)
		if (store_depend(
			&c->store, v->drop_blocks.item[i], id, true, cli_patience(), err) == -1)
			return -1;
	return 0;
}

/*
 * A tool that starts a task leaves two lines, the claim's and the write's:
 * the claim that belongs to this write, or NULL.
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

/* One line.  With `really` false only whether it can be done.  back: tasks that are there again. */
static int
undo_line(struct cli *c, const struct history *h, const struct history_entry *p, bool really,
    struct strings *back, struct error *err)
{
	const struct history_entry *with = claim_before(h, p);
	struct task now = TASK_INIT, then = TASK_INIT;
	struct undo_inverse v = { .was = TASK_INIT, .is = TASK_INIT };
	struct json_object *extra = NULL, *seqs;
	int there = store_get(&c->store, p->task, &now, err), rc = -1;

	if (there == -1)
		goto out;
	if (really) {
		extra = out_object();
		seqs = out_array();
		json_object_array_add(seqs, json_object_new_int64(p->seq));
		if (with != NULL)
			json_object_array_add(seqs, json_object_new_int64(with->seq));
		out_add(extra, "undoes", seqs);
	}
	if (strcmp(p->event, "delete") == 0) {
		if (there == 1)
			error_set(err, ERROR_REFUSED, "there is a task #%s again", p->task);
		else if (p->before == NULL)
			error_set(err, ERROR_REFUSED, "the journal did not keep task #%s", p->task);
		else if (!really)
			rc = 0;
		else if ((rc = put_back(c, p->task, p->before, &now, err)) == 0) {
			change_record(c, "undo", NULL, &now, NULL, extra);
			strings_add(back, p->task);
		}
		goto out;
	}
	if (there == 0) {
		error_set(err, ERROR_REFUSED, "task #%s is gone (try: claude-tasks restore %s)",
		    p->task, p->task);
		goto out;
	}
	if (made_it(p)) {
		union {
			const struct history_entry *in;
			void *out;
		} arg = { .in = p };

		rc = unchanged_since(arg.out, &c->store, &now, err);
		if (rc == 0 && really &&
		    (rc = store_delete(&c->store, p->task, unchanged_since, arg.out, &then,
			 cli_patience(), err)) != -1)
			change_record(c, "undo", &then, NULL, NULL, extra);
		goto out;
	}
	rc = undo_inverse_make(&v, p, &now, err);
	if (rc == 0 && really) {
		rc = store_update(
		    &c->store, p->task, &v.change, NULL, NULL, NULL, NULL, cli_patience(), err);
		if (rc != -1)
			rc = apply_ids(c, p->task, &v, err);
		if (rc != -1 && (rc = store_get(&c->store, p->task, &then, err)) == 1) {
			change_record(c, "undo", &now, &then, NULL, extra);
			if (then.status != TASK_IN_PROGRESS)
				(void)claims_forget(&c->list, p->task, cli_patience(), err);
			rc = 0;
		}
	}
out:
	if (rc == -1 && extra != NULL)
		json_object_put(extra);
	undo_inverse_free(&v);
	task_free(&now);
	task_free(&then);
	return rc;
}

static void
line_told(struct cli *c, const struct history_entry *p, bool really)
{
	buf_printf(&c->out, "%s %s of #", really ? "undid" : "would undo",
	    strcmp(p->event, "create") == 0     ? "the creation"
	    : strcmp(p->event, "delete") == 0   ? "the deletion"
	    : strcmp(p->event, "complete") == 0 ? "the completion"
	    : strcmp(p->event, "claim") == 0    ? "the claim"
	    : strcmp(p->event, "release") == 0  ? "the release"
						: "a change");
	view_text(&c->out, p->task, 128);
	if (p->time != NULL)
		buf_printf(
		    &c->out, " (%.10s %.8s)", p->time, strlen(p->time) > 19 ? p->time + 11 : "");
	buf_putc(&c->out, '\n');
}

int
undo_main(struct cli *c)
{
	bool dry = cli_flag(c, "dry-run");
	struct history h;
	struct error err;
	const char *only = NULL;
	struct strings back = { 0 };
	struct json_object *done = out_array(), *o;
	size_t last;
	int status = EXIT_DONE, rc;

	if ((c->operands == 1 && (only = cli_id(c, 0)) == NULL) || cli_find(c) == -1 ||
	    history_load(c, &h) == -1) {
		json_object_put(done);
		return c->status;
	}
	if (cli_open(c, false) == -1) {
		status = c->status;
		goto out;
	}
	change_begin(c);
	for (last = h.count; last > 0; last--)
		if (undoable(&h.item[last - 1]) &&
		    (only == NULL || strcmp(h.item[last - 1].task, only) == 0))
			break;
	if (last == 0 || c->store.dirfd == -1) {
		status = cli_fail(c, EXIT_UNKNOWN, "the journal of '%s' has nothing %sto undo",
		    c->list.name, only != NULL ? "of this task " : "");
		goto out;
	}
	/* First whether all of it can be undone, then do it. */
	for (int really = 0; really <= (dry ? 0 : 1) && status == EXIT_DONE; really++) {
		for (size_t i = last; i > 0 && status == EXIT_DONE; i--) {
			const struct history_entry *p = &h.item[i - 1], *top = &h.item[last - 1];
			bool with =
			    p == top || (only == NULL && p->group != NULL && top->group != NULL &&
					    strcmp(p->group, top->group) == 0);

			if (!with || !undoable(p))
				continue;
			rc = undo_line(c, &h, p, really, &back, &err);
			if (rc == -1) {
				status = cli_fail(c, cli_status(err.kind),
				    "cannot undo %s of #%s: %s", p->event, p->task, err.text);
			} else if (really == !dry) {
				if (!c->json)
					line_told(c, p, !dry);
				out_push_string(done, p->task);
			}
		}
	}
	for (size_t i = 0; i < back.count && status == EXIT_DONE; i++)
		if (link_back(c, back.item[i], &err) == -1)
			status = cli_error(c, &err);
	if (c->json && status == EXIT_DONE) {
		o = out_object();
		out_bool(o, "dry_run", dry);
		out_add(o, "undone", done);
		done = NULL;
		cli_json(c, o);
	}
out:
	if (done != NULL)
		json_object_put(done);
	strings_free(&back);
	history_free(&h);
	return status;
}

/* What the journal last knew of a task: its line, or NULL. *deleted: it was removed on purpose. */
static const struct history_entry *
last_seen(const struct history *h, const char *id, const char **text, bool *deleted)
{
	for (size_t i = h->count; i > 0; i--) {
		const struct history_entry *p = &h->item[i - 1];

		if (p->task == NULL || strcmp(p->task, id) != 0 ||
		    (p->before == NULL && p->after == NULL))
			continue;
		*text = p->after != NULL ? p->after : p->before;
		*deleted = p->after == NULL &&
			   (strcmp(p->event, "delete") == 0 || strcmp(p->event, "undo") == 0);
		return p;
	}
	return NULL;
}

static int
restore_one(struct cli *c, const struct history_entry *p, const char *text, bool dry)
{
	struct change completed = { .status = TASK_COMPLETED };
	struct task now = TASK_INIT;
	const char *id = p->task;
	struct error err;
	int status = EXIT_DONE, rc = 0;

	if (!dry)
		rc = put_back(c, id, text, &now, &err);
	/* A receipt was written while the task was still open: its completion followed. */
	if (!dry && rc != -1 && strcmp(p->event, "receipt") == 0 && task_open(&now) &&
	    (rc = store_update(
		 &c->store, id, &completed, NULL, NULL, NULL, NULL, cli_patience(), &err)) != -1) {
		task_free(&now);
		rc = store_get(&c->store, id, &now, &err);
	}
	if (rc == -1) {
		status = cli_error(c, &err);
	} else {
		if (!dry)
			change_record(c, "restore", NULL, &now, NULL, NULL);
		if (c->json)
			buf_printf(
			    &c->out, "{\"%s\":\"%s\"}\n", dry ? "would_restore" : "restored", id);
		else if (dry)
			buf_printf(&c->out, "would restore #%s\n", id);
		else {
			buf_printf(&c->out, "restored #%s ", id);
			view_text(&c->out, now.subject, TEXT_SUBJECT);
			buf_putc(&c->out, '\n');
		}
	}
	task_free(&now);
	return status;
}

int
restore_main(struct cli *c)
{
	struct strings ids = { 0 }, known = { 0 };
	struct history h = { 0 };
	struct view v = { 0 };
	const struct history_entry *p;
	struct error err;
	const char *text = NULL;
	bool dry = cli_flag(c, "dry-run"), all = cli_flag(c, "all"), deleted = false;
	int status = EXIT_DONE, one;
	size_t count = 0;

	for (int i = 0; i < c->operands; i++)
		if (cli_ids(c, c->operand[i], &ids) == -1)
			goto fail;
	if (cli_find(c) == -1 || history_load(c, &h) == -1 || view_load(c, &v) == -1)
		goto fail;
	if (c->store.dirfd == -1 && !dry && h.count > 0 && cli_open(c, true) == -1)
		goto fail;
	change_begin(c);
	for (size_t i = 0; i < h.count; i++)
		if (h.item[i].task != NULL && !strings_has(&known, h.item[i].task))
			strings_add(&known, h.item[i].task);
	for (size_t i = 0; i < ids.count; i++) {
		p = last_seen(&h, ids.item[i], &text, &deleted);
		if (p == NULL)
			status = cli_fail(c, EXIT_UNKNOWN,
			    "the journal of '%s' never saw a task #%s", c->list.name, ids.item[i]);
		else if (view_find(&v, ids.item[i]) != NULL)
			status = cli_fail(c, EXIT_RULE, "there is a task #%s", ids.item[i]);
		else if ((one = restore_one(c, p, text, dry)) != EXIT_DONE)
			status = one;
	}
	/* Without ids: all that vanished; what was deleted by command only with --deleted. */
	for (size_t i = 0; i < known.count && ids.count == 0; i++) {
		p = last_seen(&h, known.item[i], &text, &deleted);
		if (view_find(&v, known.item[i]) != NULL || p == NULL ||
		    (deleted && !cli_flag(c, "deleted")))
			continue;
		count++;
		if ((one = restore_one(c, p, text, dry || !all)) != EXIT_DONE)
			status = one;
	}
	for (size_t i = 0; !dry && i < known.count + ids.count && status == EXIT_DONE; i++) {
		const char *id = i < known.count ? known.item[i] : ids.item[i - known.count];

		if (view_find(&v, id) == NULL && c->store.dirfd != -1 &&
		    link_back(c, id, &err) == -1)
			status = cli_error(c, &err);
	}
	if (ids.count == 0 && count == 0 && !c->json)
		buf_printf(
		    &c->out, "nothing that the journal of '%s' knows is missing\n", c->list.name);
	else if (ids.count == 0 && !all && !dry && !c->json)
		buf_puts(&c->out, "(claude-tasks restore --all does it)\n");
	goto out;
fail:
	status = c->status;
out:
	strings_free(&ids);
	strings_free(&known);
	history_free(&h);
	view_free(&v);
	return status;
}
