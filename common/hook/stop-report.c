/*
 * stop: completions that an agent reports instead of making.
 *
 * A background agent has no task tools; its last message, or a tool in its
 * place, can still say what it did.  A report is a claim, not a fact: it goes
 * through the same checks and gates as any completion, first without a lock,
 * then again, the cheap ones, under it.
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
	r->item = mem_grow(r->item, r->count + 1, sizeof(*r->item));
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
add_array(struct reports *r, const struct json *j, json_ref array)
{
	static const char *const keys[] = { "task_id", "taskId", "id" };

	for (json_ref i = json_first(j, array); i != JSON_ABSENT; i = json_next(j, array, i)) {
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
add_completed(struct reports *r, const struct json *j, json_ref array)
{
	for (json_ref i = json_first(j, array); i != JSON_ABSENT; i = json_next(j, array, i))
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
 * The innermost object around `at` that parses and has the key: an opening
 * brace is never far.  Each brace that is tried costs one of `tries`.
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
			add_array(r, &j, json_member(&j, JSON_ROOT, "tasks_to_update"));
	json_free(&j);
}

static void
collect(struct hook *h, struct reports *r)
{
	const struct event *ev = &h->event;
	const struct json *j = &ev->json;

	if (ev->kind == EVENT_TASK_ARRAY) {
		add_array(r, j, ev->tasks);
		return;
	}
	add_completed(r, j, ev->tasks_completed);
	add_completed(r, j, json_member(j, ev->result, "tasks_completed"));
	add_array(r, j, json_member(j, ev->result, "tasks_to_update"));
	if (ev->last_message != NULL)
		reports_in_text(r, ev->last_message);
}

/* --- each one checked, and applied ----------------------------------------------- */

struct check {
	struct hook *hook;
	struct verify_request *request; /* of a completion; NULL */
	bool start;
};

static int
owner_check(struct hook *h, const struct claims *claims, const struct task *t, struct error *e)
{
	struct holder_query q = { .task = t, .self = &h->self };
	struct buf who = { 0 };

	holder_look(&q, &h->list, claims);
	if (holder_of(&q) != HOLDER_OTHER)
		return 0;
	holder_describe(&who, &q);
	error_set(e, ERROR_REFUSED, "it belongs to %s", buf_text(&who));
	buf_free(&who);
	return -1;
}

static int
start_check(struct store *st, const struct task *t, struct error *e)
{
	struct blockers blockers = { 0 };
	struct buf b = { 0 };
	int rc = store_blockers(st, t, &blockers, e);

	if (rc != -1 && blockers.count > 0) {
		blockers_describe(&b, &blockers);
		rc = error_set(e, ERROR_REFUSED, "blocked by %s", buf_text(&b));
	}
	blockers_free(&blockers);
	buf_free(&b);
	return rc == -1 ? -1 : 0;
}

/* Asked again under the lock, on what is then on disk. */
static int
rule(void *arg, struct store *st, const struct task *t, struct error *e)
{
	struct check *c = arg;
	struct claims claims = { 0 };
	struct buf reason = { 0 };
	const char *name = NULL;
	int rc;

	if (claims_load(&c->hook->list, &claims, e) == -1)
		return -1;
	rc = owner_check(c->hook, &claims, t, e);
	claims_free(&claims);
	if (rc == -1 || (c->start && start_check(st, t, e) == -1))
		return -1;
	if (c->request == NULL)
		return 0;
	rc = verify_builtin(c->request, t, &reason, NULL, &name, e);
	if (rc == 1)
		rc = error_set(e, ERROR_REFUSED, "%s", buf_text(&reason));
	buf_free(&reason);
	return rc;
}

/* A completion: gates first, without a lock.  False: refused, and why is said. */
static bool
gates_pass(struct hook *h, struct report_item *item, struct verify_request *req)
{
	struct verify v = VERIFY_INIT;
	struct error e = { 0 };
	bool passed = false;

	req->task = item->task;
	if (verify_task(&v, req, &e) == -1 || (!h->explain && verify_record(&v, req, &e) == -1))
		item->reason = mem_string(e.text);
	else if (!v.passed)
		item->reason = mem_string(buf_text(&v.reason));
	else
		passed = true;
	verify_free(&v);
	return passed;
}

static void
apply(struct hook *h, struct report_item *item)
{
	struct verify_request req = { .on = GATE_STOP,
		.config = &h->config,
		.list = &h->list,
		.store = &h->store,
		.agent = h->self,
		.cwd = h->event.cwd,
		.deadline = hook_deadline(h),
		.plan_only = h->explain };
	struct check c = { .hook = h, .start = item->status == TASK_IN_PROGRESS };
	struct task t = TASK_INIT;
	struct error e = { 0 };
	int rc = task_id_ok(item->task) ? store_get(&h->store, item->task, &t, &e) : 0;

	if (rc == -1)
		item->reason = mem_string(e.text);
	else if (rc == 0)
		item->reason = mem_string("there is no such task");
	else if (item->status == TASK_NO_STATUS)
		item->reason = mem_string("its status is not one a task can have");
	else if (t.status == item->status)
		item->status = TASK_NO_STATUS; /* nothing to do, nothing to say */
	else if (owner_check(h, &h->claims, &t, &e) == -1)
		item->reason = mem_string(e.text);
	else if (item->status != TASK_COMPLETED || gates_pass(h, item, &req)) {
		if (item->status == TASK_COMPLETED)
			c.request = &req;
		if (h->explain) {
			hook_would(h, "task %s: %s", item->task, task_status_name(item->status));
			item->applied = true;
		} else if (report_apply(&h->list, &h->store, &h->self, item, 1, rule, &c,
			       hook_patience(h), &e) == -1 &&
			   item->reason == NULL)
			item->reason = mem_string(e.text);
	}
	task_free(&t);
}

static void
tell_refused(struct hook *h, const struct report_item *item)
{
	struct buf *b = &h->decision.message;

	if (b->len > 0)
		buf_putc(b, '\n');
	buf_puts(b, "Reported but not applied: #");
	text_show(b, item->task, strlen(item->task), TEXT_LINE, TEXT_SUBJECT);
	buf_puts(b, ": ");
	buf_puts(b, item->reason);
	if (h->decision.rule == NULL)
		h->decision.rule = "report";
}

int
stop_reports(struct hook *h, struct error *e)
{
	struct reports r = { 0 };
	struct json_object *applied;
	size_t done = 0;

	collect(h, &r);
	if (r.count == 0)
		return 0;
	if (hook_claims(h, e) == -1) {
		reports_free(&r);
		return -1;
	}
	applied = out_array();
	for (size_t i = 0; i < r.count; i++) {
		struct report_item *item = &r.item[i];

		apply(h, item);
		if (item->applied) {
			struct json_object *o = out_object();

			out_string(o, "task_id", item->task);
			out_string(o, "status", task_status_name(item->status));
			out_push(applied, o);
			done++;
		} else if (item->reason != NULL)
			tell_refused(h, item);
	}
	if (done > 0) {
		h->changed = true;
		out_text(&h->decision.tasks_to_update, applied);
		if (h->decision.rule == NULL)
			h->decision.rule = "report";
	} else
		json_object_put(applied);
	reports_free(&r);
	/* What was applied may have settled claims. */
	claims_free(&h->claims);
	h->have_claims = false;
	return 0;
}
