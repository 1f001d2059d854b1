/*
 * The tree: what differs from HEAD, what is untracked, what git was told not to look at.
 *
 * One `git status` tells HEAD and what differs from it, and all in a plain repository
 * (git-plain.c).  Else a second process, beside it, lists the
 * index and what is untracked: by the .gitignore files and the user's own file, since
 * .git/info/exclude is not seen by anyone who reviews.  It also lists the files that git was told
 * to take for unchanged (assume-unchanged, skip-worktree), whose edits status does not report:
 * git-raw.c compares them; and submodules, which have settings of their own, so that each is read
 * here in the same way.
 *
 * A file that has a filter and was touched counts as changed, since the filter is not run.
 */
#include "gate/git.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "config/repository.h"
#include "gate/git-part.h"

#define SUBMODULE_DEPTH 16
#define OWN_REPOSITORY "'%.200s' is a repository of its own and has changed"

static struct git_entry *
tree_add(struct git_tree *t, const char *path, const char *record, size_t len)
{
	struct git_entry *n;

	t->entry = mem_more(t->entry, t->count, sizeof(*t->entry));
	n = &t->entry[t->count++];
	*n = (struct git_entry){ .path = mem_string(path), .record = mem_copy(record, len) };
	return n;
}

/* "1 XY sub mH mI mW hH hI path": the path is what follows `fields` words. */
static const char *
after_fields(const char *line, int fields)
{
	while (fields-- > 0 && line != NULL)
		if ((line = strchr(line, ' ')) != NULL)
			line++;
	return line;
}

/* "? PATH": not tracked; "dir/" is a repository of its own. */
static void
add_untracked(struct git_tree *t, const char *path)
{
	struct git_entry *n;
	bool nested = path[strlen(path) - 1] == '/';

	/* The client makes worktrees for its agents there: they are trees of their own. */
	if (nested && strncmp(path, ".claude/worktrees/", 18) == 0)
		return;
	n = tree_add(t, path, "? ", 2);
	if (nested)
		n->why = mem_printf(OWN_REPOSITORY, path);
}

static int
read_status(struct git_tree *t, const struct buf *out, struct error *e)
{
	const char *p = buf_text(out), *end = p + out->len;

	for (; p < end; p += strlen(p) + 1) {
		const char *path = NULL;

		if (strncmp(p, "# branch.oid ", 13) == 0 && p[13] != '(')
			t->head = mem_string(p + 13);
		if (*p == '#')
			continue;
		if (strncmp(p, "? ", 2) == 0 && p[2] != '\0') {
			add_untracked(t, p + 2);
			continue;
		}
		if (*p == '1')
			path = after_fields(p, 8);
		else if (*p == 'u')
			path = after_fields(p, 10);
		if (path == NULL || *path == '\0')
			return error_set(
			    e, ERROR_FAULT, "git status printed a line of unknown form");
		tree_add(t, path, p, (size_t)(path - p));
		if (*after_fields(p, 2) == 'S') /* a submodule */
			t->entry[t->count - 1].why = mem_printf(OWN_REPOSITORY, path);
	}
	return 0;
}

static int
by_path(const void *a, const void *b)
{
	const struct git_entry *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order != 0 ? order : strcmp(x->record, y->record);
}

static int tree_read(struct git_tree *, const char *, int, struct deadline, struct error *);

static int
submodule_read(
    struct git_tree *t, const char *path, int depth, struct deadline until, struct error *e)
{
	char *dir = mem_printf("%s/%s", t->root, path), *root = repository_top(dir);
	struct git_tree sub = { 0 };
	bool hidden = true;
	int rc = 0;

	/* Without a .git of its own it is not checked out, and empty. */
	if (root != NULL && strcmp(root, t->root) != 0)
		rc = tree_read(&sub, root, depth + 1, until, e);
	for (size_t i = 0; i < sub.count; i++)
		hidden = hidden && sub.entry[i].hidden && !sub.entry[i].differs;
	if (sub.count > 0) {
		struct git_entry *n = tree_add(t, path, "submodule", 9);

		n->hidden = hidden;
		n->why = mem_printf(OWN_REPOSITORY, path);
	}
	git_tree_free(&sub);
	free(root);
	free(dir);
	return rc;
}

/*
 * "H 100644 OID 0\tPATH": the files that status skips, the submodules, and with `all` (status may
 * be wrong about any file) every file: what is to be compared.
 */
static int
read_index(struct git_tree *t, const struct buf *out, bool all, struct git_raw *raw, int depth,
    struct deadline until, struct error *e)
{
	const char *p = buf_text(out), *end = p + out->len;

	for (; p < end; p += strlen(p) + 1) {
		const char *path = strchr(p, '\t'), *oid = after_fields(p, 2);
		bool hidden = *p == 'S' || (*p >= 'a' && *p <= 'z');

		if (strncmp(p, "? ", 2) == 0 && p[2] != '\0') {
			add_untracked(t, p + 2);
			continue;
		}
		if (path == NULL || oid == NULL || oid > path)
			return error_set(
			    e, ERROR_FAULT, "git ls-files printed a line of unknown form");
		path++;
		if (hidden)
			tree_add(t, path, p, 1)->hidden = true;
		if (strncmp(p + 1, " 160000 ", 8) == 0) {
			if (submodule_read(t, path, depth, until, e) == -1)
				return -1;
		} else if (hidden || all)
			git_raw_add(raw, path, p + 2, oid);
	}
	return 0;
}

