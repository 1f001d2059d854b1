/*
 * install, uninstall: our entries in the client's settings.  The rest is in
 * install-values.c and install-skill.c.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "commands.h"
#include "install-part.h"
#include "sys/file.h"

static int
which_scope(struct cli *c, enum scope *scope)
{
	static const char *const flags[] = { "user", "project", "local" };
	int count = 0;

	*scope = SCOPE_USER;
	for (int i = 0; i < 3; i++)
		if (cli_flag(c, flags[i])) {
			*scope = (enum scope)i;
			count++;
		}
	return count < 2 ? EXIT_DONE
			 : cli_misuse(c, "use only one of --user, --project and --local");
}

/* What install would set, or uninstall remove. */
static const struct settings_values *
job_values(const struct job *job)
{
	return job->plan.bin != NULL ? &job->plan.values : &job->record.values;
}

/* Does it change the file? */
static bool
job_changes(const struct job *job)
{
	const struct settings_change *n = &job->change;
	bool changes = n->added + n->moved + n->removed + n->nested > 0;

	for (size_t i = 0; i < SETTINGS_VALUES; i++)
		changes |= n->set[i];
	return changes;
}

static struct json_object *
result_object(const char *path, const struct job *job)
{
	const struct settings_change *n = &job->change;
	const struct settings_values *v = job_values(job);
	struct json_object *o = out_object(), *set;

	out_string(o, "file", path);
	out_bool(o, "dry_run", job->dry);
	out_int(o, "added", (int64_t)n->added);
	out_int(o, "moved", (int64_t)n->moved);
	out_int(o, "kept", (int64_t)n->kept);
	out_int(o, "removed", (int64_t)n->removed);
	out_int(o, "nested", (int64_t)n->nested);
	set = out_add(o, "set", out_array());
	for (size_t i = 0; i < v->name.count; i++)
		if (n->set[i])
			out_push_string(set, v->name.item[i]);
	out_string(o, "backup", job->record.backup);
	if (job->from != NULL || job->programs == PROGRAMS_REMOVED)
		out_string(o, "programs",
		    job->copied                         ? "copied"
		    : job->programs == PROGRAMS_REMOVED ? "removed"
							: "kept");
	if (job->dry)
		out_string(o, "text", buf_text(&job->result));
	return o;
}

/* "6 hooks added, 2 hooks kept" */
static void
add_count(struct buf *b, size_t n, const char *done)
{
	if (n > 0)
		buf_printf(
		    b, "%s%zu hook%s %s", b->len > 0 ? ", " : "", n, n == 1 ? "" : "s", done);
}

static void
result_text(struct cli *c, const char *path, const struct job *job)
{
	const struct settings_change *n = &job->change;
	const struct settings_values *v = job_values(job);
	const struct buf *text = &job->result;
	bool install = job->plan.bin != NULL;
	struct buf done = { 0 };

	if (!job_changes(job)) {
		buf_printf(&c->out, "%s: nothing to do%s\n", path,
		    job->note == GUARD_NOTED || job->note == GUARD_REPLACED
			? "; its hooks and programs were recorded again"
		    : job->forgotten ? "; its record was removed"
				     : "");
		return;
	}
	add_count(&done, n->added, "added");
	add_count(&done, n->moved, "corrected");
	add_count(&done, n->kept, "kept");
	add_count(&done, n->removed, "removed");
	add_count(&done, n->nested, "put into a group");
	for (size_t i = 0; i < v->name.count; i++)
		if (n->set[i])
			buf_printf(&done, "%s%s %s", done.len > 0 ? ", " : "",
			    strncmp(v->name.item[i], "env.", 4) == 0 ? v->name.item[i] + 4
								     : v->name.item[i],
			    install ? "set" : "unset");
	buf_printf(&c->out, "%s%s: %s\n", job->dry ? "would change " : "", path, buf_text(&done));
	buf_free(&done);
	if (job->dry)
		buf_printf(&c->out, "%s%s", buf_text(text),
		    text->len > 0 && text->data[text->len - 1] == '\n' ? "" : "\n");
	else if (job->exact)
		buf_puts(&c->out, "the file is restored byte for byte\n");
	else if (job->record.backup != NULL)
		buf_printf(&c->out, "backup: %s\n", job->record.backup);
	if (!job->dry && install)
		install_next(c, job->from != NULL ? job->plan.bin : NULL);
}

