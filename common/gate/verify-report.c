/*
 * The text of a refusal: facts first, then what to do.
 *
 * It is read by a model, which will do what the last sentences say; so the bypass
 * for a person (--force) is only in the message to the person.  Output of commands
 * is quoted line by line, made harmless, and bounded: the client hands on only so
 * much.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "gate/verify-part.h"

#define DETAILED 8        /* gates shown with their output */
#define OUTPUT_CHARS 5000 /* of output, over all gates */
#define OUTPUT_LINES 20   /* per gate */
#define LINE_CHARS 300
#define PATHS_SHOWN 10
#define PERSON_CHARS 2000 /* of the message about repeated refusals */
#define WARNINGS_CHARS 4000

static void
refusal_begin(struct plan *p, const char *rule)
{
	struct verify *v = p->verify;

	if (v->rule == NULL)
		v->rule = rule;
	v->passed = false;
	if (v->reason.len > 0) {
		buf_putc(&v->reason, '\n');
		return;
	}
	buf_puts(&v->reason, "Task ");
	task_name(&v->reason, &v->task);
	buf_puts(&v->reason, " cannot be completed: ");
}

void
verify_report_refusal(struct plan *p, const char *rule, const char *text)
{
	refusal_begin(p, rule);
	buf_puts(&p->verify->reason, text);
}

static void
show_time(struct buf *b, int64_t ms)
{
	if (ms < 1000)
		buf_printf(b, "%lld ms", (long long)ms);
	else if (ms < 100000)
		buf_printf(b, "%lld.%lld s", (long long)(ms / 1000), (long long)(ms % 1000 / 100));
	else
		buf_printf(b, "%lld s", (long long)(ms / 1000));
}

/* The length of the terminal's code that begins at p, which is ESC. */
static size_t
code_length(const char *p, const char *end)
{
	bool look;
	size_t n = text_sequence(p, end, &look), left = (size_t)(end - p);

	if (n == 0 && left > 1 && p[1] == ']') { /* a title or a link, up to BEL or ESC \ */
		for (n = 2; n < left && p[n] != '\a' && p[n] != '\033'; n++)
			;
		n += n < left && p[n] == '\033' ? 2 : 1;
	} else if (n == 0)
		n = left > 1 && strchr("()*+#%", p[1]) != NULL ? 3 : 2;
	return n < left ? n : left;
}

/* A line of output as a person would read it: without the codes of a terminal. */
static void
show_output(struct buf *b, const char *p, const char *end)
{
	struct buf plain = { 0 };

	while (p < end) {
		const char *code = memchr(p, '\033', (size_t)(end - p));

		buf_add(&plain, p, (size_t)((code != NULL ? code : end) - p));
		p = code != NULL ? code + code_length(code, end) : end;
	}
	text_show(b, buf_text(&plain), plain.len, TEXT_LINE, LINE_CHARS);
	buf_free(&plain);
}

/* The last lines of the output, each behind a bar. */
static void
show_tail(struct buf *b, const struct buf *tail, size_t chars)
{
	const char *text = buf_text(tail), *end = text + tail->len, *start;
	size_t used = 0;

	while (end > text && strchr("\n\r \t", end[-1]) != NULL)
		end--;
	start = end;
	for (int lines = 0; start > text && lines < OUTPUT_LINES; lines++) {
		const char *stop = start == end ? end : start - 1, *line = stop;
		size_t len;

		while (line > text && line[-1] != '\n')
			line--;
		len = (size_t)(stop - line);
		used += len < LINE_CHARS ? len : LINE_CHARS;
		if (lines > 0 && used > chars)
			break;
		start = line;
	}
	while (start < end) {
		const char *stop = memchr(start, '\n', (size_t)(end - start));

		if (stop == NULL)
			stop = end;
		buf_puts(b, "    | ");
		show_output(b, start, stop);
		buf_putc(b, '\n');
		start = stop < end ? stop + 1 : end;
	}
}

static void
show_by_hand(struct buf *b, const struct plan *p, size_t i)
{
	const struct gate *g = p->verify->result[i].gate;
	const char *cwd = p->item[i].cwd;

	if (g->check != CHECK_NONE || g->argv.count == 0 || cwd == NULL)
		return;
	buf_puts(b, "    by hand: ");
	if (strcmp(cwd, p->cwd) != 0) {
		buf_puts(b, "cd '");
		text_show(b, cwd, strlen(cwd), TEXT_LINE, 300);
		buf_puts(b, "' && ");
	}
	gate_command(b, g);
	buf_putc(b, '\n');
}

