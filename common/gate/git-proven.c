/*
 * The tree as an object of git: written after a pass, compared with later.
 *
 * The index is copied to a directory of our own; the files that differ from it are added there by
 * their bytes, as their filters are off.  Only objects and refs/task-hooks/proven are written into
 * the repository, and no hook of it runs.
 */
#include <sys/stat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/git-part.h"
#include "sys/dir.h"
#include "sys/file.h"

#define INDEX_MAX (256u << 20)
#define REF "refs/task-hooks/proven/"

static bool
is_oid(const char *s)
{
	size_t len = strlen(s);

	return (len == 40 || len == 64) && strspn(s, "0123456789abcdef") == len;
}

/* Run git on this index (NULL: that of the repository) with this input; its first line. */
static int
run_line(const struct git_tree *t, const char *const *words, const char *index,
    const struct buf *input, const struct strings *filters, struct deadline until, struct buf *line,
    struct error *e)
{
	struct git_call q = GIT_CALL_INIT;
	int rc = -1;

	q.index = index;
	q.input = input->len > 0 ? input->data : NULL;
	q.input_len = input->len;
	if (git_start(&q, t->root, words, filters, until, e) == 0 &&
	    git_finish(&q, words[0], line, e) == 0)
		rc = 0;
	git_call_free(&q);
	return rc;
}

/* Copy the index with its time, which tells what may have been changed just after it. */
static int
copy_index(const char *from, int dir, struct error *e)
{
	struct buf b = { 0 };
	struct stat st;
	int rc = -1;

	if (stat(from, &st) == -1)
		error_sys(e, "cannot stat '%s'", from);
	else if (file_read_path(from, INDEX_MAX, &b, e) == 1 &&
		 file_replace(dir, "index", b.data, b.len, 0600, DURABILITY_OFF, e) != -1) {
		struct timespec times[2] = { st.st_mtim, st.st_mtim };

		rc = utimensat(dir, "index", times, 0) == -1
			 ? error_sys(e, "cannot set the time of a copy of the index")
			 : 0;
	}
	buf_free(&b);
	return rc;
}

/* Copy the index, add what differs from it, and write the tree. */
static int
write_from(const struct git_tree *t, const char *index, int dir, struct deadline until, char *oid,
    struct error *e)
{
	static const char *const add[] = { "update-index", "--add", "--remove", "-z", "--stdin",
		NULL };
	static const char *const write[] = { "write-tree", NULL };
	struct git_settings s = { 0 };
	struct buf b = { 0 }, none = { 0 }, line = { 0 };
	char *git = NULL, *common = NULL, *path = NULL;
	int rc = -1;

	if (git_directories(t->root, &git, &common) == -1) {
		error_set(e, ERROR_FAULT, "the repository has no directory");
		goto out;
	}
	path = mem_printf("%s/index", git);
	if (copy_index(path, dir, e) == -1 || git_settings_read(&s, t->root, until, e) == -1)
		goto out;
	for (size_t i = 0; i < t->count; i++) {
		const struct git_entry *n = &t->entry[i];

		if (n->differs || n->why != NULL) {
			error_set(e, ERROR_FAULT, "'%.200s' cannot be written as it is", n->path);
			goto out;
		}
		if (!n->hidden)
			buf_add(&b, n->path, strlen(n->path) + 1);
	}
	if ((b.len > 0 && run_line(t, add, index, &b, &s.filters, until, &line, e) == -1) ||
	    run_line(t, write, index, &none, &s.filters, until, &line, e) == -1)
		goto out;
	snprintf(oid, HASH_HEX, "%.*s", (int)strcspn(buf_text(&line), "\n"), buf_text(&line));
	rc = is_oid(oid) ? 0 : error_set(e, ERROR_FAULT, "git write-tree printed no tree");
out:
	git_settings_free(&s);
	buf_free(&b);
	buf_free(&line);
	free(git);
	free(common);
	free(path);
	return rc;
}

