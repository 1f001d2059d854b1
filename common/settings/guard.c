#include "settings/guard.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "sys/file.h"

#define PROGRAM_MAX (256u << 20)
#define DISABLED "disableAllHooks"

/* Is it the same JSON, in any order of the members? */
static bool
same_entry(const char *a, const char *b)
{
	struct json x = { 0 }, y = { 0 };
	struct error ignored;
	bool same = strcmp(a, b) == 0;

	if (!same && json_parse(&x, a, strlen(a), &ignored) == 0 &&
	    json_parse(&y, b, strlen(b), &ignored) == 0)
		same = json_same(&x, JSON_ROOT, &y, JSON_ROOT);
	json_free(&x);
	json_free(&y);
	return same;
}

static bool
holds_entry(const struct settings_entries *now, const char *entry)
{
	for (size_t i = 0; i < now->count; i++)
		if (same_entry(now->item[i].whole, entry))
			return true;
	return false;
}

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

		if (holds_entry(now, entry))
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

/*
 * What in a file of any scope keeps the hooks from their work; NULL: nothing.  A client sets "env"
 * in the environment of its hooks as soon as it changes, and in another home they find no list.
 */
static const char *
switch_in(const char *text, size_t len)
{
	static const char *const places[] = { "env.HOME", "env.CLAUDE_CONFIG_DIR" };
	const char *found = NULL;
	struct json j = { 0 };
	struct error ignored;

	if (json_parse(&j, text, len, &ignored) == 0) {
		json_ref env = json_member(&j, JSON_ROOT, "env");

		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
			const char *name = places[i] + strlen("env.");
			char *value = json_member_string(&j, env, name);

			if (value != NULL && !text_equal(value, getenv(name)))
				found = places[i];
			free(value);
		}
		if (json_true(&j, json_member(&j, JSON_ROOT, DISABLED)))
			found = DISABLED;
	}
	json_free(&j);
	return found;
}

/* What is wrong with a file that had our entries. */
static char *
lost_entries(const struct install_record *m, const char *path, const char *text, size_t len)
{
	struct settings_entries now = { 0 };
	struct strings lost = { 0 };
	struct buf what = { 0 };
	struct error err;

	if (settings_find(text, len, &now, &err) == -1)
		buf_printf(&what, "the client cannot use '%s': %s", path, err.text);
	else if (now.flat.count + now.odd.count > 0)
		buf_printf(&what,
		    "%s of '%s' is not a group of hooks, and some versions of the client then "
		    "ignore every hook of the file",
		    (now.flat.count > 0 ? &now.flat : &now.odd)->item[0], path);
	else {
		lost_events(m, &now, &lost);
		for (size_t i = 0; i < lost.count; i++)
			buf_printf(&what, "%s%s", i > 0 ? ", " : "", lost.item[i]);
		if (lost.count > 0)
			buf_printf(
			    &what, ": '%s' does not have the hook as it was installed", path);
	}
	strings_free(&lost);
	settings_entries_free(&now);
	return what.len > 0 ? buf_take(&what) : NULL;
}

