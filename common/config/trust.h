#ifndef CONFIG_TRUST_H
#define CONFIG_TRUST_H

#include "base/clock.h"
#include "config/config.h"

/*
 * May the commands of a gate file run?
 *
 * A gate file is code that comes with a repository.  Its commands run only
 * if a person has trusted exactly these bytes at this path (`claude-tasks
 * trust`), or named the file with --config in the settings.  The record is
 * {config}/task-hooks/trust.json, mode 0600; it keeps the text that was
 * trusted, so that a change can be shown.
 *
 * The worktrees of one repository share it: the same bytes at the same place
 * in another worktree are trusted too, other bytes there are a change.  If a
 * trusted file was changed or removed, completions are refused: otherwise an
 * agent could edit the gates away.
 *
 * A hook must never call trust_add().
 */
enum trust {
	TRUST_NOT_NEEDED, /* no project file, or one without commands that was never trusted */
	TRUST_GIVEN,      /* named by --config */
	TRUST_YES,
	TRUST_UNKNOWN, /* never trusted */
	TRUST_CHANGED, /* other bytes than trusted */
	TRUST_GONE,    /* trusted, and now missing */
};

/*
 * May the project's commands run?  For every answer from TRUST_UNKNOWN on, *why gets
 * the facts (such as what changed) and what to do.  cwd: where the project file was
 * looked for.  -1: the record cannot be read; treat the file as not trusted.
 */
int trust_check(const char *config_dir, const struct config *, const char *cwd, enum trust *,
    struct buf *why, struct error *);

struct trust_entry {
	char *path, *hash, *time, *text;
};
struct trusts {
	struct trust_entry *item;
	size_t count;
};

/* Is it trusted with these bytes?  No if the record cannot be read. */
bool trust_has(const char *config_dir, const struct config_file *);

int trust_load(const char *config_dir, struct trusts *, struct error *);
void trusts_free(struct trusts *);
/* Trust these bytes, which the person saw, whatever the file holds by now. */
int trust_add(const char *config_dir, const char *path, const char *text, size_t len,
    struct deadline, struct error *);
int trust_remove(
    const char *config_dir, const char *path, struct deadline, struct error *); /* 1, 0 */

/* Those of these paths that are trusted and have commands. */
int trust_still(
    const char *config_dir, const struct strings *paths, struct strings *, struct error *);

/* The directory of the record, and a file in it (1, 0 not there).  -1 if others can write to it. */
int trust_dir(const char *config_dir, bool make, struct error *);
int trust_read(int dirfd, const char *name, struct buf *, struct error *);

/* The root of the project that a gate file belongs to; owned. */
char *trust_root(const char *path);

/* What differs between two gate files, for a person: `gate "test" runs 'make check' instead of
 * 'make test'`. */
void trust_difference(
    struct buf *, const char *old_text, size_t old_len, const char *new_text, size_t new_len);

#endif
