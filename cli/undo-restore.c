/*
 * restore: create missing tasks again as the journal last recorded them, also those that another
 * program removed.
 */
#include <string.h>

#include "undo.h"
#include "view.h"

int
undo_put_back(struct cli *c, const char *id, const char *text, struct task *now, struct error *err)
{
	if (store_put(&c->store, id, text, strlen(text), cli_deadline(), err) == -1)
		return -1;
	return undo_read_again(c, id, now, err);
}

int
undo_link_back(struct cli *c, const char *id, struct error *err)
{
	struct task t = TASK_INIT, other = TASK_INIT;
	int rc = store_get(&c->store, id, &t, err);

	for (size_t i = 0; rc == 1 && i < t.blocked_by.count + t.blocks.count; i++) {
		bool up = i < t.blocked_by.count;
		const char *end = up ? t.blocked_by.item[i] : t.blocks.item[i - t.blocked_by.count];

		rc = store_get(&c->store, end, &other, err);
		if (rc == 1 && store_depend(&c->store, up ? id : end, up ? end : id, false,
				   cli_deadline(), err) == -1)
			rc = -1;
		else if (rc == 0)
			rc = 1;
		task_free(&other);
	}
	task_free(&t);
	return rc == -1 ? -1 : 0;
}

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

static int
restore_write(struct cli *c, const struct history_entry *p, struct task *now, struct error *err)
{
	static const struct change completed = { .status = TASK_COMPLETED };
	int rc = undo_put_back(c, p->task, p->after != NULL ? p->after : p->before, now, err);

	/* A receipt was written while the task was still open: its completion followed. */
	if (rc != -1 && strcmp(p->event, "receipt") == 0 && task_open(now)) {
		rc = store_update(
		    &c->store, p->task, &completed, NULL, NULL, NULL, NULL, cli_deadline(), err);
		task_free(now);
		if (rc != -1)
			rc = store_get(&c->store, p->task, now, err);
	}
	if (rc != -1)
		change_record(c, "restore", NULL, now, NULL, NULL);
	return rc;
}

static int
restore_one(struct cli *c, const struct history_entry *p, bool dry)
{
	struct task now = TASK_INIT;
	struct json_object *o;
	struct error err;
	int status = EXIT_DONE;

	if (!dry && restore_write(c, p, &now, &err) == -1) {
		status = cli_error(c, &err);
	} else if (c->json) {
		o = out_object();
		out_string(o, dry ? "would_restore" : "restored", p->task);
		cli_json_line(c, o);
	} else if (dry) {
		cli_print(c, "would restore #%s\n", p->task);
	} else {
		cli_print(c, "restored #%s %.120s\n", p->task, now.subject);
	}
	task_free(&now);
	return status;
}

struct restore {
	struct cli *c;
	struct history h;
	struct view v;        /* the list before */
	struct strings tried; /* ids, for the edges afterwards */
};

/* The ids that were passed. */
static int
restore_named(struct restore *r, const struct strings *ids, bool dry)
{
	int status = EXIT_DONE, one;

	for (size_t i = 0; i < ids->count; i++) {
		const char *id = ids->item[i];
		const struct history_entry *p = undo_last_text(&r->h, id);

		if (p == NULL)
			one = cli_fail(r->c, EXIT_UNKNOWN,
			    "the journal of '%s' has no task #%s (try: claude-tasks restore)",
			    r->c->list.name, id);
		else if (view_find(&r->v, id) != NULL)
			one = cli_fail(
			    r->c, EXIT_RULE, "task #%s exists: there is nothing to restore", id);
		else
			one = restore_one(r->c, p, dry);
		if (one != EXIT_DONE)
			status = one;
		strings_add(&r->tried, id);
	}
	return status;
}

/* All missing tasks; those that a command deleted only with --deleted. */
static int
restore_missing(struct restore *r, bool dry)
{
	struct cli *c = r->c;
	int status = EXIT_DONE, one;
	size_t count = 0;
	bool act = cli_flag(c, "all") && !dry;

	for (size_t i = 0; i < r->h.count; i++) {
		const char *id = r->h.item[i].task;
		const struct history_entry *p;

		if (id == NULL || view_find(&r->v, id) != NULL || strings_has(&r->tried, id) ||
		    (p = undo_last_text(&r->h, id)) == NULL)
			continue;
		strings_add(&r->tried, id);
		if (deleted_by_us(p) && !cli_flag(c, "deleted"))
			continue;
		count++;
		if ((one = restore_one(c, p, !act)) != EXIT_DONE)
			status = one;
	}
	if (count == 0 && !c->json)
		buf_printf(&c->out, "no task in the journal of '%s' is missing\n", c->list.name);
	else if (!cli_flag(c, "all") && !dry && !c->json)
		buf_printf(&c->out, "(to restore: claude-tasks restore %s--all)\n",
		    cli_flag(c, "deleted") ? "--deleted " : "");
	return status;
}

static int
restore_edges(struct restore *r)
{
	struct error err;

	for (size_t i = 0; i < r->tried.count && r->c->store.dirfd != -1; i++)
		if (view_find(&r->v, r->tried.item[i]) == NULL &&
		    undo_link_back(r->c, r->tried.item[i], &err) == -1)
			return cli_error(r->c, &err);
	return EXIT_DONE;
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
		change_begin(c);
		status = ids.count > 0 ? restore_named(&r, &ids, dry) : restore_missing(&r, dry);
		if (status == EXIT_DONE && !dry)
			status = restore_edges(&r);
	}
	strings_free(&ids);
	strings_free(&r.tried);
	history_free(&r.h);
	view_free(&r.v);
	return status;
}
