#ifndef SETTINGS_CLIENT_WORDS_H
#define SETTINGS_CLIENT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * Which names does the program of the client still have?
 *
 * Its executable (or cli.js) is several hundred megabytes; it is read once, in parts, until all are
 * found.
 */
struct client_word {
	const char *word; /* 3 to 100 bytes */
	const char *lost; /* what does not work without it, for a message */
	bool found;
};

/* Set found for each word that is in the file as a whole word: not a part of a longer name of
 * JavaScript.  -1: it cannot be read, or is not a regular file. */
int client_words_find(const char *path, struct client_word *, size_t count, struct error *);

#endif
