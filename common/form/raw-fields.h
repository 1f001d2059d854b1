#ifndef FORM_MEMBERS_H
#define FORM_MEMBERS_H

#include "json/json.h"

/*
 * Keys with raw JSON values, on their way from one object into another.
 * Of two with one key the first stays.
 */
struct members {
	struct strings key, value;
};

void members_add(struct members *, const char *key, const char *raw, size_t len);
void members_add_string(struct members *, const char *key, const char *text); /* NULL: nothing */
char *members_take(struct members *, const char *key); /* its raw value leaves; NULL */
void members_free(struct members *);

/* Those of an object; without known_too only keys that are no field of a task. */
void members_collect(struct members *, const struct json *, json_ref object, bool known_too);

/* Members of a compact object that has begun with '{'. */
void members_put_string(struct buf *, const char *key, const char *value, bool null);
void members_put_raw(struct buf *, const char *key, const char *raw); /* NULL: nothing */
void members_put_ids(struct buf *, const char *key, const struct strings *);
void members_put(struct buf *, const struct members *);
/* "metadata", if there are any or there was one before. */
void members_put_metadata(struct buf *, const struct members *, bool had);

#endif
