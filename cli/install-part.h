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
	struct buf result;
};

/* After the edit of a file, under the lock of the records: record it. */
int install_note_edit(const struct registration *, const char *path, struct job *,
    const struct settings_edit *, struct error *);
/* The file needs no change, but its programs may be others than those that are recorded. */
int install_note_again(const struct registration *, const char *path, struct job *, struct error *);
/* Load the record into the job and remove it: before the settings, so that a hook that sees them
 * change lets it pass. */
int install_note_forget(
    const struct registration *, const char *path, struct job *, struct error *);
bool install_note_there(const struct registration *, const char *path);

#endif
