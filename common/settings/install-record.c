#include "settings/install-record.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "sys/dir.h"
#include "sys/file.h"
#include "json/out.h"

#define RECORD_NAME (16 + sizeof(".json"))

static int
install_record_dir(const char *config, bool make, struct error *err)
{
	char *path = mem_printf("%s/task-hooks", config);
	int fd = -1, hooksfd = make ? dir_make(path, 0700, err) : dir_open(path, err);

	free(path);
	if (hooksfd != -1) {
		fd = dir_open_at(hooksfd, ".installs", make, 0700, err);
		close(hooksfd);
	}
	return fd;
}

int
install_record_lock(const char *config, struct lock *lock, int *dirfd, struct error *err)
{
	*dirfd = install_record_dir(config, true, err);
	if (*dirfd == -1)
		return -1;
	return lock_own(lock, *dirfd, "lock", deadline_in(10000), err);
}

void
install_record_share(const char *config, struct lock *lock, int *dirfd, struct deadline deadline)
{
	struct error ignored;

	*dirfd = install_record_dir(config, false, &ignored);
	if (*dirfd != -1)
		(void)lock_file(lock, *dirfd, "lock", true, deadline, &ignored);
}

void
install_record_unshare(struct lock *lock, int dirfd)
{
	lock_release(lock);
	if (dirfd != -1)
		close(dirfd);
}

static void
install_record_name(char out[RECORD_NAME], const char *path)
{
	char hex[HASH_HEX];

	hash_text(path, strlen(path), hex);
	snprintf(out, RECORD_NAME, "%.16s.json", hex);
}

static void
read_values(const struct json *j, const char *key, struct settings_values *values)
{
	json_ref set = json_member(j, JSON_ROOT, key);

	JSON_EACH (j, set, v) {
		char *name = json_key(j, v), *text = json_raw_copy(j, v);

		settings_values_add(values, name, text);
		free(name);
		free(text);
	}
}

static void
read_installed(const struct json *j, struct install_record *m)
{
	json_ref entries = json_member(j, JSON_ROOT, "entries");
	json_ref programs = json_member(j, JSON_ROOT, "programs");

	JSON_EACH (j, entries, e)
		strings_take(&m->entries, json_raw_copy(j, e));
	JSON_EACH (j, programs, p) {
		char *hash = json_string(j, p);

		strings_take(&m->program, json_key(j, p));
		strings_add(&m->hash, hash != NULL ? hash : "");
		free(hash);
	}
}

int
install_record_load(
    const char *config, const char *path, struct install_record *m, struct error *err)
{
	char name[RECORD_NAME], *s;
	struct buf text = { 0 };
	struct json j = { 0 };
	int fd, rc = 0;

	*m = (struct install_record){ 0 };
	install_record_name(name, path);
	fd = install_record_dir(config, false, err);
	if (fd == -1)
		return 0;
	if (file_read(fd, name, 0, FILE_MAX, &text, err) == 1 &&
	    json_parse(&j, text.data, text.len, err) == 0 &&
	    json_equals(&j, json_member(&j, JSON_ROOT, "path"), path)) {
		s = json_member_string(&j, JSON_ROOT, "after");
		if (s != NULL && strlen(s) == 64)
			memcpy(m->after, s, HASH_HEX);
		free(s);
		m->existed = json_true(&j, json_member(&j, JSON_ROOT, "existed"));
		read_values(&j, "set", &m->values);
		read_values(&j, "env", &m->env);
		read_installed(&j, m);
		m->backup = json_member_string(&j, JSON_ROOT, "backup");
		rc = 1;
	}
	json_free(&j);
	buf_free(&text);
	close(fd);
	return rc;
}

static void
write_values(struct json_object *o, const char *key, const struct settings_values *v)
{
	struct json_object *set = out_add(o, key, out_object());

	for (size_t i = 0; i < v->name.count; i++)
		out_add(
		    set, v->name.item[i], out_raw_text(v->text.item[i], strlen(v->text.item[i])));
}

int
install_record_save(
    const char *config, const char *path, const struct install_record *m, struct error *err)
{
	struct json_object *o, *list;
	struct buf text = { 0 };
	char name[RECORD_NAME];
	int fd = install_record_dir(config, true, err), rc;

	if (fd == -1)
		return -1;
	install_record_name(name, path);
	if (m == NULL) {
		unlinkat(fd, name, 0);
		close(fd);
		return 0;
	}
	o = out_object();
	out_string(o, "path", path);
	out_string(o, "after", m->after);
	out_bool(o, "existed", m->existed);
	write_values(o, "set", &m->values);
	write_values(o, "env", &m->env);
	out_string(o, "backup", m->backup);
	list = out_add(o, "entries", out_array());
	for (size_t i = 0; i < m->entries.count; i++)
		out_push(list, out_raw_text(m->entries.item[i], strlen(m->entries.item[i])));
	list = out_add(o, "programs", out_object());
	for (size_t i = 0; i < m->program.count; i++)
		out_string(list, m->program.item[i], m->hash.item[i]);
	out_pretty(&text, o);
	buf_putc(&text, '\n');
	rc = file_replace(fd, name, text.data, text.len, 0600, DURABILITY_FILE, err);
	buf_free(&text);
	close(fd);
	return rc;
}

void
install_record_free(struct install_record *m)
{
	free(m->backup);
	settings_values_free(&m->values);
	settings_values_free(&m->env);
	strings_free(&m->entries);
	strings_free(&m->program);
	strings_free(&m->hash);
	*m = (struct install_record){ 0 };
}

/* The path that a record is for; owned; NULL: this is no record. */
static char *
record_path(int dirfd, const char *name)
{
	size_t len = strlen(name);
	struct buf text = { 0 };
	struct json j = { 0 };
	struct error ignored;
	char *path = NULL;

	if (len == RECORD_NAME - 1 && strcmp(name + len - strlen(".json"), ".json") == 0 &&
	    file_read(dirfd, name, 0, FILE_MAX, &text, &ignored) == 1 &&
	    json_parse(&j, text.data, text.len, &ignored) == 0)
		path = json_member_string(&j, JSON_ROOT, "path");
	json_free(&j);
	buf_free(&text);
	return path;
}

void
install_record_paths(const char *config, struct strings *paths)
{
	struct error ignored;
	int fd = install_record_dir(config, false, &ignored);
	DIR *dir = fd != -1 ? dir_read(fd, ".") : NULL;
	struct dirent *e;
	char *path;

	while (dir != NULL && (e = readdir(dir)) != NULL)
		if ((path = record_path(fd, e->d_name)) != NULL)
			strings_take(paths, path);
	if (dir != NULL)
		closedir(dir);
	if (fd != -1)
		close(fd);
}

char *
install_record_backup(
    const char *config, const char *path, const char *text, size_t len, struct error *err)
{
	char hex[HASH_HEX], *name, *whole;
	int fd = install_record_dir(config, true, err), rc;

	if (fd == -1)
		return NULL;
	hash_text(path, strlen(path), hex);
	name = mem_printf("%.16s-%lld.backup", hex, (long long)clock_wall_ms());
	rc = file_replace(fd, name, text, len, 0600, DURABILITY_FILE, err);
	whole = rc == -1 ? NULL : mem_printf("%s/task-hooks/.installs/%s", config, name);
	free(name);
	close(fd);
	return whole;
}
