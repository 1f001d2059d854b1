/*
 * Questions about commits.
 */
#include "gate/git-history.h"

#include <string.h>

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
