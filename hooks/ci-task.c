/*
 * Is a completed task proven by its receipt?
 *
 * The receipt must be the last verdict on the task, about this subject and
 * description, and made with the gate file that CI uses, on a commit that the
 * checkout has; the completion must not be forced, nor have passed while refusals
 * were paused; every blocking gate of that file must have passed in the receipt, as
 * the file has it, or have been skipped for a reason that is still one.
 */
#include "ci-task.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ci-note.h"
#include "gate/completion.h"
#include "gate/git-history.h"
#include "gate/verify.h"

#define GATES_SHOWN 20 /* of one receipt */
#define GIT_MS 60000
#define UNCHANGED "none of its files has changed" /* begins the reason of such a skip */

char *
ci_task_name(const struct task *t)
{
	struct buf b = { 0 };

	task_name(&b, t);
	return buf_take(&b);
}

bool
ci_must_prove(const struct task *t, const struct receipts *rs)
{
	return t->status == TASK_COMPLETED && (!t->internal || strings_has(&rs->named, t->id));
}

static char *
forced_text(const struct receipt *receipt)
{
	struct buf b = { 0 };

	buf_puts(&b, "forced by ");
	text_show(&b, receipt->forced_by, strlen(receipt->forced_by), TEXT_LINE, 100);
	buf_puts(&b, ": ");
	if (receipt->forced_why != NULL)
		text_show(&b, receipt->forced_why, strlen(receipt->forced_why), TEXT_LINE, 300);
	return buf_take(&b);
}

static char *
proven_text(const struct ci_judge *j, const struct receipt *receipt)
{
	const struct ci_file *f = ci_gates_of(j->gates, receipt->gate_file);
	struct buf b = { 0 };

	buf_printf(&b, "receipt of %.30s: ", receipt->time != NULL ? receipt->time : "?");
	for (size_t i = 0; i < receipt->gates.count && i < GATES_SHOWN; i++) {
		const char *gate = receipt->gates.item[i];

		buf_puts(&b, i > 0 ? ", " : "");
		text_show(&b, gate, strlen(gate), TEXT_LINE, 100);
	}
	if (receipt->good == 0)
		buf_printf(&b, "%sno gate, %zu built-in checks",
		    receipt->gates.count > 0 ? "; " : "", receipt->checks.count);
	if (f != NULL && f->other != NULL) {
		buf_puts(&b, "; by ");
		text_show(&b, f->other, strlen(f->other), TEXT_LINE, 200);
	}
	if (f != NULL && f->commit != NULL)
		buf_printf(&b, "; by the gate file of the commit %.12s of the base", f->commit);
	return buf_take(&b);
}

/* The gates that apply to the task now, counting changes from what CI knows. */
static int
gates_now(const struct ci_judge *j, const struct ci_file *f, const struct task *t,
    struct strings *apply, struct error *e)
{
	struct verify v = VERIFY_INIT;
	struct verify_request req = { .on = GATE_CI,
		.config = &f->judge,
		.task = t->id,
		.given = t,
		.since = j->gates->since,
		.cwd = j->gates->cwd,
		.deadline = deadline_in(GIT_MS),
		.trusted = true, /* nothing runs */
		.plan_only = true,
		.gates_only = true };
	int rc = verify_task(&v, &req, e);

	/* The reason of a gate that does not apply is its objection. */
	for (size_t i = 0; rc == 0 && i < v.count; i++)
		if (text_equal(v.result[i].why, "would run"))
			strings_add(apply, v.result[i].gate->name);
	verify_free(&v);
	return rc;
}

/* Did the gate pass for any task of the list? */
static bool
passed_elsewhere(const struct receipts *rs, const char *gate)
{
	for (size_t i = 0; i < rs->count; i++) {
		const struct receipt_gate *g = receipt_gate_find(&rs->item[i], gate);

		if (g != NULL && receipt_gate_passed(g))
			return true;
	}
	return false;
}

static char *
ran_otherwise(const struct gate *g, const struct receipt_gate *rg)
{
	struct buf b = { 0 };

	buf_printf(&b, "in its receipt the gate '%s' ran", g->name);
	for (size_t i = 0; i < rg->argv.count; i++)
		buf_printf(&b, " %s", rg->argv.item[i]);
	buf_puts(&b, ", the gate file has: ");
	gate_command(&b, g);
	return buf_take(&b);
}

