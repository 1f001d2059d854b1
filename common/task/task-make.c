/*
 * The text of a new task, in the layout of the client and, for its own
 * dialect, in its order of keys.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "task/macf.h"
#include "task/task-part.h"
#include "json/json-print.h"

static void
make_key(struct buf *out, enum task_field field)
{
	buf_puts(out, out->len == 1 ? "\n" : ",\n");
	buf_printf(out, "  \"%s\": ", task_field_names[field]);
}

static void
make_string(struct buf *out, enum task_field field, const char *value, bool null)
{
	if (value == NULL && !null)
		return;
	make_key(out, field);
	if (value == NULL)
		buf_puts(out, "null");
	else
		json_print_string(out, value, strlen(value));
}

static void
make_ids(struct buf *out, enum task_field field, const struct strings *ids)
{
	static const struct strings none;

	make_key(out, field);
	json_print_strings(out, ids != NULL ? ids : &none, 2, 1);
}

static void
make_fields(
    struct buf *out, enum task_dialect dialect, const char *id, const struct change *c, int64_t now)
{
	const char *owner = c->owner != NULL && *c->owner != '\0' ? c->owner : NULL;
	const char *status = task_status_name(
	    task_status_place(dialect, c->status != TASK_NO_STATUS ? c->status : TASK_PENDING)
		.field);
	/* like the client, which uses the subject if there is no description */
	const char *description = c->description != NULL ? c->description : c->subject;
	char iso[CLOCK_ISO], *text = NULL;

	clock_iso_seconds(iso, now);
	make_string(out, FIELD_ID, id, false);
	switch (dialect) {
	case TASK_NATIVE:
		make_string(out, FIELD_SUBJECT, c->subject, false);
		make_string(out, FIELD_DESCRIPTION, description, false);
		make_string(out, FIELD_ACTIVE_FORM, c->active_form, false);
		make_string(out, FIELD_OWNER, owner, false);
		make_string(out, FIELD_STATUS, status, false);
		make_ids(out, FIELD_BLOCKS, c->add_blocks);
		make_ids(out, FIELD_BLOCKED_BY, c->add_blocked_by);
		break;
	case TASK_DOCUMENT:
		text = task_join_subject(c->subject, c->description);
		make_string(out, FIELD_DESCRIPTION, text, false);
		make_string(out, FIELD_STATUS, status, false);
		make_string(out, FIELD_CREATED_AT, iso, false);
		make_string(out, FIELD_UPDATED_AT, iso, false);
		make_string(out, FIELD_ASSIGNEE, owner, true);
		make_ids(out, FIELD_DEPENDENCIES, c->add_blocked_by);
		make_string(out, FIELD_PARENT_ID, c->parent, false);
		break;
	case TASK_EXPORTED:
		make_string(out, FIELD_SUBJECT, c->subject, false);
		make_string(out, FIELD_DESCRIPTION, description, false);
		make_string(out, FIELD_ASSIGNEE, owner, false);
		make_string(out, FIELD_STATUS, status, false);
		make_ids(out, FIELD_DEPENDENCIES, c->add_blocked_by);
		make_ids(out, FIELD_BLOCKED_BY, NULL);
		break;
	case TASK_FOLDER:
		make_string(out, FIELD_SUBJECT, c->subject, false);
		make_string(
		    out, FIELD_DESCRIPTION, c->description != NULL ? c->description : "", false);
		make_string(out, FIELD_STATUS, status, false);
		make_string(out, FIELD_OWNER, owner, true);
		make_ids(out, FIELD_BLOCKED_BY, c->add_blocked_by);
		break;
	}
	free(text);
}

/* As a task of its kind.  Only the client, which reads native tasks, needs the number in the
 * subject. */
static void
make_kind(struct change *c, enum task_dialect dialect, const char *id, char *owned[2])
{
	const char *title = c->subject;

	if (c->macf == NULL)
		return;
	c->subject = owned[0] =
	    macf_subject(c->macf, dialect == TASK_NATIVE ? id : NULL, c->parent, title);
	c->description = owned[1] =
	    macf_description(c->macf, c->parent, c->description != NULL ? c->description : title);
}

int
task_make(enum task_dialect dialect, const char *id, const struct change *c, int64_t now,
    struct buf *out, struct error *err)
{
	struct change create = *c;
	struct json patch = { 0 };
	struct buf text = { 0 };
	char *owned[2] = { NULL, NULL };
	int rc = -1;

	/* In a document the first line of the description is the subject. */
	if (c->subject == NULL &&
	    (dialect != TASK_DOCUMENT || c->description == NULL || c->macf != NULL))
		return error_set(err, ERROR_INPUT, "a task needs a subject");
	if (create.parent != NULL && *create.parent == '\0')
		create.parent = NULL;
	make_kind(&create, dialect, id, owned);
	if (task_change_check(dialect, NULL, &create, err) == -1 ||
	    task_patch_make(&patch, &text, dialect, NULL, &create, err) == -1)
		goto out;
	buf_reset(out);
	buf_putc(out, '{');
	make_fields(out, dialect, id, &create, now);
	if (text.len > 0) {
		make_key(out, FIELD_METADATA);
		/* a new task keeps nulls, as with the client: there is nothing to delete */
		if (task_patch_print(out, &patch, 2, 1, true, err) == -1)
			goto out;
	}
	buf_puts(out, "\n}");
	rc = task_text_check(dialect, id, out, err);
out:
	json_free(&patch);
	buf_free(&text);
	free(owned[0]);
	free(owned[1]);
	return rc;
}
