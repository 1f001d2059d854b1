#ifndef SETTINGS_GUARD_PART_H
#define SETTINGS_GUARD_PART_H

#include "base/hash.h"
#include "settings/install-record.h"
#include "settings/settings.h"

/*
 * Between the parts of this module: our entries now, and as they were recorded.
 */

/* Is it the same JSON, in any order of the members? */
bool guard_same_entry(const char *, const char *);
/* The entry without "onFailure", owned; NULL: it has none. */
char *guard_without_failure(const char *entry);
/* Does the file have the recorded entry, or the same one that also fails closed? */
bool guard_holds(const struct settings_entries *now, const char *recorded);
/* The record of an entry; NULL: it has none. */
const char *guard_find_record(const struct strings *recorded, const struct settings_entry *now);
/* The event of an entry that is not recorded and that the client would run instead of a recorded
 * one; NULL: there is none. */
const char *guard_replaced_event(
    const struct strings *recorded, const struct settings_entries *now);

/* A value that keeps the hooks from their work. */
struct guard_switch {
	const char *key; /* "env.NAME": a member of "env" */
	enum {
		IF_ON,
		IF_OFF,   /* unless it is off in the session too */
		IF_OTHER, /* than that of the session */
		IF_LAST   /* the same, in the last file that sets it */
	} counts;
	const char *does;
};
#define GUARD_HOOKS_OFF "disableAllHooks"
#define GUARD_TASKS_OFF "env.CLAUDE_CODE_ENABLE_TASKS"
/* The first one in the file, unless the record has it; NULL: none.  later: see guard_file(). */
const struct guard_switch *guard_switch_in(
    const struct install_record *, const struct strings *later, const char *text, size_t len);
/* Add the keys of IF_LAST that the file sets.  Not to an empty string: that is what a session has
 * that does not set it, so with it a file that the client does not use could cover another. */
void guard_switches_set(struct strings *keys, const char *text, size_t len);
/* Record the values of the variables that are there; true: they differ from those recorded. */
bool guard_note_switches(struct install_record *, const char *text, size_t len);

/* "" if it cannot be read. */
void guard_program_hash(const char *path, char hex[HASH_HEX]);

#endif
