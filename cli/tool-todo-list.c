/*
 * TodoWrite with `todos`: the caller's own list, replaced as a whole.
 *
 * Every agent has its own list beside the one in use, NAME-todo-AGENT, with a task for each item.
 * An item has no id: one with the content of a task that is there is that task, which keeps its
 * file and the fields that we do not know.  The others are created and deleted, all in one batch.
 * The order is in metadata.todo_position.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "config/config.h"
#include "hook/policy.h"
#include "tool.h"

#define POSITION "todo_position"
#define NO_POSITION INT_MAX
#define TRIES 5 /* while other calls of the same agent change the list */

struct todo_item {
	char *content, *active_form;
	enum task_status status;
	const struct task *was; /* NULL: it is new */
	/* What to write: */
	struct change change;
	char *metadata;
};

struct todos {
	struct todo_item *item;
	size_t count;
	struct task_set old; /* in their order */
	bool *kept;          /* beside them */
};

/* ---- the list as it is ---- */

/* The list of the caller, who has a name or a session; else it is a process of a client. */
static char *
own_name(const struct cli *c)
{
	struct agent a;
	char *who, *safe, *name;

	cli_agent(c, &a);
	if (agent_owner(&a) == NULL)
		who = mem_string(a.session);
	else if (a.client != NULL && cli_agent_name(c) == NULL)
		who = mem_printf(
		    "%s-%lld-%llu", a.client, (long long)a.pid, (unsigned long long)a.pid_start);
	else
		who = mem_string(agent_owner(&a));
	safe = list_sanitise(who);
	/* Two names may become one. */
	name = strcmp(safe, who) == 0
		   ? mem_join(c->list.name, "-todo-", safe, NULL)
		   : mem_printf("%s-todo-%s-%08x", c->list.name, safe, hash_short(who));
	free(who);
	free(safe);
	return name;
}

static bool
open_own(struct cli *c, struct tool_answer *a)
{
	char *name;
	bool ok;

	if (!tool_open(c, false, a))
		return false;
	name = own_name(c);
	ok = tool_open_named(c, name, a);
	free(name);
	return ok;
}

static int64_t
position(const struct task *t)
{
	int64_t at;

	if (json_int(&t->json, json_member(&t->json, task_metadata(t), POSITION), &at) == -1 ||
	    at <= 0 || at > NO_POSITION)
		return NO_POSITION;
	return at;
}

/* Map a task's status to one of an item's three. */
static enum task_status
item_status(const struct task *t)
{
	if (!task_open(t))
		return TASK_COMPLETED;
	return t->status == TASK_IN_PROGRESS ? TASK_IN_PROGRESS : TASK_PENDING;
}

static const char *
item_content(const struct task *t)
{
	return t->dialect == TASK_DOCUMENT ? t->description : t->subject;
}

static int
by_position(const void *a, const void *b)
{
	const struct task *s = a, *t = b;
	int64_t p = position(s), q = position(t);

	return p != q ? (p > q) - (p < q) : task_id_compare(s->id, t->id);
}

static int
load(struct store *s, struct task_set *set, struct error *err)
{
	size_t n = 0;

	task_set_free(set);
	if (store_load(s, set, err) == -1)
		return -1;
	for (size_t i = 0; i < set->count; i++)
		if (set->item[i].internal)
			task_free(&set->item[i]);
		else if (n++ != i) {
			set->item[n - 1] = set->item[i];
			set->item[i] = (struct task)TASK_INIT;
		}
	set->count = n;
	if (n > 1)
		qsort(set->item, n, sizeof(set->item[0]), by_position);
	return 0;
}

/* Was the list changed since it was read?  1, 0, or -1. */
static int
changed(struct store *s, const struct todos *t, struct error *err)
{
	struct task_set now = { 0 };
	bool same;

	if (load(s, &now, err) == -1)
		return -1;
	same = now.count == t->old.count;
	for (size_t i = 0; i < now.count && same; i++)
		same = strcmp(now.item[i].id, t->old.item[i].id) == 0 &&
		       strcmp(buf_text(&now.item[i].text), buf_text(&t->old.item[i].text)) == 0;
	task_set_free(&now);
	return !same;
}

