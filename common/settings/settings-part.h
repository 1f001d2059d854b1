#ifndef SETTINGS_SETTINGS_PART_H
#define SETTINGS_SETTINGS_PART_H

#include "settings/settings.h"
#include "json/json-edit.h"
#include "json/out.h"

/*
 * Between the parts of this module: how a part of a settings file is replaced.
 */

/* Replace text by the result of the edit. */
void settings_apply(struct buf *text, struct json_edit *);
/* The object as text at `depth` of a file that indents by `unit`. Frees it. */
void settings_text(struct buf *, struct json_object *, const char *unit, int depth);

/* 1 the value was added, 0 the file has one, -1. */
int settings_value_add(
    struct buf *text, const char *name, const char *value, const char *unit, struct error *);
/* 1 it was removed, 0 the file does not have it, or has another one, -1. */
int settings_value_remove(struct buf *text, const char *name, const char *value, struct error *);

#endif
