/*
 * The copies of our programs that settings name: made by install, removed by uninstall.
 *
 * A package manager for JavaScript puts a package where it may disappear at any time (the cache of
 * npx) or changes while clients run (an update).  So a program that was started from there
 * registers copies.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "install-part.h"
#include "settings/programs.h"

#define PURGE_FILES 16 /* open at the same time */

/* Does the link name programs? */
static bool
link_works(const char *config)
{
	char *bin = programs_bin(config), *path = mem_printf("%s/%s", bin, programs_name[0]);
	bool works = access(path, X_OK) == 0;

	free(path);
	free(bin);
	return works;
}

char *
install_programs_dir(
    const struct cli *c, const struct registration *r, struct job *job, struct error *err)
{
	const char *asked = cli_value(c, "bin");
	char *dir = registration_bin(asked, err), *real;
	bool copy = cli_flag(c, "copy"), is_copy;

	if (dir == NULL)
		return NULL;
	real = asked == NULL ? realpath(dir, NULL) : NULL;
	is_copy = real != NULL && programs_is_copy(r->config, real);
	copy |= is_copy || (real != NULL && programs_in_package(real));
	if (copy && !(is_copy && link_works(r->config)))
		job->from = mem_string(dir);
	free(real);
	if (copy) {
		free(dir);
		dir = programs_bin(r->config);
	}
	return dir;
}

int
install_programs_copy(
    struct cli *c, const struct registration *r, struct job *job, struct error *err)
{
	bool agent = (job->flags & GUARD_AGENT) != 0;
	char *bin;
	int rc;

	if (job->from == NULL)
		return 0;
	rc = programs_copy(r->config, job->from, agent, &job->former, err);
	job->copied = rc == 1;
	if (rc == 1 && !agent) {
		bin = programs_bin(r->config);
		cli_person_record(c, "install", bin);
		free(bin);
	}
	return rc == -1 ? -1 : 0;
}

static void
text_installed(struct cli *c, const struct job *job, const char *bin)
{
	if (job->dry)
		buf_printf(&c->out, "would copy the programs of %s to %s\n", job->from, bin);
	else if (job->copied)
		buf_printf(&c->out, "%s: programs of version " VERSION " copied%s%s\n", bin,
		    job->former != NULL ? ", in place of " : "",
		    job->former != NULL ? job->former : "");
	else
		buf_printf(&c->out, "%s: has these programs already\n", bin);
}

static void
text_removed(struct cli *c, const struct registration *r, const struct job *job, const char *bin)
{
	char *dir = mem_printf("%s/task-hooks", r->config), *file = mem_printf("%s.json", dir);
	struct buf word = { 0 };

	if (job->programs == PROGRAMS_REMOVED)
		buf_printf(
		    &c->out, "%s%s: programs removed\n", job->dry ? "would change " : "", bin);
	if (job->programs == PROGRAMS_USED)
		buf_printf(&c->out, "%s: programs kept, since other settings name them\n", bin);
	settings_shell_word(&word, dir);
	if (job->purge)
		buf_printf(&c->out, "%s%s: removed\n", job->dry ? "would change " : "", dir);
	else if (job->user && access(dir, F_OK) == 0)
		buf_printf(&c->out,
		    "kept: %s with journals, receipts and records (to remove it: rm -r %s)\n", dir,
		    buf_text(&word));
	if (job->user && access(file, F_OK) == 0)
		buf_printf(&c->out, "kept: %s, your own settings\n", file);
	buf_free(&word);
	free(file);
	free(dir);
}

void
install_programs_text(struct cli *c, const struct registration *r, const struct job *job)
{
	char *bin = programs_bin(r->config);

	if (job->plan.bin == NULL)
		text_removed(c, r, job, bin);
	else if (job->from != NULL)
		text_installed(c, job, bin);
	free(bin);
}

/* The other settings files that name the copies: those with a record, and those that apply here. */
static void
other_users(const struct registration *r, const char *path, struct strings *users)
{
	char *bin = programs_bin(r->config);
	size_t len = strlen(bin);

	programs_users(r->config, path, users);
	for (int i = 0; i < SCOPES; i++)
		for (size_t k = 0; k < r->file[i].entries.count; k++) {
			const char *name = r->file[i].entries.item[k].path;

			if (strcmp(r->file[i].path, path) != 0 && strncmp(name, bin, len) == 0 &&
			    name[len] == '/' && !strings_has(users, r->file[i].path))
				strings_add(users, r->file[i].path);
		}
	free(bin);
}

int
install_programs_purge(
    struct cli *c, const struct registration *r, enum scope scope, const struct job *job)
{
	struct strings users = { 0 };
	int status = EXIT_DONE;

	if (!job->purge)
		return EXIT_DONE;
	if (scope != SCOPE_USER)
		return cli_misuse(c, "--purge removes what all projects have: use --user");
	other_users(r, r->file[scope].path, &users);
	if (users.count > 0)
		status = cli_fail(c, EXIT_RULE,
		    "nothing is removed, since %s names the programs too (in that project, run "
		    "first: claude-tasks uninstall --project, or --local)",
		    users.item[0]);
	strings_free(&users);
	return status;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

int
install_programs_remove(
    const struct registration *r, const char *path, struct job *job, struct error *err)
{
	struct strings users = { 0 };
	char *dir;
	int rc = 0;

	other_users(r, path, &users);
	if (users.count > 0)
		job->programs = programs_there(r->config) ? PROGRAMS_USED : PROGRAMS_NONE;
	else if (job->dry)
		job->programs = programs_there(r->config) ? PROGRAMS_REMOVED : PROGRAMS_NONE;
	else if ((rc = programs_remove(r->config, err)) == 1)
		job->programs = PROGRAMS_REMOVED;
	strings_free(&users);
	if (rc == -1 || !job->purge || job->dry)
		return rc == -1 ? -1 : 0;
	dir = mem_printf("%s/task-hooks", r->config);
	if (access(dir, F_OK) == 0 &&
	    nftw(dir, remove_one, PURGE_FILES, FTW_DEPTH | FTW_PHYS) == -1)
		rc = error_sys(err, "cannot remove all of '%s'", dir);
	(void)rmdir(r->config); /* if nothing else was in it */
	free(dir);
	return rc == -1 ? -1 : 0;
}
