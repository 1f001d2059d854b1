/*
 * Questions about commits.
 */
#include "gate/git-history.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/git.h"

/* A commit's name in full, never an option or a range. */
static bool
is_name(const char *commit)
{
	size_t len = strspn(commit, "0123456789abcdef");

	return (len == 40 || len == 64) && commit[len] == '\0';
}

bool
git_before_head(const char *root, const char *commit, struct deadline until)
{
	const char *const words[] = { "rev-list", "--max-count=1", commit, "^HEAD", "--", NULL };
	struct buf out = { 0 };
	struct error e;
	bool before =
	    is_name(commit) && git_output(root, words, until, &out, &e) == 0 && out.len == 0;

	buf_free(&out);
	return before;
}

static char *
merge_base(const char *root, const char *ref, struct deadline until)
{
	const char *const words[] = { "merge-base", "HEAD", ref, NULL };
	struct buf out = { 0 };
	struct error e;
	char *base = NULL;

	if (git_output(root, words, until, &out, &e) == 0)
		base = mem_copy(buf_text(&out), strcspn(buf_text(&out), "\n"));
	if (base != NULL && !is_name(base)) {
		free(base);
		base = NULL;
	}
	buf_free(&out);
	return base;
}

/* Has the history been cut off (git clone --depth)?  Whoever writes this file says where. */
static bool
is_shallow(const char *root)
{
	char *common = git_common(root), *path;
	bool shallow = common == NULL;

	if (common != NULL) {
		path = mem_printf("%s/shallow", common);
		shallow = access(path, F_OK) == 0;
		free(path);
	}
	free(common);
	return shallow;
}

char *
git_base_of(const char *root, const char *commit, struct deadline until)
{
	if (git_before_head(root, commit, until))
		return mem_string(commit);
	return is_name(commit) && !is_shallow(root) ? merge_base(root, commit, until) : NULL;
}

/* What exactly this ref names: git itself would try the tags of this name before the branches. */
static char *
ref_value(const char *root, char *ref, struct deadline until)
{
	const char *const words[] = { "show-ref", "--verify", "--hash", ref, NULL };
	struct buf out = { 0 };
	struct error e;
	char *value = NULL;

	if (git_output(root, words, until, &out, &e) == 0)
		value = mem_copy(buf_text(&out), strcspn(buf_text(&out), "\n"));
	buf_free(&out);
	free(ref);
	return value;
}

/* HEAD or an ancestor of it: HEAD^, HEAD~3. */
static bool
is_before_head(const char *ref)
{
	return strncmp(ref, "HEAD", 4) == 0 && ref[4 + strspn(ref + 4, "^~0123456789")] == '\0';
}

char *
git_merge_base(const char *root, const char *ref, struct deadline until)
{
	char *commit, *base;

	if (is_name(ref) || is_before_head(ref))
		return merge_base(root, ref, until);
	if (strncmp(ref, "refs/", 5) == 0)
		commit = ref_value(root, mem_string(ref), until);
	else if ((commit = ref_value(root, mem_printf("refs/remotes/%s", ref), until)) == NULL)
		commit = ref_value(root, mem_printf("refs/heads/%s", ref), until);
	base = commit != NULL ? merge_base(root, commit, until) : NULL;
	free(commit);
	return base;
}
