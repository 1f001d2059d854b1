/*
 * Run the gates again, on the tree that was checked out.
 *
 * Each gate runs once: a pass is kept in a cache for the time of this run, and a
 * gate that failed is not run again for the next task.
 */
#include "ci-rerun.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "ci-task.h"
#include "gate/verify.h"
#include "sys/child.h"

#define TAIL_SHOWN 400 /* bytes of a failed gate's output */
#define REMOVE_MS 30000
#define GLOBS_MS 120000 /* for git, to list the files */

struct rerun {
	const struct ci_options *options;
	struct ci_report *report;
	const struct ci_gates *gates;
	const struct ci_file *file; /* whose gates run */
	struct list scratch;        /* its state holds the cache of this run */
	struct strings told;        /* gates that have a row */
	struct strings left;        /* gates that may still run */
	struct deadline until;
};

static void
report_dead_glob(void *arg, const struct gate *g, const char *key, const char *glob)
{
	struct rerun *x = arg;
	struct buf b = { 0 };

	buf_printf(&b, "%s: the pattern '", key);
	text_show(&b, glob, strlen(glob), TEXT_LINE, 200);
	buf_puts(&b, "' matches no file in the repository, so it never applies");
	ci_add(x->report, CI_BAD, "glob", mem_string(g->name), buf_take(&b), 0);
}

static void
gate_row(struct rerun *x, const struct gate_result *r)
{
	bool good = gate_verdict_good(r->verdict);
	const char *detail = r->end != NULL ? r->end : r->why;
	struct buf b = { 0 };

	if (strings_has(&x->told, r->gate->name))
		return;
	strings_add(&x->told, r->gate->name);
	buf_puts(&b, gate_verdict_name(r->verdict));
	if (detail != NULL && !good) {
		buf_puts(&b, ", ");
		text_show(&b, detail, strlen(detail), TEXT_LINE, 300);
	}
	buf_puts(&b, ": ");
	gate_command(&b, r->gate);
	if (!good && r->tail.len > 0) {
		size_t len = r->tail.len < TAIL_SHOWN ? r->tail.len : TAIL_SHOWN;

		buf_puts(&b, " | ");
		text_show(&b, r->tail.data + r->tail.len - len, len, TEXT_LINE, TAIL_SHOWN);
	}
	ci_add(x->report,
	    good            ? CI_GOOD
	    : r->gate->warn ? CI_NOTE
			    : CI_BAD,
	    "gate",
	    x->file->other != NULL ? mem_printf("%s (%s)", r->gate->name, x->file->other)
				   : mem_printf("%s%s", r->gate->name,
					 x->file == &x->gates->then ? " (of the base)" : ""),
	    buf_take(&b), r->ms);
	x->report->gates++;
	for (size_t i = 0; !good && i < x->left.count; i++)
		if (strcmp(x->left.item[i], r->gate->name) == 0) {
			free(x->left.item[i]);
			x->left.item[i] = x->left.item[--x->left.count];
			break;
		}
}

/* only: names of gates. */
static int
rerun_task(struct rerun *x, const struct config *config, const struct task *t,
    const struct strings *only, struct error *e)
{
	struct verify v = VERIFY_INIT;
	struct verify_request req = { .on = GATE_CI,
		.config = config,
		.list = &x->scratch,
		.task = t->id,
		.given = t,
		.since = x->gates->since,
		.cwd = x->gates->cwd,
		.deadline = x->until,
		.trusted = true, /* may_run() has asked */
		.gates_only = true,
		.only = only };
	int rc = verify_task(&v, &req, e);

	for (size_t i = 0; rc == 0 && i < v.count; i++)
		if (v.result[i].verdict != GATE_SKIPPED)
			gate_row(x, &v.result[i]);
	if (rc == 0 && !v.passed && v.rule != NULL && strcmp(v.rule, "gates") != 0 &&
	    !strings_has(&x->told, v.rule)) {
		struct buf b = { 0 };

		text_show(&b, buf_text(&v.reason), v.reason.len, TEXT_LINE, 1500);
		strings_add(&x->told, v.rule);
		ci_add(x->report, CI_BAD, v.rule, mem_string("gates"), buf_take(&b), 0);
	}
	verify_free(&v);
	return rc;
}

static void
remove_tree(const char *dir)
{
	char *argv[] = { (char *)"rm", (char *)"-rf", (char *)"--", (char *)dir, NULL };
	struct child_spec spec = { .argv = argv, .deadline = deadline_in(REMOVE_MS) };
	struct child c = CHILD_INIT;
	struct error e;

	(void)child_run(&c, &spec, &e);
	child_free(&c);
}