static char *
ran_elsewhere(const struct gate *g, const struct receipt_gate *rg)
{
	char *path = g->cwd == NULL     ? mem_string(g->root)
		     : g->cwd[0] == '/' ? mem_string(g->cwd)
					: mem_printf("%s/%s", g->root, g->cwd);
	char *place = verify_place(g->root, path), *text = NULL;

	if (strcmp(place, rg->dir) != 0)
		text = mem_printf("in its receipt the gate '%s' ran in '%s', by the gate file it "
				  "runs in '%s' (from the directory of the gate file)",
		    g->name, rg->dir, place);
	free(place);
	free(path);
	return text;
}

/* What is wrong with a blocking gate in a receipt; NULL: nothing.  applies: to the task, now. */
static char *
gate_problem(
    const struct ci_judge *j, const struct gate *g, const struct receipt *receipt, bool applies)
{
	const struct receipt_gate *rg = receipt_gate_find(receipt, g->name);
	const char *check = g->check != CHECK_NONE ? gate_check_name(g->check) : NULL;

	if (rg == NULL)
		return mem_printf("the gate '%s' is not in its receipt", g->name);
	if (check != NULL ? !text_equal(check, rg->check) : !strings_equal(&g->argv, &rg->argv))
		return ran_otherwise(g, rg);
	if (receipt_gate_passed(rg))
		return check == NULL && rg->dir != NULL && !g->at_event ? ran_elsewhere(g, rg)
									: NULL;
	if (strcmp(rg->verdict, "skipped") != 0)
		return mem_printf(
		    "the gate '%s' blocks, and did not pass: %s", g->name, rg->verdict);
	if (!applies)
		return NULL;
	if (rg->why != NULL && strncmp(rg->why, UNCHANGED, strlen(UNCHANGED)) == 0 &&
	    (j->options->rerun || passed_elsewhere(j->receipts, g->name)))
		return NULL;
	return mem_printf("the gate '%s' was skipped (%s), but it applies to this task%s", g->name,
	    rg->why != NULL ? rg->why : "no reason is given",
	    g->when.changed.count > 0 ? ", and passed for no other" : "");
}

/* A gate that failed blocks, unless the gate file or, for a gate that is not in it, the receipt
 * says that it warns. */
static char *
failed_gate(const struct ci_file *f, const struct receipt *receipt)
{
	for (size_t i = 0; receipt->bad > 0 && i < receipt->gates.count; i++) {
		const struct receipt_gate *rg = &receipt->gate[i];
		const struct gate *g = gates_find(&f->config.gates, rg->name);

		if (!receipt_gate_passed(rg) && strcmp(rg->verdict, "skipped") != 0 &&
		    (g != NULL ? !g->warn : !text_equal(rg->severity, "warn")))
			return mem_printf(
			    "the gate '%s' did not pass in its receipt: %s", rg->name, rg->verdict);
	}
	return NULL;
}

static char *
file_problem(const struct ci_judge *j, const struct receipt *receipt)
{
	const struct config_file *f = &j->gates->here.config.project;
	const char *used = f->path != NULL ? f->path : "none";

	if (receipt->gate_file == NULL)
		return mem_printf("its receipt (line %llu) was made without a gate file; CI uses "
				  "'%s'",
		    (unsigned long long)receipt->line, used);
	return mem_printf("its receipt (line %llu) was made with another gate file (%.12s) than CI "
			  "uses (%.12s %s)",
	    (unsigned long long)receipt->line, receipt->gate_file,
	    f->path != NULL ? f->hash : "none:", f->path != NULL ? f->path : "use --checkout");
}

/* The gate file of another place is proof if its gates run, and those of the checkout too. */
static char *
other_problem(const struct ci_judge *j, const struct ci_file *f, const struct receipt *receipt)
{
	const struct gates *gs = &j->gates->here.config.gates;

	if (f->other == NULL)
		return NULL;
	for (size_t i = 0; i < gs->count; i++)
		if (ci_gate_blocks(&gs->item[i]) && (gs->item[i].when.on & GATE_CI) == 0)
			return mem_printf("its receipt (line %llu) was made with another gate file "
					  "than CI uses: '%s', and the gate '%s' of that of CI is "
					  "not for CI",
			    (unsigned long long)receipt->line, f->other, gs->item[i].name);
	if (j->options->rerun && f->in_base)
		return NULL;
	return mem_printf("its receipt (line %llu) was made with another gate file than CI uses: "
			  "'%s', which counts only %s",
	    (unsigned long long)receipt->line, f->other,
	    f->in_base ? "with --rerun" : "if the base has the same");
}

