/*
 * Reading the layouts of one file per task.
 *
 * The client writes in place, also while others read: a file may be empty,
 * cut, or have an old tail.  Such a text is not valid JSON; it is read again
 * a few times (a write takes microseconds) and at last under the task's lock,
 * which the client holds while it writes.
 *
 * A scan does little per file: one open relative to the directory, one read
 * into a buffer that is used again (a short read is the end), no stat where
 * the directory gives the type, and a search for the needle before any
 * parsing.  Files that looked torn are read again together at the end.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "list/files-part.h"
#include "os/os.h"
#include "sys/dir.h"

#define SCAN_READ 65536 /* bytes of a first read */

/* BAD: the file is wrong; a scan skips it.  FAULT: the system failed, and a scan must fail too,
 * because a task that is there would be taken for missing. */
enum { READ_FAULT = -2, READ_BAD = -1, READ_NONE = 0, READ_OK = 1, READ_TORN = 2 };

bool
files_name(const struct store *s, const char *id, char name[256])
{
	/* The client replaces every other character by '-' and reads that file instead. */
	if (!task_id_ok(id) || (s->layout == STORE_NATIVE && strchr(id, '.') != NULL))
		return false;
	strcpy(stpcpy(name, id), ".json"); /* an id has at most 128 bytes */
	return true;
}

bool
files_id(const struct store *s, const char *name, char id[256])
{
	size_t len = strlen(name);
	char again[256];

	if (len < 6 || len > 255 || strcmp(name + len - 5, ".json") != 0)
		return false;
	memcpy(id, name, len - 5);
	id[len - 5] = '\0';
	return files_name(s, id, again) && strcmp(name, "tasks.json") != 0;
}

/* Follows a link, but not out of the directory of the lists.  The opened file is checked, not the
 * path, which may change before the open. */
static int
open_link(struct store *s, const char *name, struct error *err)
{
	char path[PATH_MAX];
	int at = os_open_target(s->dirfd, name, path), fd = -1;

	if (at == -1)
		return error_set(err, ERROR_INPUT, "a symbolic link whose target does not exist");
	if (!file_inside(s->dirfd, path))
		error_set(err, ERROR_INPUT,
		    "a symbolic link out of the directory of the lists is not followed");
	else if ((fd = os_reopen(at)) == -1)
		error_sys(err, "cannot open the target of the symbolic link");
	close(at);
	return fd;
}

/* Reads up to the end: a short read is the end, once there are `least` bytes. */
static int
read_all(int fd, size_t first, size_t least, struct buf *text, struct error *err)
{
	ssize_t n;
	int tries = 0;

	buf_reset(text);
	buf_need(text, first);
	for (;;) {
		size_t room = text->room - text->len - 1;

		n = read(fd, text->data + text->len, room);
		if (n == -1 && error_again(&tries))
			continue;
		if (n == -1)
			return error_sys(err, "cannot read");
		text->len += (size_t)n;
		text->data[text->len] = '\0';
		if (n == 0 || ((size_t)n < room && text->len >= least))
			return 0;
		if (text->len > FILE_MAX)
			return error_set(err, ERROR_INPUT, "more than %u bytes", FILE_MAX);
		if ((size_t)n == room)
			buf_need(text, text->len);
	}
}

/* The bytes of a file; regular: the directory said that it is one. */
static int
read_bytes(struct store *s, const char *name, bool regular, struct buf *text, struct error *err)
{
	size_t first = SCAN_READ;
	struct stat st;
	int fd, rc = READ_BAD;

	fd = openat(s->dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd == -1 && errno == ENOENT)
		return READ_NONE;
	if (fd == -1 && errno == ELOOP) {
		regular = false;
		if ((fd = open_link(s, name, err)) == -1)
			return READ_BAD;
	}
	if (fd == -1 && (errno == ENXIO || errno == ENODEV)) {
		error_set(err, ERROR_INPUT, "not a regular file");
		return READ_BAD;
	}
	if (fd == -1) {
		rc = errno == EACCES || errno == EPERM ? READ_BAD : READ_FAULT;
		error_sys(err, "cannot open it");
		return rc;
	}
	if (!regular && fstat(fd, &st) == -1) {
		error_sys(err, "cannot stat it");
		rc = READ_FAULT;
	} else if (!regular && !S_ISREG(st.st_mode))
		error_set(err, ERROR_INPUT, "not a regular file");
	else {
		/* A single task needs no buffer of that size. */
		if (!regular && st.st_size < SCAN_READ)
			first = (size_t)st.st_size + 64;
		if (read_all(fd, first, regular ? 0 : (size_t)st.st_size, text, err) == 0)
			rc = READ_OK;
		else if (err->kind == ERROR_FAULT)
			rc = READ_FAULT;
	}
	close(fd);
	return rc;
}

