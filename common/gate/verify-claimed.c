/*
 * A task that was claimed in another place than the one it is completed in.
 *
 * Another work tree of the same project: if that has changed since, or has commits that this one
 * does not have, the work may be there, and its gates have to pass too.  Another project: what was
 * judged here says nothing about it, so its gates have to pass in any case.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "config/repository.h"
#include "gate/git-history.h"
#include "gate/verify-part.h"

#define PATH_CHARS 300

enum claimed {
	CLAIMED_SAME, /* nothing to judge there */
	CLAIMED_CHANGED,
	CLAIMED_AHEAD, /* it has commits that are not here */
	CLAIMED_OTHER, /* another project */
	CLAIMED_GONE,  /* and it is not known that its work is here */
};

/* The root of the claim, if it is not what was judged; owned; NULL. */
static char *
other_root(const struct plan *p)
{
	const struct config_file *f = &p->req->config->project;
	char *then, *now;

	if (p->claim == NULL || p->claim->root == NULL || !f->commands || p->req->config->given ||
	    p->req->plan_only)
		return NULL;
	then = realpath(p->claim->root, NULL);
	now = realpath(f->root, NULL);
	if (then != NULL && now != NULL && strcmp(then, now) == 0) {
		free(then);
		then = NULL;
	} else if (then == NULL) /* it was removed */
		then = mem_string(p->claim->root);
	free(now);
	return then;
}

/* Has anything in this work tree changed since the claim?  True also if that is not known. */
static bool
has_changed(const struct plan *p, const char *root)
{
	struct git_tree tree = { 0 };
	struct strings paths = { 0 };
	struct error ignored;
	bool changed =
	    p->claim->head == NULL || git_tree(&tree, root, p->req->deadline, &ignored) == -1 ||
	    !tree.repository ||
	    git_changed(&tree, p->claim->head, p->req->deadline, &paths, &ignored) == -1 ||
	    paths.count > 0;

	git_tree_free(&tree);
	strings_free(&paths);
	return changed;
}

/* Does this work tree have a commit that the judged one was not made from? */
static bool
is_ahead(const struct plan *p, const char *root)
{
	char *head = git_head(root);
	bool ahead =
	    head == NULL || !git_before_head(p->req->config->project.root, head, p->req->deadline);

	free(head);
	return ahead;
}

bool
verify_same_project(const char *a, const char *b)
{
	struct repository ra = { 0 }, rb = { 0 };
	bool same = strcmp(a, b) == 0 ||
		    (repository_find(&ra, a) && repository_find(&rb, b) &&
			strcmp(ra.common, rb.common) == 0 && strcmp(ra.place, rb.place) == 0);

	repository_free(&ra);
	repository_free(&rb);
	return same;
}

static enum claimed
look_there(const struct plan *p, const char *root)
{
	const char *here = p->req->config->project.root, *then = p->claim->head;

	/* A work tree may be removed after its commits were taken over. */
	if (access(root, F_OK) == -1)
		return then != NULL && git_before_head(here, then, p->req->deadline) ? CLAIMED_SAME
										     : CLAIMED_GONE;
	if (!verify_same_project(here, root))
		return CLAIMED_OTHER;
	if (has_changed(p, root))
		return CLAIMED_CHANGED;
	return is_ahead(p, root) ? CLAIMED_AHEAD : CLAIMED_SAME;
}

static void
show_path(struct buf *b, const char *path)
{
	buf_putc(b, '\'');
	text_show(b, path, strlen(path), TEXT_LINE, PATH_CHARS);
	buf_putc(b, '\'');
}

static void
report_refusal(struct plan *p, const char *root, enum claimed claimed, const struct verify *second)
{
	static const char *const why[] = { [CLAIMED_CHANGED] = "has changed since",
		[CLAIMED_AHEAD] = "has commits that are not here",
		[CLAIMED_OTHER] = "has gates of its own" };
	struct buf b = { 0 };

	buf_puts(&b, "its gates pass in ");
	show_path(&b, p->req->config->project.root);
	buf_puts(&b, ", but it was claimed in ");
	show_path(&b, root);
	if (claimed == CLAIMED_GONE)
		buf_puts(&b, ", which is missing. Restore it.");
	else
		buf_printf(&b, ", which %s, and there:\n%s\nMake them pass there too.",
		    why[claimed], buf_text(&second->reason));
	buf_puts(&b, " If its work is not there: set it to pending, and start it again where its "
		     "work is.");
	verify_report_refusal(p, claimed == CLAIMED_GONE ? "gates" : second->rule, buf_text(&b));
	buf_free(&b);
}

static void
note_passed(struct plan *p, bool both)
{
	struct buf b = { 0 };

	buf_puts(&b, "the task was claimed in ");
	show_path(&b, p->claim->root);
	buf_printf(&b, ", and its gates were run in %s", both ? "both, here " : "");
	show_path(&b, p->req->config->project.root);
	strings_take(&p->verify->warnings, buf_take(&b));
}

static int
verify_there(struct plan *p, const char *root, struct verify *second, struct error *e)
{
	struct verify_request req = *p->req;
	struct config_query q = { .cwd = root, .config_dir = req.list->config };
	struct config config;
	int rc;

	if ((rc = config_load(&config, &q, e)) == 0) {
		req.config = &config;
		req.cwd = root;
		req.project_dir = NULL;
		req.second = true;
		rc = verify_task(second, &req, e);
	}
	config_free(&config);
	return rc;
}

int
verify_claimed_tree(struct plan *p, struct error *e)
{
	struct verify second = VERIFY_INIT;
	char *root = other_root(p);
	enum claimed claimed;
	bool both;
	int rc = 0;

	if (root == NULL)
		return 0;
	claimed = look_there(p, root);
	both = claimed != CLAIMED_SAME && claimed != CLAIMED_GONE;
	if (both)
		rc = verify_there(p, root, &second, e);
	if (rc == 0 && (claimed == CLAIMED_GONE || (both && !second.passed)))
		report_refusal(p, root, claimed, &second);
	else if (rc == 0)
		note_passed(p, both);
	verify_free(&second);
	free(root);
	return rc;
}
