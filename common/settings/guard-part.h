#ifndef SETTINGS_GUARD_PART_H
#define SETTINGS_GUARD_PART_H

#include "base/hash.h"
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

/* "" if it cannot be read. */
void guard_program_hash(const char *path, char hex[HASH_HEX]);

#endif
