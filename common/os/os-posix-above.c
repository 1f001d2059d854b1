#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "os/os-posix.h"

#define KNOWN_MS 500
#define ABOVE 64
#define ROWS 32768 /* processes of the machine; if it has more, these are not known */
#define SLOW_S 1   /* a start that was computed later than this would be wrong */

struct above_row {
	pid_t pid;
	struct os_process p;
};

/* What is known: this process, its parent, and so on. */
static struct above_row chain[ABOVE];
static size_t count;
static int64_t read_ms;
static struct buf words; /* of all of them, a line each: "pid words" */

static size_t
read_rows(struct os_ps *ps, struct above_row *rows)
{
	char text[8192], *line, *end;
	size_t len = 0, n = 0;
	ssize_t got;

	while ((got = os_ps_read(ps, text + len, sizeof(text) - 1 - len)) > 0) {
		len += (size_t)got;
		text[len] = '\0';
		for (line = text; (end = strchr(line, '\n')) != NULL; line = end + 1) {
			*end = '\0';
			if (n < ROWS && os_ps_parse(line, time(NULL), &rows[n].pid, &rows[n].p))
				n++;
		}
		len -= (size_t)(line - text);
		memmove(text, line, len);
		if (len == sizeof(text) - 1)
			len = 0; /* no line is that long */
	}
	return os_ps_close(ps, got == 0) && n < ROWS ? n : 0;
}

static const struct above_row *
find_row(const struct above_row *rows, size_t n, pid_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].pid == pid)
			return rows + i;
	return NULL;
}

static void
above_read(void)
{
	static struct above_row rows[ROWS];
	char *argv[] = { (char[]){ "ps" }, (char[]){ "axww" }, OS_PS_COLUMNS, NULL };
	const struct above_row *row;
	int64_t before = time(NULL);
	struct os_ps ps;
	size_t n;

	count = 0;
	words.len = 0;
	if (os_ps_open(&ps, argv, OS_PS_ALL) == -1 || (n = read_rows(&ps, rows)) == 0 ||
	    time(NULL) - before > SLOW_S)
		return;
	/* That ps itself is our child: these are the pids of our own space. */
	row = find_row(rows, n, ps.pid);
	if (row == NULL || row->p.parent != getpid())
		return;
	row = find_row(rows, n, getpid());
	if (row == NULL || row->p.parent != getppid())
		return;
	for (; row != NULL && count < ABOVE; row = find_row(rows, n, row->p.parent))
		chain[count++] = *row;
	read_ms = clock_ms();
}

static bool
above_fresh(void)
{
	return count > 0 && chain[0].pid == getpid() && chain[0].p.parent == getppid() &&
	       clock_ms() - read_ms < KNOWN_MS;
}

bool
os_above_shown(void)
{
	if (!above_fresh())
		above_read();
	return count > 0;
}

/* A look upwards begins with the parent; this process itself may change its name. */
const struct os_process *
os_above_find(pid_t pid)
{
	const struct above_row *row;

	if (pid == getpid() || (!above_fresh() && pid != getppid()))
		return NULL;
	if (!os_above_shown() || (row = find_row(chain, count, pid)) == NULL)
		return NULL;
	return kill(pid, 0) == -1 && errno == ESRCH ? NULL : &row->p;
}

static bool
above_read_words(void)
{
	char pids[ABOVE * 12];
	size_t len = 0;

	for (size_t i = 0; i < count; i++)
		len += (size_t)snprintf(
		    pids + len, sizeof(pids) - len, "%s%ld", i > 0 ? "," : "", (long)chain[i].pid);
	return os_ps_text(pids, "-ww", "args=", &words);
}

bool
os_above_words(pid_t pid, struct buf *text)
{
	const char *line;
	char *end;

	buf_reset(text);
	if (!above_fresh() || find_row(chain, count, pid) == NULL ||
	    (words.len == 0 && !above_read_words()))
		return false;
	for (line = words.data; line != NULL; line = strchr(line, '\n')) {
		long found = strtol(line, &end, 10);

		if (end > line && found == (long)pid) {
			end += strspn(end, " ");
			buf_add(text, end, strcspn(end, "\n"));
			return text->len > 0;
		}
		line += strspn(line, "\n ");
	}
	return false;
}
