#include "sys/process.h"

#include <string.h>

#include "os/os.h"

static bool
same_command(pid_t a, pid_t b)
{
	struct buf x = { 0 }, y = { 0 };
	bool same = os_process_words(a, &x) && os_process_words(b, &y) && x.len == y.len &&
		    memcmp(x.data, y.data, x.len) == 0;

	buf_free(&x);
	buf_free(&y);
	return same;
}

pid_t
process_origin(pid_t pid)
{
	struct os_process p;

	while (os_process_read(pid, &p) == 1 && p.parent > 1 && same_command(pid, p.parent))
		pid = p.parent;
	return pid;
}
