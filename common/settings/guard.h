#ifndef SETTINGS_GUARD_H
#define SETTINGS_GUARD_H

#include "settings/install-record.h"
#include "settings/scope.h"

/*
 * Would the hooks that install registered still run, with the settings and programs as they are on
 * disk now?
 *
 * It is asked about the files of the user and of the project, also about the other ones if one has
 * changed: when the client applies a change it reads all of them again.  An entry counts as lost
 * if anything is different in it.  In a file without a record only disableAllHooks counts, and an
 * "env" that makes the hooks look for everything in another place.
 */
enum guard_kind {
	GUARD_DISABLED, /* by disableAllHooks */
	GUARD_LOST,     /* a file does not hold the hooks that were installed in it */
	GUARD_PROGRAM,  /* a program is not the one that was installed */
};

struct guard_finding {
	enum guard_kind kind;
	char *what, *fix;
};

struct guard {
	struct guard_finding *item;
	size_t count;
};

/* Add what is wrong with the files, or with the programs.  project: the directory that the client
 * was started in; NULL: not known. */
void guard_settings(struct guard *, const char *config, const char *project);
void guard_programs(struct guard *, const char *config, const char *project);
void guard_free(struct guard *);

/* What is wrong with one file (owned); NULL: nothing.  text NULL: there is no file.  *key: what has
 * to be removed from it; NULL. */
char *guard_file(const struct install_record *, const char *path, const char *text, size_t len,
    const char **key);

/*
 * Put our entries of this settings file and their programs into the record.  An agent (person
 * false) cannot make the record fit what it has changed: the old record of an entry or a program
 * that has changed is kept.
 */
enum guard_note { GUARD_SAME, GUARD_NOTED, GUARD_KEPT };
enum guard_note guard_note(struct install_record *, const char *text, size_t len, bool person);

#endif