/* Store the new text in the job; with --dry-run the file keeps its text. */
static void
keep_result(struct job *job, const char *text, size_t len, struct buf *out)
{
	buf_reset(&job->result);
	buf_add(&job->result, out->data, out->len);
	if (job->dry) {
		buf_reset(out);
		buf_add(out, text, len);
	}
}

static int
edit_install(void *arg, const char *text, size_t len, bool existed, struct buf *out, bool *remove,
    struct error *err)
{
	struct job *job = arg;

	(void)remove;
	if (!existed) {
		text = "{}\n";
		len = 3;
	}
	if (settings_install(text, len, &job->plan, out, &job->change, err) == -1)
		return -1;
	keep_result(job, text, len, out);
	return 0;
}

static int
edit_uninstall(void *arg, const char *text, size_t len, bool existed, struct buf *out, bool *remove,
    struct error *err)
{
	struct job *job = arg;
	struct buf before = { 0 };
	char hex[HASH_HEX];

	if (!existed) {
		*remove = true;
		return 0;
	}
	if (settings_uninstall(text, len, NULL, &job->record.values, out, &job->change, err) == -1)
		return -1;
	hash_text(text, len, hex);
	if (strcmp(hex, job->record.after) == 0) {
		/* Not changed since install: restore the original bytes. */
		if (!job->record.existed) {
			job->exact = true;
			*remove = !job->dry;
		} else if (job->record.backup != NULL &&
			   file_read_path(job->record.backup, FILE_MAX, &before, err) == 1) {
			job->exact = true;
			buf_reset(out);
			buf_add(out, before.data, before.len);
		}
	}
	buf_free(&before);
	keep_result(job, text, len, out);
	return 0;
}

/* Does the plan have a hook that this entry is for? */
static bool
plan_has(const struct settings_plan *plan, const struct settings_entry *e)
{
	for (size_t i = 0; i < plan->count; i++)
		if (settings_is(plan->hooks[i], e))
			return true;
	return false;
}

/* Warn if a hook is registered in another file too: the client would run both. */
static void
warn_twice(struct cli *c, const struct registration *r, enum scope scope, const struct job *job)
{
	for (int i = 0; i < SCOPES; i++)
		for (size_t k = 0; k < r->file[i].entries.count && i != (int)scope; k++) {
			const struct settings_entry *e = &r->file[i].entries.item[k];

			if (plan_has(&job->plan, e)) {
				cli_note(c,
				    "claude-tasks: %s has an entry for %s too; the client runs "
				    "both, unless their commands have the same text (try: "
				    "claude-tasks uninstall --%s)",
				    r->file[i].path, e->event, scope_name((enum scope)i));
				return;
			}
		}
}

static int
preview_install(const char *path, struct job *job, struct error *err)
{
	struct buf text = { 0 }, out = { 0 };
	bool remove;
	int rc = settings_read(path, &text, err);

	if (rc != -1)
		rc = edit_install(job, buf_text(&text), text.len, rc == 1, &out, &remove, err);
	buf_free(&text);
	buf_free(&out);
	return rc;
}

/* Edit the file, if there is one to edit, and its record; with the lock of the records. */
static int
job_write(const struct registration *r, const char *path, struct job *job, struct error *err)
{
	bool install = job->plan.bin != NULL;
	struct settings_edit edit = { .fn = install ? edit_install : edit_uninstall, .arg = job };
	int rc = install ? 0 : install_note_forget(r, path, job, err);

	if (rc != -1 && (install || access(path, F_OK) == 0))
		rc = settings_edit(path, &edit, err);
	if (rc == 1 && install)
		rc = install_note_edit(r, path, job, &edit, err);
	else if (rc == -1 && job->forgotten)
		(void)install_record_save(r->config, path, &job->record, &(struct error){ 0 });
	buf_free(&edit.before);
	return rc == -1 ? -1 : 0;
}

/* The programs and the settings that name them change under one hold of the lock, so that no
 * uninstall removes the programs in between. */
