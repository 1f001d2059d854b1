/*
 * Reading and verifying.
 *
 * Neither takes the lock: a reader must not make a hook wait.  The file only
 * grows, so a reader sees at worst an incomplete last line.  Verification,
 * which reports that as torn, reads a second time under the lock before it
 * reports an error.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "list/journal-line.h"
#include "sys/file.h"
#include "sys/lock-dir.h"
#include "json/json.h"

#define CHUNK (64u << 10)

typedef int line_fn(void *, const char *line, size_t len, bool whole, struct error *);

/* Calls fn for every line; `whole` is false for a last line without newline. */
static int
each_line(int fd, line_fn *fn, void *arg, struct error *err)
{
	struct buf buf = { 0 };
	size_t from = 0, scanned = 0;
	const char *stop;
	ssize_t n;
	int rc = 0, tries = 0;

	while (rc == 0) {
		while (rc == 0 && buf.len > scanned &&
		       (stop = memchr(buf.data + scanned, '\n', buf.len - scanned)) != NULL) {
			rc = fn(arg, buf.data + from, (size_t)(stop - buf.data) - from, true, err);
			from = scanned = (size_t)(stop - buf.data) + 1;
		}
		if (rc != 0)
			break;
		if (from > 0) {
			memmove(buf.data, buf.data + from, buf.len - from);
			buf.len -= from;
			from = 0;
		}
		scanned = buf.len;
		buf_need(&buf, CHUNK);
		n = read(fd, buf.data + buf.len, CHUNK);
		if (n == -1 && error_again(&tries))
			continue;
		if (n == -1)
			rc = error_sys(err, "cannot read '%s'", JOURNAL_FILE);
		else if (n == 0) {
			if (buf.len > 0)
				rc = fn(arg, buf.data, buf.len, false, err);
			break;
		} else if ((buf.len += (size_t)n) > 4 * (size_t)JOURNAL_LINE_MAX)
			rc = error_set(err, ERROR_INPUT, "'%s' has a line of more than %zu bytes",
			    JOURNAL_FILE, buf.len);
		buf.data[buf.len] = '\0';
	}
	buf_free(&buf);
	return rc;
}

struct chain {
	struct journal_check *check;
	const char *list;
	struct json json;
};

static int
chain_broken(struct chain *c, const char *how, struct error *err)
{
	c->check->bad_line = c->check->lines + 1;
	return error_set(err, ERROR_INPUT, "journal line %" PRIu64 " %s", c->check->bad_line, how);
}

static int
chain_line(void *arg, const char *line, size_t len, bool whole, struct error *err)
{
	struct chain *c = arg;
	struct journal_check *check = c->check;
	struct journal_tip tip;
	struct error ignored;
	int64_t seq;

	if (!whole) {
		check->torn = true;
		return chain_broken(c, "is torn: the file ends in the middle of it", err);
	}
	if (!journal_line_tip(line, len, &tip) || json_parse(&c->json, line, len, &ignored) == -1)
		return chain_broken(c, "was not written by this suite", err);
	if (!journal_line_true(line, len))
		return chain_broken(c, "was changed: its hash does not match its text", err);
	if (json_int(&c->json, json_member(&c->json, JSON_ROOT, "seq"), &seq) == -1 ||
	    (uint64_t)seq != check->lines + 1 ||
	    !json_equals(&c->json, json_member(&c->json, JSON_ROOT, "prev"),
		check->lines == 0 ? JOURNAL_ZEROS : check->head))
		return chain_broken(
		    c, "does not follow the one before: a line is missing or out of order", err);
	if (check->lines == 0 &&
	    (!json_equals(&c->json, json_member(&c->json, JSON_ROOT, "event"), "begin") ||
		(c->list != NULL &&
		    !json_equals(&c->json, json_member(&c->json, JSON_ROOT, "list"), c->list))))
		return chain_broken(c, "is not the first line of this list's journal", err);
	check->lines++;
	memcpy(check->head, tip.hash, sizeof(check->head));
	return 0;
}

int
journal_verify_text(
    const char *text, size_t len, const char *list, struct journal_check *check, struct error *err)
{
	struct chain c = { .check = check, .list = list };
	const char *end = text + len, *stop;
	int rc = 0;

	memset(check, 0, sizeof(*check));
	for (; rc == 0 && text < end; text = stop + 1) {
		stop = memchr(text, '\n', (size_t)(end - text));
		if (stop == NULL)
			stop = end;
		rc = chain_line(&c, text, (size_t)(stop - text), stop < end, err);
	}
	json_free(&c.json);
	return rc;
}

static int
verify_fd(int fd, const char *list, struct journal_check *check, struct error *err)
{
	struct chain c = { .check = check, .list = list };
	int rc;

	memset(check, 0, sizeof(*check));
	if (lseek(fd, 0, SEEK_SET) == -1)
		return error_sys(err, "cannot read '%s'", JOURNAL_FILE);
	rc = each_line(fd, chain_line, &c, err);
	json_free(&c.json);
	return rc;
}

/* 1 opened, 0 there is none, -1. */
static int
open_journal(int statefd, int *fd, struct error *err)
{
	struct stat st;

	*fd = openat(statefd, JOURNAL_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (*fd == -1 && errno == ENOENT)
		return 0;
	if (*fd == -1)
		return error_sys(err, "cannot open '%s'", JOURNAL_FILE);
	if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode))
		return 1;
	close(*fd);
	return error_set(err, ERROR_INPUT, "'%s' is not a regular file", JOURNAL_FILE);
}

int
journal_verify(int statefd, const char *list, struct journal_check *check, struct error *err)
{
	struct deadline patience = deadline_in(LOCK_PATIENCE_MS);
	int fd, rc;

	memset(check, 0, sizeof(*check));
	rc = open_journal(statefd, &fd, err);
	if (rc <= 0)
		return rc;
	rc = verify_fd(fd, list, check, err);
	if (rc == -1) {
		while (lock_flock(fd, false) == FLOCK_HELD && !deadline_past(patience))
			clock_sleep_us(500);
		rc = verify_fd(fd, list, check, err);
	}
	close(fd);
	return rc;
}

struct chain_reader {
	int (*fn)(void *, const struct json *, const char *, size_t);
	void *arg;
	struct json json;
};

static int
journal_line_read(void *arg, const char *line, size_t len, bool whole, struct error *err)
{
	struct chain_reader *r = arg;
	struct error ignored;

	(void)err;
	if (!whole || json_parse(&r->json, line, len, &ignored) == -1 ||
	    json_kind(&r->json, JSON_ROOT) != JSON_OBJECT)
		return 0;
	return r->fn(r->arg, &r->json, line, len);
}

int
journal_read(int statefd, int (*fn)(void *, const struct json *, const char *line, size_t len),
    void *arg, struct error *err)
{
	struct chain_reader r = { .fn = fn, .arg = arg };
	int fd, rc;

	rc = open_journal(statefd, &fd, err);
	if (rc <= 0)
		return rc;
	rc = each_line(fd, journal_line_read, &r, err);
	json_free(&r.json);
	close(fd);
	return rc;
}
