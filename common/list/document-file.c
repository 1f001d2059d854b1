/*
 * tasks.json on the disk.
 *
 * Other tools flock tasks.json, read it and write it in place.  So do we.
 * If we put another file in its place, a tool that waits for the lock of the
 * old one would then write to a file without a name.  It is the one file of
 * a list that is not replaced.
 *
 * A write in place can be cut off.  So a copy of both texts, the old and the
 * new, is first put beside tasks.json, and removed when that is written.
 * If no process holds the lock, a copy means that one of ours died while
 * writing.  Then tasks.json has
 *	the old text or the new one: the copy is not needed;
 *	at each place a byte of the old or of the new text, or no JSON: it is
 *	    torn, and gets the new text;
 *	another text: another tool wrote it since, and the copy is outdated.
 * The last is why the old text is in the copy: half of the new text and half
 * of the old one can be JSON too.
 *
 * Readers lock too, shared, but for a short time: a tool that holds the lock
 * for long does not stop them.
 *
 * Who reads without a lock sees JSON after each of our system calls: the rest
 * of a longer old text is overwritten with blanks before it is cut off.
 */
#include "list/document-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "os/os.h"

#define DOCUMENT_MAX (64u << 20)
#define COPY ".tasks.json.copy"
#define COPY_MAX (2 * DOCUMENT_MAX + 128)
#define READ_PATIENCE_MS 250

/* The copy: a line with the hash of the rest and the length of the old text, then both texts. */
struct copy {
	struct buf file;
	const char *old, *new;
	size_t old_len, new_len;
};

/* 1; 0 there is none that is whole; -1 it cannot be read. */
static int
copy_load(const struct store *s, struct copy *c, struct error *err)
{
	int rc = file_read(s->dirfd, COPY, 0, COPY_MAX, &c->file, err);
	char hash[HASH_HEX], *end;
	const char *line;
	size_t rest;

	if (rc != 1)
		return rc;
	line = memchr(c->file.data, '\n', c->file.len);
	if (line == NULL || line - c->file.data < HASH_HEX)
		return 0;
	c->old = line + 1;
	rest = c->file.len - (size_t)(c->old - c->file.data);
	c->old_len = strtoul(c->file.data + HASH_HEX, &end, 10);
	hash_text(c->old, rest, hash);
	if (end != line || c->old_len > rest || strncmp(c->file.data, hash, HASH_HEX - 1) != 0)
		return 0;
	c->new = c->old + c->old_len;
	c->new_len = rest - c->old_len;
	return 1;
}

static int
copy_put(const struct store *s, const struct buf *old, const struct buf *new, mode_t mode,
    struct error *err)
{
	struct file_stage stage = FILE_STAGE_INIT;
	struct buf both = { 0 }, file = { 0 };
	char hash[HASH_HEX];
	int rc;

	buf_add(&both, buf_text(old), old->len);
	buf_add(&both, buf_text(new), new->len);
	hash_text(both.data, both.len, hash);
	buf_printf(&file, "%s %zu\n", hash, old->len);
	buf_add(&file, both.data, both.len);
	/* Its name must be on the disk before tasks.json changes there. */
	rc = file_stage(&stage, s->dirfd, COPY, file.data, file.len, (int)(mode & 0777),
	    s->durability == DURABILITY_OFF ? DURABILITY_OFF : DURABILITY_FULL, err);
	if (rc == 0)
		rc = file_commit(&stage, err);
	buf_free(&both);
	buf_free(&file);
	return rc;
}

/* A copy that remains is harmless. */
static void
copy_remove(const struct store *s)
{
	int tries = 0;

	while (unlinkat(s->dirfd, COPY, 0) == -1 && error_again(&tries))
		;
}

static bool
is_text(const struct buf *now, const char *text, size_t len)
{
	return now->len == len && memcmp(buf_text(now), text, len) == 0;
}

/* A write of ours that was cut off: at each place a byte of the old text or of the new one. */
static bool
is_mixed(const struct copy *c, const struct buf *now)
{
	size_t i;

	for (i = 0; i < now->len; i++)
		if ((i >= c->old_len || now->data[i] != c->old[i]) &&
		    now->data[i] != (i < c->new_len ? c->new[i] : ' '))
			return false;
	return now->len >= (c->old_len < c->new_len ? c->old_len : c->new_len);
}

/* Must the new text of the copy be written over tasks.json as it is now? */
static bool
copy_is_due(const struct copy *c, const struct buf *now)
{
	struct json j = { 0 };
	struct error ignored;
	bool due;

	if (is_text(now, c->old, c->old_len) || is_text(now, c->new, c->new_len))
		return false;
	due = is_mixed(c, now) || json_parse(&j, buf_text(now), now->len, &ignored) == -1;
	json_free(&j);
	return due;
}

