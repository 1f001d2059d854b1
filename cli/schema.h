#ifndef CLI_SCHEMA_H
#define CLI_SCHEMA_H

#include "json/json.h"

/*
 * Check a value against the part of JSON Schema that our tools use: type,
 * properties, required, additionalProperties false, enum, items, maxItems,
 * minLength 1.  Other keywords are ignored.  0, or -1 with ERROR_INPUT: which
 * member, what is wrong, and what it should be.
 */
int schema_check(const struct json *schema, json_ref, const struct json *value, json_ref,
    const char *path, struct error *);

#endif
