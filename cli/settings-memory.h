#ifndef CLI_SETTINGS_MEMORY_H
#define CLI_SETTINGS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "sys/lock.h"

/*
 * What install found in a settings file and what it wrote, so that uninstall can restore the
 * original bytes: {config}/task-hooks/.installs/<hash of the path>.json, and beside it the backup.
 * No list can be called .installs.
 */
struct settings_memory {
	char after[65]; /* SHA-256 of the file as install left it; "": unknown */
	bool existed, env;
	char *backup; /* path of the original bytes; NULL */
};

/* Held during an edit and the update of its record; close dirfd after lock_release(). */
int settings_memory_lock(const char *config, struct lock *, int *dirfd, struct error *);
int settings_memory_load(
    const char *config, const char *path, struct settings_memory *, struct error *);
/* NULL: remove the record. */
int settings_memory_save(
    const char *config, const char *path, const struct settings_memory *, struct error *);
void settings_memory_free(struct settings_memory *);
/* Store the bytes as a backup; its path, owned; NULL on error. */
char *settings_memory_backup(
    const char *config, const char *path, const char *text, size_t len, struct error *);

#endif
