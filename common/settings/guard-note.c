/*
 * What install records of a settings file.
 */
#include "settings/guard.h"

#include "settings/guard-part.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sys/file.h"

#define PROGRAM_MAX (256u << 20)

void
guard_program_hash(const char *path, char hex[HASH_HEX])
{
	struct buf bytes = { 0 };
	struct error ignored;

	hex[0] = '\0';
	if (file_read_path(path, PROGRAM_MAX, &bytes, &ignored) == 1)
		hash_text(bytes.data, bytes.len, hex);
	buf_free(&bytes);
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
		guard_program_hash(path, hex);
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

	while (i < a->count && i < b->count && guard_same_entry(a->item[i], b->item[i]))
		i++;
	return i == a->count && i == b->count;
}

/* Is an entry or a program of the record not in the new one? */
static bool
is_replaced(const struct install_record *was, const struct install_record *now)
{
	bool held = true;

	for (size_t i = 0; i < was->entries.count && held; i++) {
		held = false;
		for (size_t k = 0; k < now->entries.count && !held; k++)
			held = guard_same_entry(now->entries.item[k], was->entries.item[i]);
	}
	for (size_t i = 0; i < was->program.count && held; i++) {
		held = false;
		for (size_t k = 0; k < now->program.count && !held; k++)
			held = strcmp(now->program.item[k], was->program.item[i]) == 0 &&
			       strcmp(now->hash.item[k], was->hash.item[i]) == 0;
	}
	return !held;
}

/* What is recorded of an entry; owned. */
static char *
note_entry(const struct settings_entry *e, const char *recorded, unsigned flags)
{
	char *open = (flags & GUARD_OPEN) != 0 ? guard_without_failure(e->whole) : NULL;

	if (open != NULL)
		return open;
	return mem_string(recorded != NULL && (flags & GUARD_UNKNOWN) != 0 ? recorded : e->whole);
}

/* The entries of the file; of an agent, first those that are recorded. */
static void
note_entries(struct install_record *to, const struct settings_entries *now,
    const struct strings *from, unsigned flags)
{
	bool agent = (flags & GUARD_AGENT) != 0;

	if (agent)
		strings_add_all(&to->entries, from);
	for (size_t i = 0; i < now->count; i++) {
		const char *recorded = guard_find_record(from, &now->item[i]);

		if (!agent || recorded == NULL)
			strings_take(&to->entries, note_entry(&now->item[i], recorded, flags));
	}
}

enum guard_note
guard_note(struct install_record *m, const struct strings *recorded, const char *text, size_t len,
    unsigned flags)
{
	struct install_record was = *m;
	struct settings_entries now;
	struct error ignored;
	bool agent = (flags & GUARD_AGENT) != 0, kept, same, replaced, other_env;

	if (settings_find(text, len, &now, &ignored) == -1) {
		settings_entries_free(&now);
		return GUARD_SAME;
	}
	other_env = !agent && guard_note_switches(m, text, len);
	kept = agent && guard_replaced_event(recorded, &now) != NULL;
	m->entries = m->program = m->hash = (struct strings){ 0 };
	for (size_t i = 0; agent && i < was.entries.count; i++)
		kept |= !guard_holds(&now, was.entries.item[i]);
	if (kept)
		strings_add_all(&m->entries, &was.entries);
	else
		note_entries(m, &now, &was.entries, flags);
	kept |= note_programs(m, &now, &was, !agent);
	same = !other_env && same_entries(&m->entries, &was.entries) &&
	       strings_equal(&m->program, &was.program) && strings_equal(&m->hash, &was.hash);
	replaced = is_replaced(&was, m);
	strings_free(&was.entries);
	strings_free(&was.program);
	strings_free(&was.hash);
	settings_entries_free(&now);
	return kept ? GUARD_KEPT : same ? GUARD_SAME : replaced ? GUARD_REPLACED : GUARD_NOTED;
}
