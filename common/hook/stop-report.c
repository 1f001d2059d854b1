/*
 * stop: completions that an agent reports instead of making.
 *
 * A background agent has no task tools; its last message, or a tool of another
 * vendor, can report what it did.  A report goes through the same checks and
 * gates as any completion: all of them without a lock, then the cheap ones
 * again under it.
 */
#include "hook/stop.h"

#include <stdlib.h>
#include <string.h>

#include "agent/claims.h"
#include "agent/holder.h"
#include "agent/report-apply.h"
#include "base/mem.h"
#include "base/text.h"
#include "gate/verify.h"
#include "hook/complete.h"
#include "hook/tell.h"
#include "list/graph.h"
#include "json/out.h"

#define REPORTS_MAX 200
#define OBJECT_MAX 32768 /* bytes of one report in a text; room for REPORTS_MAX */
#define TRIES_MAX 1024   /* keys and braces of one text that are looked at */

static void
reports_add(struct reports *r, char *task, const char *status)
{
	enum task_status s = task_status_parse(status);

	for (size_t i = 0; task != NULL && i < r->count; i++)
		if (strcmp(r->item[i].task, task) == 0) {
			r->item[i].status = s; /* the last word counts */
			free(task);
			return;
		}
	if (task == NULL || *task == '\0' || r->count >= REPORTS_MAX) {
		free(task);
		return;
	}
	r->item = mem_more(r->item, r->count, sizeof(*r->item));
	r->item[r->count++] = (struct report_item){ .task = task, .status = s };
}

void
reports_free(struct reports *r)
{
	for (size_t i = 0; i < r->count; i++) {
		free(r->item[i].task);
		free(r->item[i].reason);
	}
	free(r->item);
	*r = (struct reports){ 0 };
}

/* [{task_id, status}, ...]; a Task[] has id instead of task_id. */
static void
reports_add_array(struct reports *r, const struct json *j, json_ref array)
{
	static const char *const keys[] = { "task_id", "taskId", "id" };

	JSON_EACH (j, array, i) {
		char *status = json_member_string(j, i, "status"), *id = NULL;

		for (size_t k = 0; k < 3 && id == NULL; k++)
			id = json_member_string(j, i, keys[k]);
		if (status != NULL)
			reports_add(r, id, status);
		else
			free(id);
		free(status);
	}
}

static void
reports_add_completed(struct reports *r, const struct json *j, json_ref array)
{
	JSON_EACH (j, array, i)
		reports_add(r, json_string(j, i), "completed");
}

/* Where the object that starts at p ends, strings respected; NULL if it does not. */
static const char *
object_end(const char *p, const char *end)
{
	int depth = 0;
	bool string = false;

	for (; p < end; p++) {
		if (string) {
			if (*p == '\\')
				p++;
			else if (*p == '"')
				string = false;
		} else if (*p == '"')
			string = true;
		else if (*p == '{' || *p == '[')
			depth++;
		else if ((*p == '}' || *p == ']') && --depth == 0)
			return p + 1;
	}
	return NULL;
}

/*
 * The innermost object around `at` that parses and has the key.  Each brace
 * that is tried costs one of `tries`.
 */
static bool
object_around(const char *text, const char *at, const char *end, int *tries, struct json *j)
{
	struct error e;
	const char *stop;
	int left = 16;

	for (const char *p = at; p >= text && left > 0 && *tries > 0 && at - p < 4096; p--) {
		if (*p != '{')
			continue;
		left--;
		--*tries;
		stop = object_end(p, end - p < OBJECT_MAX ? end : p + OBJECT_MAX);
		if (stop != NULL && stop > at && json_parse(j, p, (size_t)(stop - p), &e) == 0 &&
		    json_member(j, JSON_ROOT, "tasks_to_update") != JSON_ABSENT)
			return true;
	}
	return false;
}

void
reports_in_text(struct reports *r, const char *text)
{
	static const char key[] = "\"tasks_to_update\"";
	const char *end = text + strlen(text), *at = text;
	struct json j = { 0 };

	for (int tries = TRIES_MAX; --tries > 0 && (at = strstr(at, key)) != NULL;
	     at += sizeof(key) - 1)
		if (object_around(text, at, end, &tries, &j))
			reports_add_array(r, &j, json_member(&j, JSON_ROOT, "tasks_to_update"));
	json_free(&j);
}

