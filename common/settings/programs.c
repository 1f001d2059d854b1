#include "settings/programs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "settings/install-record.h"
#include "sys/dir.h"
#include "sys/file.h"

#define PROGRAM_MAX (256u << 20)
#define HASH_SHOWN 12
#define LINK "bin"
#define LINK_TEMP ".bin"

const char *const programs_name[PROGRAMS] = { "on-pretooluse-task", "on-task-completed-verify",
	"on-subagent-stop", "claude-tasks" };

/* The programs of one directory, in memory. */
struct set {
	struct buf bytes[PROGRAMS];
	char hex[PROGRAMS][HASH_HEX];
	char name[NAME_MAX + 1]; /* of the directory of their copies */
};

char *
programs_bin(const char *config)
{
	char *real = *config == '/' ? NULL : realpath(config, NULL);
	char *bin = mem_printf("%s/task-hooks/.programs/" LINK, real != NULL ? real : config);

	free(real);
	return bin;
}

static int
programs_open(const char *config, bool make, struct error *err)
{
	char *path = mem_printf("%s/task-hooks", config);
	int fd = -1, hooksfd = make ? dir_make(path, 0700, err) : dir_open(path, err);

	free(path);
	if (hooksfd != -1) {
		fd = dir_open_at(hooksfd, ".programs", make, 0700, err);
		close(hooksfd);
	}
	return fd;
}

/* What the link names: a directory beside it; NULL: nothing, or something else.  Owned. */
static char *
current_copy(int dirfd)
{
	char target[NAME_MAX + 1];
	ssize_t n = readlinkat(dirfd, LINK, target, sizeof(target) - 1);

	if (n <= 0)
		return NULL;
	target[n] = '\0';
	return name_ok(target) ? mem_string(target) : NULL;
}

bool
programs_there(const char *config)
{
	struct error ignored;
	int dirfd = programs_open(config, false, &ignored);
	char *target = dirfd != -1 ? current_copy(dirfd) : NULL;
	bool there = target != NULL;

	free(target);
	if (dirfd != -1)
		close(dirfd);
	return there;
}

bool
programs_is_copy(const char *config, const char *dir)
{
	char *path = mem_printf("%s/task-hooks/.programs", config), *real = realpath(path, NULL);
	bool is = real != NULL && dir_contains(real, dir);

	free(path);
	free(real);
	return is;
}

bool
programs_in_package(const char *path)
{
	static const char name[] = "/node_modules";
	size_t len = sizeof(name) - 1;

	for (const char *p = path; (p = strstr(p, name)) != NULL; p += len)
		if (p[len] == '/' || p[len] == '\0')
			return true;
	return false;
}

bool
programs_same(const char *a, const char *b)
{
	struct buf x = { 0 }, y = { 0 };
	struct error ignored;
	bool same = file_read_path(a, PROGRAM_MAX, &x, &ignored) == 1 &&
		    file_read_path(b, PROGRAM_MAX, &y, &ignored) == 1 && x.len == y.len &&
		    memcmp(buf_text(&x), buf_text(&y), x.len) == 0;

	buf_free(&x);
	buf_free(&y);
	return same;
}

static int
set_read(struct set *s, const char *dir, struct error *err)
{
	struct hash all;
	char hex[HASH_HEX];
	int rc = 1;

	*s = (struct set){ 0 };
	hash_begin(&all);
	for (size_t i = 0; i < PROGRAMS && rc == 1; i++) {
		char *path = mem_printf("%s/%s", dir, programs_name[i]);

		rc = file_read_path(path, PROGRAM_MAX, &s->bytes[i], err);
		if (rc == 0)
			error_set(err, ERROR_NOT_FOUND, "there is no '%s' to be copied", path);
		hash_text(buf_text(&s->bytes[i]), s->bytes[i].len, s->hex[i]);
		hash_field(&all, s->hex[i]);
		free(path);
	}
	hash_end(&all, hex);
	snprintf(s->name, sizeof(s->name), "%s-%.*s", VERSION, HASH_SHOWN, hex);
	return rc == 1 ? 0 : -1;
}

static void
set_free(struct set *s)
{
	for (size_t i = 0; i < PROGRAMS; i++)
		buf_free(&s->bytes[i]);
}

/* Is it a program with these bytes, and no link? */
static bool
holds_program(int dirfd, const char *name, const struct buf *bytes)
{
	struct buf now = { 0 };
	struct error ignored;
	struct stat st;
	bool is = fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		  (st.st_mode & 07777) == 0755 &&
		  file_read(dirfd, name, 0, PROGRAM_MAX, &now, &ignored) == 1 &&
		  now.len == bytes->len && memcmp(buf_text(&now), buf_text(bytes), now.len) == 0;

	buf_free(&now);
	return is;
}

