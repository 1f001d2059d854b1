/*
 * How the command speaks: one line on standard error for what went wrong,
 * whole buffers on standard output, colour through cli_paint().
 *
 * With --json a failure is also an object on standard output, so that a
 * program reads one stream, whatever happens.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "commands.h"
#include "sys/file.h"

static const char *
status_name(int status)
{
	static const struct {
		int status;
		const char *name;
	} names[] = {
		{ EXIT_UNKNOWN, "task_not_found" },
		{ EXIT_TAKEN, "already_claimed" },
		{ EXIT_RESOLVED, "already_resolved" },
		{ EXIT_BLOCKED, "blocked" },
		{ EXIT_AGENT, "agent_busy" },
		{ EXIT_LOCKED, "locked" },
		{ EXIT_GATE, "refused" },
		{ EXIT_RULE, "rule" },
		{ EXIT_UNTRUSTED, "untrusted" },
		{ EXIT_FINDINGS, "findings" },
		{ EXIT_MISUSE, "usage" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].status == status)
			return names[i].name;
	return "fault";
}

static int
fail(struct cli *c, int status, const char *text)
{
	struct buf line = { 0 };
	struct json_object *o, *e;

	text_show(&line, text, strlen(text), TEXT_LINE, TEXT_REASON);
	cli_flush(c);
	fprintf(stderr, "%sclaude-tasks:%s %s\n",
	    isatty(STDERR_FILENO) ? cli_paint(c, PAINT_RED) : "",
	    isatty(STDERR_FILENO) ? cli_paint(c, PAINT_OFF) : "", buf_text(&line));
	if (c->json) {
		o = out_object();
		e = out_object();
		out_string(e, "reason", status_name(status));
		out_string(e, "message", buf_text(&line));
		out_int(e, "status", status);
		out_add(o, "error", e);
		cli_json(c, o);
	}
	buf_free(&line);
	c->status = status;
	return status;
}

int
cli_fail(struct cli *c, int status, const char *fmt, ...)
{
	struct buf text = { 0 };
	va_list ap;
	char *s = NULL;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) == -1)
		mem_exhausted();
	va_end(ap);
	status = fail(c, status, s);
	free(s);
	buf_free(&text);
	return status;
}

int
cli_misuse(struct cli *c, const char *fmt, ...)
{
	va_list ap;
	char *s = NULL, *whole;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) == -1)
		mem_exhausted();
	va_end(ap);
	if (c->command != NULL && strcmp(c->command->name, "help") != 0)
		whole = mem_printf("%s (try: claude-tasks help %s)", s, c->command->name);
	else
		whole = mem_string(s);
	fail(c, EXIT_MISUSE, whole);
	free(whole);
	free(s);
	return EXIT_MISUSE;
}

int
cli_status(enum error_kind kind)
{
	static const int status[] = {
		[ERROR_NONE] = EXIT_FAULT,
		[ERROR_FAULT] = EXIT_FAULT,
		[ERROR_INPUT] = EXIT_FAULT,
		[ERROR_NOT_FOUND] = EXIT_UNKNOWN,
		[ERROR_BUSY] = EXIT_LOCKED,
		[ERROR_LOST] = EXIT_LOCKED,
		[ERROR_REFUSED] = EXIT_RULE,
	};

	return status[kind];
}

int
cli_error(struct cli *c, const struct error *err)
{
	return fail(c, cli_status(err->kind), err->text);
}

int
cli_no_task(struct cli *c, const char *id)
{
	return cli_fail(c, EXIT_UNKNOWN,
	    "there is no task #%s in list '%s' (try: claude-tasks list --all%s%s)", id,
	    c->list.name != NULL ? c->list.name : "", c->list_name != NULL ? " --list " : "",
	    c->list_name != NULL ? c->list_name : "");
}

void
cli_note(struct cli *c, const char *fmt, ...)
{
	struct buf line = { 0 };
	va_list ap;
	char *s = NULL;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) == -1)
		mem_exhausted();
	va_end(ap);
	text_show(&line, s, strlen(s), TEXT_LINE, TEXT_REASON);
	cli_flush(c);
	fprintf(stderr, "%s\n", buf_text(&line));
	buf_free(&line);
	free(s);
}

/* A reader that went away (head, less) is no failure worth a word. */
void
cli_flush(struct cli *c)
{
	struct error err;

	if (c->out.len > 0 && file_write_all(STDOUT_FILENO, c->out.data, c->out.len, &err) == -1)
		_exit(EXIT_FAULT);
	buf_reset(&c->out);
}

void
cli_json(struct cli *c, struct json_object *o)
{
	struct buf text = { 0 };

	if (c->terminal)
		out_pretty(&text, o);
	else
		out_text(&text, o);
	buf_add(&c->out, text.data, text.len);
	buf_putc(&c->out, '\n');
	buf_free(&text);
}

const char *
cli_paint(const struct cli *c, enum paint p)
{
	static const char *const code[] = {
		[PAINT_NONE] = "",
		[PAINT_OFF] = "\033[0m",
		[PAINT_BOLD] = "\033[1m",
		[PAINT_DIM] = "\033[2m",
		[PAINT_RED] = "\033[31m",
		[PAINT_GREEN] = "\033[32m",
		[PAINT_YELLOW] = "\033[33m",
		[PAINT_BLUE] = "\033[36m",
	};

	return c->color ? code[p] : "";
}

bool
cli_confirm(struct cli *c, const char *question)
{
	char answer[16] = "";

	if (cli_flag(c, "yes"))
		return true;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
		cli_fail(c, EXIT_MISUSE, "%s Nobody is here to ask; say --yes to go on", question);
		return false;
	}
	cli_flush(c);
	fprintf(stderr, "%s [y/N] ", question);
	if (fgets(answer, sizeof(answer), stdin) != NULL && (answer[0] == 'y' || answer[0] == 'Y'))
		return true;
	cli_fail(c, EXIT_FAULT, "nothing was done");
	return false;
}
