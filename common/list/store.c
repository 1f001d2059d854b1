/*
 * Open a list, find its layout, hold its lock.  The layouts (files.h,
 * document.h) do the rest.
 */
#include "list/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "list/document-file.h"
#include "list/document.h"
#include "list/files.h"
#include "list/store-part.h"
#include "os/os.h"
#include "sys/dir.h"

const struct store_ops *
store_ops(const struct store *s)
{
	static const struct store_ops *const ops[STORE_LAYOUTS] = { [STORE_NATIVE] =
									&files_native_ops,
		[STORE_DOCUMENT] = &document_ops,
		[STORE_FOLDER] = &files_folder_ops };

	return ops[s->layout];
}

enum task_dialect
store_dialect(const struct store *s)
{
	return store_ops(s)->dialect;
}

size_t
store_portion(const struct store *s)
{
	return store_ops(s)->one_file ? SIZE_MAX : STORE_PORTION;
}

/* Which programs' files the directory has, by their names. */
struct names {
	bool native; /* 7.json */
	bool folder; /* task_1738950000_ab12.json */
};

static void
names_read(struct store *s, struct names *names)
{
	DIR *dir = dir_read(s->dirfd, ".");
	struct dirent *e;
	size_t digits;

	if (dir == NULL)
		return;
	while (!names->native && (e = readdir(dir)) != NULL) {
		digits = strspn(e->d_name, "0123456789");
		if (digits > 0 && strcmp(e->d_name + digits, ".json") == 0)
			names->native = true;
		if (strncmp(e->d_name, "task_", 5) == 0 && strspn(e->d_name + 5, "0123456789") >= 9)
			names->folder = true;
	}
	closedir(dir);
}

const char *const store_layouts[STORE_LAYOUTS] = { "native", "document", "folder" };

bool
store_folder_name(const char *dir)
{
	size_t len = strlen(dir);

	while (len > 1 && dir[len - 1] == '/')
		len--;
	return len >= 6 && memcmp(dir + len - 6, ".tasks", 6) == 0 &&
	       (len == 6 || dir[len - 7] == '/');
}

/*
 * The client reads only its own files, so these decide where there are any.
 * If there is a .lock and no tasks.json, the names need not be read.
 */
static void
layout_find(struct store *s)
{
	bool document = document_exists(s->dirfd);
	struct names names = { 0 };

	/* The client has no list of that name, whatever its files are called. */
	if (!document && store_folder_name(s->dir)) {
		s->layout = STORE_FOLDER;
		return;
	}
	s->layout = STORE_NATIVE;
	if (!document && faccessat(s->dirfd, ".lock", F_OK, 0) == 0)
		return;
	names_read(s, &names);
	if (names.native)
		return;
	if (document)
		s->layout = STORE_DOCUMENT;
	else if (names.folder)
		s->layout = STORE_FOLDER;
}

int
store_open(struct store *s, const char *dir, bool make, struct error *err)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(dir, flags);

	if (fd == -1 && errno == ENOENT && make) {
		if ((fd = dir_make(dir, 0777, err)) == -1)
			return -1;
		close(fd);
		s->made = true;
		fd = open(dir, flags);
	}
	if (fd == -1 && errno == ENOENT)
		return 0;
	if (fd == -1)
		return error_sys(err, "cannot open the list '%s'", dir);
	s->dirfd = fd;
	s->dir = mem_string(dir);
	layout_find(s);
	return 1;
}

void
store_close(struct store *s)
{
	lock_release(&s->lock);
	store_unpin(s);
	if (s->dirfd != -1)
		close(s->dirfd);
	if (s->made)
		(void)rmdir(s->dir);
	free(s->dir);
	buf_free(&s->scratch);
	store_uncache(s);
	store_forget_others(s);
	*s = (struct store)STORE_INIT;
}

int
store_enter(struct store *s, struct deadline deadline, struct error *err)
{
	if (s->depth == 0 && store_ops(s)->lock(s, deadline, err) == -1)
		return -1;
	s->depth++;
	return 0;
}

void
store_leave(struct store *s)
{
	if (--s->depth > 0)
		return;
	lock_release(&s->lock);
	store_unpin(s);
}

void
store_pin(struct store *s, const char *name)
{
	int fd = os_pin(s->dirfd, name);

	if (fd == -1)
		return;
	s->pin = mem_more(s->pin, s->pins, sizeof(s->pin[0]));
	s->pin[s->pins++] = fd;
}

void
store_unpin(struct store *s)
{
	while (s->pins > 0)
		close(s->pin[--s->pins]);
	free(s->pin);
	s->pin = NULL;
}

int
store_verify(struct store *s, struct lock *task, struct error *err)
{
	if ((task != NULL && lock_verify(task, err) == -1) ||
	    (s->depth > 0 && lock_verify(&s->lock, err) == -1))
		return -1;
	s->changed = true;
	return 0;
}

bool
store_again(
    const struct store *s, int rc, int *tries, struct deadline deadline, const struct error *err)
{
	return rc == -1 && err->kind == ERROR_LOST && s->depth == 0 && ++*tries < LOST_TRIES &&
	       !deadline_past(deadline);
}

int
store_locked(struct store *s, int (*fn)(void *, struct store *, struct error *), void *arg,
    struct deadline deadline, struct error *err)
{
	int rc, i = 0;

	do {
		if (store_enter(s, deadline, err) == -1)
			return -1;
		rc = fn(arg, s, err);
		store_leave(s);
	} while (store_again(s, rc, &i, deadline, err));
	return rc;
}

bool
store_id_ok(const struct store *s, const char *id)
{
	char name[256];

	return store_ops(s)->one_file ? document_id_ok(id)
				      : files_name(s, id, name) && strcmp(name, DOCUMENT) != 0;
}

