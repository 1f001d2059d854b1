#include "settings/guard.h"

#include "settings/guard-part.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "config/repository.h"
#include "sys/file.h"

/* The events of the recorded entries that the file does not have any more. */
static void
lost_events(
    const struct install_record *m, const struct settings_entries *now, struct strings *lost)
{
	struct json j = { 0 };
	struct error ignored;

	for (size_t i = 0; i < m->entries.count; i++) {
		const char *entry = m->entries.item[i];
		char *event = NULL;

		if (guard_holds(now, entry))
			continue;
		if (json_parse(&j, entry, strlen(entry), &ignored) == 0)
			event = json_member_string(&j, JSON_ROOT, "event");
		if (event != NULL && !strings_has(lost, event))
			strings_add(lost, event);
		free(event);
	}
	json_free(&j);
}

/* The client skips a byte order mark. */
static void
skip_mark(const char **text, size_t *len)
{
	if (*len >= 3 && memcmp(*text, "\xef\xbb\xbf", 3) == 0) {
		*text += 3;
		*len -= 3;
	}
}

/* What is wrong with our entries in a file that the client can use.  Without a record they only
 * must not replace those of another file. */
static void
check_entries(struct buf *what, const struct install_record *m, const struct strings *recorded,
    const char *path, const struct settings_entries *now)
{
	struct strings lost = { 0 };
	const char *event;

	lost_events(m, now, &lost);
	for (size_t i = 0; i < lost.count; i++)
		buf_printf(what, "%s%s", i > 0 ? ", " : "", lost.item[i]);
	if (lost.count > 0)
		buf_printf(what, ": '%s' does not have the hook as it was installed", path);
	else if (m->entries.count > 0 && now->flat.count + now->odd.count > 0)
		buf_printf(what,
		    "%s of '%s' is not a group of hooks, and some versions of the client then "
		    "ignore every hook of the file",
		    (now->flat.count > 0 ? &now->flat : &now->odd)->item[0], path);
	else if ((event = guard_replaced_event(recorded, now)) != NULL)
		buf_printf(what,
		    "%s: '%s' has an entry with the command of the installed one and other "
		    "options, and the client runs only one of them",
		    event, path);
	strings_free(&lost);
}

char *
guard_file(const struct install_record *m, const struct strings *recorded,
    const struct strings *later, const char *path, const char *text, size_t len, const char **key)
{
	static const char held[] = "the hooks were installed in '%s', which is %s";
	const struct guard_switch *s;
	struct settings_entries now;
	struct buf what = { 0 };
	struct error err;

	*key = NULL;
	if (text == NULL)
		return m->entries.count > 0 ? mem_printf(held, path, "missing") : NULL;
	skip_mark(&text, &len);
	if ((s = guard_switch_in(m, later, text, len)) != NULL) {
		*key = s->key;
		return mem_printf("%s in '%s' %s", s->key, path, s->does);
	}
	if (recorded->count == 0)
		return NULL;
	if (m->entries.count > 0 && strspn(text, " \t\r\n") == len)
		return mem_printf(held, path, "empty");
	if (settings_find(text, len, &now, &err) == 0)
		check_entries(&what, m, recorded, path, &now);
	else if (err.kind == ERROR_REFUSED)
		buf_printf(&what, "'%s' cannot be checked: %s", path, err.text);
	else if (m->entries.count > 0)
		buf_printf(&what, "the client cannot use '%s': %s", path, err.text);
	settings_entries_free(&now);
	return what.len > 0 ? buf_take(&what) : NULL;
}

/* Does install accept this file? */
static bool
is_usable(const struct buf *text)
{
	struct settings_entries now;
	struct error ignored;
	bool usable =
	    settings_find(buf_text(text), text->len, &now, &ignored) == 0 && now.odd.count == 0;

	settings_entries_free(&now);
	return usable;
}

/* A file of the settings, with what install recorded of it. */
struct guarded_file {
	enum scope scope;
	bool other; /* not one of the directory that the client was started in */
	char *path;
	struct install_record record;
	int rc; /* of the reading of the file, by guarded_read() */
	struct buf text;
	struct error err;
};

struct guarded {
	struct guarded_file *file;
	size_t count;
	struct strings recorded; /* the entries of all */
};

