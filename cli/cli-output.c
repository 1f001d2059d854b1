/*
 * Output: one line on standard error for a failure, whole buffers on standard output, colour
 * through cli_paint().
 *
 * With --json a failure is also an object on standard output, so that a
 * program needs to read only that stream.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "commands.h"
#include "sys/dir.h"
#include "sys/file.h"

#define PRINT_CHARS 1000  /* of a %s without a precision */
#define UNKNOWN_LISTED 12 /* more known words than this are not listed */

const char *
cli_status_name(int status)
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
		{ EXIT_PARTLY, "partly" },
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

int
cli_refuse(struct cli *c, int status, const char *text, struct json_object *o)
{
	struct buf line = { 0 };
	struct json_object *e;

	text_show(&line, text, strlen(text), TEXT_LINE, TEXT_REASON);
	cli_flush(c);
	fprintf(stderr, "%sclaude-tasks:%s %s\n",
	    isatty(STDERR_FILENO) ? cli_paint(c, PAINT_RED) : "",
	    isatty(STDERR_FILENO) ? cli_paint(c, PAINT_OFF) : "", buf_text(&line));
	if (c->json) {
		e = out_add(o, "error", out_object());
		out_string(e, "reason", cli_status_name(status));
		out_string(e, "message", buf_text(&line));
		out_int(e, "status", status);
		cli_json(c, o);
	} else
		json_object_put(o);
	buf_free(&line);
	c->status = status;
	return status;
}

int
cli_fail(struct cli *c, int status, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = mem_vprintf(fmt, ap);
	va_end(ap);
	status = cli_refuse(c, status, s, out_object());
	free(s);
	return status;
}

int
cli_misuse(struct cli *c, const char *fmt, ...)
{
	const char *topic = strcmp(c->command->name, "help") != 0 ? c->command->name : "";
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = mem_vprintf(fmt, ap);
	va_end(ap);
	cli_fail(
	    c, EXIT_MISUSE, "%s (try: claude-tasks help%s%s)", s, *topic != '\0' ? " " : "", topic);
	free(s);
	return EXIT_MISUSE;
}

int
cli_unknown(
    struct cli *c, const char *kind, const char *word, const char *const *known, size_t count)
{
	const char *near = text_nearest(word, known, count);
	struct buf all = { 0 };

	if (near != NULL)
		return cli_misuse(c, "unknown %s '%s'; did you mean '%s'?", kind, word, near);
	for (size_t i = 0; i < count && count <= UNKNOWN_LISTED; i++)
		buf_printf(&all, "%s%s", i == 0 ? "; known: " : ", ", known[i]);
	cli_misuse(c, "unknown %s '%s'%s", kind, word, buf_text(&all));
	buf_free(&all);
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
		[ERROR_TAKEN] = EXIT_TAKEN,
		[ERROR_PARTLY] = EXIT_PARTLY,
	};

	return status[kind];
}

int
cli_error(struct cli *c, const struct error *err)
{
	return cli_refuse(c, cli_status(err->kind), err->text, out_object());
}

char *
cli_list_option(const struct cli *c)
{
	return c->list_dir != NULL    ? mem_printf(" --dir %s", c->list_dir)
	       : c->list_name != NULL ? mem_printf(" --list %s", c->list_name)
				      : mem_string("");
}

char *
cli_list_shown(const struct cli *c)
{
	return c->list.nearby ? mem_string("./.tasks")
	       : c->list.foreign
		   ? mem_string(c->list.dir)
		   : mem_printf("list '%s'", c->list.name != NULL ? c->list.name : "");
}

int
cli_no_task(struct cli *c, const char *id)
{
	char *option = cli_list_option(c), *list = cli_list_shown(c);
	struct task t = TASK_INIT;
	struct error err;

	if (c->store.dirfd != -1 && store_get(&c->store, id, &t, &err) == -1)
		cli_fail(c, EXIT_UNKNOWN,
		    "task #%s cannot be read: %s (try: claude-tasks doctor%s)", id, err.text,
		    option);
	else
		cli_fail(c, EXIT_UNKNOWN,
		    "there is no task #%s in %s (try: claude-tasks list --all%s)", id, list,
		    option);
	task_free(&t);
	free(option);
	free(list);
	return EXIT_UNKNOWN;
}

