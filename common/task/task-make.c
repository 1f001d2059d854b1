/*
 * The text of a new task, in the layout of the client and, for its own
 * dialect, in its order of keys.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "task/task-part.h"
#include "json/json-print.h"

struct maker {
	struct buf *out;
	enum task_dialect dialect;
};

static void
make_key(struct maker *m, enum task_field field)
{
	buf_puts(m->out, m->out->len == 1 ? "\n" : ",\n");
	buf_printf(m->out, "  \"%s\": ", task_field_names[field]);
}

static void
make_string(struct maker *m, enum task_field field, const char *value, bool null)
{
	if (value == NULL && !null)
		return;
	make_key(m, field);
	if (value == NULL)
		buf_puts(m->out, "null");
	else
		json_print_string(m->out, value, strlen(value));
}

static void
make_ids(struct maker *m, enum task_field field, const struct strings *ids)
{
	static const struct strings none;

	make_key(m, field);
	json_print_strings(m->out, ids != NULL ? ids : &none, 2, 1);
}

static void
make_fields(struct maker *m, const char *id, const struct change *c, int64_t now)
{
	const char *owner = c->owner != NULL && *c->owner != '\0' ? c->owner : NULL;
	const char *status =
	    task_status_name(c->status != TASK_NO_STATUS ? c->status : TASK_PENDING);
	/* The client takes the subject for a description that was not given. */
	const char *description = c->description != NULL ? c->description : c->subject;
	char iso[CLOCK_ISO], *text = NULL;

	clock_iso_seconds(iso, now);
	make_string(m, FIELD_ID, id, false);
	switch (m->dialect) {
	case TASK_NATIVE:
		make_string(m, FIELD_SUBJECT, c->subject, false);
		make_string(m, FIELD_DESCRIPTION, description, false);
		make_string(m, FIELD_ACTIVE_FORM, c->active_form, false);
		make_string(m, FIELD_OWNER, owner, false);
		make_string(m, FIELD_STATUS, status, false);
		make_ids(m, FIELD_BLOCKS, c->add_blocks);
		make_ids(m, FIELD_BLOCKED_BY, c->add_blocked_by);
		break;
	case TASK_DOCUMENT:
		text = task_join_subject(c->subject, c->description);
		make_string(m, FIELD_DESCRIPTION, text, false);
		make_string(m, FIELD_STATUS, status, false);
		make_string(m, FIELD_CREATED_AT, iso, false);
		make_string(m, FIELD_UPDATED_AT, iso, false);
		make_string(m, FIELD_ASSIGNEE, owner, true);
		make_ids(m, FIELD_DEPENDENCIES, c->add_blocked_by);
		make_string(m, FIELD_PARENT_ID, c->parent, false);
		break;
	case TASK_EXPORTED:
		make_string(m, FIELD_SUBJECT, c->subject, false);
		make_string(m, FIELD_DESCRIPTION, description, false);
		make_string(m, FIELD_ASSIGNEE, owner, false);
		make_string(m, FIELD_STATUS, status, false);
		make_ids(m, FIELD_DEPENDENCIES, c->add_blocked_by);
		make_ids(m, FIELD_BLOCKED_BY, NULL);
		break;
	case TASK_FOLDER:
		make_string(m, FIELD_SUBJECT, c->subject, false);
		make_string(
		    m, FIELD_DESCRIPTION, c->description != NULL ? c->description : "", false);
		make_string(m, FIELD_STATUS, status, false);
		make_string(m, FIELD_OWNER, owner, true);
		make_ids(m, FIELD_BLOCKED_BY, c->add_blocked_by);
		break;
	}
	free(text);
}

int
task_make(enum task_dialect dialect, const char *id, const struct change *c, int64_t now,
    struct buf *out, struct error *err)
{
	struct maker m = { .out = out, .dialect = dialect };
	struct change create = *c;
	struct json patch = { 0 };
	struct buf text = { 0 };
	int rc = -1;

	if (c->subject == NULL)
		return error_set(err, ERROR_INPUT, "a task needs a subject");
	if (create.parent != NULL && *create.parent == '\0')
		create.parent = NULL;
	if (task_change_check(dialect, &create, err) == -1 ||
	    task_patch_make(&patch, &text, dialect, &create, err) == -1)
		goto out;
	buf_reset(out);
	buf_putc(out, '{');
	make_fields(&m, id, &create, now);
	if (text.len > 0) {
		make_key(&m, FIELD_METADATA);
		/* Creating merges nothing: a null is kept, as the client keeps it. */
		if (task_patch_print(out, &patch, 2, 1, true, err) == -1)
			goto out;
	}
	buf_puts(out, "\n}");
	rc = task_text_check(dialect, id, out, err);
out:
	json_free(&patch);
	buf_free(&text);
	return rc;
}
