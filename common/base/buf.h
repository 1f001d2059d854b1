#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stddef.h>

/*
 * A growing byte array.  The zero object is an empty buffer.  data[len] is
 * always NUL once anything was added (buf_text() gives "" before that).
 */
struct buf {
	char *data;
	size_t len, room;
};

void buf_add(struct buf *, const void *, size_t);
void buf_puts(struct buf *, const char *);
void buf_putc(struct buf *, char);
void buf_printf(struct buf *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_need(struct buf *, size_t more); /* room for `more` bytes and a NUL */
const char *buf_text(const struct buf *);
char *buf_take(struct buf *); /* the caller owns the bytes; leaves the buffer empty */
void buf_reset(struct buf *); /* empty, memory kept */
void buf_free(struct buf *);

#endif