static void
reports_collect(struct hook *h, struct reports *r)
{
	const struct event *ev = &h->in.event;
	const struct json *j = &ev->json;

	if (ev->kind == EVENT_TASK_ARRAY) {
		reports_add_array(r, j, ev->tasks);
		return;
	}
	reports_add_completed(r, j, ev->tasks_completed);
	reports_add_completed(r, j, json_member(j, ev->result, "tasks_completed"));
	reports_add_array(r, j, json_member(j, ev->result, "tasks_to_update"));
	if (ev->last_message != NULL)
		reports_in_text(r, ev->last_message);
}

/* --- each one checked, and applied ----------------------------------------------- */

struct report_check {
	struct hook *hook;
	const struct verify_request *completion; /* NULL: another change of status */
	bool start;
};

static int
report_check_owner(
    struct hook *h, const struct claims *claims, const struct task *t, struct error *e)
{
	struct holder_query q = { .task = t, .self = &h->in.self };
	struct buf who = { 0 };

	holder_look(&q, &h->in.list, claims);
	if (holder_of(&q) != HOLDER_OTHER)
		return 0;
	holder_describe(&who, &q);
	error_set(e, ERROR_REFUSED, "it belongs to %s", buf_text(&who));
	buf_free(&who);
	return -1;
}

static int
report_check_blockers(struct store *st, const struct task *t, struct error *e)
{
	struct blockers blockers = { 0 };
	struct buf b = { 0 };
	int rc;

	if (task_held(t)) {
		claim_held_text(&b, t);
		error_set(e, ERROR_REFUSED, "it%s", buf_text(&b));
		buf_free(&b);
		return -1;
	}
	rc = store_blockers(st, t, &blockers, e);
	if (rc != -1 && blockers.count > 0) {
		blockers_describe(&b, &blockers);
		rc = error_set(e, ERROR_REFUSED, "blocked by %s", buf_text(&b));
	}
	blockers_free(&blockers);
	buf_free(&b);
	return rc == -1 ? -1 : 0;
}

/* A report_rule: the cheap checks, again under the lock. */
static int
report_check_again(
    void *arg, struct store *st, const struct claims *claims, const struct task *t, struct error *e)
{
	const struct report_check *c = arg;
	struct verify_request now;
	struct buf reason = { 0 };
	const char *rule = NULL;
	int rc;

	if (report_check_owner(c->hook, claims, t, e) == -1 ||
	    (c->start && report_check_blockers(st, t, e) == -1))
		return -1;
	if (c->completion == NULL)
		return 0;
	now = *c->completion;
	now.claims = claims;
	rc = verify_builtin(&now, t, &reason, NULL, &rule, e);
	if (rc == 1)
		rc = error_set(e, ERROR_REFUSED, "%s", buf_text(&reason));
	buf_free(&reason);
	return rc;
}

/* 1 changed, 0 it is so already, -1 not, and item->reason says why. */
static int
report_change(struct hook *h, struct report_item *item, const struct verify_request *completion,
    struct error *e)
{
	struct report_check c = {
		.hook = h, .completion = completion, .start = item->status == TASK_IN_PROGRESS
	};

	if (h->explain) {
		hook_would(h, "task %s: %s", item->task, task_status_name(item->status));
		item->applied = true;
		return 1;
	}
	return report_apply(&h->in.list, &h->in.store, &h->in.self, item, report_check_again, &c,
	    &h->in.claims, hook_patience(h), e);
}

static void
report_tell(struct hook *h, const char *what, const char *task, const char *why)
{
	struct buf *b = &h->out.decision.message;

	if (b->len > 0)
		buf_putc(b, '\n');
	buf_printf(b, "%s: #", what);
	text_show(b, task, strlen(task), TEXT_LINE, TEXT_SUBJECT);
	buf_printf(b, ": %s", why);
	if (h->out.decision.rule == NULL)
		h->out.decision.rule = "report";
}

/* The gates run without a lock.  A receipt is written once the task is completed; an attempt that
 * was refused, by a gate or under the lock, is recorded as such. */