/* The text, whatever is in the file.  Room for it is taken before anything is changed. */
static int
write_in_place(int fd, const char *text, size_t len, enum durability durability, struct error *err)
{
	struct buf padded = { 0 };
	struct stat st;
	int rc = -1;

	if (fstat(fd, &st) == -1)
		return error_sys(err, "cannot look at it");
	if ((size_t)st.st_size < len && os_reserve(fd, (off_t)len) == -1 &&
	    (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
		return error_sys(err, "cannot write");
	buf_add(&padded, text, len);
	while (padded.len < (size_t)st.st_size)
		buf_putc(&padded, ' ');
	if (file_write_at(fd, padded.data, padded.len, 0, err) == -1)
		;
	else if (padded.len > len && ftruncate(fd, (off_t)len) == -1)
		error_sys(err, "cannot shorten it");
	else if (durability != DURABILITY_OFF && file_flush(fd) == -1)
		error_sys(err, "cannot sync it");
	else
		rc = 0;
	buf_free(&padded);
	return rc;
}

/* With the lock held: finish the write of a process that died, and remove its copy. */
static int
recover(struct store *s, struct error *err)
{
	struct copy c = { 0 };
	struct buf now = { 0 };
	int rc = copy_load(s, &c, err);

	if (rc == 1 && (rc = file_read(s->dirfd, DOCUMENT, 0, DOCUMENT_MAX, &now, err)) == 1 &&
	    copy_is_due(&c, &now))
		rc = write_in_place(s->lock.file, c.new, c.new_len, s->durability, err);
	if (rc != -1 && c.file.data != NULL)
		copy_remove(s);
	buf_free(&now);
	buf_free(&c.file);
	return rc == -1 ? -1 : 0;
}

int
document_lock(struct store *s, struct deadline deadline, struct error *err)
{
	if (lock_file(&s->lock, s->dirfd, DOCUMENT, false, deadline, err) == -1)
		return -1;
	if (recover(s, err) == 0)
		return 0;
	lock_release(&s->lock);
	return error_prefix(err, "'%s/%s'", s->dir, DOCUMENT);
}

bool
document_exists(int dirfd)
{
	struct buf text = { 0 };
	struct json j = { 0 };
	struct error ignored;
	bool task;

	if (!file_there(dirfd, DOCUMENT))
		return false;
	task = file_read(dirfd, DOCUMENT, 0, DOCUMENT_MAX, &text, &ignored) == 1 &&
	       json_parse(&j, buf_text(&text), text.len, &ignored) == 0 &&
	       json_kind(&j, json_member(&j, JSON_ROOT, "id")) == JSON_STRING &&
	       json_member(&j, JSON_ROOT, "tasks") == JSON_ABSENT;
	json_free(&j);
	buf_free(&text);
	return !task;
}

int
document_read(struct store *s, struct buf *text, struct error *err)
{
	struct deadline patience = deadline_in(READ_PATIENCE_MS);
	struct lock lock = LOCK_INIT;
	struct copy c = { 0 };
	struct error ignored;
	bool torn;
	int rc;

	if (s->depth == 0)
		(void)lock_file(&lock, s->dirfd, DOCUMENT, true, patience, &ignored);
	rc = file_read(s->dirfd, DOCUMENT, 0, DOCUMENT_MAX, text, err);
	torn = rc == 1 && s->depth == 0 && copy_load(s, &c, &ignored) == 1 && copy_is_due(&c, text);
	lock_release(&lock);
	if (torn) {
		buf_reset(text);
		buf_add(text, c.new, c.new_len);
		/* Whoever gets the lock recovers the file. */
		if (store_enter(s, patience, &ignored) == 0)
			store_leave(s);
	}
	buf_free(&c.file);
	return rc == 0 ? error_set(err, ERROR_NOT_FOUND, "'%s/%s' is gone", s->dir, DOCUMENT) : rc;
}

int
document_write(struct store *s, const struct buf *old, const struct buf *new, struct error *err)
{
	struct stat held, named;
	struct error ignored;
	int fd = s->lock.file;

	if (store_verify(s, NULL, err) == -1)
		return -1;
	if (fstat(fd, &held) == -1 ||
	    fstatat(s->dirfd, DOCUMENT, &named, AT_SYMLINK_NOFOLLOW) == -1)
		return error_sys(err, "cannot look at '%s/%s'", s->dir, DOCUMENT);
	if (held.st_ino != named.st_ino || held.st_dev != named.st_dev)
		return error_set(err, ERROR_LOST,
		    "another program has replaced '%s/%s' meanwhile; nothing was written", s->dir,
		    DOCUMENT);
	if (copy_put(s, old, new, held.st_mode, err) == -1)
		return -1;
	if (write_in_place(fd, buf_text(new), new->len, s->durability, err) == 0) {
		copy_remove(s);
		return 0;
	}
	/* If the old text cannot be written back, the copy stays, and the next process recovers. */
	if (write_in_place(fd, buf_text(old), old->len, s->durability, &ignored) == 0)
		copy_remove(s);
	return error_prefix(err, "'%s/%s'", s->dir, DOCUMENT);
}
