/*
 * The merge base with the default branch: what "since": "proven" counts from while no tree is known
 * on which the gate has passed.
 *
 * A fetch, a push and an agent can move refs/remotes.  So the commit that the default branch had
 * when the list was bound is kept, one line "COMMIT REF DIRECTORY" for each repository, and counts
 * only while the ref still has it, and while HEAD was made from it: then it is the merge base,
 * also if commits in between were replaced.  The upstream of a branch is not used: it is usually
 * the published copy of that branch, and settings of the repository choose it.
 *
 * A list that is first bound by a completion has none.  A ref that was moved before the list was
 * bound is found by CI alone.
 */
#include <stdlib.h>
#include <string.h>

#include "config/repository.h"
#include "gate/git-history.h"
#include "gate/verify-part.h"

#define RECORD "bases"
#define NONE "- -" /* instead of commit and ref: a branch that is fetched later is not used */

/* The line of this work tree, as its refs are now (or without any); owned; NULL: it is in no
 * repository. */
static char *
line_now(const char *top, bool refs)
{
	char *common = top != NULL ? git_common(top) : NULL, *branch, *line;

	if (common == NULL || strchr(common, '\n') != NULL) {
		free(common);
		return NULL;
	}
	branch = refs ? git_default_branch(common) : NULL;
	line = mem_printf("%s %s\n", branch != NULL ? branch : NONE, common);
	free(branch);
	free(common);
	return line;
}

static const char *
directory_of(const char *line)
{
	const char *ref = strchr(line, ' '), *dir = ref != NULL ? strchr(ref + 1, ' ') : NULL;

	return dir != NULL ? dir : "";
}

/* Is there a line for the same directory, or with `whole` the same line? */
static bool
has_line(const struct buf *text, const char *line, bool whole)
{
	const char *want = whole ? line : directory_of(line);

	for (const char *p = buf_text(text); *p != '\0'; p += strcspn(p, "\n"), p += *p == '\n')
		if (strncmp(whole ? p : directory_of(p), want, strlen(want)) == 0)
			return true;
	return false;
}

/* The first line of a repository counts: another worktree of it is bound later. */
static int
add_base(void *line, struct buf *text, struct error *e)
{
	(void)e;
	if (has_line(text, line, false))
		return 0;
	buf_puts(text, line);
	return 1;
}

int
verify_bind(const struct governing *g, const struct list *list, bool begins, struct deadline until,
    struct error *e)
{
	int rc = governing_bind(g, list, until, e);
	char *top, *line;

	if (rc != 1)
		return rc;
	top = repository_top(g->config->project.root);
	line = line_now(top, begins);
	if (line != NULL)
		rc = list_state_edit(list, RECORD, add_base, line, until, e);
	free(line);
	free(top);
	return rc == -1 ? -1 : 0;
}

char *
verify_base(const struct plan *p)
{
	const char *root = p->tree.root, *head = p->tree.head;
	struct buf text = { 0 };
	struct error e;
	char *line, *commit = NULL;

	if (p->req->list == NULL || head == NULL ||
	    list_state_read(p->req->list, RECORD, &text, &e) != 1 ||
	    (line = line_now(root, true)) == NULL) {
		buf_free(&text);
		return NULL;
	}
	if (has_line(&text, line, true))
		commit = mem_copy(line, strcspn(line, " "));
	if (commit != NULL &&
	    (strcmp(commit, head) == 0 || !git_before_head(root, commit, p->req->deadline))) {
		free(commit);
		commit = NULL;
	}
	free(line);
	buf_free(&text);
	return commit;
}
