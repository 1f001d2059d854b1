#include <stdlib.h>
#include <string.h>

#include "undo.h"
#include "json/json-print.h"

static int
changed_since(struct error *err, const struct task *now, const char *field)
{
	struct buf name = { 0 };

	task_name(&name, now);
	error_set(err, ERROR_REFUSED, "the %s of %s was changed since (try: claude-tasks log %s)",
	    field, buf_text(&name), now->id);
	buf_free(&name);
	return -1;
}

/* One text field: *set gets its old value, if it was changed. */
static int
inverse_text(const char *was, const char *is, const char *now, const char **set, const char *field,
    const struct task *t, struct error *err)
{
	if (change_same(was, is))
		return 0;
	if (!change_same(is, now))
		return changed_since(err, t, field);
	*set = was != NULL ? was : "";
	return 0;
}

/* Add the entries of `a` that `b` does not have and that `now` has (has 1) or lacks (has 0). */
static void
add_others(struct strings *out, const struct strings *a, const struct strings *b,
    const struct strings *now, int has)
{
	void *seen = NULL;

	for (size_t i = 0; i < b->count; i++)
		(void)strings_first(&seen, b->item[i]);
	for (size_t i = 0; i < a->count; i++)
		if (strings_first(&seen, a->item[i]) && strings_has(now, a->item[i]) == has)
			strings_add(out, a->item[i]);
	strings_forget(seen);
}

/* Drop the entries that the change added, add those that it removed. */
static void
inverse_ids(const struct strings *was, const struct strings *is, const struct strings *now,
    struct strings *add, struct strings *drop)
{
	add_others(drop, is, was, now, 1);
	add_others(add, was, is, now, 0);
}

static void
put_key(struct buf *b, const char *key, const struct json *j, json_ref value)
{
	const char *raw;
	size_t len;

	buf_putc(b, b->len == 0 ? '{' : ',');
	json_print_string(b, key, strlen(key));
	buf_putc(b, ':');
	raw = json_raw(j, value, &len);
	if (raw != NULL)
		buf_add(b, raw, len);
	else
		buf_puts(b, "null");
}

static int
inverse_metadata(struct undo_inverse *v, const struct task *now, struct error *err)
{
	const struct json *jw = &v->was.json, *ji = &v->is.json, *jn = &now->json;
	json_ref was = task_metadata(&v->was), is = task_metadata(&v->is), cur = task_metadata(now);
	struct strings keys = { 0 };
	int rc = 0;

	json_keys(jw, was, &keys);
	json_keys(ji, is, &keys);
	for (size_t i = 0; i < keys.count && rc == 0; i++) {
		const char *k = keys.item[i];
		json_ref a = json_member(jw, was, k), b = json_member(ji, is, k),
			 n = json_member(jn, cur, k);

		/* The change of the status sets it. */
		if (json_same(jw, a, ji, b) ||
		    (v->change.status != TASK_NO_STATUS && strcmp(k, "original_status") == 0))
			continue;
		if (!json_same(ji, b, jn, n))
			rc = changed_since(err, now, "metadata");
		else
			put_key(&v->metadata, k, jw, a);
	}
	if (rc == 0 && v->metadata.len > 0) {
		buf_putc(&v->metadata, '}');
		v->change.metadata = buf_text(&v->metadata);
	}
	strings_free(&keys);
	return rc;
}

/* A line of a hook records only status and owner, in from and to. */
static int
from_fields(struct undo_inverse *v, const struct history_entry *p, const struct task *now,
    struct error *err)
{
	struct json from = { 0 }, to = { 0 };
	char *a = NULL, *b = NULL;
	int rc = -1;

