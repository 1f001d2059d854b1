/*
 * A task that was claimed in another work tree than the one it is completed in.
 *
 * If that tree has changed since, the work may be there: its gates have to pass too.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/verify-part.h"

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

static void
report_refusal(struct plan *p, const char *root, const struct verify *second)
{
	struct buf b = { 0 };

	buf_printf(&b,
	    "its gates pass in '%s', but it was claimed in '%s', which has changed since, and "
	    "there:\n%s\nMake them pass there too. If its work is not there: set it to pending, "
	    "and start it again where its work is.",
	    p->req->config->project.root, root, buf_text(&second->reason));
	verify_report_refusal(p, second->rule, buf_text(&b));
	buf_free(&b);
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
	bool changed;
	int rc = 0;

	if (root == NULL)
		return 0;
	changed = access(root, F_OK) == 0 && has_changed(p, root);
	if (changed)
		rc = verify_there(p, root, &second, e);
	if (rc == 0 && changed && !second.passed)
		report_refusal(p, root, &second);
	else if (rc == 0)
		strings_take(&p->verify->warnings,
		    mem_printf("the task was claimed in '%s', and its gates were run in %s'%s'",
			p->claim->root, changed ? "both, here " : "",
			p->req->config->project.root));
	verify_free(&second);
	free(root);
	return rc;
}
