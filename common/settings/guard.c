#include "settings/guard.h"

#include "settings/guard-part.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
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
guard_file(const struct install_record *m, const struct strings *recorded, const char *path,
    const char *text, size_t len, const char **key)
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
	if ((s = guard_switch_in(m, text, len)) != NULL) {
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

/* rc: of the reading of the file. */
static char *
guard_fix(const char *key, enum scope s, const char *path, bool recorded, int rc, bool usable)
{
	const char *scope = scope_name(s);

	if (key != NULL)
		return mem_printf("remove %s from '%s'", key, path);
	if (!recorded)
		return mem_printf(
		    "%s '%s'", usable ? "remove that entry from" : "correct or remove", path);
	return mem_printf("%s%s%sclaude-tasks install --%s; or, if the hooks are not wanted any "
			  "more: claude-tasks uninstall --%s",
	    usable ? "" : "correct or remove '", usable ? "" : path,
	    !usable   ? "', then: "
	    : rc == 1 ? "undo the change, or keep it and add what is missing: "
		      : "",
	    scope, scope);
}

/* Takes what and fix. */
static void
guard_add(struct guard *g, enum guard_kind kind, char *what, char *fix)
{
	g->item = mem_more(g->item, g->count, sizeof(*g->item));
	g->item[g->count++] = (struct guard_finding){ kind, what, fix };
}

/* The files of the settings, path NULL: none of its own, with what install recorded of them. */
struct guarded {
	char *path[SCOPE_MANAGED];
	struct install_record record[SCOPE_MANAGED];
	struct strings recorded; /* the entries of all */
};

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

/* Their paths are those that install recorded. */
static void
guarded_load(struct guarded *f, const char *config, const char *project, bool open)
{
	char *real = project != NULL ? realpath(project, NULL) : NULL;
	struct error ignored;

	*f = (struct guarded){ 0 };
	for (enum scope s = SCOPE_USER; s < SCOPE_MANAGED && (s == SCOPE_USER || real != NULL);
	     s++) {
		char *path = scope_path(s, config, real);

		/* In the home directory the project's file is the user's. */
		if (s != SCOPE_USER && strcmp(path, f->path[SCOPE_USER]) == 0) {
			free(path);
			continue;
		}
		f->path[s] = path;
		(void)install_record_load(config, path, &f->record[s], &ignored);
		if (open)
			open_entries(&f->record[s].entries);
		strings_add_all(&f->recorded, &f->record[s].entries);
	}
	free(real);
}

static void
guarded_free(struct guarded *f)
{
	for (size_t i = 0; i < SCOPE_MANAGED; i++) {
		free(f->path[i]);
		install_record_free(&f->record[i]);
	}
	strings_free(&f->recorded);
}

static void
look_at_settings(struct guard *g, const struct guarded *f, enum scope scope)
{
	const struct install_record *m = &f->record[scope];
	const char *key = NULL, *path = f->path[scope];
	struct buf text = { 0 };
	struct error err;
	char *what;
	int rc = file_read_path(path, FILE_MAX, &text, &err);

	if (rc == -1)
		what = mem_printf("the settings cannot be checked: %s", err.text);
	else
		what = guard_file(
		    m, &f->recorded, path, rc == 1 ? buf_text(&text) : NULL, text.len, &key);
	if (what != NULL)
		guard_add(g,
		    text_equal(key, GUARD_HOOKS_OFF) || text_equal(key, GUARD_TASKS_OFF)
			? GUARD_DISABLED
			: GUARD_LOST,
		    what,
		    guard_fix(key, scope, path, m->entries.count > 0, rc,
			rc == 0 || (rc == 1 && is_usable(&text))));
	buf_free(&text);
}

static void
look_at_programs(struct guard *g, const struct install_record *m, enum scope scope)
{
	char hex[HASH_HEX];

	for (size_t i = 0; i < m->program.count; i++) {
		guard_program_hash(m->program.item[i], hex);
		if (strcmp(hex, m->hash.item[i]) != 0)
			guard_add(g, GUARD_PROGRAM,
			    mem_printf(
				"'%s' is not the program that was installed", m->program.item[i]),
			    mem_printf("if you have updated it, run: claude-tasks install --%s",
				scope_name(scope)));
	}
}

void
guard_settings(struct guard *g, const char *config, const char *project)
{
	struct guarded f;

	guarded_load(&f, config, project, g->open);
	for (enum scope s = SCOPE_USER; s < SCOPE_MANAGED; s++)
		if (f.path[s] != NULL)
			look_at_settings(g, &f, s);
	guarded_free(&f);
}

void
guard_programs(struct guard *g, const char *config, const char *project)
{
	struct guarded f;

	guarded_load(&f, config, project, false);
	for (enum scope s = SCOPE_USER; s < SCOPE_MANAGED; s++)
		look_at_programs(g, &f.record[s], s);
	guarded_free(&f);
}

void
guard_recorded(struct strings *entries, const char *config, const char *project)
{
	struct guarded f;

	guarded_load(&f, config, project, false);
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
