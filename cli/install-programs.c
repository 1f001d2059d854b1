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
	real = realpath(dir, NULL);
	is_copy = real != NULL && programs_is_copy(r->config, real);
	/* Which of the copies is in use changes, also if --bin names one. */
	copy |= is_copy || (asked == NULL && real != NULL && programs_in_package(real));
	if (copy && !(is_copy && link_works(r->config)))
		job->from = mem_string(dir);
	free(real);
	if (copy) {
		job->origin = dir;
		dir = programs_bin(r->config);
	}
	return dir;
}

int
install_programs_copy(const struct registration *r, struct job *job, struct error *err)
{
	int rc;

	/* An uninstall may have removed them since. */
	if (job->from == NULL && job->origin != NULL && !link_works(r->config))
		job->from = mem_string(job->origin);
	if (job->from == NULL)
		return 0;
	rc =
	    programs_copy(r->config, job->from, (job->flags & GUARD_AGENT) != 0, &job->former, err);
	job->copied = rc == 1;
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
		buf_printf(&c->out,
		    "%s: programs kept, since other settings name them, or cannot be read\n", bin);
	settings_shell_word(&word, dir);
	if (job->purge && !job->failed)
		buf_printf(&c->out, "%s%s: removed\n", job->dry ? "would change " : "", dir);
	else if (job->user && !job->failed && access(dir, F_OK) == 0)
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

/* The settings files that name the copies: those with a record, and those that apply here; as they
 * are now, except this one (NULL: none). */
static void
users_now(const struct registration *r, const char *except, struct strings *users)
{
	programs_users(r->config, except, users);
	for (int i = 0; i < SCOPES; i++) {
		const char *path = r->file[i].path;

		if (!r->file[i].users && (except == NULL || strcmp(path, except) != 0) &&
		    !strings_has(users, path) && programs_user(r->config, path))
			strings_add(users, path);
	}
}

static int
refuse_purge(const struct strings *users, struct error *err)
{
	return users->count == 0 ? 0
				 : error_set(err, ERROR_REFUSED,
				       "nothing is removed, since %s names the programs too, or "
				       "cannot be read (in that project, run "
				       "first: claude-tasks uninstall --project, or --local)",
				       users->item[0]);
}

int
install_programs_purge(
    struct cli *c, const struct registration *r, enum scope scope, const struct job *job)
{
	struct strings users = { 0 };
	struct error err;
	int status = EXIT_DONE;

	if (!job->purge)
		return EXIT_DONE;
	if (scope != SCOPE_USER)
		return cli_misuse(c, "--purge removes what all projects have: use --user");
	users_now(r, r->file[scope].path, &users);
	if (refuse_purge(&users, &err) == -1)
		status = cli_error(c, &err);
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

static int
purge(const struct registration *r, struct error *err)
{
	char *dir = mem_printf("%s/task-hooks", r->config);
	int rc = 0;

	if (nftw(dir, remove_one, PURGE_FILES, FTW_DEPTH | FTW_PHYS) == -1)
		rc = error_sys(err, "cannot remove all of '%s'", dir);
	(void)rmdir(r->config); /* if nothing else was in it */
	free(dir);
	return rc;
}

/* With the lock of the records, unless nothing is to be changed. */
static int
remove_unused(const struct registration *r, const char *path, struct job *job, struct error *err)
{
	struct strings users = { 0 };
	bool there = programs_there(r->config);
	int rc = 0;

	/* An install may have put its entries back since. */
	users_now(r, job->dry ? path : NULL, &users);
	if (job->purge && refuse_purge(&users, err) == -1)
		rc = -1;
	else if (users.count > 0)
		job->programs = there ? PROGRAMS_USED : PROGRAMS_NONE;
	else if (job->dry)
		job->programs = there ? PROGRAMS_REMOVED : PROGRAMS_NONE;
	else if ((rc = job->purge ? purge(r, err) : programs_remove(r->config, err)) != -1)
		job->programs = there ? PROGRAMS_REMOVED : PROGRAMS_NONE;
	strings_free(&users);
	return rc == -1 ? -1 : 0;
}

int
install_programs_remove(
    const struct registration *r, const char *path, struct job *job, struct error *err)
{
	char *dir = mem_printf("%s/task-hooks%s", r->config, job->purge ? "" : "/.programs");
	struct lock lock = LOCK_INIT;
	int dirfd = -1, rc = 0;

	if (!job->dry && access(dir, F_OK) == 0)
		rc = install_record_lock(r->config, &lock, &dirfd, err);
	if (rc != -1 && (dirfd != -1 || job->dry))
		rc = remove_unused(r, path, job, err);
	job->failed = rc == -1;
	lock_release(&lock);
	if (dirfd != -1)
		close(dirfd);
	free(dir);
	return rc;
}
