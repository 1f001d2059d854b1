/*
 * Processes on any POSIX system, by the utility ps.
 */
#include <sys/stat.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "os/os-posix.h"
#include "os/os.h"

#define PS_TRIES 3
#define START_SLACK 2 /* seconds; ps tells whole ones */

static const char *
number_text(pid_t pid, char number[24])
{
	snprintf(number, 24, "%ld", (long)pid);
	return number;
}

int
os_process_read(pid_t pid, struct os_process *p)
{
	char line[1024], number[24];
	char *argv[] = { (char[]){ "ps" }, OS_PS_COLUMNS, (char[]){ "-p" }, number, NULL };
	const struct os_process *known;
	int64_t before;
	pid_t same;
	ssize_t len;
	int tries = 0;

	if (pid <= 0 || (kill(pid, 0) == -1 && errno == ESRCH))
		return 0;
	if ((known = os_above_find(pid)) != NULL) {
		*p = *known;
		return 1;
	}
	number_text(pid, number);
	do {
		/* What was read long before now would tell a wrong start. */
		before = time(NULL);
		if ((len = os_ps_line(argv, line, sizeof(line))) == -1)
			return -1;
	} while (time(NULL) - before > 1 && ++tries < PS_TRIES);
	if (len > 0 && os_ps_parse(line, time(NULL), &same, p) && same == pid)
		return 1;
	if (kill(pid, 0) == -1 && errno == ESRCH)
		return 0;
	errno = EPROTO;
	return -1;
}

bool
os_process_same(uint64_t start, uint64_t other)
{
	return start == 0 || other == 0 ||
	       (start > other ? start - other : other - start) <= START_SLACK;
}

/* Of one process, without its number. */
static bool
ps_text_of(pid_t pid, const char *environment, const char *what, struct buf *text)
{
	char number[24];
	size_t at;

	if (pid <= 0 || !os_ps_text(number_text(pid, number), environment, what, text))
		return false;
	at = strspn(text->data, " ");
	at += strspn(text->data + at, "0123456789");
	at += text->data[at] == ' ';
	text->len -= at;
	memmove(text->data, text->data + at, text->len + 1);
	return text->len > 0;
}

static bool
args_text(pid_t pid, struct buf *text)
{
	return os_above_words(pid, text) || ps_text_of(pid, "-ww", "args=", text);
}

/* ps does not say where a word ends: at each blank, here. */
bool
os_process_words(pid_t pid, struct buf *words)
{
	size_t len = 0;

	if (!args_text(pid, words))
		return false;
	for (size_t i = 0; i < words->len; i++)
		if (words->data[i] != ' ')
			words->data[len++] = words->data[i];
		else if (len > 0 && words->data[len - 1] != '\0')
			words->data[len++] = '\0';
	words->data[len++] = '\0'; /* there is room for one */
	words->len = len;
	return len > 1;
}

/* The environment stands behind the words. */
int
os_process_has_env(pid_t pid, const char *assignment)
{
	struct buf all = { 0 }, words = { 0 };
	size_t len = strlen(assignment);
	int has = -1;

	if (ps_text_of(pid, "eww", "command=", &all)) {
		for (char *at = all.data; has == -1 && (at = strstr(at, assignment)) != NULL; at++)
			if (at > all.data && at[-1] == ' ' && strchr(" ", at[len]) != NULL)
				has = 1;
		/* No more than the words: none was shown. */
		if (has == -1 && args_text(pid, &words) && all.len > words.len)
			has = 0;
	}
	buf_free(&all);
	buf_free(&words);
	return has;
}

static bool
is_program(const char *file, char path[PATH_MAX])
{
	struct stat st;

	return realpath(file, path) != NULL && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

/* Only if it was called by its whole path, which has no blanks. */
bool
os_process_program(pid_t pid, char path[PATH_MAX])
{
	struct buf words = { 0 };
	bool known =
	    os_process_words(pid, &words) && words.data[0] == '/' && is_program(words.data, path);

	buf_free(&words);
	return known;
}

bool
os_process_cwd(pid_t pid, char path[PATH_MAX])
{
	(void)pid;
	(void)path;
	return false;
}

bool
os_processes_shown(int *error)
{
	struct os_process p;

	*error = 0;
	if (os_above_shown())
		return true;
	/* Why not? */
	if (os_process_read(getpid(), &p) == -1)
		*error = errno;
	return false;
}

static bool
search_path(const char *name, char path[PATH_MAX])
{
	const char *at = getenv("PATH");
	char file[PATH_MAX];

	for (; at != NULL && *at != '\0'; at += strspn(at, ":")) {
		int len = (int)strcspn(at, ":");

		if (snprintf(file, sizeof(file), "%.*s/%s", len, at, name) < (int)sizeof(file) &&
		    is_program(file, path))
			return true;
		at += len;
	}
	return false;
}

/* By the name it was called with.  That may have blanks: the first of its beginnings that is a
 * program. */
bool
os_self(char path[PATH_MAX])
{
	struct buf words = { 0 };
	bool found = false;
	char *end;

	if (args_text(getpid(), &words))
		for (end = words.data; !found && *end != '\0'; end++) {
			char kept;

			end += strcspn(end, " ");
			kept = *end;
			*end = '\0';
			found = strchr(words.data, '/') != NULL ? is_program(words.data, path)
								: search_path(words.data, path);
			*end = kept;
			if (kept == '\0')
				break;
		}
	buf_free(&words);
	return found;
}