static int
job_locked(const struct registration *r, const char *path, struct job *job, struct error *err)
{
	bool install = job->plan.bin != NULL;
	struct lock lock = LOCK_INIT;
	int dirfd = -1, rc = install_record_lock(r->config, &lock, &dirfd, err);

	if (rc != -1 && install && (rc = install_programs_copy(r, job, err)) != -1)
		rc = preview_install(path, job, err);
	if (rc != -1)
		rc = (!install || job_changes(job) ? job_write : install_note_again)(
		    r, path, job, err);
	lock_release(&lock);
	if (dirfd != -1)
		close(dirfd);
	return rc;
}

static int
job_end(struct cli *c, const struct registration *r, const char *path, struct job *job, int rc,
    const struct error *err)
{
	if (rc == -1)
		return cli_fail(c, cli_status(err->kind), "%s is unchanged: %s", path, err->text);
	if (c->json) {
		cli_json(c, result_object(path, job));
		return EXIT_DONE;
	}
	if (job->plan.bin != NULL)
		install_programs_text(c, r, job);
	result_text(c, path, job);
	if (job->plan.bin == NULL)
		install_programs_text(c, r, job);
	return EXIT_DONE;
}

static void
job_free(struct job *job)
{
	buf_free(&job->result);
	settings_values_free(&job->plan.values);
	install_record_free(&job->record);
	free(job->from);
	free(job->origin);
	free(job->former);
}

/* Does the client run our hooks already, by the plugin or another settings file? */
static bool
registered_elsewhere(const struct registration *r, enum scope scope)
{
	bool found = registration_plugin(r) != NULL;

	for (int i = 0; i < SCOPES; i++)
		found |= i != (int)scope && r->file[i].entries.count > 0;
	return found;
}

static int
install(struct cli *c, const struct registration *r, enum scope scope, struct job *job)
{
	const char *path = r->file[scope].path, *plugin = registration_plugin(r);
	char *version;
	struct error err;
	int rc;

	/* For a list, a status line or the skill alone, the hooks are not registered a second time.
	 */
	if ((c->list_name != NULL || cli_flag(c, "statusline") || cli_flag(c, "skill")) &&
	    !cli_flag(c, "events") && registered_elsewhere(r, scope))
		job->plan.count = 0;
	if (plugin != NULL && !install_plugin_lacks(&job->plan) && !cli_flag(c, "force"))
		return cli_fail(c, EXIT_RULE,
		    "the plugin is enabled in %s, and the client would run every hook twice (keep "
		    "the plugin, or: claude plugin uninstall task-hooks, or: pass --force)",
		    plugin);
	version = client_version(cli_value(c, "client"));
	job->plan.shell = cli_flag(c, "shell") ||
			  (version != NULL && version_compare(version, EXEC_FORM_SINCE) < 0);
	job->plan.open = client_is_open(version);
	job->flags = cli_by_agent() ? GUARD_AGENT : 0;
	job->flags |= version == NULL ? GUARD_UNKNOWN : job->plan.open ? GUARD_OPEN : 0;
	job->plan.if_there = cli_flag(c, "if-there");
	install_drop_late(c, &r->file[scope], version, &job->plan);
	rc = install_values(c, r, scope, version, &job->plan);
	if (rc == EXIT_DONE && job->plan.count > 0)
		install_warn(c, r, scope, version);
	free(version);
	if (rc != EXIT_DONE)
		return rc;
	if (job->plan.count > 0)
		warn_twice(c, r, scope, job);
	rc = preview_install(path, job, &err);
	if (rc != -1)
		install_warn_open(c, &r->file[scope], &job->plan, &job->result);
	if (rc != -1 && cli_flag(c, "skill") && install_skill(c, r, scope, job->dry) != EXIT_DONE)
		return c->status;
	if (rc != -1 && !job->dry)
		rc = job_locked(r, path, job, &err);
	if (job->copied && !(job->flags & GUARD_AGENT))
		cli_person_record(c, "install", job->plan.bin);
	if (rc != -1 && job->note == GUARD_REPLACED)
		cli_person_record(c, "install", path);
	if (job->note == GUARD_KEPT)
		cli_note(c,
		    "claude-tasks: entries or programs differ from what was recorded, and the "
		    "record is kept because an agent runs this (to record them, a person can "
		    "run: claude-tasks install --%s)",
		    scope_name(scope));
	return job_end(c, r, path, job, rc, &err);
}

