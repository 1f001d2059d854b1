/*
 * install, uninstall: our entries in the client's settings.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "registration.h"
#include "settings-memory.h"
#include "sys/file.h"

struct job {
	struct cli *c;
	struct settings_plan plan;
	const struct settings_hook *hooks[8];
	struct strings events;
	struct settings_memory memory;
	struct settings_change change;
	bool dry, exact; /* exact: uninstall gave back the very bytes */
	struct buf result;
};

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
	if (count > 1) {
		cli_misuse(c, "--user, --project and --local name different files; give one");
		return -1;
	}
	return 0;
}

/* --events a,b or "all"; without it those of the plugin: all but Stop. */
static int
which_events(struct cli *c, struct job *job)
{
	const char *names[16], *near;
	const struct settings_hook *h;

	cli_values(c, "events", &job->events);
	for (size_t i = 0; i < settings_hook_count; i++)
		names[i] = settings_hooks[i].event;
	if (job->events.count == 1 && strcmp(job->events.item[0], "all") == 0) {
		strings_free(&job->events);
		for (size_t i = 0; i < settings_hook_count; i++)
			strings_add(&job->events, names[i]);
	}
	if (job->events.count == 0)
		for (size_t i = 0; i < settings_hook_count; i++)
			if (strcmp(names[i], "Stop") != 0)
				strings_add(&job->events, names[i]);
	for (size_t i = 0; i < job->events.count; i++) {
		h = settings_hook_find(job->events.item[i]);
		if (h == NULL) {
			near = text_nearest(job->events.item[i], names, settings_hook_count);
			cli_misuse(c, "no hook of ours is for the event '%s'%s%s%s",
			    job->events.item[i], near != NULL ? "; did you mean " : "",
			    near != NULL ? near : "", near != NULL ? "?" : "");
			return -1;
		}
		job->hooks[job->plan.count++] = h;
	}
	job->plan.hooks = job->hooks;
	return 0;
}

static void
count(struct buf *b, size_t n, const char *done)
{
	if (n > 0)
		buf_printf(
		    b, "%s%zu hook%s %s", b->len > 0 ? ", " : "", n, n == 1 ? "" : "s", done);
}

static void
tell_result(struct cli *c, const char *deed, const char *path, const struct job *job)
{
	const struct settings_change *n = &job->change;
	struct json_object *o;
	struct buf done = { 0 };

	if (c->json) {
		o = out_object();
		out_string(o, "file", path);
		out_bool(o, "dry_run", job->dry);
		out_int(o, "added", (int64_t)n->added);
		out_int(o, "moved", (int64_t)n->moved);
		out_int(o, "kept", (int64_t)n->kept);
		out_int(o, "removed", (int64_t)n->removed);
		out_bool(o, "env", n->env);
		out_string(o, "backup", job->memory.backup);
		if (job->dry)
			out_string(o, "text", buf_text(&job->result));
		cli_json(c, o);
		return;
	}
	if (n->added + n->moved + n->removed + n->env == 0) {
		buf_printf(&c->out, "%s: nothing to do\n", path);
		return;
	}
	count(&done, n->added, "added");
	count(&done, n->moved, "corrected");
	count(&done, n->kept, "kept");
	count(&done, n->removed, "removed");
	if (n->env)
		buf_printf(&done, "%s%s %s", done.len > 0 ? ", " : "", TODO_TOOLS,
		    strcmp(deed, "install") == 0 ? "set" : "unset");
	buf_printf(&c->out, "%s%s: %s\n", job->dry ? "would change " : "", path, buf_text(&done));
	buf_free(&done);
	if (job->dry)
		buf_printf(&c->out, "%s%s", buf_text(&job->result),
		    job->result.len > 0 && job->result.data[job->result.len - 1] == '\n' ? ""
											 : "\n");
	else if (job->exact)
		buf_puts(&c->out, "the file is as it was before\n");
	else if (job->memory.backup != NULL)
		buf_printf(&c->out, "backup: %s\n", job->memory.backup);
	if (!job->dry && strcmp(deed, "install") == 0)
		buf_puts(&c->out, "next: claude-tasks doctor\n");
}

