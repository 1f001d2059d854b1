/*
 * Asking git.
 *
 * One `git status` tells HEAD and what differs from it.  A second process,
 * beside it, lists the files that git was told to take for unchanged
 * (assume-unchanged, skip-worktree): their content is none of status's
 * business, so an edit there would hide behind a remembered pass.
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

struct question {
	struct child child;
	int fd; /* its output */
};

/* PATH=... without what is relative: a repository must not bring a git of its own. */
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

static int
ask(struct question *q, const char *root, char *const *words, struct deadline until,
    struct error *e)
{
	static const char *const first[] = { "git", "--no-optional-locks", "-c",
		"core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C" };
	struct strings argv = { 0 }, env = { 0 };
	struct child_spec spec = { .env = &env, .deadline = until, .output = &q->fd };
	int rc;

	if ((q->fd = memfd_create("git", MFD_CLOEXEC)) == -1)
		return error_sys(e, "cannot keep what git says");
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		strings_add(&argv, first[i]);
	strings_add(&argv, root);
	for (; *words != NULL; words++)
		strings_add(&argv, *words);
	strings_take(&argv, NULL);
	spec.argv = argv.item;
	strings_add(&env, "LC_ALL=C");
	strings_take(&env, absolute_path());
	rc = child_start(&q->child, &spec, e);
	strings_free(&argv);
	strings_free(&env);
	return rc;
}

static int
answer(struct question *q, const char *what, struct buf *out, struct error *e)
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
question_free(struct question *q)
{
	child_free(&q->child);
	if (q->fd != -1)
		close(q->fd);
	q->fd = -1;
}

#define QUESTION_INIT                         \
	{                                     \
		.child = CHILD_INIT, .fd = -1 \
	}

static struct git_entry *
add_entry(struct git_tree *t, const char *path, const char *record, size_t len)
{
	struct git_entry *n;

	t->entry = mem_grow(t->entry, t->count + 1, sizeof(*t->entry));
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
			return error_set(e, ERROR_FAULT, "git status said what we do not know");
		add_entry(t, path, p, (size_t)(path - p));
		/* The third word tells a submodule ("S..."); "dir/" is a repository of its own. */
		if ((*p != '?' && *after_fields(p, 2) == 'S') || path[strlen(path) - 1] == '/')
			t->entry[t->count - 1].why =
			    mem_printf("'%.200s' is a repository of its own and has changed", path);
	}
	return 0;
}

static void
read_hidden(struct git_tree *t, const struct buf *out)
{
	const char *p = buf_text(out), *end = p + out->len;

	for (; p < end; p += strlen(p) + 1)
		if ((*p == 'S' || (*p >= 'a' && *p <= 'z')) && p[1] == ' ')
			add_entry(t, p + 2, p, 1)->hidden = true;
}

static int
by_path(const void *a, const void *b)
{
	const struct git_entry *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order != 0 ? order : strcmp(x->record, y->record);
}

int
git_tree(struct git_tree *t, const char *cwd, struct deadline until, struct error *e)
{
	static const char *const status[] = { "status", "--porcelain=v2", "-z", "--branch",
		"--untracked-files=all", "--ignore-submodules=none", "--no-renames", NULL };
	static const char *const hidden[] = { "ls-files", "-v", "-z", NULL };
	struct question qs = QUESTION_INIT, qh = QUESTION_INIT;
	struct buf out = { 0 };
	int rc = -1;

	*t = (struct git_tree){ 0 };
	if ((t->root = git_root(cwd)) == NULL)
		return 0;
	if (ask(&qs, t->root, (char *const *)status, until, e) == -1 ||
	    ask(&qh, t->root, (char *const *)hidden, until, e) == -1 ||
	    answer(&qs, "status", &out, e) == -1 || read_status(t, &out, e) == -1 ||
	    answer(&qh, "ls-files", &out, e) == -1)
		goto out;
	read_hidden(t, &out);
	if (t->count > 0)
		qsort(t->entry, t->count, sizeof(*t->entry), by_path);
	git_read_entries(t);
	t->repository = true;
	rc = 0;
out:
	question_free(&qs);
	question_free(&qh);
	buf_free(&out);
	if (rc == -1)
		git_tree_free(t);
	return rc;
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

/* The NUL-separated answer to one question, as strings. */
static int
list_paths(const struct git_tree *t, const char *const *words, struct deadline until,
    struct strings *paths, struct error *e)
{
	struct question q = QUESTION_INIT;
	struct buf out = { 0 };
	int rc = -1;

	if (ask(&q, t->root, (char *const *)words, until, e) == 0 &&
	    answer(&q, words[0], &out, e) == 0) {
		const char *p = buf_text(&out), *end = p + out.len;

		for (; p < end; p += strlen(p) + 1)
			strings_add(paths, p);
		rc = 0;
	}
	question_free(&q);
	buf_free(&out);
	return rc;
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
	return list_paths(t,
	    (const char *const[]){ "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff",
		"--no-textconv", since, "--", NULL },
	    until, paths, e);
}

int
git_paths(const struct git_tree *t, struct deadline until, struct strings *paths, struct error *e)
{
	return list_paths(t,
	    (const char *const[]){
		"ls-files", "-z", "--cached", "--others", "--exclude-standard", NULL },
	    until, paths, e);
}