int
git_tree_write(const struct git_tree *t, struct deadline until, char oid[HASH_HEX], struct error *e)
{
	char top[] = "/tmp/task-hooks-XXXXXX", *index;
	int dir, rc;

	oid[0] = '\0';
	if (mkdtemp(top) == NULL)
		return error_sys(e, "cannot make a directory in /tmp");
	index = mem_printf("%s/index", top);
	rc = dir = dir_open(top, e);
	if (dir != -1) {
		rc = write_from(t, index, dir, until, oid, e);
		unlinkat(dir, "index", 0);
		unlinkat(dir, "index.lock", 0);
		close(dir);
	}
	rmdir(top);
	free(index);
	return rc == -1 ? -1 : 0;
}

int
git_tree_keep(const struct git_tree *t, const char *oid, const struct strings *names,
    struct deadline until, struct error *e)
{
	static const char *const words[] = { "update-ref", "--stdin", NULL };
	struct buf input = { 0 }, line = { 0 };
	int rc = 0;

	for (size_t i = 0; i < names->count; i++)
		buf_printf(&input, "update " REF "%s %s\n", names->item[i], oid);
	if (input.len > 0)
		rc = run_line(t, words, NULL, &input, NULL, until, &line, e);
	buf_free(&input);
	buf_free(&line);
	return rc;
}

static int
by_entry_path(const void *a, const void *b)
{
	return strcmp(a, ((const struct git_entry *)b)->path);
}

static const struct git_entry *
entry_at(const struct git_tree *t, const char *path)
{
	return t->count == 0 ? NULL
			     : bsearch(path, t->entry, t->count, sizeof(*t->entry), by_entry_path);
}

/* Of the entries, those that the tree has not with the same bytes. */
static int
entries_changed(const struct git_tree *t, const char *oid, struct deadline until,
    struct strings *paths, struct error *e)
{
	struct strings lines = { 0 };
	struct git_raw raw = { 0 };
	char *found = mem_alloc(t->count + 1);
	int rc = git_list(t->root,
	    (const char *const[]){ "ls-tree", "-r", "-z", "--full-tree", oid, NULL }, until, &lines,
	    e);

	/* "100644 blob OID\tPATH" */
	for (size_t i = 0; rc == 0 && i < lines.count; i++) {
		const char *line = lines.item[i], *path = strchr(line, '\t'),
			   *blob = strstr(line, " blob ");
		const struct git_entry *n = path != NULL ? entry_at(t, path + 1) : NULL;

		if (n == NULL || blob == NULL || blob > path || n->why != NULL)
			continue;
		found[n - t->entry] = 1;
		git_raw_add(&raw, path + 1, line, blob + 6);
	}
	for (size_t i = 0; rc == 0 && i < t->count; i++) {
		const struct git_entry *n = entry_at(t, t->entry[i].path);

		if (n != NULL && !found[n - t->entry])
			strings_add(paths, t->entry[i].path);
	}
	if (rc == 0)
		git_raw_compare(&raw, t->root, until, paths);
	git_raw_free(&raw);
	strings_free(&lines);
	free(found);
	return rc;
}

int
git_changed_from_tree(const struct git_tree *t, const char *oid, struct deadline until,
    struct strings *paths, struct error *e)
{
	struct strings commits = { 0 };
	int rc;

	if (t->head == NULL || !is_oid(oid))
		return error_set(e, ERROR_INPUT, "HEAD or the tree that passed is unknown");
	rc = git_list(t->root,
	    (const char *const[]){ "diff-tree", "-r", "--name-only", "-z", "--no-renames",
		"--no-ext-diff", "--no-textconv", oid, t->head, "--", NULL },
	    until, &commits, e);
	/* What is not an entry is as in HEAD. */
	for (size_t i = 0; rc == 0 && i < commits.count; i++)
		if (entry_at(t, commits.item[i]) == NULL)
			strings_add(paths, commits.item[i]);
	strings_free(&commits);
	return rc == 0 && t->count > 0 ? entries_changed(t, oid, until, paths, e) : rc;
}