/* What would be written is shown; with --dry-run the old text goes out instead. */
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
	char hex[65];

	if (!existed) {
		*remove = true;
		return 0;
	}
	if (settings_uninstall(
		text, len, NULL, job->memory.env ? TODO_TOOLS : NULL, out, &job->change, err) == -1)
		return -1;
	hash_text(text, len, hex);
	if (strcmp(hex, job->memory.after) == 0) {
		/* Nobody touched it since: the old bytes, whatever a splice would have left. */
		if (!job->memory.existed) {
			job->exact = true;
			*remove = !job->dry;
		} else if (job->memory.backup != NULL &&
			   file_read_path(job->memory.backup, FILE_MAX, &before, err) == 1) {
			job->exact = true;
			buf_reset(out);
			buf_add(out, before.data, before.len);
		}
	}
	buf_free(&before);
	keep_result(job, text, len, out);
	return 0;
}

/* Should the variable be set, which brings the Task tools back? */
static bool
want_todo_tools(struct cli *c, const struct registration *w, const char *version)
{
	if (cli_flag(c, "todo-tools"))
		return true;
	if (cli_flag(c, "no-todo-tools") || !registration_tools_off(w, version))
		return false;
	if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && !cli_flag(c, "yes") && !c->json) {
		char answer[8] = "";

		cli_flush(c);
		fprintf(stderr,
		    "Since version " TODO_TOOLS_SINCE " the client offers no Task tools to current "
		    "models.\nSet " TODO_TOOLS "=1 in these settings to have them? [Y/n] ");
		return fgets(answer, sizeof(answer), stdin) != NULL && answer[0] != 'n' &&
		       answer[0] != 'N';
	}
	cli_note(c, "claude-tasks: current models have no Task tools unless " TODO_TOOLS
		    "=1 is set (to set it: claude-tasks install --todo-tools)");
	return false;
}

/* Is the same hook registered in another file, by another path?  The client would run both. */
static void
warn_twice(struct cli *c, const struct registration *w, enum scope scope, const struct job *job)
{
	for (int i = 0; i < SCOPES; i++)
		for (size_t k = 0; k < w->file[i].entries.count && i != (int)scope; k++) {
			const struct settings_entry *e = &w->file[i].entries.item[k];

			if (strings_has(&job->events, e->event)) {
				cli_note(c,
				    "claude-tasks: %s has an entry for %s too; the client runs "
				    "both "
				    "(try: claude-tasks uninstall --%s)",
				    w->file[i].path, e->event, scope_name((enum scope)i));
				return;
			}
		}
}

/* The memory of the first install stays until uninstall: its backup is the true "before". */
static int
remember(struct cli *c, const struct registration *w, const char *path, struct job *job,
    const struct settings_edit *e, struct error *err)
{
	struct settings_memory old = { 0 };
	char hex[65];

	(void)c;
	(void)settings_memory_load(w->config, path, &old, err);
	hash_text(e->before.data, e->before.len, hex);
	if (old.after[0] != '\0' && strcmp(hex, old.after) == 0) {
		job->memory = old;
		job->memory.env = job->memory.env || job->change.env;
	} else {
		job->memory.env = job->change.env || old.env;
		settings_memory_free(&old);
		job->memory.existed = e->existed;
		if (e->existed && (job->memory.backup = settings_memory_backup(w->config, path,
				       e->before.data, e->before.len, err)) == NULL)
			return -1;
	}
	hash_text(job->result.data, job->result.len, job->memory.after);
	return settings_memory_save(w->config, path, &job->memory, err);
}

