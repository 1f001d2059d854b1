#ifndef JSON_JSON_MEMBERS_H
#define JSON_JSON_MEMBERS_H

#include "json/json.h"

/*
 * The members of an object as JavaScript has them after JSON.parse: of
 * members with the same key only one is left, at the first one's place and
 * with the last one's value, and keys that are array indices come first,
 * in numeric order.
 *
 * The work is n log n whatever the keys are: an object from outside cannot
 * make it quadratic.
 */
enum json_order {
	JSON_AS_SCRIPT, /* the order JSON.stringify writes */
	JSON_BY_KEY,    /* by the bytes of the keys, for comparison */
};

struct json_pair {
	const char *key; /* decoded, lone surrogates kept (json_decode) */
	size_t len;
	uint32_t index; /* array index, UINT32_MAX for other keys */
	json_ref first; /* the member whose place it has */
	json_ref value;
};

struct json_members {
	struct json_pair *item;
	size_t count;
	struct buf keys; /* those that had to be decoded */
};

/* Fill it in, whatever it held; release with json_members_free(). */
void json_members_load(
    struct json_members *, const struct json *, json_ref object, enum json_order);
void json_members_free(struct json_members *);

/* Like strcmp, of the keys. */
int json_members_compare(const struct json_pair *, const struct json_pair *);

#endif