/* Asked under the lock: what is replaced must be what was read. */
static int
check_unchanged(void *arg, struct store *s, struct error *err)
{
	int rc = changed(s, arg, err);

	if (rc == 1)
		error_set(err, ERROR_BUSY,
		    "another call changed these todos at the same time; send them again");
	return rc == 0 ? 0 : -1;
}

/* ---- the new list ---- */

static void
read_items(struct todos *t, const struct json *j)
{
	json_ref todos = json_member(j, JSON_ROOT, "todos");
	char *status;

	t->item = mem_alloc((json_count(j, todos) + 1) * sizeof(*t->item));
	JSON_EACH (j, todos, e) {
		struct todo_item *i = &t->item[t->count++];

		i->content = json_member_string(j, e, "content");
		i->active_form = json_member_string(j, e, "activeForm");
		status = json_member_string(j, e, "status");
		i->status = task_status_parse(status);
		free(status);
	}
}

static void
free_items(struct todos *t)
{
	for (size_t i = 0; i < t->count; i++) {
		free(t->item[i].content);
		free(t->item[i].active_form);
		free(t->item[i].metadata);
	}
	free(t->item);
	free(t->kept);
	task_set_free(&t->old);
}

static bool
all_completed(const struct todos *t)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->item[i].status != TASK_COMPLETED)
			return false;
	return true;
}

static bool
match(struct todos *t, struct todo_item *item, bool same_status)
{
	for (size_t i = 0; i < t->old.count; i++) {
		const struct task *was = &t->old.item[i];

		if (t->kept[i] || strcmp(item_content(was), item->content) != 0 ||
		    (same_status && item_status(was) != item->status))
			continue;
		t->kept[i] = true;
		item->was = was;
		return true;
	}
	return false;
}

/* Of several items with one content those that have not changed come first: what was completed is
 * not checked again. */
static void
match_all(struct todos *t)
{
	free(t->kept);
	t->kept = mem_alloc((t->old.count + 1) * sizeof(*t->kept));
	for (size_t i = 0; i < t->count; i++)
		t->item[i].was = NULL;
	for (size_t i = 0; i < t->count; i++)
		(void)match(t, &t->item[i], true);
	for (size_t i = 0; i < t->count; i++)
		if (t->item[i].was == NULL)
			(void)match(t, &t->item[i], false);
}

/* A position is changed only if it would be out of order. */
static void
place(struct todo_item *item, int64_t *last)
{
	int64_t at = item->was != NULL ? position(item->was) : NO_POSITION;

	free(item->metadata);
	item->metadata = NULL;
	if (at == NO_POSITION || at <= *last) {
		at = *last + 1;
		/* a change merges its metadata as text */
		item->metadata = mem_printf("{\"" POSITION "\":%lld}", (long long)at);
	}
	item->change.metadata = item->metadata;
	*last = at;
}

/* What to do for an item; false: nothing. */
static bool
make_op(struct cli *c, struct todo_item *item, int64_t *last, struct store_op *op)
{
	struct agent agent;

	*op = (struct store_op){ STORE_CREATE, .change = &item->change };
	item->change = (struct change)CHANGE_INIT;
	item->change.active_form = item->active_form;
	place(item, last);
	if (item->was != NULL) {
		op->kind = STORE_UPDATE;
		op->id = item->was->id;
	} else {
		if (c->store.layout != STORE_DOCUMENT)
			item->change.subject = item->content;
		item->change.description = item->content;
	}
	if (item->was != NULL && item_status(item->was) == item->status)
		return item->metadata != NULL ||
		       !change_same(item->was->active_form, item->active_form);
	item->change.status = item->status;
	op->rule = change_rule(item->status);
	if (item->status == TASK_IN_PROGRESS) {
		cli_agent(c, &agent);
		item->change.owner = agent_owner(&agent);
	}
	return true;
}

