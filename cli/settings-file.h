#ifndef CLI_SETTINGS_FILE_H
#define CLI_SETTINGS_FILE_H

#include "cli.h"
#include "settings/scope.h"
#include "settings/settings.h"

/*
 * How a settings file is changed without losing a concurrent write.
 *
 * The client rewrites its settings too, and takes no lock that we know of.  So the new file is
 * written beside the old one, the old one is compared once more, and the two are exchanged in one
 * step.  If the replaced file is not the one that was read, they are exchanged back.  After a
 * concurrent write the edit is made again.  Processes of claude-tasks take a lock (install-record).
 */

/* The nearest directory from the working directory upward with .claude or .git; owned. */
char *project_dir(void);

/* 1 read, 0 there is none, -1. */
int settings_read(const char *path, struct buf *, struct error *);

/*
 * Edit a file: fn makes the new text from the old one (len 0, text "" and
 * existed false if there is no file).  Returns 1 changed, 0 fn left it as it
 * was, -1.  remove: fn may set it to have the file removed instead.
 * `before` gets the text that was replaced.
 */
struct settings_edit {
	int (*fn)(void *, const char *text, size_t len, bool existed, struct buf *out, bool *remove,
	    struct error *);
	void *arg;
	struct buf before;
	bool existed;
};
int settings_edit(const char *path, struct settings_edit *, struct error *);

#endif
