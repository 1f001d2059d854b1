#ifndef SETTINGS_CLIENT_VERSION_H
#define SETTINGS_CLIENT_VERSION_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/clock.h"

/*
 * Which version the client is.
 */

/* What `path --version` prints, owned; NULL: it cannot be run, or fails. */
char *version_of_program(const char *path);
/* The version of the client, "2.1.325" (owned), or NULL: no client found, or it prints none. */
char *client_version(const char *client);
/* That of a process (0: none), by its program; NULL also if this is not Claude Code: of one that an
 * interpreter runs it is not known. */
char *client_running(pid_t, struct deadline);

int version_compare(const char *, const char *);

/* The newest version that the tests run with.  doctor looks into the program of a newer one. */
#define CLIENT_TESTED "2.1.325"

/* The first version that obeys "onFailure".  Older ones ignore it, and some drop it when they write
 * the settings. */
#define ON_FAILURE_SINCE "2.1.295"
/* Is it known to be an older one?  version: NULL, not known. */
bool client_is_open(const char *version);

#endif