/* Write the changes that make the stored list equal to the items; an exit status. */
static int
replace(struct cli *c, struct todos *t, struct buf *reason)
{
	struct change_batch b = {
		.quiet = true, .reopen = true, .guard = check_unchanged, .guard_arg = t
	};
	int64_t last = 0;
	int status = EXIT_DONE;

	match_all(t);
	b.op = mem_alloc((t->count + t->old.count + 1) * sizeof(*b.op));
	for (size_t i = 0; i < t->count; i++)
		b.count += make_op(c, &t->item[i], &last, &b.op[b.count]);
	for (size_t i = 0; i < t->old.count; i++)
		if (!t->kept[i])
			b.op[b.count++] =
			    (struct store_op){ .kind = STORE_DELETE, .id = t->old.item[i].id };
	if (b.count > 0)
		status = change_apply(c, &b, reason);
	change_end(&b);
	free(b.op);
	return status;
}

/* Remove what is completed as a whole, unless another call has written meanwhile. */
static int
clear(struct cli *c, struct buf *reason)
{
	struct todos none = { 0 };
	struct error err;
	bool open = false;
	int status = EXIT_DONE;

	if (load(&c->store, &none.old, &err) == -1) {
		buf_puts(reason, err.text);
		return cli_status(err.kind);
	}
	for (size_t i = 0; i < none.old.count; i++)
		open |= task_open(&none.old.item[i]);
	change_begin(); /* undo takes back the removal first, then the completions */
	if (!open && (status = replace(c, &none, reason)) != EXIT_DONE &&
	    changed(&c->store, &none, &err) == 1)
		status = EXIT_DONE;
	free_items(&none);
	return status;
}

/* ---- the call ---- */

static struct json_object *
old_json(const struct todos *t)
{
	struct json_object *all = out_array(), *o;

	for (size_t i = 0; i < t->old.count; i++) {
		const struct task *was = &t->old.item[i];
		const char *form = was->active_form;

		o = out_push(all, out_object());
		out_string(o, "content", item_content(was));
		out_string(o, "status", task_status_name(item_status(was)));
		out_string(
		    o, "activeForm", form != NULL && *form != '\0' ? form : item_content(was));
	}
	return all;
}

/* The rules of the settings, which the hook applies to the client's own tool. */
static bool
check_policy(struct cli *c, const struct json *input, struct tool_answer *a)
{
	struct decision d = { 0 };
	struct error err;
	const struct config *config = cli_config(c, &err);
	bool ok = config != NULL;

	if (ok)
		policy_todo(config, input, JSON_ROOT, &d);
	else
		tool_error(a, &err);
	if (d.verdict == VERDICT_REFUSE) {
		tool_fail(a, EXIT_RULE, "%s", buf_text(&d.reason));
		ok = false;
	}
	decision_free(&d);
	return ok;
}

/* The same; once more if another call has changed the list meanwhile. */
static int
write_items(struct cli *c, struct todos *t, struct buf *reason)
{
	struct error err;
	int status, tries = 0;

	do {
		buf_reset(reason);
		if (load(&c->store, &t->old, &err) == -1) {
			buf_puts(reason, err.text);
			return cli_status(err.kind);
		}
		status = replace(c, t, reason);
	} while (status != EXIT_DONE && changed(&c->store, t, &err) == 1 && ++tries < TRIES);
	return status == EXIT_DONE && all_completed(t) ? clear(c, reason) : status;
}

void
todos_write(struct cli *c, const struct tool_input *in, struct tool_answer *a)
{
	struct todos t = { 0 };
	struct buf reason = { 0 };
	int status;

	if (!open_own(c, a) || !check_policy(c, in->json, a))
		return;
	read_items(&t, in->json);
	if ((status = write_items(c, &t, &reason)) != EXIT_DONE) {
		tool_fail(a, status, "%s", buf_text(&reason));
	} else {
		a->output = out_object();
		out_add(a->output, "oldTodos", old_json(&t));
		out_add(a->output, "newTodos",
		    out_raw(in->json, json_member(in->json, JSON_ROOT, "todos")));
		buf_puts(&a->text,
		    "Todos have been modified successfully. Ensure that you continue to use the "
		    "todo list to track your progress. Please proceed with the current tasks if "
		    "applicable");
	}
	buf_free(&reason);
	free_items(&t);
}
