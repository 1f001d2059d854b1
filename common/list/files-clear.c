/*
 * Removing every file of a list that is a task, or looks like one.
 *
 * As with the client, the list's lock is enough, and a directory stays.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "list/files-part.h"
#include "list/watermark.h"

struct removal {
	struct store *store;
	struct strings names, texts; /* parallel: the files, and what is in them */
};

static void
removal_add(struct removal *r, const struct task *t)
{
	char name[256];

	(void)files_name(r->store, t->id, name);
	strings_add(&r->names, name);
	strings_add(&r->texts, buf_text(&t->text));
}

/* A file that the client does not show. */
static void
add_other(void *arg, const char *name, const char *reason)
{
	struct removal *r = arg;
	struct buf text = { 0 };
	struct error ignored;
	struct stat st;
	char id[256];

	(void)reason;
	if (!files_id(r->store, name, id) ||
	    (fstatat(r->store->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode)))
		return;
	(void)file_read(r->store->dirfd, name, 0, FILE_MAX, &text, &ignored);
	strings_add(&r->names, name);
	strings_add(&r->texts, buf_text(&text));
	buf_free(&text);
}

/* Raise the watermark, so that no number is used again. */
static int
keep_mark(struct store *s, struct error *err)
{
	char next[64];

	if (!store_ops(s)->numbers)
		return 0;
	if (watermark_next(s, next, err) == -1)
		return -1;
	watermark_print(next, watermark_number(next) - 1);
	return watermark_raise(s, next, err);
}

/* All of them, or none: if one cannot be removed, those before it are written again. */
static int
remove_all(struct removal *r, struct error *err)
{
	struct store *s = r->store;
	struct error ignored;
	struct rlimit room;
	bool raised = files_room(r->names.count, &room);
	size_t i, left = 0;
	int rc = 0;

	for (i = 0; rc == 0 && i < r->names.count; i++) {
		store_pin(s, r->names.item[i]);
		if (unlinkat(s->dirfd, r->names.item[i], 0) == -1 && errno != ENOENT)
			rc = error_sys(err, "cannot remove '%s/%s'", s->dir, r->names.item[i]);
	}
	if (raised)
		(void)setrlimit(RLIMIT_NOFILE, &room);
	if (rc == 0)
		return 0;
	store_unpin(s); /* descriptors are needed */
	for (i--; i > 0; i--)
		if (file_replace(s->dirfd, r->names.item[i - 1], r->texts.item[i - 1],
			strlen(r->texts.item[i - 1]), 0, s->durability, &ignored) == -1)
			left++;
	return left == 0
		   ? -1
		   : error_prefix(err, "%zu of %zu files are removed and could not be restored",
			 left, r->names.count);
}

int
files_clear(struct store *s, struct task_set *tasks, struct strings *others, struct error *err)
{
	struct removal r = { .store = s };
	int rc = files_load(s, tasks, err);

	for (size_t i = 0; rc == 0 && i < tasks->count; i++)
		removal_add(&r, &tasks->item[i]);
	if (rc == 0)
		rc = files_bad(s, add_other, &r, err);
	if (rc == 0 && store_verify(s, NULL, err) == 0 && keep_mark(s, err) == 0 &&
	    store_verify(s, NULL, err) == 0)
		rc = remove_all(&r, err);
	else
		rc = -1;
	for (size_t i = tasks->count; rc == 0 && i < r.names.count; i++) {
		strings_add(others, r.names.item[i]);
		strings_add(others, r.texts.item[i]);
	}
	if (rc == 0)
		rc = (int)r.names.count;
	strings_free(&r.names);
	strings_free(&r.texts);
	return rc;
}
