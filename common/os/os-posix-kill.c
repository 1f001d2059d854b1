/*
 * Killing what a command has left, where no process can adopt orphans: by its parent, its group, or
 * the mark in its environment; and what is below such a process.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/os-posix.h"
#include "os/os.h"

#define ROWS 32768 /* processes of the machine; what is beyond is not looked at */

struct victim {
	pid_t pid, parent;
	bool is, ended;
};

struct sought {
	pid_t leader;
	const char *mark;
	struct victim *row;
	size_t rows;
	/* The line so far. */
	char head[64];
	size_t len, matched; /* of the mark's bytes */
	bool word_begins, found;
};

static void
line_begin(struct sought *s)
{
	s->len = s->matched = 0;
	s->word_begins = s->found = false;
}

/* "  pid  ppid  pgid stat command" */
static void
line_end(struct sought *s, pid_t ps)
{
	int pid, parent, group;
	char state[8];
	bool child;

	s->head[s->len] = '\0';
	if (s->rows == ROWS || sscanf(s->head, "%d %d %d %7s", &pid, &parent, &group, state) != 4 ||
	    pid <= 1 || pid == getpid() || pid == ps)
		return;
	child = s->leader > 0 && parent == getpid();
	s->row[s->rows++] = (struct victim){ pid, parent,
		child || s->found || (s->leader > 0 && group == s->leader),
		state[0] == 'Z' && !child };
}

static int
by_pid(const void *a, const void *b)
{
	const struct victim *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* What is below one of them, at whatever depth, is one of them. */
static void
add_descendants(struct sought *s)
{
	bool more = true;

	qsort(s->row, s->rows, sizeof(*s->row), by_pid);
	while (more) {
		more = false;
		for (size_t i = 0; i < s->rows; i++) {
			struct victim *up, key = { .pid = s->row[i].parent };

			if (s->row[i].is ||
			    (up = bsearch(&key, s->row, s->rows, sizeof(*s->row), by_pid)) == NULL)
				continue;
			s->row[i].is = up->is;
			more |= up->is;
		}
	}
}

/* The mark has no blanks: it is a whole word or not there. */
static void
line_byte(struct sought *s, char c)
{
	size_t len = s->mark != NULL ? strlen(s->mark) : 0;

	if (s->len < sizeof(s->head) - 1)
		s->head[s->len++] = c;
	if (c == ' ') {
		s->found |= len > 0 && s->matched == len;
		s->matched = 0;
		s->word_begins = true;
	} else {
		s->matched = (s->word_begins || s->matched > 0) && s->matched < len &&
				     s->mark[s->matched] == c
				 ? s->matched + 1
				 : 0;
		s->word_begins = false;
	}
}

/* Without a leader only what has the mark: the other children of a hook are other commands. */
unsigned
os_kill_children(pid_t leader, const char *mark, int sig)
{
	char *argv[] = { (char[]){ "ps" }, (char[]){ "axeww" }, (char[]){ "-o" },
		(char[]){ "pid=" }, (char[]){ "-o" }, (char[]){ "ppid=" }, (char[]){ "-o" },
		(char[]){ "pgid=" }, (char[]){ "-o" }, (char[]){ "stat=" }, (char[]){ "-o" },
		(char[]){ "command=" }, NULL };
	static struct victim row[ROWS];
	struct sought s = { .leader = leader, .mark = mark, .row = row };
	unsigned count = 0;
	char chunk[16384];
	struct os_ps ps;
	ssize_t n;

	if (leader > 0)
		kill(-leader, sig);
	if (os_ps_open(&ps, argv, OS_PS_ALL) == -1)
		return 1; /* no process can be made now: there may be one */
	line_begin(&s);
	while ((n = os_ps_read(&ps, chunk, sizeof(chunk))) > 0)
		for (ssize_t i = 0; i < n; i++)
			if (chunk[i] != '\n')
				line_byte(&s, chunk[i]);
			else {
				line_byte(&s, ' ');
				line_end(&s, ps.pid);
				line_begin(&s);
			}
	(void)os_ps_close(&ps, n == 0);
	add_descendants(&s);
	for (size_t i = 0; i < s.rows; i++)
		if (row[i].is && !row[i].ended) {
			kill(row[i].pid, sig);
			count += row[i].pid != leader;
		}
	return count;
}
