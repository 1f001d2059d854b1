/*
 * The hash of a tree.
 *
 * It covers what git says about each path (modes, object ids of HEAD and index) and
 * the bytes in the file now.  If a file cannot be read, the tree has no hash, and
 * the gate runs again.
 */
#include "gate/git-part.h"

#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "config/glob.h"

#define WALK_MAX 200000 /* entries looked at outside a repository */
#define WALK_DEPTH 64

/* Bytes read so far, of one tree. */
struct amount {
	uint64_t bytes;
	size_t files, seen;
};

static int
cannot(char **why, const char *path, const char *what)
{
	if (why != NULL && *why == NULL)
		*why = mem_printf("'%.200s' %s", path, what);
	return 0;
}

static int
read_content(struct amount *r, struct hash *h, int fd, const char *path, char **why)
{
	char chunk[65536];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) > 0) {
		hash_add(h, chunk, (size_t)n);
		if ((r->bytes += (uint64_t)n) > GIT_HASH_MAX)
			return cannot(
			    why, path, "and the files before it are too large to compare");
	}
	return n == 0 ? 1 : cannot(why, path, "cannot be read");
}

/* Mode and content of one path; 1, or 0 with the reason. */
static int
add_file(
    struct amount *r, struct hash *h, int dirfd, const char *name, const char *path, char **why)
{
	char text[PATH_MAX];
	struct stat st;
	ssize_t n;
	int fd, rc;

	r->files++;
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == -1) {
		if (errno != ENOENT && errno != ENOTDIR)
			return cannot(why, path, "cannot be examined");
		hash_field(h, "missing");
		return 1;
	}
	if (S_ISLNK(st.st_mode)) {
		if ((n = readlinkat(dirfd, name, text, sizeof(text) - 1)) == -1)
			return cannot(why, path, "cannot be read");
		text[n] = '\0';
		hash_field(h, "link");
		hash_field(h, text);
		return 1;
	}
	if (!S_ISREG(st.st_mode))
		return cannot(why, path, "is not a file");
	snprintf(text, sizeof(text), "file %o", st.st_mode & 0111);
	hash_field(h, text);
	if ((fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)) == -1)
		return cannot(why, path, "cannot be read");
	rc = read_content(r, h, fd, path, why);
	close(fd);
	return rc;
}

void
git_read_entries(struct git_tree *t)
{
	struct amount r = { 0 };
	int rootfd = open(t->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; i < t->count; i++) {
		struct git_entry *n = &t->entry[i];
		struct hash h;

		if (n->why != NULL)
			continue;
		hash_begin(&h);
		hash_field(&h, n->record);
		if (rootfd == -1)
			cannot(&n->why, n->path, "cannot be read");
		else if (add_file(&r, &h, rootfd, n->path, n->path, &n->why) == 1)
			hash_end(&h, n->sum);
	}
	if (rootfd != -1)
		close(rootfd);
}

bool
git_in_scope(const struct strings *files, const struct strings *writes, const char *path)
{
	if (files != NULL && files->count > 0 && !glob_any(files, path))
		return false;
	return writes == NULL || writes->count == 0 || !glob_any(writes, path);
}

int
git_tree_hash(const struct git_tree *t, const struct strings *files, const struct strings *writes,
    char out[HASH_HEX], char **why)
{
	struct hash h;

	if (why != NULL)
		*why = NULL;
	out[0] = '\0';
	hash_begin(&h);
	hash_field(&h, "git tree 1");
	hash_field(&h, t->head);
	for (size_t i = 0; i < t->count; i++) {
		const struct git_entry *n = &t->entry[i];

		if (!git_in_scope(files, writes, n->path))
			continue;
		if (n->sum[0] == '\0') {
			if (why != NULL)
				*why = mem_string(n->why);
			return 0;
		}
		hash_field(&h, n->path);
		hash_field(&h, n->sum);
	}
	hash_end(&h, out);
	return 1;
}

