/*
 * Run the gates: as many at once as allowed, each after those that it needs, one
 * at a time in a group.  No lock is held here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "gate/verify-part.h"

#define PROGRESS_MS 500 /* between two reports about a gate that runs */
#define SHOWN 10        /* paths named by the check "committed" */

static size_t
gate_find(const struct plan *p, const char *name)
{
	size_t i = 0;

	while (i < p->verify->count && strcmp(p->verify->result[i].gate->name, name) != 0)
		i++;
	return i;
}

/* 1 may start, 0 must wait, -1 never: something it needs did not pass. */
static int
gate_ready(struct plan *p, size_t i)
{
	const struct gate *g = p->verify->result[i].gate;
	int answer = 1;

	for (size_t n = 0; n < g->needs.count; n++) {
		size_t k = gate_find(p, g->needs.item[n]);

		if (k == p->verify->count)
			continue;
		if (p->item[k].state == PLAN_DONE &&
		    !gate_verdict_good(p->verify->result[k].verdict)) {
			free(p->verify->result[i].why);
			p->verify->result[i].why = mem_printf(
			    "it needs '%s', which did not pass", p->verify->result[k].gate->name);
			return -1;
		}
		if (p->item[k].state != PLAN_DONE)
			answer = 0;
	}
	for (size_t k = 0; k < p->verify->count; k++)
		if (p->item[k].state == PLAN_RUN &&
		    text_equal(g->group, p->verify->result[k].gate->group))
			answer = 0;
	return answer;
}

static void
gate_progress(struct plan *p, enum verify_moment moment, size_t i)
{
	if (p->req->progress != NULL)
		p->req->progress(
		    p->req->progress_arg, moment, p->verify->result[i].gate, &p->verify->result[i]);
}

static void
gate_settle(struct plan *p, size_t i, enum gate_verdict verdict)
{
	p->verify->result[i].verdict = verdict;
	p->item[i].state = PLAN_DONE;
	gate_progress(p, VERIFY_GATE_ENDS, i);
}

/* Is there something to commit?  A file that a sparse checkout leaves out is not. */
static bool
uncommitted(const struct plan *p, const struct git_entry *entry)
{
	char *path;
	bool there;

	if (!entry->hidden || !entry->differs)
		return !entry->hidden;
	path = mem_printf("%s/%s", p->tree.root, entry->path);
	there = access(path, F_OK) == 0;
	free(path);
	return there;
}

/* CHECK_COMMITTED: 1 and the paths in scope that differ from HEAD; 0 none. */
static int
check_committed(struct plan *p, const struct gate *g, struct buf *reason)
{
	size_t dirty = 0;

	verify_tree_read(p);
	for (size_t i = 0; i < p->tree.count; i++) {
		const struct git_entry *entry = &p->tree.entry[i];

		if (!uncommitted(p, entry) || !git_in_scope(&g->files, &g->writes, entry->path) ||
		    ++dirty > SHOWN)
			continue;
		buf_puts(reason, dirty == 1 ? "not committed: " : ", ");
		text_show(reason, entry->path, strlen(entry->path), TEXT_LINE, 200);
	}
	if (dirty > SHOWN)
		buf_printf(reason, " and %zu more", dirty - SHOWN);
	if (!p->tree.repository)
		buf_puts(reason, p->tree_why != NULL ? p->tree_why : "there is no repository");
	return reason->len > 0;
}

/* A built-in check used as a gate. */
static int
gate_check_run(struct plan *p, size_t i, struct error *e)
{
	struct gate_result *r = &p->verify->result[i];
	struct buf reason = { 0 };
	int rc = 0;

	gate_progress(p, VERIFY_GATE_STARTS, i);
	r->tries = 1;
	if (r->gate->check == CHECK_COMMITTED)
		rc = check_committed(p, r->gate, &reason);
	else if (p->completion.store == NULL)
		buf_puts(&reason, "there is no task list");
	else
		rc = completion_check(&p->completion, r->gate->check, &reason, e);
	if (rc != -1) {
		free(r->why);
		r->why = reason.len > 0 ? mem_string(buf_text(&reason)) : NULL;
		gate_settle(p, i,
		    rc == 1          ? GATE_FAILED
		    : r->why != NULL ? GATE_SKIPPED
				     : GATE_PASSED);
	}
	buf_free(&reason);
	return rc == -1 ? -1 : 0;
}

