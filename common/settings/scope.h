#ifndef SETTINGS_SCOPE_H
#define SETTINGS_SCOPE_H

/*
 * The settings files of the client.
 */
enum scope { SCOPE_USER, SCOPE_PROJECT, SCOPE_LOCAL, SCOPE_MANAGED };
#define SCOPES 4

const char *scope_name(enum scope);
/* The file of a scope (owned); project: the directory the client would be started in. */
char *scope_path(enum scope, const char *config, const char *project);

#endif
