/*
 * Find the files.
 *
 * The search goes up by paths, not by descriptors, and stops at the root of the
 * repository: a file above the checkout belongs to something else.  The commands of
 * `{config}/task-hooks.json` need no trust.
 */
#include <sys/stat.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config-part.h"
#include "config/config.h"
#include "config/repository.h"
#include "config/trust.h"

#define NAME "task-hooks.json"

static bool
same_path(const char *a, const char *b)
{
	struct stat sa, sb;

	return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

/* DIR/.claude/task-hooks.json for the project at root: 1 there and read, 0 not there, -1. */
static int
load_below(struct config *c, const char *dir, const char *root, const char *user, struct error *e)
{
	char *path = mem_printf("%s/.claude/" NAME, strcmp(dir, "/") == 0 ? "" : dir);
	int rc = 0;

	/* Skip a file that we may not access; for other errors, config_load_file() reports them.
	 * In the home directory the user's file and the project's may be the same. */
	if ((access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR && errno != EACCES)) &&
	    (user == NULL || !same_path(path, user)))
		rc = config_load_file(c, &c->project, path, root, true, e);
	free(path);
	return rc;
}

/* A linked worktree without the file: that of the main work tree, for the same place here. */
static int
load_main(struct config *c, const char *cwd, const char *user, struct error *e)
{
	struct repository r;
	char *slash;
	int rc = 0;

	if (!repository_find(&r, cwd))
		return 0;
	for (bool more = r.main != NULL; rc == 0 && more;) {
		char *dir = mem_join(r.main, r.place, NULL), *root = mem_join(r.top, r.place, NULL);

		rc = load_below(c, dir, root, user, e);
		free(dir);
		free(root);
		if ((more = (slash = strrchr(r.place, '/')) != NULL))
			*slash = '\0';
	}
	repository_free(&r);
	return rc;
}

/* The nearest .claude/task-hooks.json, not above the directory that has .git. */
static int
load_project(struct config *c, const char *cwd, const char *user, struct error *e)
{
	char dir[PATH_MAX], path[PATH_MAX + 32];
	struct stat st;
	int rc;

	if (cwd == NULL && getcwd(dir, sizeof(dir)) == NULL)
		return error_sys(e, "cannot tell the working directory");
	if (cwd != NULL && cwd[0] != '/')
		return 0;
	if (cwd != NULL && strlcpy(dir, cwd, sizeof(dir)) >= sizeof(dir))
		return error_set(e, ERROR_INPUT,
		    "the path of the working directory has more than %d bytes, so no gate file "
		    "can be looked for: go to a directory with a shorter path",
		    PATH_MAX - 1);
	for (;;) {
		char *slash = strrchr(dir, '/');

		if ((rc = load_below(c, dir, dir, user, e)) != 0)
			return rc;
		snprintf(path, sizeof(path), "%s/.git", dir);
		if (stat(path, &st) == 0)
			return S_ISREG(st.st_mode) ? load_main(c, cwd != NULL ? cwd : ".", user, e)
						   : 0;
		if (slash == NULL || strcmp(dir, "/") == 0)
			return 0;
		slash[slash == dir] = '\0';
	}
}

static int
load_given(struct config *c, const char *file, struct error *e)
{
	char *path = realpath(file, NULL), *root, *slash;
	int rc;

	if (path == NULL)
		return error_sys(e, "cannot read the configuration '%s'", file);
	root = mem_string(path);
	if ((slash = strrchr(root, '/')) != NULL)
		*slash = '\0';
	/* The root of DIR/.claude/task-hooks.json is DIR, that of another file its directory. */
	if ((slash = strrchr(root, '/')) != NULL && strcmp(slash, "/.claude") == 0)
		*slash = '\0';
	c->given = true;
	rc = config_load_file(c, &c->project, path, *root == '\0' ? "/" : root, false, e);
	if (rc == 0)
		rc = error_set(e, ERROR_NOT_FOUND, "the settings file '%s' does not exist", file);
	free(path);
	free(root);
	return rc;
}

/* Until it is trusted, a project's file makes nothing looser than it was before (base). */
static void
limit_project(struct config *c, const struct config *base, const char *config_dir)
{
	struct strings loosened = { 0 };

	config_order_limit(config_keys, "", c, base, false, &loosened);
	if (loosened.count > 0 && !trust_has(config_dir, &c->project))
		config_order_limit(config_keys, "", c, base, true, &c->loosened);
	strings_free(&loosened);
}

int
config_load(struct config *c, const struct config_query *q, struct error *e)
{
	struct config base = { 0 };
	char *user = NULL;
	int rc = 0;

	config_default(c);
	if (q->config_dir != NULL) {
		user = mem_printf("%s/" NAME, q->config_dir);
		rc = config_load_file(c, &c->user, user, NULL, false, e);
	}
	if (rc != -1)
		config_order_keep(config_keys, &base, c);
	if (rc != -1)
		rc = q->file != NULL ? load_given(c, q->file, e) : load_project(c, q->cwd, user, e);
	if (rc == 1 && !c->given)
		limit_project(c, &base, q->config_dir);
	config_free(&base);
	free(user);
	if (rc != -1)
		rc = gates_check(&c->gates, e);
	if (rc == -1) {
		/* Do not use a part of a configuration: the fault is handled by the defaults. */
		config_free(c);
		config_default(c);
	}
	return rc == -1 ? -1 : 0;
}
