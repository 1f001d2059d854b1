#ifndef TASK_TASK_PART_H
#define TASK_TASK_PART_H

#include "task/task.h"

/*
 * The keys of a task in its text: shared by the reading, the editing and the
 * conversion of tasks.
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
#define FIELD_NATIVE FIELD_ASSIGNEE /* the number of the client's own */

/* Arrays: pointers would have to be relocated at every start. */
#define TASK_FIELD_NAME 16
extern const char task_field_names[FIELD_COUNT][TASK_FIELD_NAME];

/* Which field a member is, FIELD_COUNT if it is not a field. */
enum task_field task_field_of(const struct json *, json_ref member);
/* The member of each field in the root object, JSON_ABSENT where there is none. */
void task_fields(const struct json *, json_ref at[FIELD_COUNT]);

/* The metadata key of a status that the status field cannot have. */
#define TASK_ORIGINAL "original_status"

/* The metadata keys of a parent, in the order in which they count; NULL. */
extern const char *const task_parent_keys[];
/* An id, which may have been written as a number; NULL; owned. */
char *task_id_of(const struct json *, json_ref);

/* How a dialect keeps a status: in its status field, and in metadata.original_status
 * (TASK_NO_STATUS: not there). */
struct task_status_place {
	enum task_status field, original;
};
struct task_status_place task_status_place(enum task_dialect, enum task_status);

/* Is activeForm in the metadata?  task NULL: a new one. */
bool task_active_form_inside(enum task_dialect, const struct task *);

/* Refuses a change that the dialect cannot hold; task NULL: a new one. */
int task_change_check(
    enum task_dialect, const struct task *, const struct change *, struct error *);

/* The metadata to merge, with what the dialect keeps there: parent, activeForm, original_status.
 * `text` is empty if there is none; `patch` indexes it.  task NULL: a new one. */
int task_patch_make(struct json *patch, struct buf *text, enum task_dialect, const struct task *,
    const struct change *, struct error *);
/* The key of a member; NULL and an error if it is not a C string. */
char *task_patch_key(const struct json *patch, json_ref member, struct error *);
int task_patch_print(
    struct buf *, const struct json *patch, int indent, int depth, bool keep_null, struct error *);

/* Both in one text: the first line is the subject.  One of them may be NULL. */
char *task_join_subject(const char *subject, const char *description);

/* 0 if task_read() accepts the text, else -1 and why. */
int task_text_check(enum task_dialect, const char *id, const struct buf *, struct error *);

#endif
