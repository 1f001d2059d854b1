/*
 * Run git and read its output.
 *
 * One `git status` tells HEAD and what differs from it.  A second process,
 * beside it, lists the index: files that git was told to take for unchanged
 * (assume-unchanged, skip-worktree), whose edits status does not report, and
 * submodules.
 *
 * A repository can name commands for git to run.  Before status compares
 * content, `git config` lists the filters, and each is set to nothing: a file
 * that has a filter and was touched then counts as changed.  status does not
 * look into submodules, which have filters of their own: each is read here in
 * the same way.  Missing objects are not fetched.  Hooks and the file system
 * monitor are off; pagers, external diffs, textconv and aliases are not used by
 * the commands run here.
 */
#include "gate/git.h"

#include <sys/mman.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "gate/git-hash.h"
#include "sys/child.h"
#include "sys/file.h"

#define OUTPUT_MAX (256u << 20)
#define FILTERS_MAX (32u << 10) /* bytes of the names of filter settings */
#define SUBMODULE_DEPTH 16
#define OWN_REPOSITORY "'%.200s' is a repository of its own and has changed"

struct git_call {
	struct child child;
	int fd; /* its output */
};

/* PATH=... without relative directories: a repository must not provide the git that runs. */
static char *
absolute_path(void)
{
	const char *at = getenv("PATH"), *end;
	const char *sep = "PATH=";
	struct buf b = { 0 };

	for (; at != NULL && *at != '\0'; at = *end == '\0' ? end : end + 1) {
		end = strchrnul(at, ':');
		if (*at == '/') {
			buf_puts(&b, sep);
			buf_add(&b, at, (size_t)(end - at));
			sep = ":";
		}
	}
	if (b.len == 0)
		buf_puts(&b, "PATH=/usr/bin:/bin");
	return buf_take(&b);
}

/* Set each of these settings to nothing.  By the environment: a name with a '=' cannot be
 * given to -c. */
static void
unset_filters(struct strings *env, const struct strings *settings)
{
	for (size_t i = 0; i < settings->count; i++) {
		strings_take(env, mem_printf("GIT_CONFIG_KEY_%zu=%s", i, settings->item[i]));
		strings_take(env, mem_printf("GIT_CONFIG_VALUE_%zu=", i));
	}
	strings_take(env, mem_printf("GIT_CONFIG_COUNT=%zu", settings->count));
}

/* filters: settings to unset; NULL for a command that compares no content. */
static int
git_start(struct git_call *q, const char *root, const char *const *words,
    const struct strings *filters, struct deadline until, struct error *e)
{
	static const char *const first[] = { "git", "--no-optional-locks", "-c",
		"core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C" };
	struct strings argv = { 0 }, env = { 0 };
	struct child_spec spec = { .env = &env, .deadline = until, .output = &q->fd };
	int rc;

	if ((q->fd = memfd_create("git", MFD_CLOEXEC)) == -1)
		return error_sys(e, "cannot make a file for the output of git");
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		strings_add(&argv, first[i]);
	strings_add(&argv, root);
	for (; *words != NULL; words++)
		strings_add(&argv, *words);
	strings_take(&argv, NULL);
	spec.argv = argv.item;
	strings_add(&env, "LC_ALL=C");
	strings_add(&env, "GIT_NO_LAZY_FETCH=1");
	strings_add(
	    &env, "GIT_ALLOW_PROTOCOL=none"); /* the same, for a git that has no such switch */
	strings_take(&env, absolute_path());
	if (filters != NULL)
		unset_filters(&env, filters);
	rc = child_start(&q->child, &spec, e);
	strings_free(&argv);
	strings_free(&env);
	return rc;
}

static int
git_finish(struct git_call *q, const char *what, struct buf *out, struct error *e)
{
	struct child *c = &q->child;
	struct buf why = { 0 };
	int rc = -1;

	while (!c->done)
		child_wait(&c, 1, DEADLINE_NEVER);
	if (c->end == CHILD_EXITED && c->status == 0) {
		lseek(q->fd, 0, SEEK_SET);
		rc = file_read_fd(q->fd, OUTPUT_MAX, out, e);
	} else {
		child_describe(&why, c);
		if (c->tail.len > 0) {
			buf_puts(&why, ": ");
			text_show(&why, buf_text(&c->tail), c->tail.len, TEXT_LINE, 300);
		}
		error_set(e, ERROR_FAULT, "git %s: %s", what, buf_text(&why));
	}
	buf_free(&why);
	return rc == -1 ? -1 : 0;
}

static void
git_call_free(struct git_call *q)
{
	child_free(&q->child);
	if (q->fd != -1)
		close(q->fd);
	q->fd = -1;
}

#define GIT_CALL_INIT                         \
	{                                     \
		.child = CHILD_INIT, .fd = -1 \
	}