void
git_tree_difference(const struct git_tree *a, const struct git_tree *b, const struct strings *files,
    const struct strings *writes, struct strings *paths)
{
	size_t i = 0, j = 0;

	while (i < a->count || j < b->count) {
		const struct git_entry *x = i < a->count ? &a->entry[i] : NULL;
		const struct git_entry *y = j < b->count ? &b->entry[j] : NULL;
		int order = x == NULL ? 1 : y == NULL ? -1 : strcmp(x->path, y->path);

		i += order <= 0;
		j += order >= 0;
		if (order == 0 && strcmp(x->sum, y->sum) == 0 && x->sum[0] != '\0')
			continue;
		x = order <= 0 ? x : y;
		if (x != NULL && git_in_scope(files, writes, x->path) &&
		    !strings_has(paths, x->path))
			strings_add(paths, x->path);
	}
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a directory, sorted: the order of readdir() says nothing about the tree. */
static int
read_names(int fd, struct strings *names)
{
	DIR *d = fdopendir(fd);
	struct dirent *n;

	if (d == NULL) {
		close(fd);
		return -1;
	}
	while ((n = readdir(d)) != NULL && names->count <= WALK_MAX)
		if (strcmp(n->d_name, ".") != 0 && strcmp(n->d_name, "..") != 0 &&
		    strcmp(n->d_name, ".git") != 0)
			strings_add(names, n->d_name);
	closedir(d);
	if (names->count > 0)
		qsort(names->item, names->count, sizeof(*names->item), compare_names);
	return 0;
}

struct tree_walk {
	struct amount reading;
	struct hash hash;
	const struct strings *files, *writes;
	char **why;
	bool inputs; /* follow links to files; enter only directories that can have a match */
};

/* Can a path below this directory match this pattern? */
static bool
glob_below(const char *glob, const char *dir)
{
	size_t depth = 0, slashes = 0, literal, len = strlen(dir);

	if (strchr(glob, '/') == NULL)
		return *glob != '!';
	glob += *glob == '/';
	for (literal = strcspn(glob, "*?[{\\"); literal > 0 && glob[literal - 1] != '/';)
		literal--;
	if (literal > 0 && strncmp(dir, glob, len < literal - 1 ? len : literal - 1) != 0)
		return false;
	for (const char *p = dir; *p != '\0'; p++)
		depth += *p == '/';
	for (const char *p = glob; *p != '\0'; p++)
		slashes += *p == '/';
	return depth < slashes || strstr(glob, "**") != NULL || strchr(glob, '{') != NULL ||
	       glob[strlen(glob) - 1] == '/';
}

static bool
enters(const struct tree_walk *w, const char *dir)
{
	for (size_t i = 0; w->inputs && i < w->files->count; i++)
		if (glob_below(w->files->item[i], dir))
			return true;
	return !w->inputs;
}

/* The file that a link names; 1 also if it is not a link, or its target does not exist. */
static int
add_target(struct tree_walk *w, int dirfd, const char *name, const char *path)
{
	struct stat st;
	int fd, rc;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == -1 || !S_ISLNK(st.st_mode) ||
	    fstatat(dirfd, name, &st, 0) == -1 || !S_ISREG(st.st_mode))
		return 1;
	if ((fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) == -1)
		return cannot(w->why, path, "cannot be read");
	rc = read_content(&w->reading, &w->hash, fd, path, w->why);
	close(fd);
	return rc;
}

static int
walk_dir(struct tree_walk *w, int dirfd, const char *prefix, int depth)
{
	struct strings names = { 0 };
	int rc = 1, copy = -1;

	if (depth > WALK_DEPTH ||
	    (copy = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1 ||
	    read_names(copy, &names) == -1)
		return cannot(w->why, prefix, "cannot be read");
	for (size_t i = 0; rc == 1 && i < names.count; i++) {
		char *path = *prefix == '\0' ? mem_string(names.item[i])
					     : mem_printf("%s/%s", prefix, names.item[i]);
		int fd;

		if (++w->reading.seen > WALK_MAX)
			rc = cannot(w->why, path, "is one file too many to hash");
		else if ((fd = openat(dirfd, names.item[i],
			      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) != -1) {
			rc = enters(w, path) ? walk_dir(w, fd, path, depth + 1) : 1;
			close(fd);
		} else if (git_in_scope(w->files, w->writes, path)) {
			hash_field(&w->hash, path);
			rc = add_file(&w->reading, &w->hash, dirfd, names.item[i], path, w->why);
			if (rc == 1 && w->inputs)
				rc = add_target(w, dirfd, names.item[i], path);
		}
		free(path);
	}
	strings_free(&names);
	return rc;
}

int
git_files_hash(const char *dir, const struct strings *files, const struct strings *writes,
    char out[HASH_HEX], char **why)
{
	struct tree_walk w = { .files = files, .writes = writes, .why = why };
	int fd, rc;

	if (why != NULL)
		*why = NULL;
	out[0] = '\0';
	if (files == NULL || files->count == 0) {
		if (why != NULL)
			*why = mem_string("there is no repository, and the gate names no 'files'");
		return 0;
	}
	if ((fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1)
		return cannot(why, dir, "cannot be opened");
	hash_begin(&w.hash);
	hash_field(&w.hash, "files 1");
	rc = walk_dir(&w, fd, "", 0);
	close(fd);
	if (rc == 1 && w.reading.files == 0)
		rc = cannot(why, dir, "has no file that the gate's 'files' match");
	if (rc == 1)
		hash_end(&w.hash, out);
	return rc;
}

int
git_inputs_hash(const char *dir, const struct strings *inputs, char out[HASH_HEX], char **why)
{
	struct tree_walk w = { .files = inputs, .why = why, .inputs = true };
	int fd, rc;

	*why = NULL;
	out[0] = '\0';
	if ((fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1)
		return cannot(why, dir, "cannot be opened");
	hash_begin(&w.hash);
	hash_field(&w.hash, "inputs 1");
	rc = walk_dir(&w, fd, "", 0);
	close(fd);
	if (rc == 1)
		hash_end(&w.hash, out);
	return rc;
}