	task_copy(&v->was, now);
	task_copy(&v->is, now);
	if (json_parse(&from, p->from, strlen(p->from), err) == -1 ||
	    json_parse(&to, p->to, strlen(p->to), err) == -1)
		goto out;
	a = json_member_string(&from, JSON_ROOT, "status");
	b = json_member_string(&to, JSON_ROOT, "status");
	if (a != NULL && b != NULL) {
		v->was.status = task_status_parse(a);
		v->is.status = task_status_parse(b);
	}
	if (json_member(&from, JSON_ROOT, "owner") != JSON_ABSENT ||
	    json_member(&to, JSON_ROOT, "owner") != JSON_ABSENT) {
		free(v->was.owner);
		free(v->is.owner);
		v->was.owner = json_member_string(&from, JSON_ROOT, "owner");
		v->is.owner = json_member_string(&to, JSON_ROOT, "owner");
	}
	rc = 0;
out:
	free(a);
	free(b);
	json_free(&from);
	json_free(&to);
	return rc;
}

/* Fill in v->was and v->is from the line of the journal. */
static int
read_entry(struct undo_inverse *v, const struct history_entry *p, const struct task *now,
    struct error *err)
{
	if (p->before != NULL && p->after != NULL) {
		if (task_read(&v->was, now->dialect, now->id, p->before, strlen(p->before), err) ==
			-1 ||
		    task_read(&v->is, now->dialect, now->id, p->after, strlen(p->after), err) == -1)
			return error_prefix(err, "line %lld of the journal", (long long)p->seq);
		return 0;
	}
	if (p->from != NULL && p->to != NULL)
		return from_fields(v, p, now, err);
	return error_set(err, ERROR_REFUSED,
	    "line %lld of the journal does not hold task #%s as it was before", (long long)p->seq,
	    p->task);
}

int
undo_inverse_make(struct undo_inverse *v, const struct history_entry *p, const struct task *now,
    struct error *err)
{
	*v = (struct undo_inverse){
		.change = CHANGE_INIT, .was = TASK_INIT, .is = TASK_INIT, .now = TASK_INIT
	};
	task_copy(&v->now, now);
	if (read_entry(v, p, now, err) == -1)
		return -1;
	if (v->was.status != v->is.status || task_held(&v->was) != task_held(&v->is)) {
		if (now->status != v->is.status)
			return changed_since(err, now, "status");
		v->change.status = v->was.status;
		if (v->was.status == TASK_BLOCKED && !task_held(&v->was))
			v->change.status = TASK_PENDING; /* its dependencies block it */
	}
	v->change.verbatim = true;
	/* Without a field of its own the subject is a part of the description. */
	if ((json_member(&now->json, JSON_ROOT, "subject") != JSON_ABSENT &&
		inverse_text(v->was.subject, v->is.subject, now->subject, &v->change.subject,
		    "subject", now, err) == -1) ||
	    inverse_text(v->was.description, v->is.description, now->description,
		&v->change.description, "description", now, err) == -1 ||
	    inverse_text(v->was.active_form, v->is.active_form, now->active_form,
		&v->change.active_form, "activeForm", now, err) == -1 ||
	    inverse_text(
		v->was.owner, v->is.owner, now->owner, &v->change.owner, "owner", now, err) == -1)
		return -1;
	/* The others have it in the metadata. */
	if (now->dialect == TASK_DOCUMENT && inverse_text(v->was.parent, v->is.parent, now->parent,
						 &v->change.parent, "parent", now, err) == -1)
		return -1;
	inverse_ids(&v->was.blocked_by, &v->is.blocked_by, &now->blocked_by, &v->add, &v->drop);
	inverse_ids(&v->was.blocks, &v->is.blocks, &now->blocks, &v->add_blocks, &v->drop_blocks);
	v->change.add_blocked_by = v->add.count > 0 ? &v->add : NULL;
	v->change.remove_blocked_by = v->drop.count > 0 ? &v->drop : NULL;
	v->change.add_blocks = v->add_blocks.count > 0 ? &v->add_blocks : NULL;
	v->change.remove_blocks = v->drop_blocks.count > 0 ? &v->drop_blocks : NULL;
	return inverse_metadata(v, now, err);
}

void
undo_inverse_free(struct undo_inverse *v)
{
	task_free(&v->was);
	task_free(&v->is);
	task_free(&v->now);
	buf_free(&v->metadata);
	strings_free(&v->add);
	strings_free(&v->drop);
	strings_free(&v->add_blocks);
	strings_free(&v->drop_blocks);
}
