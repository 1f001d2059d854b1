#ifndef COMMON_TASK_FIELD_H
#define COMMON_TASK_FIELD_H

#include "task.h"

/*
 * Where the keys of a task are in its text: shared by the reading, the
 * editing and the conversion of tasks, of no interest to anyone else.
 *
 * The first nine are the client's own, in the order it writes them.
 */
enum task_field {
	FIELD_ID,
	FIELD_SUBJECT,
	FIELD_DESCRIPTION,
	FIELD_ACTIVE_FORM,
	FIELD_OWNER,
	FIELD_STATUS,
	FIELD_BLOCKS,
	FIELD_BLOCKED_BY,
	FIELD_METADATA,
	FIELD_ASSIGNEE,
	FIELD_DEPENDENCIES,
	FIELD_PARENT_ID,
	FIELD_UPDATED_AT,
	FIELD_CREATED_AT,
	FIELD_COUNT
};
#define FIELD_NATIVE FIELD_ASSIGNEE /* how many the client's own are */

/* No pointers in tables that every start would have to relocate. */
#define TASK_FIELD_NAME 16
extern const char task_field_names[FIELD_COUNT][TASK_FIELD_NAME];

/* The member of each field in the root object, JSON_ABSENT where there is none. */
void task_fields(const struct json *, json_ref at[FIELD_COUNT]);

/* May a task of this dialect have this status? */
bool task_status_held(enum task_dialect, enum task_status);

/* Changes: what the dialect has no place for is refused, not dropped. */
int task_change_check(enum task_dialect, const struct change *, struct error *);

/* The metadata to merge, a parent included where the dialect keeps it there.
 * text is empty if there is none; patch indexes text. */
int task_patch_make(
    struct json *patch, struct buf *text, enum task_dialect, const struct change *, struct error *);
/* The key of a member; NULL if a C string cannot be that key. */
char *task_patch_key(const struct json *patch, json_ref member, struct error *);
int task_patch_print(
    struct buf *, const struct json *patch, int indent, int depth, bool keep_null, struct error *);

/* One text for subject and description: the first line is the subject. */
char *task_join_subject(const char *subject, const char *description);

/* Nothing leaves that its reader would not show. */
int task_text_check(enum task_dialect, const char *id, const struct buf *, struct error *);

#endif
