/*
 * The record of what a person has trusted.
 *
 * It is kept in the user's own directory, outside every repository; a record that
 * others can write to is refused.  The hash is of the bytes that the configuration
 * was parsed from, so the file cannot change between check and use.
 */
#include "config/trust.h"

#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "config/repository.h"
#include "sys/dir.h"
#include "sys/lock.h"
#include "json/json-fields.h"

#define NAME "trust.json"

int
trust_dir(const char *config_dir, bool make, struct error *e)
{
	char *path = mem_printf("%s/task-hooks", config_dir);
	struct stat st;
	int fd;

	fd = make ? dir_make(path, 0700, e) : dir_open(path, e);
	if (fd != -1 && fstat(fd, &st) == -1) {
		error_sys(e, "cannot stat '%s'", path);
		close(fd);
		fd = -1;
	} else if (fd != -1 && (st.st_uid != geteuid() || (st.st_mode & 022) != 0)) {
		close(fd);
		fd = error_set(e, ERROR_FAULT,
		    "'%s' must belong to you and be writable by you alone (chmod go-w)", path);
	}
	free(path);
	return fd;
}

int
trust_read(int dirfd, const char *name, struct buf *text, struct error *e)
{
	struct stat st;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return errno == ENOENT ? 0 : error_sys(e, "cannot stat 'task-hooks/%s'", name);
	if (st.st_uid != geteuid() || (st.st_mode & 022) != 0)
		return error_set(e, ERROR_FAULT,
		    "'task-hooks/%s' must belong to you and be writable by you alone", name);
	return file_read(dirfd, name, 0, FILE_MAX, text, e);
}

static const struct json_field fields[] = {
	JSON_FIELD("path", FIELD_STRING, struct trust_entry, path),
	JSON_FIELD("sha256", FIELD_STRING, struct trust_entry, hash),
	JSON_FIELD("time", FIELD_STRING, struct trust_entry, time),
	JSON_FIELD("text", FIELD_STRING, struct trust_entry, text),
	JSON_FIELDS_END,
};

static int
load_at(int dirfd, struct trusts *ts, struct error *e)
{
	struct buf text = { 0 };
	struct json j = { 0 };
	json_ref files;
	int rc;

	if ((rc = trust_read(dirfd, NAME, &text, e)) != 1)
		goto out;
	rc = json_parse(&j, buf_text(&text), text.len, e);
	files = rc == 0 ? json_member(&j, JSON_ROOT, "files") : JSON_ABSENT;
	if (rc == 0 && json_kind(&j, files) != JSON_ARRAY)
		rc = error_set(e, ERROR_INPUT, "no 'files'");
	if (rc == -1) {
		error_prefix(e, "'task-hooks/" NAME "'");
		goto out;
	}
	JSON_EACH (&j, files, at) {
		struct trust_entry t = { 0 };

		json_fields_read(&t, fields, &j, at);
		if (t.path == NULL || t.hash == NULL) {
			json_fields_free(&t, fields);
			continue;
		}
		ts->item = mem_more(ts->item, ts->count, sizeof(*ts->item));
		ts->item[ts->count++] = t;
	}
out:
	json_free(&j);
	buf_free(&text);
	return rc == -1 ? -1 : 0;
}

int
trust_load(const char *config_dir, struct trusts *ts, struct error *e)
{
	int fd, rc;

	*ts = (struct trusts){ 0 };
	if ((fd = trust_dir(config_dir, false, e)) == -1)
		return e->kind == ERROR_NOT_FOUND ? 0 : -1;
	rc = load_at(fd, ts, e);
	close(fd);
	return rc;
}

void
trusts_free(struct trusts *ts)
{
	for (size_t i = 0; i < ts->count; i++)
		json_fields_free(&ts->item[i], fields);
	free(ts->item);
	*ts = (struct trusts){ 0 };
}

static int
trust_save(int dirfd, const struct trusts *ts, struct error *e)
{
	struct json_object *top = out_object(), *files = out_add(top, "files", out_array());
	struct buf b = { 0 };
	int rc;

	for (size_t i = 0; i < ts->count; i++)
		json_fields_write(out_push(files, out_object()), &ts->item[i], fields);
	out_pretty(&b, top);
	buf_putc(&b, '\n');
	rc = file_replace(dirfd, NAME, buf_text(&b), b.len, 0600, DURABILITY_FILE, e);
	buf_free(&b);
	return rc;
}

/* Under the lock of the record: remove the entry of the path, and add the new one, which is
 * taken, if there is one.  1 it was there, 0, -1. */
static int
trust_edit(const char *config_dir, const char *path, struct trust_entry *add, struct deadline until,
    struct error *e)
{
	struct lock lock = LOCK_INIT;
	struct trusts ts = { 0 };
	int fd = trust_dir(config_dir, true, e), rc = -1, found = 0;
	size_t kept = 0;