/* Whole and synced before it gets its name; what has the name, also a link, is replaced. */
static int
put_program(int dirfd, const char *name, const struct buf *bytes, struct error *err)
{
	char temp[64], path[PATH_MAX];
	int fd, rc;

	if (holds_program(dirfd, name, bytes))
		return 0;
	snprintf(temp, sizeof(temp), ".%s", name);
	(void)unlinkat(dirfd, temp, 0);
	fd = openat(dirfd, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
	if (fd == -1)
		return error_sys(err, "cannot write beside '%s'", file_path(path, dirfd, name));
	rc = file_write_all(fd, bytes->data, bytes->len, err);
	if (rc == 0 && (fchmod(fd, 0755) == -1 || file_flush(fd) == -1))
		rc = error_sys(err, "cannot write '%s'", file_path(path, dirfd, name));
	close(fd);
	if (rc == 0 && renameat(dirfd, temp, dirfd, name) == -1)
		rc = error_sys(err, "cannot make '%s'", file_path(path, dirfd, name));
	if (rc == -1)
		(void)unlinkat(dirfd, temp, 0);
	return rc;
}

static int
put_set(int dirfd, const struct set *s, struct error *err)
{
	int fd = dir_open_at(dirfd, s->name, true, 0755, err), rc = fd == -1 ? -1 : 0;

	for (size_t i = 0; i < PROGRAMS && rc == 0; i++)
		rc = put_program(fd, programs_name[i], &s->bytes[i], err);
	if (fd != -1) {
		(void)fsync(fd); /* not every file system can */
		close(fd);
	}
	return rc;
}

static int
switch_link(int dirfd, const char *target, struct error *err)
{
	char path[PATH_MAX];

	(void)unlinkat(dirfd, LINK_TEMP, 0);
	if (symlinkat(target, dirfd, LINK_TEMP) == -1)
		return error_sys(
		    err, "cannot make the link '%s'", file_path(path, dirfd, LINK_TEMP));
	if (renameat(dirfd, LINK_TEMP, dirfd, LINK) == -1) {
		error_sys(err, "cannot replace the link '%s'", file_path(path, dirfd, LINK));
		(void)unlinkat(dirfd, LINK_TEMP, 0);
		return -1;
	}
	(void)fsync(dirfd);
	return 0;
}

/* A directory without directories, or a link or a file. */
static void
remove_copy(int upfd, const char *name)
{
	DIR *dir;
	struct dirent *e;

	if (unlinkat(upfd, name, 0) == 0 || (dir = dir_read(upfd, name)) == NULL)
		return;
	while ((e = readdir(dir)) != NULL)
		(void)unlinkat(dirfd(dir), e->d_name, 0);
	closedir(dir);
	(void)unlinkat(upfd, name, AT_REMOVEDIR);
}

/* Remove all but these two (NULL: none). */
static void
remove_others(int dirfd, const char *a, const char *b)
{
	DIR *dir = dir_read(dirfd, ".");
	struct strings names = { 0 };
	struct dirent *e;

	while (dir != NULL && (e = readdir(dir)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			strings_add(&names, e->d_name);
	if (dir != NULL)
		closedir(dir);
	for (size_t i = 0; i < names.count; i++) {
		const char *name = names.item[i];

		if ((a == NULL || (strcmp(name, a) != 0 && strcmp(name, LINK) != 0)) &&
		    (b == NULL || strcmp(name, b) != 0))
			remove_copy(dirfd, name);
	}
	strings_free(&names);
}

/* The program that a path of a record names, by the link; PROGRAMS: none. */
static size_t
program_of(const char *bin, const char *path)
{
	size_t len = strlen(bin), i = PROGRAMS;

	if (strncmp(path, bin, len) == 0 && path[len] == '/')
		for (i = 0; i < PROGRAMS; i++)
			if (strcmp(path + len + 1, programs_name[i]) == 0)
				break;
	return i;
}

/* Record the hashes of the programs that the link names from now on. */
static int
note_hashes(const char *config, const struct set *s, struct error *err)
{
	char *bin = programs_bin(config);
	struct strings paths = { 0 };
	int rc = 0;

	install_record_paths(config, &paths);
	for (size_t i = 0; i < paths.count && rc == 0; i++) {
		struct install_record m;
		bool changed = false;

		if (install_record_load(config, paths.item[i], &m, err) == 1)
			for (size_t k = 0; k < m.program.count; k++) {
				size_t at = program_of(bin, m.program.item[k]);

				if (at == PROGRAMS || strcmp(m.hash.item[k], s->hex[at]) == 0)
					continue;
				free(m.hash.item[k]);
				m.hash.item[k] = mem_string(s->hex[at]);
				changed = true;
			}
		if (changed)
			rc = install_record_save(config, paths.item[i], &m, err);
		install_record_free(&m);
	}
	strings_free(&paths);
	free(bin);
	return rc;
}

/* Does a record name programs by the link? */
static bool
link_recorded(const char *config)
{
	char *bin = programs_bin(config);
	struct strings paths = { 0 };
	bool is = false;

	install_record_paths(config, &paths);
	for (size_t i = 0; i < paths.count && !is; i++) {
		struct install_record m;

		(void)install_record_load(config, paths.item[i], &m, &(struct error){ 0 });
		for (size_t k = 0; k < m.program.count; k++)
			is |= program_of(bin, m.program.item[k]) < PROGRAMS;
		install_record_free(&m);
	}
	strings_free(&paths);
	free(bin);
	return is;
}

static int
copy_set(const char *config, const struct set *s, bool agent, char **former, struct error *err)
{
	int dirfd = programs_open(config, true, err), rc;
	char *was;

	if (dirfd == -1)
		return -1;
	was = current_copy(dirfd);
	if (agent && (was != NULL ? strcmp(was, s->name) != 0 : link_recorded(config)))
		rc = error_set(err, ERROR_REFUSED,
		    "only a person may replace the programs of %s: ask the user to run this "
		    "command in a terminal outside Claude Code",
		    was != NULL ? was : config);
	else
		rc = put_set(dirfd, s, err);
	if (rc == 0 && (was == NULL || strcmp(was, s->name) != 0))
		rc = switch_link(dirfd, s->name, err) == -1 ? -1 : 1;
	if (rc != -1 && !agent && note_hashes(config, s, err) == -1) {
		if (rc == 1 && was != NULL)
			(void)switch_link(dirfd, was, &(struct error){ 0 });
		rc = -1;
	}
	if (rc == 1 && !agent)
		remove_others(dirfd, s->name, was);
	if (rc == 1)
		*former = was;
	else
		free(was);
	close(dirfd);
	return rc;
}

int
programs_copy(const char *config, const char *from, bool agent, char **former, struct error *err)
{
	struct set s;
	int rc = set_read(&s, from, err);

	*former = NULL;
	if (rc == 0)
		rc = copy_set(config, &s, agent, former, err);
	set_free(&s);
	return rc;
}

enum use {
	USE_NONE,
	USE_NAMES,
	USE_UNKNOWN, /* the file cannot be read, or not as settings */
};

/* Does an entry of this file name one of the copies, by the link or not? */
static enum use
use_of(const char *config, const char *path)
{
	char *bin = programs_bin(config);
	size_t len = strlen(bin) - strlen(LINK);
	struct settings_entries all = { 0 };
	struct buf text = { 0 };
	struct error ignored;
	enum use use = USE_NONE;
	int rc = file_read_path(path, FILE_MAX, &text, &ignored);

	if (rc == -1 || (rc == 1 && settings_find(buf_text(&text), text.len, &all, &ignored) == -1))
		use = USE_UNKNOWN;
	for (size_t i = 0; i < all.count; i++)
		if (strncmp(all.item[i].path, bin, len) == 0)
			use = USE_NAMES;
	settings_entries_free(&all);
	buf_free(&text);
	free(bin);
	return use;
}

bool
programs_user(const char *config, const char *path)
{
	return use_of(config, path) == USE_NAMES;
}

/* Does the record of this file have entries?  That of the skill has none. */
static bool
has_entries(const char *config, const char *path)
{
	struct install_record m;
	struct error ignored;
	bool has = install_record_load(config, path, &m, &ignored) == 1 && m.entries.count > 0;

	install_record_free(&m);
	return has;
}

void
programs_users(const char *config, const char *except, struct strings *paths)
{
	struct strings all = { 0 };

	install_record_paths(config, &all);
	for (size_t i = 0; i < all.count; i++) {
		const char *path = all.item[i];
		enum use use =
		    except != NULL && strcmp(path, except) == 0 ? USE_NONE : use_of(config, path);

		if (use == USE_NAMES || (use == USE_UNKNOWN && has_entries(config, path)))
			strings_add(paths, path);
	}
	strings_free(&all);
}

int
programs_remove(const char *config, struct error *err)
{
	char *path = mem_printf("%s/task-hooks/.programs", config);
	int dirfd = programs_open(config, false, err), rc = 0;

	if (dirfd != -1) {
		remove_others(dirfd, NULL, NULL);
		close(dirfd);
		rc = rmdir(path) == 0 ? 1 : error_sys(err, "cannot remove '%s'", path);
	} else if (err->kind != ERROR_NOT_FOUND)
		rc = -1;
	free(path);
	return rc;
}