int
install_main(struct cli *c)
{
	struct job job = { .c = c, .dry = cli_flag(c, "dry-run") };
	struct settings_edit edit = { .fn = edit_install, .arg = &job };
	struct registration w = { 0 };
	struct error err;
	struct lock lock = LOCK_INIT;
	enum scope scope;
	const char *where;
	char *bin = NULL, *version = NULL;
	int status = EXIT_DONE, rc, lockdir = -1;

	if (which_scope(c, &scope) == -1 || which_events(c, &job) == -1)
		goto misuse;
	if (registration_load(&w, &err) == -1 ||
	    (bin = registration_bin(cli_value(c, "bin"), &err)) == NULL) {
		status = cli_error(c, &err);
		goto out;
	}
	if (registration_plugin(&w, &where) && !cli_flag(c, "force")) {
		status = cli_fail(c, EXIT_RULE,
		    "the plugin is enabled in %s, and the client would run every hook twice (keep "
		    "the "
		    "plugin, or: claude plugin uninstall task-hooks; --force registers all the "
		    "same)",
		    where);
		goto out;
	}
	version = client_version(cli_value(c, "client"));
	job.plan.bin = bin;
	job.plan.shell = cli_flag(c, "shell") ||
			 (version != NULL && version_compare(version, EXEC_FORM_SINCE) < 0);
	if (want_todo_tools(c, &w, version)) {
		job.plan.env = TODO_TOOLS;
		job.plan.env_value = "1";
	}
	warn_twice(c, &w, scope, &job);
	if (job.dry) {
		struct buf text = { 0 }, out = { 0 };
		bool remove;

		rc = settings_read(w.file[scope].path, &text, &err);
		if (rc != -1)
			rc = edit_install(
			    &job, buf_text(&text), text.len, rc == 1, &out, &remove, &err);
		buf_free(&text);
		buf_free(&out);
	} else {
		rc = settings_memory_lock(w.config, &lock, &lockdir, &err);
		if (rc != -1)
			rc = settings_edit(w.file[scope].path, &edit, &err);
		if (rc == 1)
			rc = remember(c, &w, w.file[scope].path, &job, &edit, &err);
	}
	if (rc == -1)
		status = cli_fail(
		    c, EXIT_FAULT, "%s is left as it is: %s", w.file[scope].path, err.text);
	else
		tell_result(c, "install", w.file[scope].path, &job);
	goto out;
misuse:
	status = c->status;
out:
	lock_release(&lock);
	if (lockdir != -1)
		close(lockdir);
	buf_free(&edit.before);
	buf_free(&job.result);
	strings_free(&job.events);
	settings_memory_free(&job.memory);
	registration_free(&w);
	free(bin);
	free(version);
	return status;
}

int
uninstall_main(struct cli *c)
{
	struct job job = { .c = c, .dry = cli_flag(c, "dry-run") };
	struct settings_edit edit = { .fn = edit_uninstall, .arg = &job };
	struct registration w = { 0 };
	struct error err;
	struct lock lock = LOCK_INIT;
	enum scope scope;
	const char *path;
	int status = EXIT_DONE, rc, lockdir = -1;

	if (which_scope(c, &scope) == -1)
		return c->status;
	if (registration_load(&w, &err) == -1)
		return cli_error(c, &err);
	path = w.file[scope].path;
	rc = 0;
	if (w.file[scope].there || w.file[scope].broken != NULL)
		rc = settings_memory_lock(w.config, &lock, &lockdir, &err);
	(void)settings_memory_load(w.config, path, &job.memory, &(struct error){ 0 });
	if (rc != -1 && lock.held)
		rc = settings_edit(path, &edit, &err);
	if (rc == 1 && !job.dry)
		rc = settings_memory_save(w.config, path, NULL, &err);
	if (rc == -1) {
		status = cli_fail(c, EXIT_FAULT, "%s is left as it is: %s", path, err.text);
	} else {
		/* What the backup was for has happened. */
		if (rc == 0 && job.exact && !job.dry && job.memory.backup != NULL)
			(void)unlink(job.memory.backup);
		free(job.memory.backup);
		job.memory.backup = NULL;
		tell_result(c, "uninstall", path, &job);
	}
	lock_release(&lock);
	if (lockdir != -1)
		close(lockdir);
	buf_free(&edit.before);
	buf_free(&job.result);
	settings_memory_free(&job.memory);
	registration_free(&w);
	return status;
}
