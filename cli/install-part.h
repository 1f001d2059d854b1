#ifndef CLI_INSTALL_PART_H
#define CLI_INSTALL_PART_H

#include "install.h"
#include "settings/guard.h"

/*
 * For install.c and install-note.c.
 */

/* An install or uninstall of one settings file. */
struct job {
	struct settings_plan plan;
	struct install_record record;
	struct settings_change change;
	bool dry, exact;      /* exact: uninstall restored the original bytes */
	bool forgotten;       /* uninstall removed the record */
	unsigned flags;       /* for guard_note() */
	enum guard_note note; /* what install did to the record of our entries */
	char *from;           /* directory of the programs to be copied; NULL: they stay */
	char *origin; /* the same, should the copies be gone by then; NULL: there are none */
	char *former; /* the copy that was in use before */
	bool copied, purge;
	bool failed; /* uninstall: to remove the programs, or with --purge all */
	bool user;   /* uninstall: of the user's file */
	enum { PROGRAMS_NONE, PROGRAMS_USED, PROGRAMS_REMOVED } programs; /* after uninstall */
	struct buf result;
};

/*
 * With the lock of the records.
 */

/* After the edit of a file: record it. */
int install_note_edit(const struct registration *, const char *path, struct job *,
    const struct settings_edit *, struct error *);
/* The file needs no change, but its programs may be others than those that are recorded. */
int install_note_again(const struct registration *, const char *path, struct job *, struct error *);
/* Load the record into the job and remove it: before the settings, so that a hook that sees them
 * change lets it pass. */
int install_note_forget(
    const struct registration *, const char *path, struct job *, struct error *);
/* Copy the programs, unless job->from is NULL and the copies are there.  -1 and the error. */
int install_programs_copy(const struct registration *, struct job *, struct error *);

/*
 * Without it.
 */

bool install_note_there(const struct registration *, const char *path);
/* The directory that the entries name, owned: that of this program, --bin, or of the copies, and
 * then job->from may be set; NULL and the error. */
char *install_programs_dir(
    const struct cli *, const struct registration *, struct job *, struct error *);
/* Print what was done with them, or would be. */
void install_programs_text(struct cli *, const struct registration *, const struct job *);

/* Before uninstall: may everything be removed (--purge)?  An exit status. */
int install_programs_purge(
    struct cli *, const struct registration *, enum scope, const struct job *);
/* After the entries of this file are gone: remove the copies, unless another file names them; with
 * --purge all that we keep. */
int install_programs_remove(
    const struct registration *, const char *path, struct job *, struct error *);

#endif
