/*
 * One file per pass: a lookup is one open and one read, and hooks that run at the
 * same time need no lock.
 */
#include "gate/cache.h"

#include <sys/stat.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "sys/dir.h"
#include "sys/file.h"
#include "json/json.h"
#include "json/out.h"

#define DIRECTORY "cache"
#define NAME_LEN (HASH_HEX - 1 + sizeof(".json") - 1)
#define ENTRY_MAX 4096 /* bytes of a file */

/* The program that this name runs, by the PATH that it gets; NULL: none. */
static char *
find_program(const char *name, const struct strings *env)
{
	const char *path = NULL;

	for (size_t i = 0; i < env->count; i++)
		if (strncmp(env->item[i], "PATH=", 5) == 0)
			path = env->item[i] + 5;
	if (strchr(name, '/') != NULL || *name == '\0' || path == NULL)
		return mem_string(name);
	while (*path != '\0') {
		size_t len = strcspn(path, ":");
		char *file = mem_printf("%.*s/%s", (int)len, path, name);

		if (access(file, X_OK) == 0)
			return file;
		free(file);
		path += len + (path[len] == ':');
	}
	return NULL;
}

/* The program, and which file that is: it may be replaced. */
static void
hash_program(struct hash *h, const char *name, const struct strings *env)
{
	char *program = find_program(name, env), text[128] = "";
	struct stat st;

	/* A file of the project is in the hash of the tree. */
	if (strchr(name, '/') == NULL && program != NULL && stat(program, &st) == 0)
		snprintf(text, sizeof(text), "%llu %llu %lld %lld", (unsigned long long)st.st_dev,
		    (unsigned long long)st.st_ino, (long long)st.st_size, (long long)st.st_ctime);
	hash_field(h, program);
	hash_field(h, text);
	free(program);
}

static int
by_variable(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void
cache_key(const struct gate *g, const char *tree, const char *cwd, struct strings *env,
    char out[HASH_HEX])
{
	char definition[HASH_HEX];
	struct hash h;

	gate_hash(g, definition);
	hash_begin(&h);
	hash_field(&h, "pass 2");
	hash_field(&h, definition);
	hash_field(&h, tree);
	hash_field(&h, cwd);
	hash_program(&h, g->argv.count > 0 ? g->argv.item[0] : "", env);
	if (env->count > 0)
		qsort(env->item, env->count, sizeof(*env->item), by_variable);
	for (size_t i = 0; i < env->count; i++)
		hash_field(&h, env->item[i]);
	hash_end(&h, out);
}

static void
file_name(const char *key, char out[NAME_LEN + 1])
{
	snprintf(out, NAME_LEN + 1, "%s.json", key);
}

bool
cache_find(int statefd, const char *key, int64_t ttl_ms, struct cache_entry *entry)
{
	struct buf text = { 0 };
	struct json j = { 0 };
	struct error e;
	char name[NAME_LEN + 1], *digest = NULL;
	int64_t total = 0, now = clock_wall_ms();
	bool found = false;
	int dir = dir_open_at(statefd, DIRECTORY, false, 0700, &e);

	*entry = (struct cache_entry){ 0 };
	if (dir == -1)
		return false;
	file_name(key, name);
	if (file_read(dir, name, 0, ENTRY_MAX, &text, &e) == 1 &&
	    json_parse(&j, buf_text(&text), text.len, &e) == 0 &&
	    json_equals(&j, json_member(&j, JSON_ROOT, "key"), key) &&
	    json_int(&j, json_member(&j, JSON_ROOT, "time"), &entry->time_ms) == 0 &&
	    json_int(&j, json_member(&j, JSON_ROOT, "ms"), &entry->ms) == 0 &&
	    json_int(&j, json_member(&j, JSON_ROOT, "output"), &total) == 0 &&
	    (digest = json_member_string(&j, JSON_ROOT, "digest")) != NULL &&
	    strlen(digest) == sizeof(entry->digest) - 1) {
		memcpy(entry->digest, digest, sizeof(entry->digest));
		entry->output_total = (uint64_t)total;
		entry->flaky = json_true(&j, json_member(&j, JSON_ROOT, "flaky"));
		found = entry->time_ms <= now && now - entry->time_ms < ttl_ms;
	}
	free(digest);
	json_free(&j);
	buf_free(&text);
	close(dir);
	return found;
}

struct cache_file {
	char name[NAME_LEN + 1];
	struct timespec time;
};

static int
by_age(const void *a, const void *b)
{
	const struct cache_file *x = a, *y = b;

	if (x->time.tv_sec != y->time.tv_sec)
		return x->time.tv_sec < y->time.tv_sec ? -1 : 1;
	return x->time.tv_nsec < y->time.tv_nsec ? -1 : x->time.tv_nsec > y->time.tv_nsec;
}

void
cache_prune(int dir)
{
	DIR *d = dir_read(dir, ".");
	struct cache_file *list = NULL;
	struct dirent *n;
	size_t count = 0;

	if (d == NULL)
		return;
	while ((n = readdir(d)) != NULL) {
		struct stat st;

		if (strlen(n->d_name) != NAME_LEN ||
		    fstatat(dir, n->d_name, &st, AT_SYMLINK_NOFOLLOW) == -1)
			continue;
		list = mem_more(list, count, sizeof(*list));
		memcpy(list[count].name, n->d_name, sizeof(list[count].name));
		list[count++].time = st.st_mtim;
	}
	closedir(d);
	if (count > CACHE_MAX) {
		qsort(list, count, sizeof(*list), by_age);
		for (size_t i = 0; i < count - CACHE_MAX; i++)
			unlinkat(dir, list[i].name, 0);
	}
	free(list);
}

int
cache_put(int statefd, const char *key, const char *gate, const struct cache_entry *entry,
    struct error *e)
{
	struct json_object *o;
	struct buf text = { 0 };
	char name[NAME_LEN + 1];
	int dir = dir_open_at(statefd, DIRECTORY, true, 0700, e), rc;

	if (dir == -1)
		return -1;
	o = out_object();
	out_string(o, "key", key);
	out_string(o, "gate", gate);
	out_int(o, "time", entry->time_ms);
	out_int(o, "ms", entry->ms);
	out_int(o, "output", (int64_t)entry->output_total);
	out_string(o, "digest", entry->digest);
	out_bool(o, "flaky", entry->flaky);
	out_text(&text, o);
	file_name(key, name);
	rc = file_replace(dir, name, text.data, text.len, 0600, DURABILITY_OFF, e);
	file_sweep(dir);
	cache_prune(dir);
	buf_free(&text);
	close(dir);
	return rc == -1 ? -1 : 0;
}