/* A hook that was given its gate file may have run the gates anywhere. */
static char *
given_problem(const struct ci_judge *j, const struct receipt *receipt)
{
	if (receipt->config_given == NULL ||
	    (j->options->config != NULL &&
		strcmp(receipt->config_given, j->gates->here.config.project.hash) == 0))
		return NULL;
	return mem_printf("its receipt (line %llu) was made with --config, which counts only if CI "
			  "is given the same file by --config",
	    (unsigned long long)receipt->line);
}

/* What one gate file says against a receipt; NULL: nothing. */
static int
one_file_problem(const struct ci_judge *j, const struct ci_file *f, const struct task *t,
    const struct receipt *receipt, char **text, struct error *e)
{
	struct strings apply = { 0 };
	int rc = 0;

	if ((*text = failed_gate(f, receipt)) == NULL && f->config.gates.count > 0)
		rc = gates_now(j, f, t, &apply, e);
	for (size_t i = 0; rc == 0 && *text == NULL && i < f->config.gates.count; i++) {
		const struct gate *g = &f->config.gates.item[i];

		if (ci_gate_blocks(g))
			*text = gate_problem(j, g, receipt, strings_has(&apply, g->name));
	}
	strings_free(&apply);
	return rc;
}

/* A receipt by a gate file that the branch changed is judged by that of the base too; with
 * --rerun the gates of both run instead. */
static int
gates_problem(const struct ci_judge *j, const struct task *t, const struct receipt *receipt,
    char **text, struct error *e)
{
	const struct ci_gates *g = j->gates;
	const struct ci_file *f = ci_gates_of(g, receipt->gate_file);

	if (f == NULL) {
		*text = file_problem(j, receipt);
		return 0;
	}
	if ((*text = given_problem(j, receipt)) != NULL ||
	    (*text = other_problem(j, f, receipt)) != NULL)
		return 0;
	if (one_file_problem(j, f, t, receipt, text, e) == -1)
		return -1;
	if (*text != NULL || !g->differs || f != &g->here || j->options->rerun)
		return 0;
	return one_file_problem(j, &g->then, t, receipt, text, e);
}

static char *
paused_text(const struct receipt_pause *p)
{
	struct buf b = { 0 };

	buf_printf(
	    &b, "completed while refusals were paused (line %llu: ", (unsigned long long)p->line);
	text_show(&b, p->reason, strlen(p->reason), TEXT_LINE, 300);
	buf_puts(&b, "); nothing proves it: open the task and complete it again");
	return buf_take(&b);
}

/* What the receipt itself says against the completion; NULL: nothing. */
static char *
receipt_problem(const struct task *t, const struct receipt *receipt)
{
	char hash[HASH_HEX];

	completion_hash(t, hash);
	if (receipt == NULL)
		return mem_string("completed without a receipt");
	if (receipt->refused > 0)
		return mem_printf("its completion was refused (line %llu) after its receipt (line "
				  "%llu)",
		    (unsigned long long)receipt->refused, (unsigned long long)receipt->line);
	if (!text_equal(receipt->subject_hash, hash))
		return mem_printf(
		    "its receipt (line %llu) is for another subject or description: \"%s\"",
		    (unsigned long long)receipt->line,
		    receipt->subject != NULL ? receipt->subject : "?");
	if (receipt->forced_by == NULL && receipt->good == 0 && receipt->checks.count == 0)
		return mem_printf("its receipt (line %llu) says that nothing was checked",
		    (unsigned long long)receipt->line);
	return NULL;
}

/* The commit that the gates ran on must be part of the checkout.  After a squash or a rebase it
 * is not: then the gates have to pass again. */
static void
check_head(const struct ci_judge *j, const struct task *t, const struct receipt *receipt)
{
	const char *top = j->gates->top;

	if (top == NULL || receipt->good == 0 ||
	    (receipt->head != NULL && git_before_head(top, receipt->head, deadline_in(GIT_MS))))
		return;
	ci_add(j->report, j->options->rerun ? CI_NOTE : CI_BAD, "head", ci_task_name(t),
	    receipt->head == NULL
		? mem_string("its receipt names no commit")
		: mem_printf("its gates ran on the commit %.12s, which is not part of this "
			     "checkout (after a squash or a rebase: --rerun)",
		      receipt->head),
	    0);
}