/* In the home directory the project's file is that of the user, for all projects. */
static int
users_file(struct cli *c, const struct registration_file *f)
{
	return !f->users ? EXIT_DONE
			 : cli_fail(c, EXIT_RULE,
			       "%s is your own file, for all projects: use --user, or for this "
			       "directory --local",
			       f->path);
}

/* A list is shared by the sessions of one project. */
static int
list_scope(struct cli *c, enum scope *scope)
{
	if (c->list_name == NULL)
		return EXIT_DONE;
	if (cli_flag(c, "user"))
		return cli_misuse(c, "--list is for one project: use --project or --local");
	if (!cli_flag(c, "project"))
		*scope = SCOPE_LOCAL;
	return EXIT_DONE;
}

int
install_main(struct cli *c)
{
	struct job job = { .dry = cli_flag(c, "dry-run") };
	struct registration r = { 0 };
	struct error err;
	enum scope scope;
	char *bin = NULL;
	int status;

	if (which_scope(c, &scope) != EXIT_DONE || list_scope(c, &scope) != EXIT_DONE ||
	    install_events(c, scope, &job.plan) != EXIT_DONE)
		status = c->status;
	else if (registration_load(&r, &err) == -1 ||
		 (bin = install_programs_dir(c, &r, &job, &err)) == NULL)
		status = cli_error(c, &err);
	else if ((status = users_file(c, &r.file[scope])) == EXIT_DONE) {
		job.plan.bin = bin;
		status = install(c, &r, scope, &job);
	}
	job_free(&job);
	registration_free(&r);
	free(bin);
	return status;
}

/* The settings are restored, or not (rc -1).  What happens to the programs then is an error of its
 * own. */
static int
uninstall_end(struct cli *c, const struct registration *r, const char *path, struct job *job,
    int rc, const struct error *err)
{
	struct error why;
	int removed = rc == -1 ? 0 : install_programs_remove(r, path, job, &why);

	if (removed == 0)
		return job_end(c, r, path, job, rc, err);
	if (!c->json)
		(void)job_end(c, r, path, job, rc, err);
	return cli_refuse(c, cli_status(why.kind), why.text, result_object(path, job));
}

int
uninstall_main(struct cli *c)
{
	struct job job = { .dry = cli_flag(c, "dry-run"), .purge = cli_flag(c, "purge") };
	struct registration r = { 0 };
	const struct registration_file *file;
	struct error err;
	enum scope scope;
	int rc = 0;

	if (which_scope(c, &scope) != EXIT_DONE ||
	    (!job.dry &&
		cli_person_only(c, "remove the hooks", "'claude-tasks uninstall'") != EXIT_DONE))
		return c->status;
	if (registration_load(&r, &err) == -1)
		return cli_error(c, &err);
	file = &r.file[scope];
	job.user = scope == SCOPE_USER;
	if (users_file(c, file) != EXIT_DONE ||
	    install_programs_purge(c, &r, scope, &job) != EXIT_DONE) {
		registration_free(&r);
		return c->status;
	}
	if (file->there || file->broken != NULL || install_note_there(&r, file->path))
		rc = job_locked(&r, file->path, &job, &err);
	if (rc == 0 && !job.dry && (job_changes(&job) || job.forgotten))
		cli_person_record(c, "uninstall", file->path);
	/* The backup was needed only for this. */
	if (rc == 0 && job.exact && !job.dry && job.record.backup != NULL)
		(void)unlink(job.record.backup);
	free(job.record.backup);
	job.record.backup = NULL;
	/* Where the project's file is the user's, so is the skill. */
	if (rc == 0 && (scope == SCOPE_USER || !r.file[SCOPE_PROJECT].users) &&
	    install_skill_remove(c, &r, scope, job.dry) != EXIT_DONE)
		rc = c->status;
	else
		rc = uninstall_end(c, &r, file->path, &job, rc, &err);
	job_free(&job);
	registration_free(&r);
	return rc;
}
