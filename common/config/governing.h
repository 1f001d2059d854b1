#ifndef CONFIG_GOVERNING_H
#define CONFIG_GOVERNING_H

#include "config/config.h"
#include "config/trust.h"
#include "list/list.h"

/*
 * Which gate file governs a completion, whichever directory the agent works in.
 *
 * The file is looked for around the event's directory, then around other places that are known:
 * the directory the session was started in, the root recorded with the claim.  An untrusted file
 * without commands does not end the search, since an agent can make one.
 *
 * A list is bound to the trusted gate files that have applied to it (roots.json in its state
 * directory).  An event in the repository of one of them, or outside any repository, is judged by
 * that one; if there are several, it is refused.  What a person no longer trusts binds no list.
 */
struct governing {
	const struct config *config; /* in force: `own`, or the one that was passed */
	struct config own;
	bool have_own;
	char *place; /* where it was looked for; NULL: around the event */
	enum trust trust;
	struct buf why; /* if trust is TRUST_UNKNOWN or more: see trust_check() */
};

#define GOVERNING_PLACES 2

/* `now` is what config_load() found around cwd; NULL places are skipped. */
int governing_find(struct governing *, const struct list *, const struct config *now,
    const char *cwd, const char *const places[GOVERNING_PLACES], struct error *);
void governing_free(struct governing *);

/* If the settings in force are a trusted file with commands, the list is bound to it: 1 now, 0
 * it was before, or there is no such file, -1. */
int governing_bind(const struct governing *, const struct list *, struct deadline, struct error *);

/* The root to record with a claim: that of a file with commands; NULL. */
const char *governing_root(const struct governing *);

#endif
