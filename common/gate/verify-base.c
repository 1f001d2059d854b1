/*
 * The merge base with the default branch: what "since": "proven" counts from while no tree is known
 * on which the gate has passed.
 *
 * A fetch, a push and an agent can move refs/remotes.  So the commit that the default branch had
 * when the list was bound is kept, one line "COMMIT REF DIRECTORY" for each repository, and it is
 * the merge base with this commit that counts, unless that with the ref as it is now is another
 * one.  The upstream of a branch is not used: it is usually the published copy of that branch, and
 * settings of the repository choose it.
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

/* The line for the same directory; NULL. */
static const char *
line_for(const struct buf *text, const char *line)
{
	const char *want = directory_of(line);

	for (const char *p = buf_text(text); *p != '\0'; p += strcspn(p, "\n"), p += *p == '\n')
		if (strncmp(directory_of(p), want, strlen(want)) == 0)
			return p;
	return NULL;
}

/* The first line of a repository counts: another worktree of it is bound later. */
static int
add_base(void *line, struct buf *text, struct error *e)
{
	(void)e;
	if (line_for(text, line) != NULL)
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

static char *
commit_of(const char *line)
{
	return mem_copy(line, strcspn(line, " "));
}

/* The merge base of HEAD with the commits of both lines; owned; NULL: none, or it has moved. */
static char *
base_of(const struct plan *p, const char *then, const char *now)
{
	const char *ref = strchr(now, ' ');
	char *was = commit_of(then), *is = commit_of(now), *base = NULL, *moved;

	if (strncmp(then + strlen(was), ref, strlen(ref)) == 0)
		base = git_base_of(p->tree.root, was, p->req->deadline);
	if (base != NULL && strcmp(was, is) != 0) {
		moved = git_base_of(p->tree.root, is, p->req->deadline);
		if (moved == NULL || strcmp(moved, base) != 0) {
			free(base);
			base = NULL;
		}
		free(moved);
	}
	free(was);
	free(is);
	return base;
}

char *
verify_base(const struct plan *p)
{
	const char *head = p->tree.head, *then;
	struct buf text = { 0 };
	struct error e;
	char *now, *base = NULL;

	if (p->req->list == NULL || head == NULL ||
	    list_state_read(p->req->list, RECORD, &text, &e) != 1 ||
	    (now = line_now(p->tree.root, true)) == NULL) {
		buf_free(&text);
		return NULL;
	}
	if ((then = line_for(&text, now)) != NULL)
		base = base_of(p, then, now);
	if (base != NULL && strcmp(base, head) == 0) {
		free(base);
		base = NULL;
	}
	free(now);
	buf_free(&text);
	return base;
}