static int
parse_text(struct store *s, const char *id, struct task *t, struct error *err)
{
	struct error ignored;

	if (task_reread(t, store_dialect(s), id, err) == 0)
		return READ_OK;
	return json_parse(&t->json, buf_text(&t->text), t->text.len, &ignored) == -1 ? READ_TORN
										     : READ_BAD;
}

/*
 * May the task contain one of the needles?  Also true for a text with \u, which can encode any
 * character; no other escape can stand for one of a needle, since it has no control character,
 * slash or backslash, and its quotes are those of JSON.  (A NUL ends the search, but no valid file
 * has one.)
 */
static bool
has_needle(const char *const *needles, const struct buf *text)
{
	const char *end;

	if (needles == NULL)
		return true;
	for (; *needles != NULL; needles++)
		if (strstr(text->data, *needles) != NULL)
			return true;
	for (end = text->data + text->len; end > text->data && isspace((unsigned char)end[-1]);)
		end--;
	/* torn: it may be in the missing part */
	if (end == text->data || end[-1] != '}')
		return true;
	return strstr(text->data, "\\u") != NULL;
}

/* One try at one task. */
static int
read_once(struct store *s, const char *name, const char *id, const char *const *needles,
    struct task *t, struct error *err)
{
	int rc = read_bytes(s, name, false, &t->text, err);

	if (rc == READ_OK && !has_needle(needles, &t->text))
		return READ_NONE;
	return rc == READ_OK ? parse_text(s, id, t, err) : rc;
}

static int
read_locked(struct store *s, const char *name, const char *id, struct task *t, struct error *err)
{
	struct lock lock = LOCK_INIT;
	struct error failed;
	int rc;

	/* Never hold two task locks: with one held, the error of the last read is returned.  The
	 * same where the lock cannot be made, because we may not write there. */
	if (s->in_task)
		return READ_BAD;
	if (lock_task(&lock, s->dirfd, name, deadline_in(LOCK_PATIENCE_MS), &failed) == -1) {
		if (failed.kind == ERROR_BUSY)
			*err = failed;
		return READ_BAD;
	}
	rc = read_once(s, name, id, NULL, t, err);
	lock_release(&lock);
	return rc == READ_TORN ? READ_BAD : rc;
}

int
files_find(
    struct store *s, const char *id, const char *const *needles, struct task *t, struct error *err)
{
	char name[256];
	size_t tries = 0;
	int rc;

	if (!files_name(s, id, name))
		return 0;
	do
		rc = read_once(s, name, id, needles, t, err);
	while (rc == READ_TORN && clock_wait_again(&tries));
	if (rc == READ_TORN)
		rc = read_locked(s, name, id, t, err);
	if (rc != READ_OK)
		task_free(t);
	return rc < 0 ? error_prefix(err, "'%s/%s'", s->dir, name) : rc;
}

int
files_get(struct store *s, const char *id, struct task *t, struct error *err)
{
	return files_find(s, id, NULL, t, err);
}

struct scan {
	struct store *store;
	const char *const *needles;
	struct task task; /* used again for every file */
	struct strings torn;
	int (*fn)(void *, const struct task *); /* NULL: not called */
	void *arg;
	void (*bad)(void *, const char *file, const char *reason);
	struct task_set *set; /* gets the tasks; NULL */
	struct error *err;
};

/* Moves the task into the set, with a copy of the text; the scan keeps its buffer. */
static void
scan_keep(struct scan *scan)
{
	struct task *t = task_set_add(scan->set);
	struct buf text = scan->task.text;

	*t = scan->task;
	memset(&t->text, 0, sizeof(t->text));
	buf_add(&t->text, text.data, text.len);
	t->json.text = t->text.data;
	scan->task = (struct task)TASK_INIT;
	scan->task.text = text;
}