static void
show_gate(struct buf *b, const struct plan *p, size_t i, size_t chars)
{
	const struct gate_result *r = &p->verify->result[i];

	buf_printf(b, "- %s: %s", r->gate->name, gate_verdict_name(r->verdict));
	if (r->end != NULL || r->why != NULL) {
		buf_puts(b, " (");
		if (r->end != NULL) {
			text_show(b, r->end, strlen(r->end), TEXT_LINE, 300);
			if (r->verdict != GATE_TIMED_OUT) {
				buf_puts(b, ", ");
				show_time(b, r->ms);
			}
			if (r->tries > 1)
				buf_printf(b, ", tried %d times", r->tries);
		}
		if (r->why != NULL) {
			buf_puts(b, r->end != NULL ? "; " : "");
			text_show(b, r->why, strlen(r->why), TEXT_LINE, 1000);
		}
		buf_putc(b, ')');
	}
	buf_puts(b, ": ");
	gate_command(b, r->gate);
	buf_putc(b, '\n');
	if (chars > 0 && r->tail.len > 0)
		show_tail(b, &r->tail, chars);
	if (r->gate->fix != NULL) {
		buf_puts(b, "    fix: ");
		text_show(b, r->gate->fix, strlen(r->gate->fix), TEXT_LINE, 500);
		buf_putc(b, '\n');
	}
	if (r->end != NULL)
		show_by_hand(b, p, i);
}

static bool
gate_failed(const struct plan *p, size_t i)
{
	return p->item[i].state != PLAN_SKIP && !gate_verdict_good(p->verify->result[i].verdict);
}

static void
show_passed(struct buf *b, const struct plan *p)
{
	bool first = true;

	for (size_t i = 0; i < p->verify->count; i++) {
		const struct gate_result *r = &p->verify->result[i];

		if (p->item[i].state == PLAN_SKIP || !gate_verdict_good(r->verdict) ||
		    b->len > TEXT_REASON - 1500)
			continue;
		buf_printf(b, "%s%s%s", first ? "Passed: " : ", ", r->gate->name,
		    r->cached                  ? " (cached)"
		    : r->verdict == GATE_FLAKY ? " (flaky)"
					       : "");
		first = false;
	}
	if (!first)
		buf_puts(b, ".\n");
}

void
verify_report_gates(struct plan *p)
{
	struct verify *v = p->verify;
	size_t total = 0, bad = 0, told = 0;
	struct buf id = { 0 };
	bool late = false;

	for (size_t i = 0; i < v->count; i++) {
		total += p->item[i].state != PLAN_SKIP;
		if (gate_failed(p, i) && !v->result[i].gate->warn) {
			bad++;
			late = late || (v->result[i].verdict == GATE_TIMED_OUT && p->item[i].cut);
		}
	}
	if (bad == 0)
		return;
	refusal_begin(p, "gates");
	buf_printf(
	    &v->reason, "%zu of %zu gate%s did not pass.\n", bad, total, total == 1 ? "" : "s");
	for (size_t i = 0; i < v->count; i++)
		if (gate_failed(p, i) && !v->result[i].gate->warn &&
		    v->reason.len < TEXT_REASON - 2500)
			show_gate(&v->reason, p, i,
			    told++ < DETAILED ? OUTPUT_CHARS / (bad < DETAILED ? bad : DETAILED)
					      : 0);
	show_passed(&v->reason, p);
	task_id_word(&id, v->task.id);
	if (late)
		buf_printf(&v->reason,
		    "For gates that timed out: claude-tasks verify %s --no-deadline shows whether "
		    "they pass with more time. A person can give them more time in the hook with "
		    "its timeout and 'deadline'.\n",
		    buf_text(&id));
	buf_printf(&v->reason,
	    "Fix what failed, then complete the task again; claude-tasks verify %s runs the gates "
	    "by hand.",
	    buf_text(&id));
	buf_free(&id);
}

