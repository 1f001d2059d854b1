#ifndef CONFIG_GLOB_H
#define CONFIG_GLOB_H

#include <stdbool.h>

#include "base/error.h"
#include "base/mem.h"

/*
 * Path patterns, as in .gitignore and the files of CI systems.
 *
 *	*	any characters but a slash (a leading dot included)
 *	**	any characters, slashes too; as a whole component it matches
 *		zero or more directories: x, ** and y joined with slashes
 *		match x/y as well
 *	?	one character but a slash
 *	[a-z]	one of a set, [!a-z] none of it; never a slash
 *	{a,b}	either; may be nested
 *	\x	x itself
 *	!...	in a list: excludes what an earlier pattern matched
 *
 * A pattern without a slash is compared with the file's name in any
 * directory; one with a slash (a leading one, too) with the whole path from
 * the root.  A trailing slash means everything below that directory.
 *
 * Time is bounded by length of pattern times length of path.
 */
#define GLOB_MAX 1024        /* bytes of a pattern */
#define GLOB_ALTERNATIVES 64 /* that braces may expand to */

/* Is it well-formed?  ERROR_INPUT says what is not. */
int glob_check(const char *pattern, struct error *);

/* A malformed pattern matches nothing. */
bool glob_match(const char *pattern, const char *path);

/* The last pattern that matches decides; an empty list matches nothing. */
bool glob_any(const struct strings *patterns, const char *path);

/* Match a word; a slash is an ordinary character. */
bool glob_word(const char *pattern, const char *word);

#endif
