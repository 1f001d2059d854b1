/*
 * What we keep beside the client's lists: {config}/task-hooks/{list}, and
 * task-hooks/.sessions (names of lists have no dots).
 *
 * Claims and journals decide what agents may do, so a directory that others
 * can write to is refused.
 */
#include "list/list-part.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "list/list.h"
#include "sys/dir.h"
#include "sys/file.h"
#include "sys/lock.h"

#define LEARNT_DAYS 30 /* a session is not resumed after that */

static uid_t
user_id(void)
{
	static uid_t id = (uid_t)-1;

	if (id == (uid_t)-1)
		id = geteuid();
	return id;
}

static int
private_dir(int upfd, const char *name, bool make, struct error *err)
{
	struct stat st;
	int fd;

	if ((fd = dir_open_at(upfd, name, make, 0700, err)) == -1)
		return -1;
	if (fstat(fd, &st) == -1)
		error_sys(err, "cannot stat the state directory '%s'", name);
	else if (st.st_uid != user_id())
		error_set(err, ERROR_REFUSED,
		    "the state directory '%s' belongs to another user: chown or remove it", name);
	else if ((st.st_mode & 022) != 0)
		error_set(err, ERROR_REFUSED,
		    "other users may write to the state directory '%s': run chmod go-w on it",
		    name);
	else
		return fd;
	close(fd);
	return -1;
}

/* Tries to open it first: it is almost always there. */
static int
state_dir(const char *config, const char *name, bool make, struct error *err)
{
	int configfd, hooksfd, fd = -1;

	if (make &&
	    ((fd = state_dir(config, name, false, err)) != -1 || err->kind != ERROR_NOT_FOUND))
		return fd;

	configfd = make ? dir_make(config, 0777, err) : dir_open(config, err);
	if (configfd == -1)
		return -1;
	if ((hooksfd = private_dir(configfd, "task-hooks", make, err)) != -1) {
		fd = private_dir(hooksfd, name, make, err);
		close(hooksfd);
	}
	close(configfd);
	return fd;
}

int
list_state(const struct list *list, bool make, struct error *err)
{
	struct list *cached = (struct list *)list; /* const for callers: only the cache changes */

	if (!list->has_state) {
		cached->statefd = state_dir(list->config, list->name, make, err);
		cached->has_state = list->statefd != -1;
	}
	return list->statefd;
}

bool
list_state_has(const struct list *list, const char *file)
{
	char *path = mem_join(list->config, "/task-hooks/", list->name, "/", file, NULL);
	bool has = file_there(AT_FDCWD, path);

	free(path);
	return has;
}

int
list_state_read_mark(const struct list *list, const char *file, struct buf *text,
    struct file_mark *mark, struct error *err)
{
	int fd;

	if (!list->has_state && !list_state_has(list, file))
		return 0;
	if ((fd = list_state(list, false, err)) == -1)
		return err->kind == ERROR_NOT_FOUND ? 0 : -1;
	return file_read_mark(fd, file, 0, FILE_MAX, text, mark, err);
}

int
list_state_read(const struct list *list, const char *file, struct buf *text, struct error *err)
{
	return list_state_read_mark(list, file, text, NULL, err);
}

int
list_state_edit(const struct list *list, const char *file,
    int (*edit)(void *, struct buf *, struct error *), void *arg, struct deadline deadline,
    struct error *err)
{
	struct lock lock = LOCK_INIT;
	struct buf text = { 0 };
	char lock_name[NAME_MAX + 1];
	int fd, rc = -1;

	if ((fd = list_state(list, true, err)) == -1)
		return -1;
	snprintf(lock_name, sizeof(lock_name), "%s.lock", file);
	if (lock_own(&lock, fd, lock_name, deadline, err) == 0 &&
	    file_read(fd, file, 0, FILE_MAX, &text, err) != -1)
		rc = edit(arg, &text, err);
	if (rc == 1 && text.len > 0)
		rc = file_write(fd, file, text.data, text.len, 0600, DURABILITY_OFF, err) == -1 ? -1
												: 1;
	else if (rc == 1 && unlinkat(fd, file, 0) == -1 && errno != ENOENT)
		rc = error_sys(err, "cannot remove '%s'", file);
	lock_release(&lock);
	buf_free(&text);
	return rc;
}

char *
list_learnt(const char *config, const char *session)
{
	char *file = list_sanitise(session), *name = NULL;
	struct buf text = { 0 };
	struct error err;
	int fd;

	if ((fd = state_dir(config, ".sessions", false, &err)) != -1) {
		if (name_ok(file) && file_read(fd, file, 0, 255, &text, &err) == 1)
			name = list_sanitise(buf_text(&text));
		close(fd);
	}
	if (name != NULL && *name == '\0') {
		free(name);
		name = NULL;
	}
	buf_free(&text);
	free(file);
	return name;
}

static void
remove_old_sessions(int fd)
{
	int64_t oldest = clock_wall_ms() / 1000 - LEARNT_DAYS * 86400;
	DIR *dir = dir_read(fd, ".");
	struct dirent *e;
	struct stat st;

	if (dir == NULL)
		return;
	while ((e = readdir(dir)) != NULL)
		if (name_ok(e->d_name) && fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && st.st_mtime < oldest)
			unlinkat(fd, e->d_name, 0);
	closedir(dir);
}

int
list_learn(const struct list *list, const char *session, struct error *err)
{
	char *file = list_sanitise(session), *known = list_learnt(list->config, session);
	int fd, rc = 0;

	if (known == NULL || strcmp(known, list->name) != 0) {
		rc = -1;
		if (!name_ok(file))
			error_set(err, ERROR_INPUT, "'%s' is not the name of a session", file);
		else if ((fd = state_dir(list->config, ".sessions", true, err)) != -1) {
			remove_old_sessions(fd);
			rc = file_replace(
			    fd, file, list->name, strlen(list->name), 0600, DURABILITY_OFF, err);
			close(fd);
		}
	}
	free(file);
	free(known);
	return rc;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int
list_names(const char *config, struct strings *names, struct error *err)
{
	char *root = mem_printf("%s/tasks", config);
	struct dirent *e;
	struct stat st;
	DIR *dir;
	int rc = 0;

	if ((dir = opendir(root)) == NULL) {
		if (errno != ENOENT)
			rc = error_sys(err, "cannot read '%s'", root);
		free(root);
		return rc;
	}
	while ((e = readdir(dir)) != NULL)
		if (name_ok(e->d_name) &&
		    fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISDIR(st.st_mode))
			strings_add(names, e->d_name);
	closedir(dir);
	free(root);
	if (names->count > 1)
		qsort(names->item, names->count, sizeof(names->item[0]), by_name);
	return rc;
}