void
verify_report_tree(struct plan *p, const struct strings *paths)
{
	struct buf *b = &p->verify->reason;

	refusal_begin(p, "tree");
	buf_puts(b,
	    "files changed while its gates ran, so their verdict does not apply to the tree as "
	    "it is now");
	for (size_t i = 0; i < paths->count && i < PATHS_SHOWN; i++) {
		buf_puts(b, i == 0 ? ": " : ", ");
		text_show(b, paths->item[i], strlen(paths->item[i]), TEXT_LINE, 120);
	}
	if (paths->count > PATHS_SHOWN)
		buf_printf(b, " and %zu more", paths->count - PATHS_SHOWN);
	buf_puts(b,
	    ". Complete it again when they are no longer edited. If a gate writes these files "
	    "itself, even with the same content, add them to .gitignore or to the gate's "
	    "'writes'.");
}

/* Refused too often: tell the model to stop and the person to look. */
void
verify_report_attempts(struct plan *p)
{
	struct verify *v = p->verify;
	int64_t limit = p->req->config->verify.attempts;
	struct buf id = { 0 };

	if (limit <= 0 || v->attempts <= limit)
		return;
	v->stop_retrying = true;
	buf_printf(&v->reason,
	    "\nThis was refusal %lld of this task. Stop trying to complete it: leave it in "
	    "progress, tell the person what fails and what you tried, and go on with something "
	    "else.",
	    (long long)v->attempts);
	buf_puts(&v->message, "Task ");
	task_name(&v->message, &v->task);
	buf_printf(&v->message, " was refused completion %lld times (%s).", (long long)v->attempts,
	    v->rule != NULL ? v->rule : "?");
	for (size_t i = 0; i < v->count && v->message.len < PERSON_CHARS; i++)
		if (gate_failed(p, i) && !v->result[i].gate->warn) {
			buf_printf(&v->message, " %s: %s", v->result[i].gate->name,
			    gate_verdict_name(v->result[i].verdict));
			if (v->result[i].end != NULL) {
				buf_puts(&v->message, ", ");
				text_show(&v->message, v->result[i].end, strlen(v->result[i].end),
				    TEXT_LINE, 200);
			}
			buf_putc(&v->message, '.');
		}
	task_id_word(&id, v->task.id);
	buf_printf(&v->message,
	    " To see why: claude-tasks verify %s. To complete it anyway: claude-tasks complete %s "
	    "--force --reason \"...\"",
	    buf_text(&id), buf_text(&id));
	buf_free(&id);
}

/* Failed gates of severity "warn", for the agent that can still repair what they found. */
static void
report_advice(struct plan *p)
{
	struct verify *v = p->verify;

	for (size_t i = 0; i < v->count && v->passed && v->advice.len < WARNINGS_CHARS; i++) {
		if (!gate_failed(p, i) || !v->result[i].gate->warn)
			continue;
		if (v->advice.len == 0) {
			buf_puts(&v->advice, "Task ");
			task_name(&v->advice, &v->task);
			buf_puts(&v->advice, " passes, but a gate that only warns did not. Repair "
					     "it now, or tell the person.\n");
		}
		show_gate(&v->advice, p, i, OUTPUT_CHARS / 4);
	}
}

/* Failed gates of severity "warn", and other warnings, for the person. */
void
verify_report_warnings(struct plan *p)
{
	struct verify *v = p->verify;

	report_advice(p);
	for (size_t i = 0; i < v->count; i++) {
		const struct gate_result *r = &v->result[i];
		struct buf b = { 0 };

		if (!gate_failed(p, i) || !r->gate->warn)
			continue;
		buf_printf(&b, "gate %s: %s", r->gate->name, gate_verdict_name(r->verdict));
		if (r->end != NULL || r->why != NULL) {
			const char *text = r->end != NULL ? r->end : r->why;

			buf_puts(&b, " (");
			text_show(&b, text, strlen(text), TEXT_LINE, 300);
			buf_putc(&b, ')');
		}
		strings_take(&v->warnings, buf_take(&b));
	}
	if (v->warnings.count == 0)
		return;
	if (v->message.len > 0)
		buf_putc(&v->message, '\n');
	buf_puts(&v->message, "Task ");
	task_name(&v->message, &v->task);
	for (size_t i = 0; i < v->warnings.count && v->message.len < WARNINGS_CHARS; i++) {
		buf_puts(&v->message, i == 0 ? ": " : "; ");
		text_show(
		    &v->message, v->warnings.item[i], strlen(v->warnings.item[i]), TEXT_LINE, 600);
	}
	if (v->message.data[v->message.len - 1] != '.')
		buf_putc(&v->message, '.');
}
