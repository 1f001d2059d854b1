/*
 * Which repository, and where in it: by .git, gitdir and commondir.
 */
#include "config/repository.h"

#include <sys/stat.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sys/file.h"

/* Where the first line of a small file leads, relative to the directory; owned, NULL. */
static char *
read_link(const char *dir, const char *name, const char *prefix)
{
	char *path = mem_printf("%s/%s", dir, name), *real = NULL;
	struct buf b = { 0 };
	struct error e;

	if (file_read_path(path, PATH_MAX, &b, &e) == 1 &&
	    strncmp(buf_text(&b), prefix, strlen(prefix)) == 0) {
		const char *line = buf_text(&b) + strlen(prefix);
		int len = (int)strcspn(line, "\r\n");
		char *to = *line == '/' ? mem_printf("%.*s", len, line)
					: mem_printf("%s/%.*s", dir, len, line);

		real = realpath(to, NULL);
		free(to);
	}
	buf_free(&b);
	free(path);
	return real;
}

/* The directory of a work tree, if dir is its top: 'd' .git is a directory, 'f' a file, 0. */
static char
top_kind(const char *dir)
{
	char path[PATH_MAX + 16];
	struct stat st;

	snprintf(path, sizeof(path), "%s/.git", dir);
	if (stat(path, &st) == -1)
		return 0;
	if (S_ISREG(st.st_mode))
		return 'f';
	/* Git ignores an empty .git directory too. */
	snprintf(path, sizeof(path), "%s/.git/HEAD", dir);
	return lstat(path, &st) == 0 ? 'd' : 0;
}

/* Of a .git file: a linked worktree, or the git directory of a submodule. */
static void
find_linked(struct repository *r)
{
	char *git = read_link(r->top, ".git", "gitdir: "), *own, *back, *slash;

	if (git == NULL)
		return;
	own = mem_printf("%s/.git", r->top);
	back = read_link(git, "gitdir", "");
	r->common = back != NULL && strcmp(back, own) == 0 ? read_link(git, "commondir", "") : NULL;
	if (r->common != NULL && (slash = strrchr(r->common, '/')) != NULL && slash > r->common &&
	    strcmp(slash, "/.git") == 0)
		r->main = mem_copy(r->common, (size_t)(slash - r->common));
	if (r->common == NULL) {
		r->common = git;
		git = NULL;
	}
	free(git);
	free(own);
	free(back);
}

/* Shorten the path to the top of its work tree, and return its kind; 0: there is none. */
static char
cut_to_top(char *at)
{
	char *slash, kind;

	while ((kind = top_kind(at)) == 0 && at[1] != '\0') {
		slash = strrchr(at, '/');
		slash[slash == at] = '\0';
	}
	return kind;
}

char *
repository_top(const char *dir)
{
	char *at = realpath(dir != NULL ? dir : ".", NULL);

	if (at != NULL && cut_to_top(at) == 0) {
		free(at);
		at = NULL;
	}
	return at;
}

bool
repository_find(struct repository *r, const char *dir)
{
	char *real = realpath(dir, NULL), *at, kind;

	*r = (struct repository){ 0 };
	if (real == NULL)
		return false;
	at = mem_string(real);
	if ((kind = cut_to_top(at)) != 0) {
		r->top = at;
		at = NULL;
		r->place = mem_string(strcmp(r->top, "/") == 0 ? real : real + strlen(r->top));
		if (kind == 'f')
			find_linked(r);
		else
			r->common = mem_printf("%s/.git", r->top);
		if (r->common == NULL)
			r->common = mem_string(r->top);
	}
	free(at);
	free(real);
	return kind != 0;
}

void
repository_free(struct repository *r)
{
	free(r->top);
	free(r->place);
	free(r->common);
	free(r->main);
	*r = (struct repository){ 0 };
}
