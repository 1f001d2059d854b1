#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/claims.h"
#include "schema.h"
#include "tool.h"
#include "json/json-fields.h"
#include "json/json-print.h"

#define FIELD(key, kind, member) JSON_FIELD(key, kind, struct tool_input, member)

void
tool_answer_free(struct tool_answer *a)
{
	if (a->output != NULL)
		json_object_put(a->output);
	buf_free(&a->text);
	*a = (struct tool_answer){ 0 };
}

void
tool_fail(struct tool_answer *a, int status, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = mem_vprintf(fmt, ap);
	va_end(ap);
	tool_answer_free(a);
	a->error = true;
	a->status = status;
	a->output = out_object();
	out_string(a->output, "error", s);
	buf_puts(&a->text, s);
	free(s);
}

void
tool_error(struct tool_answer *a, const struct error *err)
{
	tool_fail(a, cli_status(err->kind), "%s", err->text);
}

/* Open the store of the list that was found. */
static bool
open_store(struct cli *c, bool make, struct tool_answer *a)
{
	struct error err;

	if (store_open(&c->store, c->list.dir, make, &err) == -1) {
		tool_error(a, &err);
		return false;
	}
	if (c->store.dirfd != -1)
		cli_settings(c);
	return true;
}

/* The list is found anew: it may have been created since the last call. */
bool
tool_open(struct cli *c, bool make, struct tool_answer *a)
{
	struct error err;

	cli_close(c);
	if (cli_list(c, &err) == -1) {
		tool_error(a, &err);
		return false;
	}
	return open_store(c, make, a);
}

bool
tool_open_named(struct cli *c, const char *name, struct tool_answer *a)
{
	struct list_query q = { .list = name };
	struct error err;

	cli_close(c);
	list_free(&c->list);
	if (list_find(&c->list, &q, &err) == -1) {
		tool_error(a, &err);
		return false;
	}
	return open_store(c, true, a);
}

bool
tool_load(struct cli *c, struct view *v, struct tool_answer *a)
{
	struct task_set all = { 0 };
	struct error err;

	*v = (struct view){ 0 };
	if (c->store.dirfd != -1 && store_load(&c->store, &all, &err) == -1) {
		tool_error(a, &err);
		return false;
	}
	view_of(v, &all);
	return true;
}

void
tool_line(struct buf *b, const char *sign, const struct task *t)
{
	buf_printf(b, "%s%s%s [%s] %s", b->len > 0 ? "\n" : "", sign, t->id,
	    task_status_name(t->status), t->title);
	if (t->owner != NULL)
		buf_printf(b, " (%s)", t->owner);
}

bool
tool_act_as(struct cli *c, const char *id, const char *name)
{
	if (name == NULL || *name == '\0')
		return id != NULL && change_resume(c, id);
	cli_act_as(c, name);
	return true;
}

static const struct json_field fields[] = {
	FIELD("id", FIELD_STRING, id),
	FIELD("taskId", FIELD_STRING, id),
	FIELD("task_id", FIELD_STRING, id),
	FIELD("subject", FIELD_STRING, subject),
	FIELD("description", FIELD_STRING, description),
	FIELD("activeForm", FIELD_STRING, active_form),
	FIELD("status", FIELD_STRING, status),
	FIELD("owner", FIELD_STRING, owner),
	FIELD("assignee", FIELD_STRING, owner),
	FIELD("parent_id", FIELD_STRING, parent),
	FIELD("notes", FIELD_STRING, notes),
	FIELD("metadata", FIELD_RAW, metadata),
	FIELD("addBlocks", FIELD_STRINGS, blocks),
	FIELD("addBlockedBy", FIELD_STRINGS, blocked_by),
	FIELD("dependencies", FIELD_STRINGS, blocked_by),
	FIELD("blockedBy", FIELD_STRINGS, blocked_by),
	FIELD("include_completed", FIELD_BOOL, with_completed),
	FIELD("full", FIELD_BOOL, full),
	JSON_FIELDS_END,
};

/* The input with aliases of members replaced; 0, or -1 if a member occurs twice. */
static int
replace_aliases(const struct tool *t, const struct json *j, struct buf *out, struct error *err)
{
	struct strings seen = { 0 };
	const char *raw;
	size_t len;
	int rc = 0;

	buf_putc(out, '{');
	for (json_ref m = json_first(j, JSON_ROOT); m != JSON_ABSENT && rc == 0;
	     m = json_next(j, JSON_ROOT, m)) {
		char *key = json_key(j, m);
		const char *name = key;

		for (const char *const *p = t->aliases; p != NULL && *p != NULL; p += 2)
			if (strcmp(*p, key) == 0)
				name = p[1];
		if (strings_has(&seen, name))
			rc = error_set(err, ERROR_INPUT, "the input has '%s' twice", name);
		strings_add(&seen, name);
		if (out->len > 1)
			buf_putc(out, ',');
		json_print_string(out, name, strlen(name));
		buf_putc(out, ':');
		raw = json_raw(j, m, &len);
		buf_add(out, raw, len);
		free(key);
	}
	buf_putc(out, '}');
	strings_free(&seen);
	return rc;
}

static void
add_warnings(struct cli *c, struct tool_answer *a)
{
	if (c->warnings.count > 0)
		out_strings(a->output, "warnings", &c->warnings);
	for (size_t i = 0; i < c->warnings.count; i++)
		buf_printf(&a->text, "\n%s", c->warnings.item[i]);
	strings_free(&c->warnings);
}

void
tool_call(struct cli *c, const struct tool *t, const char *input, size_t len, struct tool_answer *a)
{
	struct json given = { 0 }, schema = { 0 }, in = { 0 };
	struct tool_input members = { .json = &in };
	struct buf text = { 0 };
	struct error err;

	*a = (struct tool_answer){ 0 };
	cli_act_as(c, NULL);
	if (json_parse(&schema, t->input, strlen(t->input), &err) == -1 ||
	    json_parse(&given, input, len, &err) == -1) {
		tool_fail(a, EXIT_MISUSE, "%s: the input is not JSON: %s", t->name, err.text);
		goto out;
	}
	if (json_kind(&given, JSON_ROOT) != JSON_OBJECT) {
		tool_fail(a, EXIT_MISUSE, "%s: the input must be an object", t->name);
		goto out;
	}
	if (replace_aliases(t, &given, &text, &err) == -1 ||
	    json_parse(&in, text.data, text.len, &err) == -1 ||
	    schema_check(&schema, JSON_ROOT, &in, JSON_ROOT, "the input", &err) == -1) {
		tool_fail(a, EXIT_MISUSE, "%s: %s", t->name, err.text);
		goto out;
	}
	change_begin();
	json_fields_read(&members, fields, &in, JSON_ROOT);
	t->run(c, &members, a);
	add_warnings(c, a);
	json_fields_free(&members, fields);
out:
	cli_act_as(c, NULL);
	json_free(&given);
	json_free(&schema);
	json_free(&in);
	buf_free(&text);
}