int
git_output(const char *root, const char *const *words, struct deadline until, struct buf *out,
    struct error *e)
{
	struct git_call q = GIT_CALL_INIT;
	int rc = git_start(&q, root, words, NULL, until, e);

	if (rc == 0)
		rc = git_finish(&q, words[0], out, e);
	git_call_free(&q);
	return rc;
}

/* Run git; its NUL-separated output as strings. */
static int
git_list(const char *root, const char *const *words, struct deadline until, struct strings *items,
    struct error *e)
{
	struct buf out = { 0 };
	int rc = git_output(root, words, until, &out, e);

	if (rc == 0)
		for (const char *p = buf_text(&out), *end = p + out.len; p < end;
		     p += strlen(p) + 1)
			strings_add(items, p);
	buf_free(&out);
	return rc;
}

/* The names of all filter settings, from every configuration: also a filter of the user's own,
 * such as git-lfs, reads what the repository configures. */
static int
list_filters(const char *root, struct deadline until, struct strings *filters, struct error *e)
{
	static const char *const words[] = { "config", "--list", "--name-only", "-z", NULL };
	struct strings all = { 0 };
	size_t bytes = 0;
	int rc = git_list(root, words, until, &all, e);

	for (size_t i = 0; i < all.count && bytes <= FILTERS_MAX; i++)
		if (strncmp(all.item[i], "filter.", 7) == 0) {
			strings_add(filters, all.item[i]);
			bytes += strlen(all.item[i]);
		}
	strings_free(&all);
	return bytes > FILTERS_MAX
		   ? error_set(e, ERROR_FAULT, "git is configured with too many filters")
		   : rc;
}

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
		if (*p == '1')
			path = after_fields(p, 8);
		else if (*p == 'u')
			path = after_fields(p, 10);
		else if (*p == '?')
			path = after_fields(p, 1);
		if (path == NULL || *path == '\0')
			return error_set(
			    e, ERROR_FAULT, "git status printed a line of unknown form");
		tree_add(t, path, p, (size_t)(path - p));
		/* The third word tells a submodule ("S..."); "dir/" is a repository of its own. */
		if ((*p != '?' && *after_fields(p, 2) == 'S') || path[strlen(path) - 1] == '/')
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
	char *dir = mem_printf("%s/%s", t->root, path), *root = git_root(dir);
	struct git_tree sub = { 0 };
	bool hidden = true;
	int rc = 0;

	/* Without a .git of its own it is not checked out, and empty. */
	if (root != NULL && strcmp(root, t->root) != 0)
		rc = tree_read(&sub, root, depth + 1, until, e);
	for (size_t i = 0; i < sub.count; i++)
		hidden = hidden && sub.entry[i].hidden;
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

/* "H 100644 OID 0\tPATH": the files that status skips, and the submodules. */
static int
read_index(
    struct git_tree *t, const struct buf *out, int depth, struct deadline until, struct error *e)
{
	const char *p = buf_text(out), *end = p + out->len;

	for (; p < end; p += strlen(p) + 1) {
		const char *path = strchr(p, '\t');

		if (path == NULL)
			return error_set(
			    e, ERROR_FAULT, "git ls-files printed a line of unknown form");
		path++;
		if (*p == 'S' || (*p >= 'a' && *p <= 'z'))
			tree_add(t, path, p, 1)->hidden = true;
		if (strncmp(p + 1, " 160000 ", 8) == 0 &&
		    submodule_read(t, path, depth, until, e) == -1)
			return -1;
	}
	return 0;
}

static int
tree_read(struct git_tree *t, const char *cwd, int depth, struct deadline until, struct error *e)
{
	static const char *const status[] = { "status", "--porcelain=v2", "-z", "--branch",
		"--untracked-files=all", "--ignore-submodules=dirty", "--no-renames", NULL };
	static const char *const index[] = { "ls-files", "-v", "-s", "-z", NULL };
	struct git_call qs = GIT_CALL_INIT, qi = GIT_CALL_INIT;
	struct strings filters = { 0 };
	struct buf out = { 0 };
	int rc = -1;

	*t = (struct git_tree){ 0 };
	if ((t->root = git_root(cwd)) == NULL)
		return 0;
	if (depth > SUBMODULE_DEPTH)
		error_set(e, ERROR_FAULT, "submodules are nested too deeply");
	else if (git_start(&qi, t->root, index, NULL, until, e) == 0 &&
		 list_filters(t->root, until, &filters, e) == 0 &&
		 git_start(&qs, t->root, status, &filters, until, e) == 0 &&
		 git_finish(&qs, "status", &out, e) == 0 && read_status(t, &out, e) == 0 &&
		 git_finish(&qi, "ls-files", &out, e) == 0)
		rc = read_index(t, &out, depth, until, e);
	t->repository = true;
	git_call_free(&qs);
	git_call_free(&qi);
	strings_free(&filters);
	buf_free(&out);
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
		if (!t->entry[i].hidden)
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