static void
report_complete(struct hook *h, struct report_item *item)
{
	struct verify_request req = complete_request(h, GATE_STOP | GATE_COMPLETE, item->task);
	struct verify v = VERIFY_INIT;
	struct error e = { 0 };
	bool record = !h->explain;
	int rc = verify_task(&v, &req, &e);

	if (rc == 0)
		req.config = v.governing.config; /* for the checks under the lock too */
	if (rc == -1) {
		item->reason = mem_string(e.text);
		record = false;
	} else if (!v.passed)
		item->reason = mem_string(buf_text(&v.reason));
	else if (report_change(h, item, &req, &e) != 1) {
		record &= !item->applied && e.kind == ERROR_REFUSED;
		v.passed = false;
		v.rule = "report";
		buf_puts(&v.reason, e.text);
	}
	if (record && verify_record(&v, &req, &e) == -1 && item->applied)
		report_tell(
		    h, "Completed, but the receipt could not be written", item->task, e.text);
	verify_free(&v);
}

static void
report_one(struct hook *h, struct report_item *item)
{
	struct task t = TASK_INIT;
	struct error e = { 0 };
	enum task_status now = TASK_NO_STATUS;
	int rc = store_get(&h->in.store, item->task, &t, &e);

	if (rc == 1 && item->status == TASK_BLOCKED &&
	    store_status(&h->in.store, &t, &now, &e) == -1)
		rc = -1;
	if (rc == -1)
		item->reason = mem_string(e.text);
	else if (rc == 0)
		item->reason = mem_string("there is no such task");
	else if (item->status == TASK_NO_STATUS)
		item->reason = mem_string("its status is not one a task can have");
	else if (t.status == item->status || now == item->status)
		item->status = TASK_NO_STATUS; /* nothing to change, nothing to report */
	else if (report_check_owner(h, &h->in.claims, &t, &e) == -1)
		item->reason = mem_string(e.text);
	else if (item->status == TASK_COMPLETED)
		report_complete(h, item);
	else
		(void)report_change(h, item, NULL, &e);
	task_free(&t);
}

/* Name the tasks that can start now because of the completions. */
static void
report_tell_ready(struct hook *h, const struct reports *r)
{
	struct news news = { .rule = "report", .session = h->in.event.session_id };
	struct task_set all = { 0 };
	struct strings ready = { 0 }, unblocked;
	struct buf text = { 0 };
	struct error ignored;

	if (h->explain || store_load(&h->in.store, &all, &ignored) == -1)
		return;
	for (size_t i = 0; i < r->count; i++) {
		const struct task *t = task_set_find(&all, r->item[i].task);

		if (!r->item[i].applied || r->item[i].status != TASK_COMPLETED || t == NULL)
			continue;
		unblocked = (struct strings){ 0 };
		graph_unblocked(&all, t->id, &unblocked);
		if (unblocked.count > 0) {
			buf_puts(&text, text.len == 0 ? "Completed by report: " : ", ");
			task_name(&text, t);
		}
		for (size_t k = 0; k < unblocked.count; k++)
			if (!strings_has(&ready, unblocked.item[k]))
				strings_add(&ready, unblocked.item[k]);
		strings_free(&unblocked);
	}
	if (ready.count > 0) {
		buf_putc(&text, '.');
		tell_ready(&text, &ready);
		news.text = buf_text(&text);
		if (h->in.self.name != NULL)
			strings_add(&news.not_to, h->in.self.name);
		tell(h, &news);
	}
	strings_free(&news.not_to);
	strings_free(&ready);
	buf_free(&text);
	task_set_free(&all);
}

int
stop_reports(struct hook *h, struct error *e)
{
	struct reports r = { 0 };
	struct json_object *applied;
	size_t done = 0;

	reports_collect(h, &r);
	if (r.count == 0)
		return 0;
	if (hook_claims(h, e) == -1) {
		reports_free(&r);
		return -1;
	}
	applied = out_array();
	for (size_t i = 0; i < r.count; i++) {
		struct report_item *item = &r.item[i];

		report_one(h, item);
		if (item->applied) {
			struct json_object *o = out_push(applied, out_object());

			out_string(o, "task_id", item->task);
			out_string(o, "status", task_status_name(item->status));
			done++;
		} else if (item->reason != NULL)
			report_tell(h, "Reported but not applied", item->task, item->reason);
	}
	if (done > 0) {
		h->out.changed = true;
		h->out.decision.tasks_to_update = applied;
		if (h->out.decision.rule == NULL)
			h->out.decision.rule = "report";
		report_tell_ready(h, &r);
	} else
		json_object_put(applied);
	reports_free(&r);
	return 0;
}