/* What was compared and differs: hidden entries, and files that status did not report. */
static void
add_differing(struct git_tree *t, struct git_raw *raw, struct deadline until)
{
	struct strings differ = { 0 };
	size_t count = t->count;

	git_raw_compare(raw, t->root, until, &differ);
	if (count > 0)
		qsort(t->entry, count, sizeof(*t->entry), by_path);
	for (size_t i = 0; i < differ.count; i++) {
		size_t low = 0, high = count;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (strcmp(t->entry[middle].path, differ.item[i]) < 0)
				low = middle + 1;
			else
				high = middle;
		}
		if (low == count || strcmp(t->entry[low].path, differ.item[i]) != 0)
			tree_add(t, differ.item[i], "raw", 3)->differs = true;
		for (; low < count && strcmp(t->entry[low].path, differ.item[i]) == 0; low++)
			t->entry[low].differs = true;
	}
	strings_free(&differ);
}

/* Of a plain repository: one process.  --git-dir names the repository that git_plain() has read:
 * git must not search for another one if it rejects this one. */
static int
read_plain(struct git_tree *t, struct deadline until, struct error *e)
{
	static const char *const words[] = { "--git-dir=.git", "status", "--porcelain=v2", "-z",
		"--branch", "--untracked-files=all", "--no-renames", "--no-ahead-behind", NULL };
	struct git_call q = GIT_CALL_INIT;
	struct buf out = { 0 };
	int rc = -1;

	if (git_start(&q, t->root, words, NULL, until, e) == 0 &&
	    git_finish(&q, "status", &out, e) == 0)
		rc = read_status(t, &out, e);
	git_call_free(&q);
	buf_free(&out);
	return rc;
}

static int
read_asking(struct git_tree *t, int depth, struct deadline until, struct error *e)
{
	static const char *const status[] = { "status", "--porcelain=v2", "-z", "--branch",
		"--untracked-files=no", "--ignore-submodules=dirty", "--no-renames",
		"--no-ahead-behind", NULL };
	const char *index[] = { "ls-files", "-v", "-s", "-c", "-o", "-z",
		"--exclude-per-directory=.gitignore", NULL, NULL };
	struct git_call qs = GIT_CALL_INIT, qi = GIT_CALL_INIT;
	struct git_settings s = { 0 };
	struct git_raw raw = { 0 };
	struct buf out = { 0 };
	char *excludes = NULL;
	int rc = -1;

	if (git_settings_read(&s, t->root, until, e) == -1)
		goto out;
	if (s.excludes != NULL)
		index[7] = excludes = mem_printf("--exclude-from=%s", s.excludes);
	if (git_start(&qi, t->root, index, NULL, until, e) == 0 &&
	    git_start(&qs, t->root, status, &s.filters, until, e) == 0 &&
	    git_finish(&qs, "status", &out, e) == 0 && read_status(t, &out, e) == 0 &&
	    git_finish(&qi, "ls-files", &out, e) == 0)
		rc = read_index(t, &out, git_hidden_attributes(t->root), &raw, depth, until, e);
	if (rc == 0)
		add_differing(t, &raw, until);
out:
	git_call_free(&qs);
	git_call_free(&qi);
	git_raw_free(&raw);
	git_settings_free(&s);
	free(excludes);
	buf_free(&out);
	return rc;
}

static int
tree_read(struct git_tree *t, const char *cwd, int depth, struct deadline until, struct error *e)
{
	int rc;

	*t = (struct git_tree){ 0 };
	if ((t->root = repository_top(cwd)) == NULL)
		return 0;
	t->repository = true;
	if (depth > SUBMODULE_DEPTH)
		rc = error_set(e, ERROR_FAULT, "submodules are nested too deeply");
	else
		rc = git_plain(t->root) ? read_plain(t, until, e) : read_asking(t, depth, until, e);
	if (rc == -1)
		git_tree_free(t);
	return rc;
}

int
git_tree(struct git_tree *t, const char *cwd, struct deadline until, struct error *e)
{
	if (tree_read(t, cwd, 0, until, e) == -1)
		return -1;
	if (t->count > 0)
		qsort(t->entry, t->count, sizeof(*t->entry), by_path);
	if (t->repository)
		git_read_entries(t);
	return 0;
}

void
git_tree_free(struct git_tree *t)
{
	for (size_t i = 0; i < t->count; i++) {
		free(t->entry[i].path);
		free(t->entry[i].record);
		free(t->entry[i].why);
	}
	free(t->entry);
	free(t->root);
	free(t->head);
	*t = (struct git_tree){ 0 };
}

int
git_changed(const struct git_tree *t, const char *since, struct deadline until,
    struct strings *paths, struct error *e)
{
	/* A commit's name, never an option or a range. */
	bool name =
	    since != NULL && *since != '\0' && strspn(since, "0123456789abcdef") == strlen(since);

	if (since != NULL && !name)
		return error_set(e, ERROR_INPUT, "'%.60s' is not a commit", since);
	for (size_t i = 0; i < t->count; i++)
		if (!t->entry[i].hidden || t->entry[i].differs)
			strings_add(paths, t->entry[i].path);
	if (since == NULL || (t->head != NULL && strcmp(t->head, since) == 0))
		return 0;
	if (t->head == NULL)
		return error_set(
		    e, ERROR_INPUT, "there is no commit to compare with '%.60s'", since);
	/* From commit to commit: what differs from HEAD is among the entries. */
	return git_list(t->root,
	    (const char *const[]){ "diff-tree", "-r", "--name-only", "-z", "--no-renames",
		"--no-ext-diff", "--no-textconv", since, t->head, "--", NULL },
	    until, paths, e);
}

int
git_paths(const struct git_tree *t, struct deadline until, struct strings *paths, struct error *e)
{
	return git_list(t->root,
	    (const char *const[]){
		"ls-files", "-z", "--cached", "--others", "--exclude-standard", NULL },
	    until, paths, e);
}
