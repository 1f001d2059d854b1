#ifndef FORM_RAW_FIELDS_H
#define FORM_RAW_FIELDS_H

#include "json/json.h"

/*
 * Keys with raw JSON values, to be copied from one object into another.
 * Of two with the same key the first is kept.
 */
struct raw_fields {
	struct strings key, value;
};

void raw_fields_add(struct raw_fields *, const char *key, const char *raw); /* NULL: nothing */
void raw_fields_add_string(
    struct raw_fields *, const char *key, const char *text); /* NULL: nothing */
char *raw_fields_take(struct raw_fields *, const char *key); /* removes and returns it; NULL */
void raw_fields_free(struct raw_fields *);

/* Adds the members of an object; without known_too only those that are not fields of a task. */
void raw_fields_collect(struct raw_fields *, const struct json *, json_ref object, bool known_too);

/* Add members to a compact object that has begun with '{'. */
void raw_fields_put_string(struct buf *, const char *key, const char *value, bool null);
void raw_fields_put_raw(struct buf *, const char *key, const char *raw); /* NULL: nothing */
void raw_fields_put_ids(struct buf *, const char *key, const struct strings *);
void raw_fields_put(struct buf *, const struct raw_fields *);
/* "metadata", if there are fields or the source had it. */
void raw_fields_put_metadata(struct buf *, const struct raw_fields *, bool had);

#endif
