/*
 * Appending.
 *
 * The lock is a flock on the journal itself, which is never replaced.  To
 * find the hash to chain to, only the end of the file is read, so that an
 * append costs the same for the first line and the millionth.
 *
 * All lines of a call are written by one write after the last whole line.  If
 * that fails they are cut off again.  A process killed in between, or a power
 * cut, leaves an incomplete last line.  The next append saves its bytes in a
 * file of their own and overwrites them with a line that says so.  After a
 * kill at any point there is either still an incomplete end, or that line.
 *
 * Lines that prove and restore nothing (a refusal, a message) are not synced
 * by themselves, but together with the next line that is.
 *
 * A last line that is whole but was changed is not detected here.  The next
 * line is chained to the hash that it has, and verification always reports
 * the changed line.
 */
#include "list/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "list/journal-line.h"
#include "sys/lock.h"
#include "json/out.h"

#define TAIL_FIRST 4096
#define TAIL_MOST (4 * (size_t)JOURNAL_LINE_MAX)

static int
read_at(int fd, off_t from, size_t len, struct buf *buf, struct error *err)
{
	ssize_t n;
	int tries = 0;

	buf_reset(buf);
	buf_need(buf, len);
	while (buf->len < len) {
		n = pread(fd, buf->data + buf->len, len - buf->len, from + (off_t)buf->len);
		if (n == -1 && error_again(&tries))
			continue;
		if (n == -1)
			return error_sys(err, "cannot read '%s'", JOURNAL_FILE);
		if (n == 0)
			break;
		buf->len += (size_t)n;
	}
	buf->data[buf->len] = '\0';
	return 0;
}

/*
 * The last whole line in a window that ends where the file does: where it
 * ends in the window, or 0 if none is seen.  `first`: the window begins at
 * the file's beginning.
 */
static size_t
last_line(const struct buf *window, bool first, struct journal_tip *tip)
{
	const char *data = buf_text(window), *start, *stop;
	size_t end = window->len;

	while (end > 0) {
		stop = text_last(data, end, '\n');
		if (stop == NULL)
			return 0;
		start = text_last(data, (size_t)(stop - data), '\n');
		if (start == NULL && !first)
			return 0;
		start = start == NULL ? data : start + 1;
		if (journal_line_tip(start, (size_t)(stop - start), tip))
			return (size_t)(stop - data) + 1;
		end = (size_t)(stop - data);
	}
	return 0;
}

/* Finds where to write the next line; tip is zeroed if there is no line. */
static int
find_end(int fd, off_t size, off_t *good, struct journal_tip *tip, struct error *err)
{
	struct buf window = { 0 };
	size_t len = TAIL_FIRST, end = 0;
	int rc = -1;

	for (;; len *= 4) {
		if ((off_t)len > size)
			len = (size_t)size;
		if (read_at(fd, size - (off_t)len, len, &window, err) == -1)
			goto out;
		end = last_line(&window, (off_t)len == size, tip);
		if (end > 0 || (off_t)len == size)
			break;
		if (len > TAIL_MOST) {
			error_set(err, ERROR_FAULT,
			    "'%s' has no journal line in its last %zu bytes; move the file away",
			    JOURNAL_FILE, len);
			goto out;
		}
	}
	*good = end > 0 ? size - (off_t)len + (off_t)end : 0;
	if (end == 0)
		memset(tip, 0, sizeof(*tip));
	rc = 0;
out:
	buf_free(&window);
	return rc;
}

static void
add_begin(struct buf *text, struct journal_tip *tip, const char *list)
{
	struct journal_entry e = { .event = "begin", .extra = out_object() };

	out_string(e.extra, "list", list);
	journal_line_add(text, tip, &e);
	json_object_put(e.extra);
}

/* Saves the bytes of an incomplete line, and adds the line that says so. */
static int
add_torn(int statefd, enum durability durability, const struct buf *torn, struct buf *text,
    struct journal_tip *tip, struct error *err)
{
	struct journal_entry e = { .event = "torn" };
	char name[64], hex[HASH_HEX];
	int fd = -1, rc, n;