static char *
guard_fix(const char *key, const struct guarded_file *file)
{
	bool usable = file->rc == 0 || (file->rc == 1 && is_usable(&file->text));
	const char *scope = scope_name(file->scope), *path = file->path;
	struct buf fix = { 0 };

	if (key != NULL)
		return mem_printf("remove %s from '%s'", key, path);
	if (file->record.entries.count == 0)
		return mem_printf(
		    "%s '%s'", usable ? "remove that entry from" : "correct or remove", path);
	if (!usable)
		buf_printf(&fix, "correct or remove '%s', then: ", path);
	else if (file->rc == 1)
		buf_puts(&fix, "undo the change, or keep it and add what is missing: ");
	if (file->other)
		buf_puts(&fix, "in that project: ");
	buf_printf(&fix,
	    "claude-tasks install --%s; or, if the hooks are not wanted any more: claude-tasks "
	    "uninstall --%s",
	    scope, scope);
	return buf_take(&fix);
}

/* Takes what and fix. */
static void
guard_add(struct guard *g, enum guard_kind kind, char *what, char *fix)
{
	g->item = mem_more(g->item, g->count, sizeof(*g->item));
	g->item[g->count++] = (struct guard_finding){ kind, what, fix };
}

/* As for a client that does not know "onFailure". */
static void
open_entries(struct strings *entries)
{
	for (size_t i = 0; i < entries->count; i++) {
		char *open = guard_without_failure(entries->item[i]);

		if (open != NULL) {
			free(entries->item[i]);
			entries->item[i] = open;
		}
	}
}

static bool
guarded_has(const struct guarded *f, const char *path)
{
	for (size_t i = 0; i < f->count; i++)
		if (strcmp(f->file[i].path, path) == 0)
			return true;
	return false;
}

/* Add the file of a scope, unless it is there: in the home directory the project's file is the
 * user's.  dir: without symbolic links, as in the paths that install recorded. */
static void
guarded_add(struct guarded *f, const char *config, enum scope scope, const char *dir, bool other)
{
	char *path = scope_path(scope, config, dir);
	struct guarded_file *file;
	struct error ignored;

	if (guarded_has(f, path)) {
		free(path);
		return;
	}
	f->file = mem_more(f->file, f->count, sizeof(*f->file));
	file = &f->file[f->count++];
	*file = (struct guarded_file){ .scope = scope, .other = other, .path = path };
	(void)install_record_load(config, path, &file->record, &ignored);
}

static void
guarded_add_top(struct guarded *f, const char *config, const char *top, const char *home)
{
	if (top != NULL && !text_equal(top, home))
		guarded_add(f, config, SCOPE_LOCAL, top, true);
}

/* Client 2.1.325 reads the local settings of the main work tree's top too, unless that is the home
 * directory.  It knows the repository from its start, so one that is made below that later does not
 * hide it. */
static void
guarded_add_repositories(struct guarded *f, const char *config, const char *dir)
{
	const char *value = getenv("HOME");
	char *home = value != NULL ? realpath(value, NULL) : NULL;
	char *at = mem_string(dir), *slash;
	struct repository r;

	while (repository_find(&r, at)) {
		guarded_add_top(f, config, r.top, home);
		guarded_add_top(f, config, r.main, home);
		slash = strrchr(r.top, '/');
		free(at);
		at = slash > r.top ? mem_copy(r.top, (size_t)(slash - r.top)) : mem_string("");
		repository_free(&r);
	}
	free(home);
	free(at);
}

/* Is it one of them, also by a symbolic link? */
static bool
guarded_has_file(const struct guarded *f, const char *path)
{
	struct stat a, b;

	for (size_t i = 0; i < f->count; i++)
		if (stat(path, &a) == 0 && stat(f->file[i].path, &b) == 0 && a.st_dev == b.st_dev &&
		    a.st_ino == b.st_ino)
			return true;
	return false;
}

/* A file that the client says has changed, if it is a settings file by its name. */
static void
guarded_add_changed(struct guarded *f, const char *config, const char *path)
{
	size_t len = strlen(path);

	for (enum scope s = SCOPE_PROJECT; s < SCOPE_MANAGED; s++) {
		char *end = scope_path(s, config, ""), *dir, *real;
		size_t n = strlen(end);

		if (len > n && strcmp(path + len - n, end) == 0 && !guarded_has_file(f, path)) {
			dir = mem_copy(path, len - n);
			if ((real = realpath(dir, NULL)) != NULL)
				guarded_add(f, config, s, real, true);
			free(real);
			free(dir);
		}
		free(end);
	}
}