static void
gate_start(struct plan *p, size_t i)
{
	struct gate_result *r = &p->verify->result[i];
	struct plan_item *item = &p->item[i];
	const struct gate *g = r->gate;
	struct child_spec spec = { .cwd = item->cwd,
		.env = &item->env,
		.pass = &g->pass,
		.deadline = p->until,
		.sessionless = true };
	char **argv = strings_argv(&g->argv);
	struct error e;

	spec.argv = argv;
	item->cut = true;
	if (g->timeout_ms > 0 && deadline_in(g->timeout_ms).at_ms < p->until.at_ms) {
		spec.deadline = deadline_in(g->timeout_ms);
		item->cut = false;
	}
	r->tries++;
	if (r->tries == 1)
		gate_progress(p, VERIFY_GATE_STARTS, i);
	if (p->req->progress != NULL && item->live == NULL) {
		item->live = mmap(
		    NULL, CHILD_LIVE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (item->live == MAP_FAILED)
			item->live = NULL;
	}
	spec.live = item->live;
	item->began = clock_ms();
	if (child_start(&item->child, &spec, &e) == -1) {
		free(r->why);
		r->why = mem_string(e.text);
		gate_settle(p, i, GATE_NOT_RUN);
	} else
		item->state = PLAN_RUN;
	free(argv);
}

static enum gate_verdict
gate_verdict_of(const struct gate *g, const struct child *c, int tries)
{
	switch (c->end) {
	case CHILD_EXITED:
		/* The shell reports a command that it cannot run by these statuses. */
		if (g->shell != NULL && (c->status == 127 || c->status == 126))
			return GATE_NOT_RUN;
		if (c->status != 0)
			return GATE_FAILED;
		return tries > 1 ? GATE_FLAKY : GATE_PASSED;
	case CHILD_SIGNALED:
		return GATE_FAILED;
	case CHILD_TIMED_OUT:
		return GATE_TIMED_OUT;
	case CHILD_RUNNING:
	case CHILD_STOPPED:
	case CHILD_NOT_RUN:
		break;
	}
	return GATE_NOT_RUN;
}

static void
gate_ended(struct plan *p, size_t i)
{
	struct gate_result *r = &p->verify->result[i];
	struct plan_item *item = &p->item[i];
	struct child *c = &item->child;
	enum gate_verdict verdict = gate_verdict_of(r->gate, c, r->tries);
	struct buf end = { 0 };

	child_describe(&end, c);
	if (verdict == GATE_NOT_RUN && c->end == CHILD_EXITED)
		buf_puts(&end, c->status == 127 ? ": no such command" : ": not executable");
	if (verdict == GATE_TIMED_OUT && item->cut)
		buf_puts(&end, ", the time limit of all gates together");
	free(r->end);
	r->end = buf_take(&end);
	r->exit = c->end == CHILD_EXITED ? c->status : -1;
	item->ms += c->ms;
	r->ms = item->ms;
	r->output_total = c->total;
	memcpy(r->digest, c->digest, sizeof(r->digest));
	buf_reset(&r->tail);
	buf_add(&r->tail, buf_text(&c->tail), c->tail.len);
	child_free(c);
	if ((verdict == GATE_FAILED || verdict == GATE_TIMED_OUT) && r->tries <= r->gate->retries &&
	    !deadline_past(p->until)) {
		item->state = PLAN_WAIT;
		return;
	}
	gate_settle(p, i, verdict);
}

/* Start every gate that may start; returns how many run now. */
static int
start_ready(struct plan *p, struct error *e)
{
	struct verify *v = p->verify;
	int64_t limit = p->req->config->verify.parallel;
	int running = 0;
	bool again = true;

	for (size_t i = 0; i < v->count; i++)
		running += p->item[i].state == PLAN_RUN;
	while (again) {
		again = false;
		for (size_t i = 0; i < v->count; i++) {
			int may;

			if (p->item[i].state != PLAN_WAIT || (may = gate_ready(p, i)) == 0)
				continue;
			if (may == -1) {
				gate_settle(p, i, GATE_SKIPPED);
				again = true;
			} else if (v->result[i].gate->check != CHECK_NONE) {
				if (gate_check_run(p, i, e) == -1)
					return -1;
				again = true;
			} else if (running < limit) {
				gate_start(p, i);
				if (p->item[i].state == PLAN_RUN)
					running++;
				else
					again = true;
			}
		}
	}
	return running;
}

/* Report how long a gate has run, and the end of its output. */
static void
gate_runs(struct plan *p, size_t i)
{
	struct gate_result *r = &p->verify->result[i];
	struct plan_item *item = &p->item[i];

	r->ms = item->ms + clock_ms() - item->began;
	buf_reset(&r->tail);
	if (item->live != NULL)
		buf_add(&r->tail, item->live, strnlen(item->live, CHILD_LIVE - 1));
	gate_progress(p, VERIFY_GATE_RUNS, i);
}

int
verify_run(struct plan *p, struct error *e)
{
	struct verify *v = p->verify;
	struct child **list = mem_alloc((v->count + 1) * sizeof(struct child *));
	int rc = 0;

	while (rc == 0 && (rc = start_ready(p, e)) > 0) {
		size_t n = 0;

		for (size_t i = 0; i < v->count; i++)
			if (p->item[i].state == PLAN_RUN)
				list[n++] = &p->item[i].child;
		child_wait(
		    list, n, p->req->progress != NULL ? deadline_in(PROGRESS_MS) : DEADLINE_NEVER);
		rc = 0;
		for (size_t i = 0; i < v->count; i++) {
			if (p->item[i].state == PLAN_RUN && !p->item[i].child.done &&
			    p->req->progress != NULL)
				gate_runs(p, i);
			if (p->item[i].state != PLAN_RUN || !p->item[i].child.done)
				continue;
			if (p->item[i].child.end == CHILD_STOPPED)
				rc = error_set(e, ERROR_FAULT, "told to stop while gate '%s' ran",
				    v->result[i].gate->name);
			gate_ended(p, i);
		}
	}
	for (size_t i = 0; i < v->count; i++) {
		child_free(&p->item[i].child);
		if (p->item[i].live != NULL)
			munmap(p->item[i].live, CHILD_LIVE);
		p->item[i].live = NULL;
	}
	free(list);
	return rc;
}