char *
guard_file(const struct install_record *m, const char *path, const char *text, size_t len,
    const char **key)
{
	static const char held[] = "the hooks were installed in '%s', which is %s";

	*key = NULL;
	if (text == NULL)
		return m->entries.count > 0 ? mem_printf(held, path, "missing") : NULL;
	skip_mark(&text, &len);
	if ((*key = switch_in(text, len)) != NULL)
		return mem_printf("%s in '%s' %s", *key, path,
		    strcmp(*key, DISABLED) == 0
			? "switches every hook off"
			: "has the hooks look for lists and trust elsewhere");
	if (m->entries.count == 0)
		return NULL;
	return strspn(text, " \t\r\n") == len ? mem_printf(held, path, "empty")
					      : lost_entries(m, path, text, len);
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

static char *
guard_fix(const char *key, enum scope s, const char *path, bool usable)
{
	const char *scope = scope_name(s);

	if (key != NULL)
		return mem_printf("remove %s from '%s'", key, path);
	return mem_printf("%s%s%sclaude-tasks install --%s; or, if the hooks are not wanted any "
			  "more: claude-tasks uninstall --%s",
	    usable ? "" : "correct or remove '", usable ? "" : path,
	    usable ? "" : "', then: ", scope, scope);
}

/* Takes what and fix. */
static void
guard_add(struct guard *g, enum guard_kind kind, char *what, char *fix)
{
	g->item = mem_more(g->item, g->count, sizeof(*g->item));
	g->item[g->count++] = (struct guard_finding){ kind, what, fix };
}

static void
look_at_settings(
    struct guard *g, enum scope scope, const char *path, const struct install_record *m)
{
	const char *key = NULL;
	struct buf text = { 0 };
	struct error err;
	char *what;
	int rc = file_read_path(path, FILE_MAX, &text, &err);

	if (rc == -1)
		what = mem_printf("the settings cannot be checked: %s", err.text);
	else
		what = guard_file(m, path, rc == 1 ? buf_text(&text) : NULL, text.len, &key);
	if (what != NULL)
		guard_add(g,
		    key != NULL && strcmp(key, DISABLED) == 0 ? GUARD_DISABLED : GUARD_LOST, what,
		    guard_fix(key, scope, path, rc == 0 || (rc == 1 && is_usable(&text))));
	buf_free(&text);
}

/* "" if it cannot be read. */
static void
program_hash(const char *path, char hex[HASH_HEX])
{
	struct buf bytes = { 0 };
	struct error ignored;

	hex[0] = '\0';
	if (file_read_path(path, PROGRAM_MAX, &bytes, &ignored) == 1)
		hash_text(bytes.data, bytes.len, hex);
	buf_free(&bytes);
}

static void
look_at_programs(
    struct guard *g, enum scope scope, const char *path, const struct install_record *m)
{
	char hex[HASH_HEX];

	(void)path;
	for (size_t i = 0; i < m->program.count; i++) {
		program_hash(m->program.item[i], hex);
		if (strcmp(hex, m->hash.item[i]) != 0)
			guard_add(g, GUARD_PROGRAM,
			    mem_printf(
				"'%s' is not the program that was installed", m->program.item[i]),
			    mem_printf("if you have updated it, run: claude-tasks install --%s",
				scope_name(scope)));
	}
}

/* Each of the settings files, with its record; their paths are those that install recorded. */
static void
guard_each(struct guard *g, const char *config, const char *project,
    void (*look)(struct guard *, enum scope, const char *, const struct install_record *))
{
	char *real = project != NULL ? realpath(project, NULL) : NULL;
	char *users = scope_path(SCOPE_USER, config, NULL);
	struct install_record m;
	struct error ignored;

	for (enum scope s = SCOPE_USER; s < SCOPE_MANAGED && (s == SCOPE_USER || real != NULL);
	     s++) {
		char *path = scope_path(s, config, real);

		/* In the home directory the project's file is the user's. */
		if (s == SCOPE_USER || strcmp(path, users) != 0) {
			(void)install_record_load(config, path, &m, &ignored);
			look(g, s, path, &m);
			install_record_free(&m);
		}
		free(path);
	}
	free(users);
	free(real);
}

void
guard_settings(struct guard *g, const char *config, const char *project)
{
	guard_each(g, config, project, look_at_settings);
}

void
guard_programs(struct guard *g, const char *config, const char *project)
{
	guard_each(g, config, project, look_at_programs);
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

/*
 * The programs of the entries with their hashes; of an agent, first those that are recorded.
 * True: one of these is not the same any more.
 */
static bool
note_programs(struct install_record *to, const struct settings_entries *now,
    const struct install_record *from, bool person)
{
	struct strings read = { 0 }; /* a program of several entries is read once */
	bool differs = false;
	char hex[HASH_HEX];

	if (!person) {
		strings_add_all(&to->program, &from->program);
		strings_add_all(&to->hash, &from->hash);
	}
	for (size_t i = 0; i < now->count; i++) {
		const char *path = now->item[i].path;
		size_t at = 0;

		while (at < to->program.count && strcmp(to->program.item[at], path) != 0)
			at++;
		if (*path != '/' || strings_has(&read, path))
			continue;
		strings_add(&read, path);
		program_hash(path, hex);
		if (at < to->program.count)
			differs |= strcmp(to->hash.item[at], hex) != 0;
		else {
			strings_add(&to->program, path);
			strings_add(&to->hash, hex);
		}
	}
	strings_free(&read);
	return differs;
}

static bool
same_entries(const struct strings *a, const struct strings *b)
{
	size_t i = 0;

	while (i < a->count && i < b->count && same_entry(a->item[i], b->item[i]))
		i++;
	return i == a->count && i == b->count;
}

enum guard_note
guard_note(struct install_record *m, const char *text, size_t len, bool person)
{
	struct install_record was = *m;
	struct settings_entries now;
	struct error ignored;
	bool kept = false, same;

	if (settings_find(text, len, &now, &ignored) == -1) {
		settings_entries_free(&now);
		return GUARD_SAME;
	}
	m->entries = m->program = m->hash = (struct strings){ 0 };
	for (size_t i = 0; !person && i < was.entries.count; i++)
		kept |= !holds_entry(&now, was.entries.item[i]);
	if (kept)
		strings_add_all(&m->entries, &was.entries);
	for (size_t i = 0; !kept && i < now.count; i++)
		strings_add(&m->entries, now.item[i].whole);
	kept |= note_programs(m, &now, &was, person);
	same = same_entries(&m->entries, &was.entries) &&
	       strings_equal(&m->program, &was.program) && strings_equal(&m->hash, &was.hash);
	strings_free(&was.entries);
	strings_free(&was.program);
	strings_free(&was.hash);
	settings_entries_free(&now);
	return kept ? GUARD_KEPT : same ? GUARD_SAME : GUARD_NOTED;
}
