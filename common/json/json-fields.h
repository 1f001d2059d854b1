#ifndef JSON_JSON_FIELDS_H
#define JSON_JSON_FIELDS_H

#include <stddef.h>

#include "json/json.h"
#include "json/out.h"

/*
 * The members of an object that are members of a struct: one table reads them, writes them and
 * frees them.
 *
 *	static const struct json_field fields[] = {
 *		JSON_FIELD("task", FIELD_STRING, struct claim, task),
 *		JSON_FIELDS_END
 *	};
 */
enum json_field_kind {
	FIELD_STRING,  /* char *, NULL if absent or not a string */
	FIELD_NAME,    /* the same, also NULL if empty */
	FIELD_RAW,     /* char *, the value's own bytes, of any kind */
	FIELD_STRINGS, /* struct strings, the string elements */
	FIELD_INT,     /* int64_t or uint64_t, 0 if absent or not an integer */
	FIELD_BOOL,    /* bool */
	FIELD_PLACE,   /* json_ref; set only if there is one, never written */
};

/* The key is an array: a pointer would have to be relocated at every start. */
struct json_field {
	char key[24];
	unsigned char len, kind;
	unsigned short offset;
};

#define JSON_FIELD(key, kind, type, member)                        \
	{                                                          \
		key, sizeof(key) - 1, kind, offsetof(type, member) \
	}
#define JSON_FIELDS_END     \
	{                   \
		"", 0, 0, 0 \
	}

/* Into a struct of zeros, or one that was read before.  Of equal keys the last one counts; a
 * member whose key is not in the object is not touched. */
void json_fields_read(void *, const struct json_field *, const struct json *, json_ref object);
/* Leaves NULL and empty arrays; numbers, booleans and places stay. */
void json_fields_free(void *, const struct json_field *);
/* In the order of the table; NULL strings are left out. */
void json_fields_write(struct json_object *, const void *, const struct json_field *);

#endif
