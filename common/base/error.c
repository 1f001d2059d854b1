/*
 * Errors are built without allocation, so that exhausted memory can be
 * reported.
 *
 * Callers pass outside text through text_show() before it gets here; in case
 * one forgets, unsafe characters are replaced once more in the finished line.
 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

/* In place: replacements are one byte long. */
static void
line_clean(char *line)
{
	const char *p = line, *end = line + strlen(line), *from;
	char *to = line;
	int32_t c;

	while (p < end) {
		from = p;
		c = utf8_next(&p, end);
		if (c == '\n' || c == '\t' || c == '\r')
			*to++ = ' ';
		else if (c == -1 || !text_safe(c))
			*to++ = '?';
		else {
			memmove(to, from, (size_t)(p - from));
			to += p - from;
		}
	}
	*to = '\0';
}

/* Formats through a second buffer, because an argument may be the error's own text. */
static void error_fill(struct error *err, const char *tail, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

static void
error_fill(struct error *err, const char *tail, const char *fmt, va_list ap)
{
	char line[sizeof(err->text)];
	size_t used, room = sizeof(line);
	int n;

	n = vsnprintf(line, room, fmt, ap);
	if (n < 0)
		line[n = 0] = '\0';
	used = (size_t)n < room ? (size_t)n : room - 1;
	if (tail != NULL) {
		n = snprintf(line + used, room - used, ": %s", tail);
		used += n > 0 ? (size_t)n : 0;
	}
	line_clean(line);
	if (used >= room || (size_t)n >= room) {
		/* do not cut a character in half */
		used = strlen(line);
		used = used > 4 ? used - 4 : 0;
		while (used > 0 && ((unsigned char)line[used] & 0xc0) == 0x80)
			used--;
		strcpy(line + used, "...");
	}
	memcpy(err->text, line, sizeof(line));
}

int
error_set(struct error *err, enum error_kind kind, const char *fmt, ...)
{
	va_list ap;

	if (err == NULL)
		return -1;
	va_start(ap, fmt);
	error_fill(err, NULL, fmt, ap);
	va_end(ap);
	err->kind = kind;
	return -1;
}

int
error_sys(struct error *err, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;

	if (err == NULL)
		return -1;
	va_start(ap, fmt);
	error_fill(err, strerror(saved), fmt, ap);
	va_end(ap);
	err->kind = ERROR_FAULT;
	errno = saved;
	return -1;
}

int
error_prefix(struct error *err, const char *fmt, ...)
{
	char text[sizeof(err->text)];
	va_list ap;

	if (err == NULL)
		return -1;
	memcpy(text, err->text, sizeof(text));
	va_start(ap, fmt);
	error_fill(err, text, fmt, ap);
	va_end(ap);
	return -1;
}

bool
error_again(int *tries)
{
	return errno == EINTR && ++*tries < 100;
}