bool
store_id_taken(const struct store *s, const char *id)
{
	char name[256];

	if (store_ops(s)->one_file)
		return task_index_find(&s->cache_index, id) != TASK_NOWHERE;
	return files_name(s, id, name) && file_there(s->dirfd, name);
}

int
store_get(struct store *s, const char *id, struct task *t, struct error *err)
{
	size_t at;

	if (s->cached == NULL)
		return store_ops(s)->get(s, id, t, err);
	if ((at = task_index_find(&s->cache_index, id)) != TASK_NOWHERE)
		task_copy(t, &s->cached->item[at]);
	return at != TASK_NOWHERE;
}

int
store_cache(struct store *s, struct error *err)
{
	store_uncache(s);
	if (!store_ops(s)->one_file)
		return 0;
	s->cached = mem_alloc(sizeof(*s->cached));
	if (store_load(s, s->cached, err) == -1) {
		store_uncache(s);
		return -1;
	}
	task_index_make(&s->cache_index, s->cached);
	return 0;
}

void
store_uncache(struct store *s)
{
	if (s->cached == NULL)
		return;
	task_set_free(s->cached);
	task_index_free(&s->cache_index);
	free(s->cached);
	s->cached = NULL;
}

int
store_load(struct store *s, struct task_set *set, struct error *err)
{
	return store_ops(s)->load(s, set, err);
}

/* The time that the task says, else `ms`; owned. */
static char *
time_of(char *said, int64_t ms)
{
	char iso[CLOCK_ISO];

	if (said != NULL)
		return said;
	clock_iso_seconds(iso, ms);
	return mem_string(iso);
}

void
store_times(struct store *s, const struct task *t, char **made, char **changed)
{
	bool one_file = store_ops(s)->one_file;
	char name[256] = DOCUMENT;
	int64_t birth = 0, written = 0;

	if (one_file || files_name(s, t->id, name))
		os_file_times(s->dirfd, name, &written, &birth);
	if (one_file || birth > written)
		birth = written;
	*made = time_of(task_time(t, "created_at"), birth);
	*changed = time_of(one_file ? task_time(t, "updated_at") : NULL, written);
}

struct owned {
	const char *owner;
	int (*fn)(void *, const struct task *);
	void *arg;
};

static int
visit_owned(void *arg, const struct task *t)
{
	struct owned *o = arg;

	if (o->owner != NULL && (t->owner == NULL || strcmp(t->owner, o->owner) != 0))
		return 0;
	return o->fn(o->arg, t);
}

/* Are the bytes of the name in the text as they are?  Not if JSON escapes one. */
static bool
needs_no_escape(const char *s)
{
	for (; *s != '\0'; s++)
		if ((unsigned char)*s < 0x20 || *s == '"' || *s == '\\' || *s == '/' ||
		    (unsigned char)*s >= 0x7f)
			return false;
	return true;
}

int
store_scan(struct store *s, const char *owner, int (*fn)(void *, const struct task *), void *arg,
    struct error *err)
{
	struct owned o = { owner, fn, arg };
	const char *const needles[] = { owner, NULL };

	return store_ops(s)->scan(
	    s, owner != NULL && needs_no_escape(owner) ? needles : NULL, visit_owned, &o, err);
}

int
store_scan_children(
    struct store *s, int (*fn)(void *, const struct task *), void *arg, struct error *err)
{
	static const char *const needles[] = { "parent", "[^#", NULL };

	return store_ops(s)->scan(s, needles, fn, arg, err);
}

int
store_walk(struct store *s, enum task_status status, int (*fn)(void *, const struct task *),
    void *arg, struct error *err)
{
	const char *const needles[] = { task_status_name(status), NULL };

	return store_ops(s)->walk(s, needles, fn, arg, err);
}

int
store_bad(struct store *s, void (*fn)(void *, const char *file, const char *reason), void *arg,
    struct error *err)
{
	return store_ops(s)->bad(s, fn, arg, err);
}

int
store_get_shown(struct store *s, const char *id, struct task *t, struct error *err)
{
	int rc = store_get(s, id, t, err);

	return rc == -1 && err->kind == ERROR_INPUT ? 0 : rc;
}

int
store_blockers(struct store *s, const struct task *task, struct blockers *b, struct error *err)
{
	struct task t = TASK_INIT;
	int rc = 0;

	memset(b, 0, sizeof(*b));
	for (size_t i = 0; rc != -1 && i < task->blocked_by.count; i++) {
		rc = store_get_shown(s, task->blocked_by.item[i], &t, err);
		if (rc != -1 && task_blocks(rc == 1 ? &t : NULL))
			blockers_add(b, task->blocked_by.item[i], rc == 1 ? &t : NULL);
	}
	task_free(&t);
	if (rc == -1)
		blockers_free(b);
	return rc == -1 ? -1 : 0;
}

int
store_status(struct store *s, const struct task *t, enum task_status *status, struct error *err)
{
	struct blockers b;

	*status = t->status;
	if (t->status != TASK_PENDING)
		return 0;
	if (store_blockers(s, t, &b, err) == -1)
		return -1;
	if (b.count > 0)
		*status = TASK_BLOCKED;
	blockers_free(&b);
	return 0;
}

static int
store_waits(void *arg, const char *id, struct graph_task *g, struct error *err)
{
	struct task t = TASK_INIT;
	int rc = store_get_shown(arg, id, &t, err);

	if (rc == 1)
		graph_task_fill(g, &t);
	task_free(&t);
	return rc;
}

int
store_check_edges(
    struct store *s, const char *id, struct graph_edge *edge, size_t count, struct error *err)
{
	return graph_check_edges(store_waits, s, id, edge, count, err);
}
