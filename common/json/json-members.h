#ifndef JSON_JSON_MEMBERS_H
#define JSON_JSON_MEMBERS_H

#include "json/json.h"

/*
 * The members of an object as JSON.parse has them, sorted by the bytes of
 * their keys: of members with the same key only the last is left.
 *
 * The work is n log n whatever the keys are: an object from outside cannot
 * make it quadratic.
 */
struct json_pair {
	const char *key; /* decoded, lone surrogates kept (json_decode) */
	size_t len;
	json_ref value;
};

struct json_members {
	struct json_pair *item;
	size_t count;
	struct buf keys; /* the decoded ones */
};

/* Overwrites *members; release with json_members_free(). */
void json_members_load(struct json_members *, const struct json *, json_ref object);
void json_members_free(struct json_members *);

/* Like strcmp, of the keys. */
int json_members_compare(const struct json_pair *, const struct json_pair *);

#endif