/* May the commands of the gate file run?  If not, add a row. */
static int
may_run(struct rerun *x, bool *may, struct error *e)
{
	enum trust trust;
	struct buf why = { 0 }, text = { 0 };

	*may = true;
	if (x->options->trust)
		return 0;
	if (trust_check(x->gates->config_dir, &x->file->config, x->gates->cwd, &trust, &why, e) ==
	    -1)
		return -1;
	if (trust >= TRUST_UNKNOWN) {
		*may = false;
		text_show(&text, buf_text(&why), why.len, TEXT_LINE, 1500);
		buf_puts(&text, " In CI: --trust.");
		ci_add(x->report, CI_BAD, "trust", mem_string("gates"), buf_take(&text), 0);
	}
	buf_free(&why);
	return 0;
}

/* Run the blocking gates that applied to no task, for the first one. */
static int
rerun_rest(struct rerun *x, const struct task *t, struct error *e)
{
	const struct gates *gs = &x->file->config.gates;
	struct strings rest = { 0 };
	int rc = 0;

	for (size_t i = 0; i < gs->count; i++) {
		const struct gate *g = &gs->item[i];

		if (g->warn || strings_has(&x->told, g->name))
			continue;
		if ((g->when.on & GATE_CI) != 0)
			strings_add(&rest, g->name);
		else
			ci_add(x->report, CI_NOTE, "gate", mem_string(g->name),
			    mem_string("not run: by its \"on\" it is not for CI"), 0);
	}
	if (rest.count > 0)
		rc = rerun_task(x, &x->file->each, t, &rest, e);
	strings_free(&rest);
	return rc;
}

/* Run the gates of one file. */
static int
rerun_file(struct rerun *x, const struct ci_file *f, const struct task_set *tasks,
    const struct receipts *receipts, struct error *e)
{
	static const char any[] = "{\"id\":\"0\",\"subject\":\"any task\",\"description\":\"\","
				  "\"status\":\"completed\",\"blocks\":[],\"blockedBy\":[]}";
	const struct task *first = NULL;
	struct task made = TASK_INIT;
	bool may = false;
	int rc;

	x->file = f;
	strings_free(&x->told);
	strings_free(&x->left);
	for (size_t i = 0; i < f->config.gates.count; i++)
		strings_add(&x->left, f->config.gates.item[i].name);
	if ((rc = may_run(x, &may, e)) == -1 || !may)
		return rc;
	for (size_t i = 0; rc == 0 && i < tasks->count; i++)
		if (ci_must_prove(&tasks->item[i], receipts)) {
			first = first == NULL ? &tasks->item[i] : first;
			rc = rerun_task(x, &f->config, &tasks->item[i], &x->left, e);
		}
	if (rc == 0 && first == NULL) {
		rc = task_read(&made, TASK_NATIVE, NULL, any, sizeof(any) - 1, e);
		first = &made;
	}
	if (rc == 0 && x->report->completed > 0)
		rc = rerun_rest(x, first, e);
	task_free(&made);
	return rc;
}

static int
rerun_all(
    struct rerun *x, const struct task_set *tasks, const struct receipts *receipts, struct error *e)
{
	char scratch[] = "/tmp/task-hooks-ci-XXXXXX";
	const struct ci_gates *g = x->gates;
	bool here = g->here.config.gates.count > 0;
	int rc = 0;

	if (!here && !g->differs) {
		ci_add(x->report, CI_BAD, "gate", mem_string("gates"),
		    mem_string("--rerun, but the configuration has no gates"), 0);
		return 0;
	}
	if (mkdtemp(scratch) == NULL)
		return error_sys(e, "cannot make a directory below /tmp");
	x->scratch = (struct list){ .config = scratch, .name = (char *)"ci", .dir = scratch };
	x->until =
	    x->options->deadline_ms > 0 ? deadline_in(x->options->deadline_ms) : DEADLINE_NEVER;
	if (g->differs)
		rc = rerun_file(x, &g->then, tasks, receipts, e);
	if (rc == 0 && here)
		rc = rerun_file(x, &g->here, tasks, receipts, e);
	for (size_t i = 0; rc == 0 && i < g->other_count; i++)
		if (g->other[i].in_base)
			rc = rerun_file(x, &g->other[i], tasks, receipts, e);
	if (rc == 0 && x->report->gates == 0 && ci_bad(x->report) == 0)
		ci_add(x->report, CI_BAD, "gate", mem_string("gates"),
		    mem_string("--rerun, but no gate applies to any completed task"), 0);
	remove_tree(scratch);
	return rc;
}

int
ci_rerun(const struct ci_options *o, const struct ci_gates *g, struct ci_report *r,
    const struct task_set *tasks, const struct receipts *receipts, struct error *e)
{
	struct rerun x = { .options = o, .report = r, .gates = g };
	int rc = verify_dead_globs(
	    &g->here.config.gates, g->cwd, deadline_in(GLOBS_MS), report_dead_glob, &x, e);

	if (rc != -1)
		rc = o->rerun ? rerun_all(&x, tasks, receipts, e) : 0;
	strings_free(&x.told);
	strings_free(&x.left);
	return rc;
}
