/*
 * What the monitor reports, on its way to the hook: a record of fixed size,
 * then the tail of the output.  Both ends are the same executable, so the
 * record goes as it lies in memory.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "sys/child-part.h"

static int
send_all(int sock, const void *data, size_t len)
{
	const char *at = data;
	int tries = 0;

	while (len > 0) {
		ssize_t n = send(sock, at, len, MSG_NOSIGNAL);

		if (n == -1 && error_again(&tries))
			continue;
		if (n == -1)
			return -1;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

void
child_record_send(int sock, const struct child *c)
{
	struct child_record r = {
		.end = c->end,
		.status = c->status,
		.ms = c->ms,
		.total = c->total,
		.strays = c->strays,
		.survivors = c->survivors,
		.tail = (uint32_t)c->tail.len,
	};

	memcpy(r.digest, c->digest, sizeof(r.digest));
	memcpy(r.problem, c->problem, sizeof(r.problem));
	if (send_all(sock, &r, sizeof(r)) == 0)
		send_all(sock, buf_text(&c->tail), c->tail.len);
}