int
cli_task_error(struct cli *c, const char *id, const struct error *err)
{
	return err->kind == ERROR_NOT_FOUND ? cli_no_task(c, id) : cli_error(c, err);
}

void
cli_note(struct cli *c, const char *fmt, ...)
{
	struct buf line = { 0 };
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = mem_vprintf(fmt, ap);
	va_end(ap);
	text_show(&line, s, strlen(s), TEXT_LINE, TEXT_REASON);
	cli_flush(c);
	fprintf(stderr, "%s\n", buf_text(&line));
	buf_free(&line);
	free(s);
}

static void
format_safely(struct buf *b, const char *fmt, va_list ap)
{
	for (; *fmt != '\0'; fmt++) {
		size_t max = PRINT_CHARS;
		char *end;
		const char *s;

		if (*fmt != '%') {
			buf_putc(b, *fmt);
			continue;
		}
		if (*++fmt == '.') {
			max = strtoul(fmt + 1, &end, 10);
			fmt = end;
		}
		if (*fmt == 's') {
			s = va_arg(ap, const char *);
			text_show(b, s, strlen(s), TEXT_LINE, max);
		} else if (*fmt == 'd') {
			buf_printf(b, "%d", va_arg(ap, int));
		} else if (*fmt++ == 'z') {
			buf_printf(b, "%zu", va_arg(ap, size_t));
		}
	}
}

void
cli_print(struct cli *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	format_safely(&c->out, fmt, ap);
	va_end(ap);
}

void
cli_format(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	format_safely(b, fmt, ap);
	va_end(ap);
}

/* If the reader closed the pipe (head, less), exit without a message. */
void
cli_flush(struct cli *c)
{
	struct error err;

	if (c->out.len > 0 && file_write_all(STDOUT_FILENO, c->out.data, c->out.len, &err) == -1)
		_exit(EXIT_FAULT);
	buf_reset(&c->out);
}

void
cli_json_line(struct cli *c, struct json_object *o)
{
	out_text(&c->out, o);
	buf_putc(&c->out, '\n');
}

void
cli_json(struct cli *c, struct json_object *o)
{
	(c->terminal ? out_pretty : out_text)(&c->out, o);
	buf_putc(&c->out, '\n');
}

int
cli_write_file(struct cli *c, const char *path, const struct buf *text)
{
	const char *slash = strrchr(path, '/');
	struct error err;
	char *dir;
	int fd, rc = -1;

	if (strcmp(path, "-") == 0) {
		buf_add(&c->out, text->data, text->len);
		return EXIT_DONE;
	}
	dir = slash == NULL ? mem_string(".") : mem_copy(path, (size_t)(slash - path + 1));
	fd = dir_open(dir, &err);
	free(dir);
	if (fd != -1) {
		rc = file_replace(fd, slash == NULL ? path : slash + 1, text->data, text->len, 0,
		    DURABILITY_FILE, &err);
		close(fd);
	}
	return rc == -1 ? cli_error(c, &err) : EXIT_DONE;
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
		[PAINT_CYAN] = "\033[36m",
		[PAINT_MAGENTA] = "\033[35m",
		[PAINT_ORANGE] = "\033[91m",
		[PAINT_BLUE] = "\033[94m",
		[PAINT_PINK] = "\033[95m",
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
		cli_fail(c, EXIT_MISUSE, "not done: to %.*s without a question, add --yes",
		    (int)strcspn(question, "?"), question);
		return false;
	}
	cli_flush(c);
	fprintf(stderr, "%s [y/N] ", question);
	if (fgets(answer, sizeof(answer), stdin) == NULL)
		fputc('\n', stderr);
	if (answer[0] == 'y' || answer[0] == 'Y')
		return true;
	cli_fail(c, EXIT_FAULT, "not confirmed; nothing was changed");
	return false;
}
