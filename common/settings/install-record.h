#ifndef SETTINGS_INSTALL_RECORD_H
#define SETTINGS_INSTALL_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/hash.h"
#include "settings/settings.h"
#include "sys/lock.h"

/*
 * What install found in a settings file and what it wrote, so that uninstall can restore the
 * original bytes and a hook sees whether its entries are still there:
 * {config}/task-hooks/.installs/<hash of the path>.json, and beside it the backup. No list can be
 * called .installs.
 */
struct install_record {
	char after[HASH_HEX]; /* SHA-256 of the file as install left it; "": unknown */
	bool existed;
	struct settings_values values; /* what install set */
	char *backup;                  /* path of the original bytes; NULL */
	struct strings entries;        /* our entries in the file, as settings_entry.whole */
	struct strings program, hash;  /* the programs of these entries, and their SHA-256 */
	struct settings_values env;    /* variables in the file that guard.h looks at */
};

/* Held during an edit and the update of its record; close dirfd after lock_release(). */
int install_record_lock(const char *config, struct lock *, int *dirfd, struct error *);
/* Wait until nothing holds it, or until the deadline, and keep it from being taken until
 * install_record_unshare(), if there is a lock at all.  Makes no file. */
void install_record_share(const char *config, struct lock *, int *dirfd, struct deadline);
void install_record_unshare(struct lock *, int dirfd);
int install_record_load(
    const char *config, const char *path, struct install_record *, struct error *);
/* NULL: remove the record. */
int install_record_save(
    const char *config, const char *path, const struct install_record *, struct error *);
void install_record_free(struct install_record *);
/* Add the paths of the files that have a record. */
void install_record_paths(const char *config, struct strings *paths);
/* Store the bytes as a backup; its path, owned; NULL on error. */
char *install_record_backup(
    const char *config, const char *path, const char *text, size_t len, struct error *);

#endif