/* Add the row of one completed task.  odd: what is unusual about it; NULL. */
static int
check_task(const struct ci_judge *j, const struct task *t, const char *odd, struct error *e)
{
	const struct receipt *receipt = receipts_find(j->receipts, t->id);
	struct ci_report *r = j->report;
	enum ci_state state = CI_BAD;
	const struct receipt_pause *paused = receipts_paused(j->receipts, t->id);
	char *text = paused != NULL ? paused_text(paused) : receipt_problem(t, receipt);
	struct buf b = { 0 };

	if (text == NULL && receipt->forced_by != NULL) {
		text = forced_text(receipt);
		state = j->options->allow_forced ? CI_NOTE : CI_BAD;
		r->forced += j->options->allow_forced != 0;
	} else if (text == NULL && gates_problem(j, t, receipt, &text, e) == -1)
		return -1;
	if (text == NULL) {
		text = proven_text(j, receipt);
		state = odd != NULL ? CI_NOTE : CI_GOOD;
		r->proven += j->chain;
		check_head(j, t, receipt);
		ci_note_receipt(j, t, receipt);
	}
	if (odd != NULL)
		buf_printf(&b, "%s; ", odd);
	buf_puts(&b, text);
	free(text);
	ci_add(r, state, "task", ci_task_name(t), buf_take(&b), 0);
	return 0;
}

/* A task that the journal says was completed, and the list does not. */
static int
check_lost(const struct ci_judge *j, const struct task_set *tasks, const char *id,
    const char *before, struct error *e)
{
	const struct task *known = task_set_find(tasks, id);
	struct task t = TASK_INIT;
	struct error ignored;
	int rc;

	const struct receipt *receipt = receipts_find(j->receipts, id);
	bool allowed = j->options->allow_forced;

	j->report->completed++;
	if (known != NULL)
		return check_task(j, known, "the journal says completed, the list does not", e);
	if (before == NULL && receipt != NULL && receipt->forced_by != NULL &&
	    receipt->refused == 0) {
		/* It has no copy of the task. */
		j->report->forced += allowed;
		ci_add(j->report, allowed ? CI_NOTE : CI_BAD, "task", mem_printf("#%s", id),
		    forced_text(receipt), 0);
		return 0;
	}
	if (before == NULL ||
	    task_read(&t, TASK_NATIVE, NULL, before, strlen(before), &ignored) == -1 ||
	    !text_equal(t.id, id)) {
		ci_add(j->report, CI_BAD, "task", mem_printf("#%s", id),
		    mem_string("the journal says completed, and it is missing in the list"), 0);
		rc = 0;
	} else
		rc = check_task(j, &t, "it is missing in the list", e);
	task_free(&t);
	return rc;
}

static bool
is_lost(const struct ci_judge *j, const struct task_set *tasks, const char *id)
{
	const struct task *t = task_set_find(tasks, id);

	return t == NULL || !ci_must_prove(t, j->receipts);
}

/* Completions that a pause let pass. */
static int
check_lost_pauses(const struct ci_judge *j, const struct task_set *tasks, struct error *e)
{
	const struct receipts *rs = j->receipts;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < rs->pauses; i++) {
		const char *id = rs->pause[i].task;
		const struct receipt *receipt = receipts_find(rs, id);

		if (receipts_paused(rs, id) == &rs->pause[i] &&
		    (receipt == NULL || receipt->changed > 0) && !strings_has(&rs->completed, id) &&
		    is_lost(j, tasks, id))
			rc = check_lost(j, tasks, id, NULL, e);
	}
	return rc;
}

static int
check_lost_tasks(const struct ci_judge *j, const struct task_set *tasks, struct error *e)
{
	const struct receipts *rs = j->receipts;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < rs->count; i++) {
		const struct receipt *receipt = &rs->item[i];

		if (receipt->task != NULL && receipt->changed == 0 &&
		    receipts_find(rs, receipt->task) == receipt && is_lost(j, tasks, receipt->task))
			rc = check_lost(j, tasks, receipt->task, receipt->before, e);
	}
	for (size_t i = 0; rc == 0 && i < rs->completed.count; i++) {
		const char *id = rs->completed.item[i];

		if (receipts_find(rs, id) == NULL && is_lost(j, tasks, id))
			rc = check_lost(j, tasks, id, NULL, e);
	}
	return rc == 0 ? check_lost_pauses(j, tasks, e) : -1;
}

int
ci_tasks(const struct ci_judge *j, const struct task_set *tasks, struct error *e)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < tasks->count; i++) {
		const struct task *t = &tasks->item[i];

		if (ci_must_prove(t, j->receipts))
			rc = check_task(j, t, NULL, e);
		else if (t->status == TASK_CANCELLED && !t->internal)
			ci_add(j->report, CI_NOTE, "task", ci_task_name(t),
			    mem_string("cancelled: not checked"), 0);
	}
	return rc == 0 ? check_lost_tasks(j, tasks, e) : -1;
}
