#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "progress.h"
#include "sys/child.h"
#include "view.h"

void
progress_begin(struct progress *p, struct cli *c, bool quiet)
{
	const char *term = getenv("TERM");

	*p = (struct progress){ .c = c, .quiet = quiet };
	p->live = !quiet && isatty(STDERR_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
	cli_on_signal(child_stop_all); /* Ctrl-C: stop what the gates started */
}

static void
clear_line(struct progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
	p->drawn = false;
}

void
progress_end(struct progress *p)
{
	clear_line(p);
	fflush(stderr);
	cli_on_signal(NULL);
}

void
progress_result(struct cli *c, struct buf *b, const struct gate_result *r)
{
	bool good = gate_verdict_good(r->verdict);

	buf_printf(b, "%s%s%s",
	    cli_paint(c, good                         ? PAINT_GREEN
			 : r->verdict == GATE_SKIPPED ? PAINT_DIM
						      : PAINT_RED),
	    gate_verdict_name(r->verdict), cli_paint(c, PAINT_OFF));
	if (r->verdict == GATE_FAILED && r->end != NULL)
		buf_printf(b, " (%s)", r->end);
	else if (r->why != NULL)
		cli_format(b, ": %.200s", r->why);
	if (r->cached)
		buf_puts(b, " (cached)");
	else if (r->verdict != GATE_SKIPPED && r->verdict != GATE_NOT_RUN)
		buf_printf(
		    b, " in %lld.%lld s", (long long)r->ms / 1000, (long long)r->ms % 1000 / 100);
}

/* The last line a command has printed so far. */
static void
progress_last_line(struct buf *b, const struct gate_result *r)
{
	const char *text = buf_text(&r->tail), *end = text + r->tail.len, *start;

	while (end > text && (end[-1] == '\n' || end[-1] == '\r'))
		end--;
	for (start = end; start > text && start[-1] != '\n' && start[-1] != '\r'; start--)
		;
	text_show(b, start, (size_t)(end - start), TEXT_LINE, 200);
}

void
progress_report(
    void *arg, enum verify_moment moment, const struct gate *g, const struct gate_result *r)
{
	struct progress *p = arg;
	struct buf line = { 0 }, fitted = { 0 };

	if (p->quiet)
		return;
	p->running += moment == VERIFY_GATE_STARTS;
	p->running -= moment == VERIFY_GATE_ENDS && p->running > 0;
	clear_line(p);
	if (moment == VERIFY_GATE_ENDS) {
		if (!p->table && (r->verdict != GATE_SKIPPED || p->live)) {
			cli_format(&line, "%.60s: ", g->name);
			progress_result(p->c, &line, r);
			fprintf(stderr, "%s\n", buf_text(&line));
		}
	} else if (p->live) {
		view_text(&line, g->name, 60);
		buf_printf(&line, " %llds", r != NULL ? (long long)r->ms / 1000 : 0LL);
		if (p->running > 1)
			buf_printf(&line, " (%zu running)", p->running);
		if (r != NULL && r->tail.len > 0) {
			buf_puts(&line, ": ");
			progress_last_line(&line, r);
		}
		text_fit(&fitted, buf_text(&line), TEXT_LINE, p->c->columns - 2, p->c->ascii);
		fputs(buf_text(&fitted), stderr);
		p->drawn = true;
	}
	fflush(stderr);
	buf_free(&line);
	buf_free(&fitted);
}