static int
scan_file(struct scan *scan, const char *name, bool regular, bool last)
{
	struct error err = { 0 };
	char id[256];
	int rc = READ_BAD;

	if (!files_id(scan->store, name, id)) {
		if (scan->bad != NULL)
			scan->bad(scan->arg, name, "the client does not read a file of this name");
		if (scan->set != NULL)
			scan->set->skipped++;
		return 0;
	}
	rc = read_bytes(scan->store, name, regular, &scan->task.text, &err);
	if (rc == READ_OK && !has_needle(scan->needles, &scan->task.text))
		return 0;
	if (rc == READ_OK)
		rc = parse_text(scan->store, id, &scan->task, &err);
	if (rc == READ_TORN && last)
		rc = read_locked(scan->store, name, id, &scan->task, &err);
	else if (rc == READ_TORN)
		strings_add(&scan->torn, name);
	if (rc < 0 && scan->bad != NULL)
		scan->bad(scan->arg, name, err.text);
	else if (rc == READ_FAULT) {
		*scan->err = err;
		return error_prefix(scan->err, "'%s/%s'", scan->store->dir, name);
	}
	if (rc == READ_OK && scan->set != NULL)
		scan_keep(scan);
	else if (rc == READ_BAD && scan->set != NULL)
		scan->set->skipped++;
	return rc == READ_OK && scan->fn != NULL ? scan->fn(scan->arg, &scan->task) : 0;
}

static int
scan_torn(struct scan *scan)
{
	struct strings again;
	size_t tries = 0;
	bool last;
	int rc = 0;

	while (rc == 0 && scan->torn.count > 0) {
		again = scan->torn;
		memset(&scan->torn, 0, sizeof(scan->torn));
		last = !clock_wait_again(&tries);
		for (size_t i = 0; rc == 0 && i < again.count; i++)
			rc = scan_file(scan, again.item[i], false, last);
		strings_free(&again);
	}
	return rc;
}

static int
scan_run(struct scan *scan, struct error *err)
{
	DIR *dir = dir_read(scan->store->dirfd, ".");
	struct dirent *e;
	size_t len;
	int rc = 0;

	if (dir == NULL)
		return error_sys(err, "cannot read '%s'", scan->store->dir);
	scan->err = err;
	scan->task.text = scan->store->scratch;
	memset(&scan->store->scratch, 0, sizeof(scan->store->scratch));
	while (rc == 0) {
		errno = 0;
		e = readdir(dir);
		if (e == NULL && errno != 0)
			rc = error_sys(err, "cannot read '%s'", scan->store->dir);
		if (e == NULL)
			break;
		len = strlen(e->d_name);
		if (len > 5 && strcmp(e->d_name + len - 5, ".json") == 0)
			rc = scan_file(scan, e->d_name, e->d_type == DT_REG, false);
	}
	closedir(dir);
	if (rc == 0)
		rc = scan_torn(scan);
	buf_free(&scan->store->scratch);
	scan->store->scratch = scan->task.text;
	memset(&scan->task.text, 0, sizeof(scan->task.text));
	task_free(&scan->task);
	strings_free(&scan->torn);
	return rc;
}

int
files_scan(struct store *s, const char *const *needles, int (*fn)(void *, const struct task *),
    void *arg, struct error *err)
{
	struct scan scan = {
		.store = s, .needles = needles, .task = TASK_INIT, .fn = fn, .arg = arg
	};

	return scan_run(&scan, err);
}

int
files_bad(struct store *s, void (*fn)(void *, const char *file, const char *reason), void *arg,
    struct error *err)
{
	struct scan scan = { .store = s, .task = TASK_INIT, .bad = fn, .arg = arg };

	return scan_run(&scan, err);
}

int
files_load(struct store *s, struct task_set *set, struct error *err)
{
	struct scan scan = { .store = s, .task = TASK_INIT, .set = set };

	if (scan_run(&scan, err) == -1)
		return -1;
	task_set_sort(set);
	return 0;
}
