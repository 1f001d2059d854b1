#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sys/file.h"

#define PROC_MAX (2u << 20) /* bytes of an environment or a command line */

/* "7 (name) S 1 ...".  The name may hold blanks and brackets: the last ')' ends it. */
static int
process_parse(char *stat, struct process *p)
{
	char *name = strchr(stat, '('), *end = strrchr(stat, ')');
	int parent;

	if (name == NULL || end == NULL || end < name)
		return -1;
	*end = '\0';
	snprintf(p->name, sizeof(p->name), "%s", name + 1);
	/* Fields 3, 4 and 22. */
	if (sscanf(end + 1,
		" %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		"%" SCNu64,
		&p->state, &parent, &p->start) != 3)
		return -1;
	p->parent = parent;
	return 0;
}

int
process_read(pid_t pid, struct process *p)
{
	char path[64], stat[1024];
	size_t len = 0;
	ssize_t n;
	int fd, saved;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return errno == ENOENT ? 0 : -1;
	/* The kernel makes the text, a line, at the first read. */
	while ((n = read(fd, stat + len, sizeof(stat) - 1 - len)) > 0) {
		len += (size_t)n;
		if (stat[len - 1] == '\n')
			break;
	}
	saved = errno;
	close(fd);
	if (n == -1) {
		errno = saved;
		return saved == ESRCH ? 0 : -1;
	}
	stat[len] = '\0';
	if (process_parse(stat, p) == 0)
		return 1;
	errno = EPROTO;
	return -1;
}

bool
process_strings(pid_t pid, const char *file, struct buf *text)
{
	struct error ignored;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, file);
	return file_read_path(path, PROC_MAX, text, &ignored) == 1 && text->len > 0;
}

int
process_has_env(pid_t pid, const char *assignment)
{
	struct buf env = { 0 };
	int has = process_strings(pid, "environ", &env) ? 0 : -1;

	for (size_t at = 0; has == 0 && at < env.len; at += strlen(env.data + at) + 1)
		has = strcmp(env.data + at, assignment) == 0;
	buf_free(&env);
	return has;
}

static bool
same_command(pid_t a, pid_t b)
{
	struct buf x = { 0 }, y = { 0 };
	bool same = process_strings(a, "cmdline", &x) && process_strings(b, "cmdline", &y) &&
		    x.len == y.len && memcmp(x.data, y.data, x.len) == 0;

	buf_free(&x);
	buf_free(&y);
	return same;
}

pid_t
process_origin(pid_t pid)
{
	struct process p;

	while (process_read(pid, &p) == 1 && p.parent > 1 && same_command(pid, p.parent))
		pid = p.parent;
	return pid;
}
