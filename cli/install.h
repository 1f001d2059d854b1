#ifndef CLI_INSTALL_H
#define CLI_INSTALL_H

#include "registration.h"

/*
 * For install.c: what is installed besides the hooks.
 */

/* Put the hooks that --events names into the plan, or the usual ones.  An exit status. */
int install_events(struct cli *, enum scope, struct settings_plan *);

/* Take the late events out of it, unless the client is known to know them.  If its version is not
 * known, those stay that the file has already. */
void install_drop_late(
    struct cli *, const struct registration_file *, const char *version, struct settings_plan *);

/* Are all hooks of the plan such that the plugin does not have them? */
bool install_plugin_lacks(const struct settings_plan *);

/* What a person can do about an entry that install leaves open. */
const char *install_open_advice(const struct settings_entry *);
/* Warn of the entries of the new text that cannot fail closed. */
void install_warn_open(struct cli *, const struct registration_file *, const struct settings_plan *,
    const struct buf *text);

/* Add to the plan the values that the options ask for; version: of the client, or NULL.  An exit
 * status. */
int install_values(struct cli *, const struct registration *, enum scope, const char *version,
    struct settings_plan *);

/* Print which list the sessions use (--list), and what to do next.  copies: the directory of the
 * programs that install copied; NULL: none. */
void install_next(struct cli *, const char *copies);

/* Warn if the client would run none of the hooks of this file, or has no tasks. */
void install_warn(struct cli *, const struct registration *, enum scope, const char *version);

/* Where the client finds the skill; owned.  The project's for both scopes of a project. */
char *install_skill_path(const struct registration *, enum scope);

/* Copy the skill there, or remove it; they print what they did.  An exit status. */
int install_skill(struct cli *, const struct registration *, enum scope, bool dry);
int install_skill_remove(struct cli *, const struct registration *, enum scope, bool dry);

/* The copy that install made; SKILL_NONE: it made none, or a person has changed it. */
enum skill_state { SKILL_NONE, SKILL_CURRENT, SKILL_OLD, SKILL_MISSING };
enum skill_state install_skill_state(const struct registration *, enum scope);

#endif
