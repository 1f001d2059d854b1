#ifndef SETTINGS_GUARD_H
#define SETTINGS_GUARD_H

#include "settings/install-record.h"
#include "settings/scope.h"

/*
 * Would the hooks that install registered still run, with the settings and programs as they are on
 * disk now?
 *
 * It is asked about the files of the user and of the project, the local ones of the repository's
 * top and of its main work tree, and the one that the client says has changed.  All are judged if
 * one has changed: when the client applies a change it reads all of them again.  An entry counts as
 * lost if anything is different in it.  In a file without a record only these count:
 * disableAllHooks, an "env" that switches the hooks off, runs something else or has them look for
 * everything elsewhere (but not with the value that the session has, or that was there when a
 * person installed), and an entry that the client runs instead of a recorded one.
 */
enum guard_kind {
	GUARD_DISABLED, /* switched off, by what doctor looks for itself */
	GUARD_LOST,     /* a file does not hold the hooks that were installed in it */
	GUARD_PROGRAM,  /* a program is not the one that was installed */
};

struct guard_finding {
	enum guard_kind kind;
	char *what, *fix;
};

struct guard {
	bool open; /* given: the client does not know "onFailure", and its loss does not count */
	struct guard_finding *item;
	size_t count;
};

/* Add what is wrong with the files, or with the programs.  project: the directory that the client
 * was started in; NULL: not known.  changed: the file that the client says has changed; NULL. */
void guard_settings(struct guard *, const char *config, const char *project, const char *changed);
void guard_programs(struct guard *, const char *config, const char *project);
void guard_free(struct guard *);

/* What is wrong with one file (owned); NULL: nothing.  recorded: the entries of all files.
 * later: the variables that files set which the client reads after this one.  text NULL: there is
 * no file.
 * *key: what has to be removed from it; NULL. */
char *guard_file(const struct install_record *, const struct strings *recorded,
    const struct strings *later, const char *path, const char *text, size_t len, const char **key);

/* Add the recorded entries of all files. */
void guard_recorded(struct strings *entries, const char *config, const char *project);

/*
 * Put our entries of this settings file and their programs into the record.
 *
 * An agent cannot make the record fit what it has changed: an entry or a program that is recorded
 * and is not the same any more stays as it is recorded, and an entry that the client would run
 * instead of a recorded one (recorded: of all files) is not recorded.
 *
 * A client that does not know "onFailure" drops it when it writes the file.  So such a client's
 * entries are recorded without it; one that has it fits such a record too.
 */
enum guard_note {
	GUARD_SAME,
	GUARD_NOTED,    /* recorded */
	GUARD_REPLACED, /* recorded, in place of another entry or program */
	GUARD_KEPT,     /* of an agent: not recorded, or not all */
};
#define GUARD_AGENT 1u   /* an agent does it */
#define GUARD_OPEN 2u    /* the client does not know "onFailure" */
#define GUARD_UNKNOWN 4u /* it is not known whether it does: leave that as it is recorded */
enum guard_note guard_note(struct install_record *, const struct strings *recorded,
    const char *text, size_t len, unsigned flags);

#endif
