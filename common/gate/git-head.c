/*
 * What can be read without a process: the directories of a repository, and the commit
 * of HEAD.  A layout that is not plain (reftables, a broken link) gives NULL.
 */
#include <sys/stat.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/repository.h"
#include "gate/git-part.h"
#include "sys/file.h"

/* The line that is all of a small file, owned: 1, 0 there is no file, -1. */
static int
find_line(const char *dir, const char *name, char **line)
{
	char *path = mem_printf("%s/%s", dir, name);
	struct buf b = { 0 };
	struct error e;
	int rc = file_read_path(path, 4096, &b, &e);
	size_t len = strcspn(buf_text(&b), "\r\n");

	*line = NULL;
	if (rc == 1 && len + strspn(buf_text(&b) + len, "\r\n") == b.len)
		*line = mem_copy(buf_text(&b), len);
	else if (rc == 1)
		rc = -1;
	buf_free(&b);
	free(path);
	return rc;
}

static char *
read_line(const char *dir, const char *name)
{
	char *line;

	(void)find_line(dir, name, &line);
	return line;
}

/* `dir` joined with a path that may be absolute already. */
static char *
path_join(const char *dir, const char *path)
{
	return path[0] == '/' ? mem_string(path) : mem_printf("%s/%s", dir, path);
}

static bool
is_commit(const char *s)
{
	size_t len = strspn(s, "0123456789abcdef");

	return (len == 40 || len == 64) && s[len] == '\0';
}

static char *
packed_ref(const char *dir, const char *ref)
{
	char *path = mem_printf("%s/packed-refs", dir), *found = NULL;
	struct buf b = { 0 };
	struct error e;
	size_t len = strlen(ref);

	if (file_read_path(path, FILE_MAX, &b, &e) == 1)
		for (const char *p = buf_text(&b); *p != '\0' && found == NULL;) {
			const char *end = p + strcspn(p, "\n"),
				   *blank = memchr(p, ' ', (size_t)(end - p));

			if (blank != NULL && (size_t)(end - blank - 1) == len &&
			    memcmp(blank + 1, ref, len) == 0)
				found = mem_copy(p, (size_t)(blank - p));
			p = *end == '\0' ? end : end + 1;
		}
	buf_free(&b);
	free(path);
	return found;
}

int
git_directories(const char *root, char **git, char **common)
{
	char *text = NULL;
	struct stat st;

	*common = NULL;
	*git = mem_printf("%s/.git", root);
	if (stat(*git, &st) == 0 && S_ISREG(st.st_mode)) {
		free(*git);
		*git = NULL;
		if ((text = read_line(root, ".git")) == NULL || strncmp(text, "gitdir: ", 8) != 0) {
			free(text);
			return -1;
		}
		*git = path_join(root, text + 8);
		free(text);
	}
	if (find_line(*git, "commondir", &text) == -1)
		return -1;
	*common = text != NULL ? path_join(*git, text) : mem_string(*git);
	free(text);
	return 0;
}

char *
git_common(const char *root)
{
	char *git = NULL, *common = NULL, *real = NULL;

	if (git_directories(root, &git, &common) == 0)
		real = realpath(common, NULL);
	free(git);
	free(common);
	return real;
}

/* The commit of a ref; owned, NULL. */
static char *
ref_commit(const char *common, const char *ref)
{
	char *commit;

	if (strstr(ref, "..") != NULL || strchr(ref, ' ') != NULL)
		return NULL;
	if ((commit = read_line(common, ref)) == NULL)
		commit = packed_ref(common, ref);
	if (commit != NULL && !is_commit(commit)) {
		free(commit);
		commit = NULL;
	}
	return commit;
}

char *
git_default_branch(const char *common)
{
	char *ref = read_line(common, "refs/remotes/origin/HEAD"), *commit = NULL, *branch = NULL;

	if (ref != NULL && strncmp(ref, "ref: refs/remotes/origin/", 25) == 0)
		commit = ref_commit(common, ref + 5);
	if (commit != NULL)
		branch = mem_printf("%s %s", commit, ref + 5);
	free(commit);
	free(ref);
	return branch;
}

char *
git_head(const char *cwd)
{
	char *root = repository_top(cwd), *git = NULL, *common = NULL, *head = NULL, *text = NULL;

	if (root == NULL || git_directories(root, &git, &common) == -1 ||
	    (text = read_line(git, "HEAD")) == NULL)
		goto out;
	if (strncmp(text, "ref: refs/", 10) == 0)
		head = ref_commit(common, text + 5);
	else if (is_commit(text))
		head = mem_string(text);
out:
	free(root);
	free(git);
	free(common);
	free(text);
	return head;
}