/* changed: NULL: none. */
static void
guarded_load(struct guarded *f, const char *config, const char *project, const char *changed)
{
	char *real = project != NULL ? realpath(project, NULL) : NULL;

	*f = (struct guarded){ 0 };
	guarded_add(f, config, SCOPE_USER, NULL, false);
	if (real != NULL) {
		guarded_add(f, config, SCOPE_PROJECT, real, false);
		guarded_add(f, config, SCOPE_LOCAL, real, false);
		guarded_add_repositories(f, config, real);
	}
	if (changed != NULL)
		guarded_add_changed(f, config, changed);
	for (size_t i = 0; i < f->count; i++)
		strings_add_all(&f->recorded, &f->file[i].record.entries);
	free(real);
}

static void
guarded_free(struct guarded *f)
{
	for (size_t i = 0; i < f->count; i++) {
		free(f->file[i].path);
		buf_free(&f->file[i].text);
		install_record_free(&f->file[i].record);
	}
	free(f->file);
	strings_free(&f->recorded);
}

static void
guarded_read(struct guarded *f)
{
	for (size_t i = 0; i < f->count; i++) {
		struct guarded_file *file = &f->file[i];

		file->rc = file_read_path(file->path, FILE_MAX, &file->text, &file->err);
	}
}

/* What the client takes from a file of a later scope instead.  Not every client reads the other
 * files. */
static void
set_later(struct strings *keys, const struct guarded *f, const struct guarded_file *than)
{
	for (size_t i = 0; i < f->count && !than->other; i++) {
		const struct guarded_file *file = &f->file[i];
		const char *text = buf_text(&file->text);
		size_t len = file->text.len;

		if (file->other || file->scope <= than->scope || file->rc != 1)
			continue;
		skip_mark(&text, &len);
		guard_switches_set(keys, text, len);
	}
}

static void
look_at_settings(struct guard *g, const struct guarded *f, const struct guarded_file *file)
{
	struct strings later = { 0 };
	const char *key = NULL;
	char *what;

	set_later(&later, f, file);
	if (file->rc == -1)
		what = mem_printf("the settings cannot be checked: %s", file->err.text);
	else
		what = guard_file(&file->record, &f->recorded, &later, file->path,
		    file->rc == 1 ? buf_text(&file->text) : NULL, file->text.len, &key);
	if (what != NULL)
		guard_add(g,
		    !file->other &&
			    (text_equal(key, GUARD_HOOKS_OFF) || text_equal(key, GUARD_TASKS_OFF))
			? GUARD_DISABLED
			: GUARD_LOST,
		    what, guard_fix(key, file));
	strings_free(&later);
}

static void
look_at_programs(struct guard *g, const struct guarded_file *file)
{
	const struct install_record *m = &file->record;
	char hex[HASH_HEX];

	for (size_t i = 0; i < m->program.count; i++) {
		guard_program_hash(m->program.item[i], hex);
		if (strcmp(hex, m->hash.item[i]) != 0)
			guard_add(g, GUARD_PROGRAM,
			    mem_printf(
				"'%s' is not the program that was installed", m->program.item[i]),
			    mem_printf("if you have updated it, run: claude-tasks install --%s",
				scope_name(file->scope)));
	}
}

void
guard_settings(struct guard *g, const char *config, const char *project, const char *changed)
{
	struct guarded f;

	guarded_load(&f, config, project, changed);
	guarded_read(&f);
	if (g->open) {
		open_entries(&f.recorded);
		for (size_t i = 0; i < f.count; i++)
			open_entries(&f.file[i].record.entries);
	}
	for (size_t i = 0; i < f.count; i++)
		look_at_settings(g, &f, &f.file[i]);
	guarded_free(&f);
}

void
guard_programs(struct guard *g, const char *config, const char *project)
{
	struct guarded f;

	guarded_load(&f, config, project, NULL);
	for (size_t i = 0; i < f.count; i++)
		look_at_programs(g, &f.file[i]);
	guarded_free(&f);
}

void
guard_recorded(struct strings *entries, const char *config, const char *project)
{
	struct guarded f;

	guarded_load(&f, config, project, NULL);
	strings_add_all(entries, &f.recorded);
	guarded_free(&f);
}

void
guard_free(struct guard *g)
{
	for (size_t i = 0; i < g->count; i++) {
		free(g->item[i].what);
		free(g->item[i].fix);
	}
	free(g->item);
	*g = (struct guard){ 0 };
}