	for (n = 1; n < 1000 && fd == -1; n++) {
		snprintf(name, sizeof(name), "journal.torn-%d", n);
		fd = openat(
		    statefd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd == -1 && errno != EEXIST)
			return error_sys(err, "cannot make '%s'", name);
	}
	if (fd == -1)
		return error_set(err, ERROR_FAULT,
		    "there are 999 files journal.torn-N beside '%s'; remove some", JOURNAL_FILE);
	rc = file_write_all(fd, torn->data, torn->len, err);
	if (rc == 0 && durability != DURABILITY_OFF && file_flush(fd) == -1)
		rc = error_sys(err, "cannot sync");
	close(fd);
	if (rc == -1) {
		unlinkat(statefd, name, 0);
		return error_prefix(err, "'%s'", name);
	}
	hash_text(torn->data, torn->len, hex);
	e.why = "the journal ended in the middle of a line";
	e.extra = out_object();
	out_string(e.extra, "file", name);
	out_int(e.extra, "bytes", (int64_t)torn->len);
	out_string(e.extra, "sha256", hex);
	journal_line_add(text, tip, &e);
	json_object_put(e.extra);
	return 0;
}

/* One write, if the system takes it all.  On failure what was written is cut off again. */
static int
write_lines(int fd, off_t size, off_t good, const struct buf *text, bool flush, struct error *err)
{
	off_t end = good + (off_t)text->len;
	size_t done = 0;
	ssize_t n;
	int tries = 0;

	while (done < text->len) {
		n = pwrite(fd, text->data + done, text->len - done, good + (off_t)done);
		if (n == -1 && error_again(&tries))
			continue;
		if (n == 0)
			errno = ENOSPC;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (done < text->len || (size > end && ftruncate(fd, end) == -1) ||
	    (flush && file_flush(fd) == -1)) {
		error_sys(err, "cannot write '%s'", JOURNAL_FILE);
		if (ftruncate(fd, good) == -1 && errno == EINTR && ftruncate(fd, good) == -1)
			error_prefix(err, "torn"); /* the next append sets it aside */
		return -1;
	}
	return 0;
}

static int
append_locked(int statefd, int fd, const char *list, enum durability durability,
    struct journal_entry *entries, size_t count, struct error *err)
{
	struct buf text = { 0 }, torn = { 0 };
	struct journal_tip tip = { 0 };
	struct stat st;
	bool flush = false;
	off_t good;
	int rc = -1;

	if (fstat(fd, &st) == -1) {
		error_sys(err, "cannot stat '%s'", JOURNAL_FILE);
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		error_set(err, ERROR_FAULT, "'%s' is not a regular file", JOURNAL_FILE);
		goto out;
	}
	/* It is written in place: a write would also change the file under its other name. */
	if (st.st_nlink > 1) {
		error_set(err, ERROR_FAULT,
		    "'%s' has another name (a hard link); replace it by a copy", JOURNAL_FILE);
		goto out;
	}
	if (find_end(fd, st.st_size, &good, &tip, err) == -1)
		goto out;
	if (good == 0)
		add_begin(&text, &tip, list);
	if (good < st.st_size &&
	    (read_at(fd, good, (size_t)(st.st_size - good), &torn, err) == -1 ||
		add_torn(statefd, durability, &torn, &text, &tip, err) == -1))
		goto out;
	for (size_t i = 0; i < count; i++) {
		journal_line_add(&text, &tip, &entries[i]);
		flush |= durability != DURABILITY_OFF && !entries[i].light;
	}
	rc = write_lines(fd, st.st_size, good, &text, flush, err);
out:
	buf_free(&text);
	buf_free(&torn);
	return rc;
}

static void
release_entries(struct journal_entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		json_object_put(entries[i].from);
		json_object_put(entries[i].to);
		json_object_put(entries[i].extra);
		entries[i].from = entries[i].to = entries[i].extra = NULL;
	}
}

int
journal_append_all(const struct list *list, enum durability durability,
    struct journal_entry *entries, size_t count, struct deadline deadline, struct error *err)
{
	struct lock lock = LOCK_INIT;
	int statefd, rc = 0;

	if (count > 0) {
		rc = -1;
		if ((statefd = list_state(list, true, err)) != -1 &&
		    lock_own(&lock, statefd, JOURNAL_FILE, deadline, err) == 0)
			rc = append_locked(
			    statefd, lock.file, list->name, durability, entries, count, err);
		lock_release(&lock);
	}
	release_entries(entries, count);
	return rc;
}

int
journal_append(const struct list *list, enum durability durability, struct journal_entry *entry,
    struct deadline deadline, struct error *err)
{
	return journal_append_all(list, durability, entry, 1, deadline, err);
}

void
journal_group(char group[JOURNAL_GROUP])
{
	static unsigned serial;

	snprintf(group, JOURNAL_GROUP, "%llx-%x-%x", (unsigned long long)clock_wall_ms(),
	    (unsigned)getpid(), serial++);
}
