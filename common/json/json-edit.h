#ifndef JSON_JSON_EDIT_H
#define JSON_JSON_EDIT_H

#include "json/json.h"

/*
 * Edits of a JSON text that change only the bytes of what is edited.
 *
 * Edits are collected and applied at once; everything else keeps its
 * bytes: order of keys, texts of numbers, escapes, white space.  A member
 * that is added goes last, with the separator and indentation its siblings
 * have.  A removed member takes its comma and white space with it.  Of
 * duplicate keys, set changes the last one and remove removes all.  Values are given as JSON text;
 *a multi-line value should be printed with json_print() at the depth it will have.
 *
 *	struct json_edit e;
 *	json_edit_init(&e, &j);
 *	json_edit_set(&e, JSON_ROOT, "status", "\"pending\"");
 *	json_edit_remove(&e, JSON_ROOT, "owner");
 *	json_edit_apply(&e, &out);
 *	json_edit_free(&e);
 */
struct json_edit {
	const struct json *json;
	struct json_splice *splice;
	size_t count;
};

void json_edit_init(struct json_edit *, const struct json *);
void json_edit_set(struct json_edit *, json_ref object, const char *key, const char *value);
void json_edit_remove(struct json_edit *, json_ref object, const char *key);
void json_edit_replace(struct json_edit *, json_ref value, const char *text); /* any value */
void json_edit_append(struct json_edit *, json_ref array, const char *value);
void json_edit_drop(struct json_edit *, json_ref array, json_ref element);
void json_edit_apply(struct json_edit *, struct buf *out); /* out is reset first */
void json_edit_free(struct json_edit *);

#endif
