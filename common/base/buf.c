/*
 * The room doubles, so that adding byte by byte stays linear.
 */
#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void
buf_need(struct buf *b, size_t more)
{
	size_t want;

	if (__builtin_add_overflow(b->len, more, &want) || want > SIZE_MAX / 2)
		mem_exhausted();
	if (want < b->room)
		return;
	if (b->room < 64)
		b->room = 64;
	while (b->room <= want)
		b->room *= 2;
	b->data = mem_grow(b->data, b->room, 1);
	b->data[b->len] = '\0';
}

void
buf_add(struct buf *b, const void *bytes, size_t len)
{
	buf_need(b, len);
	if (len > 0)
		memcpy(b->data + b->len, bytes, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void
buf_puts(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void
buf_putc(struct buf *b, char c)
{
	buf_need(b, 1);
	b->data[b->len++] = c;
	b->data[b->len] = '\0';
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	buf_need(b, 0);
	va_start(ap, fmt);
	n = vsnprintf(b->data + b->len, b->room - b->len, fmt, ap);
	va_end(ap);
	if (n < 0) {
		b->data[b->len] = '\0';
		return;
	}
	if ((size_t)n >= b->room - b->len) {
		buf_need(b, (size_t)n);
		va_start(ap, fmt);
		vsnprintf(b->data + b->len, b->room - b->len, fmt, ap);
		va_end(ap);
	}
	b->len += (size_t)n;
}

const char *
buf_text(const struct buf *b)
{
	return b->data != NULL ? b->data : "";
}

char *
buf_take(struct buf *b)
{
	char *s;

	buf_need(b, 0);
	s = b->data;
	*b = (struct buf){ 0 };
	return s;
}

void
buf_reset(struct buf *b)
{
	b->len = 0;
	if (b->data != NULL)
		b->data[0] = '\0';
}

void
buf_free(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}