	if (fd == -1 || lock_own(&lock, fd, "trust.lock", until, e) == -1 ||
	    load_at(fd, &ts, e) == -1)
		goto out;
	for (size_t i = 0; i < ts.count; i++) {
		if (strcmp(ts.item[i].path, path) != 0)
			ts.item[kept++] = ts.item[i];
		else {
			json_fields_free(&ts.item[i], fields);
			found = 1;
		}
	}
	ts.count = kept;
	if (add != NULL) {
		ts.item = mem_more(ts.item, ts.count, sizeof(*ts.item));
		ts.item[ts.count++] = *add;
		*add = (struct trust_entry){ 0 };
	}
	rc = trust_save(fd, &ts, e);
out:
	lock_release(&lock);
	trusts_free(&ts);
	if (fd != -1)
		close(fd);
	return rc == -1 ? -1 : found;
}

int
trust_add(const char *config_dir, const char *path, const char *text, size_t len,
    struct deadline until, struct error *e)
{
	char *real = realpath(path, NULL), hash[HASH_HEX], now[CLOCK_ISO];
	struct trust_entry t;
	int rc;

	if (real == NULL)
		return error_sys(e, "cannot find '%s'", path);
	hash_text(text, len, hash);
	clock_iso_seconds(now, clock_wall_ms());
	t = (struct trust_entry){ .path = mem_string(real),
		.hash = mem_string(hash),
		.time = mem_string(now),
		.text = mem_copy(text, len) };
	rc = trust_edit(config_dir, real, &t, until, e);
	json_fields_free(&t, fields);
	free(real);
	return rc == -1 ? -1 : 0;
}

int
trust_remove(const char *config_dir, const char *path, struct deadline until, struct error *e)
{
	char *real = realpath(path, NULL);
	int rc = trust_edit(config_dir, real != NULL ? real : path, NULL, until, e);

	free(real);
	return rc;
}

/* Two levels up. */
char *
trust_root(const char *path)
{
	char *root = mem_string(path), *slash;

	for (int i = 0; i < 2; i++)
		if ((slash = strrchr(root, '/')) != NULL)
			*slash = '\0';
	return root;
}

/* What a person can do about it; the model will pass it on. */
static void
add_advice(struct buf *why, const char *path)
{
	char *root = trust_root(path);

	buf_puts(why, " Only a person can trust it: claude-tasks trust, in a terminal in '");
	text_show(why, root, strlen(root), TEXT_LINE, 300);
	buf_puts(why, "', shows its commands and asks.");
	free(root);
}

static void
why_unknown(struct buf *why, const struct config *c)
{
	const char *path = c->project.path != NULL ? c->project.path : "";
	bool first = true;

	buf_puts(why, "The gate file '");
	text_show(why, path, strlen(path), TEXT_LINE, 300);
	buf_puts(why, "' has not been trusted, so its commands do not run");
	for (size_t i = 0; i < c->gates.count && i < 20; i++) {
		if (!c->gates.item[i].project)
			continue;
		buf_puts(why, first ? ": " : ", ");
		text_quote(why, c->gates.item[i].name, 64);
		buf_puts(why, " (");
		gate_command(why, &c->gates.item[i]);
		buf_putc(why, ')');
		first = false;
	}
	buf_puts(why, ". Tasks cannot be completed until it is trusted.");
	add_advice(why, path);
}

/* `here`: the path of the file that was read; the entry may be that of another worktree. */
static void
why_changed(struct buf *why, const struct config *c, const struct trust_entry *t, const char *here)
{
	buf_puts(why, "The gate file '");
	text_show(why, here, strlen(here), TEXT_LINE, 300);
	if (strcmp(here, t->path) == 0)
		buf_puts(why, "' was changed since it was trusted (");
	else {
		buf_puts(why, "' differs from '");
		text_show(why, t->path, strlen(t->path), TEXT_LINE, 300);
		buf_puts(why, "' of the same repository, which is trusted (");
	}
	buf_printf(why, "%.30s): ", t->time != NULL ? t->time : "?");
	trust_difference(why, t->text != NULL ? t->text : "", t->text != NULL ? strlen(t->text) : 0,
	    buf_text(&c->project.text), c->project.text.len);
	buf_puts(why, ". Restore it, or have the change accepted.");
	add_advice(why, here);
}

static bool
entry_commands(const struct trust_entry *t)
{
	bool commands = true;
	struct config old;
	struct error e;

	if (t->text != NULL && config_parse(&old, t->path, t->text, strlen(t->text), &e) == 0) {
		commands = old.project.commands;
		config_free(&old);
	}
	return commands;
}

/* Is the entry's project in the same repository, at the same place or (`below`) above it? */
static bool
entry_is_at(const struct trust_entry *t, const struct repository *here, bool below)
{
	char *root = trust_root(t->path);
	struct repository r;
	bool same = false;

	if (repository_find(&r, root)) {
		same = strcmp(r.common, here->common) == 0 &&
		       (below ? dir_contains(r.place, here->place)
			      : strcmp(r.place, here->place) == 0);
		repository_free(&r);
	}
	free(root);
	return same;
}

