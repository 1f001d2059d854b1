#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
	ssize_t n;
	int fd, saved;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return errno == ENOENT ? 0 : -1;
	n = read(fd, stat, sizeof(stat) - 1); /* whole: the kernel makes the text at the read */
	saved = errno;
	close(fd);
	if (n == -1) {
		errno = saved;
		return saved == ESRCH ? 0 : -1;
	}
	stat[n] = '\0';
	if (process_parse(stat, p) == 0)
		return 1;
	errno = EPROTO;
	return -1;
}
