#ifndef CLI_INSTALL_H
#define CLI_INSTALL_H

#include "registration.h"

/*
 * For install.c: what is installed besides the hooks.
 */

/* Add to the plan the values that the options ask for; version: of the client, or NULL.  An exit
 * status. */
int install_values(struct cli *, const struct registration *, enum scope, const char *version,
    struct settings_plan *);

#endif
