#ifndef SETTINGS_PROGRAMS_H
#define SETTINGS_PROGRAMS_H

#include "base/error.h"
#include "base/mem.h"

/*
 * Copies of our programs that stay where they are, whatever happens to the package that they came
 * from:
 *
 *	{config}/task-hooks/.programs/VERSION-HASH/	the four programs
 *	{config}/task-hooks/.programs/bin		a symbolic link to one of these
 *
 * Settings name the programs through the link.  HASH is that of the programs, so another build of
 * the same version gets a directory of its own, and the link always changes in one step from one
 * whole set to another.  What changes them, and what decides by their users, holds the lock of the
 * records (install_record_lock()): install until the settings name them too.  The set that it named
 *before is kept until the next change: a client may just be starting a program of it.  No list can
 *be called .programs.
 */
#define PROGRAMS 4
extern const char *const programs_name[PROGRAMS];

char *programs_bin(
    const char *config); /* the path of the link, whether it is there or not; owned */
bool programs_there(const char *config);
/* Is this directory, without symbolic links in its path, one of the copies? */
bool programs_is_copy(const char *config, const char *dir);
/* Is a component of the path node_modules? */
bool programs_in_package(const char *path);
/* Are these files there, with the same bytes? */
bool programs_same(const char *a, const char *b);

/*
 * Copy the programs of a directory and let the link name the copy.  Records of settings files that
 * name the link get the new hashes.  1 done (*former: the copy that
 * the link named before, owned; NULL: none), 0 the link names these programs already, -1.
 * agent: not if the link names other ones, or is gone although a record names it (ERROR_REFUSED),
 * and the records and the other copies stay.
 */
int programs_copy(const char *config, const char *from, bool agent, char **former, struct error *);

/* Does an entry of this settings file name one of the copies, by the link or not? */
bool programs_user(const char *config, const char *path);
/* Add the settings files with a record for which that is so, or not known because they cannot be
 * read, except this one (NULL: none). */
void programs_users(const char *config, const char *except, struct strings *paths);
/* 1 removed, 0 there were none, -1. */
int programs_remove(const char *config, struct error *);

#endif