/* A trusted file with commands that should apply in cwd but was not read; NULL: none. */
static const struct trust_entry *
trust_missed(const struct trusts *ts, const struct config *c, const char *cwd)
{
	char *real = cwd != NULL ? realpath(cwd, NULL) : NULL;
	const struct trust_entry *found = NULL;
	struct repository here = { 0 };
	/* Of the main work tree, only what is below its own root is missed. */
	bool linked =
	    real != NULL && ts->count > 0 && repository_find(&here, real) && here.main != NULL;

	for (size_t i = 0; real != NULL && found == NULL && i < ts->count; i++) {
		const struct trust_entry *t = &ts->item[i];
		char *root = trust_root(t->path);

		if ((dir_contains(root, real) || (linked && entry_is_at(t, &here, true))) &&
		    (c->project.path == NULL || strcmp(c->project.path, t->path) != 0) &&
		    entry_commands(t))
			found = t;
		free(root);
	}
	repository_free(&here);
	free(real);
	return found;
}

static void
why_gone(struct buf *why, const struct trust_entry *t, const char *cwd)
{
	bool there = access(t->path, F_OK) == 0;

	buf_puts(why, "The trusted gate file '");
	text_show(why, t->path, strlen(t->path), TEXT_LINE, 300);
	if (there) {
		buf_puts(why, "' applies to this directory, but another gate file or a repository "
			      "below it hides it from '");
		text_show(why, cwd, strlen(cwd), TEXT_LINE, 300);
		buf_puts(
		    why, "'. Work from the project's own directory, or trust a gate file here.");
	} else
		buf_puts(why, "' is missing. Restore it; if it was removed on purpose, a "
			      "person runs claude-tasks untrust.");
}

/* What was trusted at the path, or at the same place of another worktree: rather the same bytes;
 * NULL: nothing. */
static const struct trust_entry *
trust_of(const struct trusts *ts, const struct config_file *f, const char *path)
{
	const struct trust_entry *found = NULL;
	struct repository here = { 0 };
	char *root;

	for (size_t i = 0; i < ts->count; i++)
		if (strcmp(ts->item[i].path, path) == 0)
			return &ts->item[i];
	if (ts->count == 0)
		return NULL;
	root = trust_root(path);
	if (repository_find(&here, root))
		for (size_t i = 0; i < ts->count; i++) {
			bool same = strcmp(ts->item[i].hash, f->hash) == 0;

			if ((same || found == NULL) && entry_is_at(&ts->item[i], &here, false))
				found = &ts->item[i];
			if (same && found == &ts->item[i])
				break;
		}
	repository_free(&here);
	free(root);
	return found;
}

bool
trust_has(const char *config_dir, const struct config_file *f)
{
	const struct trust_entry *t;
	struct trusts ts = { 0 };
	struct error ignored;
	char *real = realpath(f->path, NULL);
	bool has = false;

	if (real != NULL && config_dir != NULL && trust_load(config_dir, &ts, &ignored) == 0)
		has = (t = trust_of(&ts, f, real)) != NULL && strcmp(t->hash, f->hash) == 0;
	trusts_free(&ts);
	free(real);
	return has;
}

int
trust_still(
    const char *config_dir, const struct strings *paths, struct strings *out, struct error *e)
{
	struct trusts ts;

	if (trust_load(config_dir, &ts, e) == -1)
		return -1;
	for (size_t i = 0; i < ts.count; i++)
		if (strings_has(paths, ts.item[i].path) && entry_commands(&ts.item[i]))
			strings_add(out, ts.item[i].path);
	trusts_free(&ts);
	return 0;
}

int
trust_check(const char *config_dir, const struct config *c, const char *cwd, enum trust *answer,
    struct buf *why, struct error *e)
{
	struct trusts ts = { 0 };
	const struct trust_entry *own = NULL, *other;
	char *real = NULL;

	*answer = TRUST_NOT_NEEDED;
	if (c->given) {
		*answer = TRUST_GIVEN;
		return 0;
	}
	if (config_dir != NULL && trust_load(config_dir, &ts, e) == -1)
		return -1;
	if (c->project.path != NULL)
		real = realpath(c->project.path, NULL);
	if (real != NULL)
		own = trust_of(&ts, &c->project, real);
	if (own != NULL && strcmp(own->hash, c->project.hash) == 0)
		*answer = TRUST_YES;
	else if (own != NULL) {
		*answer = TRUST_CHANGED;
		why_changed(why, c, own, real);
	} else if (c->project.commands) {
		*answer = TRUST_UNKNOWN;
		why_unknown(why, c);
	} else if ((other = trust_missed(&ts, c, cwd)) != NULL) {
		*answer = TRUST_GONE;
		why_gone(why, other, cwd);
	}
	trusts_free(&ts);
	free(real);
	return 0;
}
