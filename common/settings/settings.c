/*
 * Edits are made one at a time, each on the result of the one before: an entry that
 * is added may need an array or object that another one has added.
 */
#include "settings/settings.h"

#include "settings/settings-find.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "json/json-edit.h"
#include "json/json-print.h"
#include "json/out.h"

#define TASK_TOOLS "TaskCreate|TaskUpdate|Task|Agent|TodoWrite"

/*
 * The client gives a hook 600 s, but a SessionEnd hook 1.5 s unless a timeout is
 * given.  Only events that the oldest supported client knows: it drops all hooks of
 * a file that names an unknown one, without a message.
 */
const struct settings_hook settings_hooks[] = {
	{ "PreToolUse", TASK_TOOLS, "on-pretooluse-task", 0 },
	{ "TaskCompleted", NULL, "on-task-completed-verify", 600 },
	{ "SubagentStop", NULL, "on-subagent-stop", 0 },
	{ "PostToolUse", "Task|Agent", "on-pretooluse-task", 0 },
	{ "TeammateIdle", NULL, "on-subagent-stop", 0 },
	{ "SessionEnd", NULL, "on-subagent-stop", 10 },
	{ "Stop", NULL, "on-subagent-stop", 0 },
};
const size_t settings_hook_count = sizeof(settings_hooks) / sizeof(settings_hooks[0]);

const struct settings_hook *
settings_hook_find(const char *event)
{
	for (size_t i = 0; i < settings_hook_count; i++)
		if (strcmp(settings_hooks[i].event, event) == 0)
			return &settings_hooks[i];
	return NULL;
}

/* A word for a POSIX shell, quoted only if it must be. */
static void
shell_word(struct buf *b, const char *s)
{
	if (text_plain_word(s)) {
		buf_puts(b, s);
		return;
	}
	buf_putc(b, '\'');
	for (; *s != '\0'; s++) {
		if (*s == '\'')
			buf_puts(b, "'\\''");
		else
			buf_putc(b, *s);
	}
	buf_putc(b, '\'');
}

/* The indentation of the first indented line, or two blanks; "" if there is no newline. */
static char *
indentation(const char *text, size_t len)
{
	const char *p = memchr(text, '\n', len), *end = text + len;
	size_t n;

	if (p == NULL)
		return mem_string(memchr(text, ':', len) != NULL ? "" : "  ");
	while (p != NULL && p < end) {
		p++;
		n = strspn(p, " \t");
		if (n > 0 && p + n < end && p[n] != '\n' && p[n] != '\r')
			return mem_copy(p, n);
		p = memchr(p, '\n', (size_t)(end - p));
	}
	return mem_string("  ");
}

/* The object as text at `depth` of a file that indents by `unit`. Frees it. */
static void
value_text(struct buf *b, struct json_object *o, const char *unit, int depth)
{
	struct buf pretty = { 0 };

	if (*unit == '\0') {
		out_text(b, o);
		return;
	}
	out_pretty(&pretty, o);
	for (const char *p = buf_text(&pretty); *p != '\0'; p++) {
		buf_putc(b, *p);
		if (*p != '\n')
			continue;
		for (int i = 0; i < depth; i++)
			buf_puts(b, unit);
		while (p[1] == ' ' && p[2] == ' ') {
			buf_puts(b, unit);
			p += 2;
		}
	}
	buf_free(&pretty);
}

/* {"matcher":..., "hooks":[{"type":"command","command":...,"args":[],"timeout":...}]} */
static struct json_object *
make_group(const struct settings_hook *h, const struct settings_plan *plan)
{
	struct json_object *group = out_object(), *list = out_array(), *o = out_object();
	char *path = mem_printf("%s/%s", plan->bin, h->program);
	struct buf word = { 0 };

	out_string(group, "matcher", h->matcher);
	out_string(o, "type", "command");
	if (plan->shell) {
		shell_word(&word, path);
		out_string(o, "command", buf_text(&word));
	} else {
		out_string(o, "command", path);
		out_add(o, "args", out_array());
	}
	if (h->timeout > 0)
		out_int(o, "timeout", h->timeout);
	out_push(list, o);
	out_add(group, "hooks", list);
	buf_free(&word);
	free(path);
	return group;
}

/* Replace text by the result of the edit. */
static void
apply_edit(struct buf *text, struct json_edit *e)
{
	struct buf next = { 0 };

	json_edit_apply(e, &next);
	json_edit_free(e);
	buf_free(text);
	*text = next;
}

/* Let an entry of ours run the executable in plan->bin; false: it does already. */
static bool
move_entry(struct buf *text, const struct json *j, const struct settings_place *at, const char *old,
    const struct settings_plan *plan)
{
	char *path = mem_printf("%s/%s", plan->bin, at->program);
	char *command = json_member_string(j, at->handler, "command");
	struct buf line = { 0 }, value = { 0 };
	struct json_edit e;
	const char *rest = "";
	bool moved = strcmp(old, path) != 0;

	if (moved) {
		if (at->exec) {
			buf_puts(&line, path);
		} else {
			free(settings_first_word(command, &rest));
			shell_word(&line, path);
			buf_puts(&line, rest);
		}
		json_print_string(&value, line.data, line.len);
		json_edit_init(&e, j);
		json_edit_set(&e, at->handler, "command", buf_text(&value));
		apply_edit(text, &e);
	}
	buf_free(&line);
	buf_free(&value);
	free(command);
	free(path);
	return moved;
}

static void
add_entry(struct buf *text, const struct json *j, const struct settings_hook *h,
    const struct settings_plan *plan, const char *unit)
{
	json_ref hooks = json_member(j, JSON_ROOT, "hooks"),
		 event = json_member(j, hooks, h->event);
	struct json_object *o = make_group(h, plan), *list, *all;
	struct buf value = { 0 };
	struct json_edit e;

	json_edit_init(&e, j);
	if (event != JSON_ABSENT) {
		value_text(&value, o, unit, 3);
		json_edit_append(&e, event, buf_text(&value));
	} else {
		list = out_array();
		out_push(list, o);
		if (hooks != JSON_ABSENT) {
			value_text(&value, list, unit, 2);
			json_edit_set(&e, hooks, h->event, buf_text(&value));
		} else {
			all = out_object();
			out_add(all, h->event, list);
			value_text(&value, all, unit, 1);
			json_edit_set(&e, JSON_ROOT, "hooks", buf_text(&value));
		}
	}
	apply_edit(text, &e);
	buf_free(&value);
}

static void
add_env(struct buf *text, const struct json *j, const struct settings_plan *plan, const char *unit)
{
	json_ref env = json_member(j, JSON_ROOT, "env");
	struct json_object *o;
	struct buf value = { 0 };
	struct json_edit e;

	json_edit_init(&e, j);
	if (env != JSON_ABSENT) {
		json_print_string(&value, plan->env_value, strlen(plan->env_value));
		json_edit_set(&e, env, plan->env, buf_text(&value));
	} else {
		o = out_object();
		out_string(o, plan->env, plan->env_value);
		value_text(&value, o, unit, 1);
		json_edit_set(&e, JSON_ROOT, "env", buf_text(&value));
	}
	apply_edit(text, &e);
	buf_free(&value);
}

/* Put a hook into the group that it lacks: its matcher goes to the group. */
static void
nest_hook(struct buf *text, const struct json *j, json_ref flat, const char *unit)
{
	struct json_object *group = out_object(), *list = out_array(), *o = out_object();
	struct buf value = { 0 };
	struct json_edit e;

	JSON_EACH (j, flat, m) {
		char *key = json_key(j, m);

		out_add(strcmp(key, "matcher") == 0 ? group : o, key, out_raw(j, m));
		free(key);
	}
	out_push(list, o);
	out_add(group, "hooks", list);
	value_text(&value, group, unit, 3);
	json_edit_init(&e, j);
	json_edit_replace(&e, flat, buf_text(&value));
	apply_edit(text, &e);
	buf_free(&value);
}

static int
nest_hooks(struct buf *text, const char *unit, struct settings_change *change, struct error *err)
{
	struct json j = { 0 };
	json_ref at;
	char *name;
	int rc;

	while ((rc = settings_parse(&j, text->data, text->len, err)) == 0 &&
	       settings_element(&j, SETTINGS_FLAT, 0, &at, &name)) {
		nest_hook(text, &j, at, unit);
		change->nested++;
		free(name);
	}
	if (rc == 0 && settings_element(&j, SETTINGS_ODD, 0, &at, &name)) {
		rc = error_set(err, ERROR_INPUT,
		    "%s of \"hooks\" has no array \"hooks\", and some versions of the client then "
		    "ignore every hook of the file (remove it, or write {\"hooks\": [...]})",
		    name);
		free(name);
	}
	json_free(&j);
	return rc;
}

int
settings_install(const char *text, size_t len, const struct settings_plan *plan, struct buf *out,
    struct settings_change *change, struct error *err)
{
	struct json j = { 0 };
	struct settings_place at;
	char *unit = indentation(text, len), *path;
	int rc;

	*change = (struct settings_change){ 0 };
	buf_reset(out);
	buf_add(out, text, len);
	rc = nest_hooks(out, unit, change, err);
	for (size_t i = 0; i < plan->count && rc == 0; i++) {
		const struct settings_hook *h = plan->hooks[i];
		bool found = false;

		rc = settings_parse(&j, out->data, out->len, err);
		for (size_t n = 0; rc == 0 && settings_place(&j, h->event, n, &at, &path); n++) {
			if (strcmp(at.program, h->program) == 0) {
				found = true;
				if (move_entry(out, &j, &at, path, plan)) {
					change->moved++;
					rc = settings_parse(&j, out->data, out->len, err);
				} else {
					change->kept++;
				}
			}
			free(path);
		}
		if (rc == 0 && !found) {
			add_entry(out, &j, h, plan, unit);
			change->added++;
		}
	}
	if (rc == 0)
		rc = settings_parse(&j, out->data, out->len, err);
	if (rc == 0 && plan->env != NULL &&
	    json_member(&j, json_member(&j, JSON_ROOT, "env"), plan->env) == JSON_ABSENT) {
		add_env(out, &j, plan, unit);
		change->env = true;
	}
	json_free(&j);
	free(unit);
	return rc;
}

/* Remove the handler, with its group, event and "hooks" if nothing else is in them. */
static void
remove_handler(struct buf *text, const struct json *j, const struct settings_place *at)
{
	json_ref hooks = json_member(j, JSON_ROOT, "hooks");
	json_ref list = json_member(j, at->group, "hooks");
	struct json_edit e;
	char *event;

	json_edit_init(&e, j);
	if (json_count(j, list) > 1) {
		json_edit_drop(&e, list, at->handler);
	} else if (json_count(j, at->event) > 1) {
		json_edit_drop(&e, at->event, at->group);
	} else if (json_count(j, hooks) > 1) {
		event = json_key(j, at->event);
		json_edit_remove(&e, hooks, event);
		free(event);
	} else {
		json_edit_remove(&e, JSON_ROOT, "hooks");
	}
	apply_edit(text, &e);
}

int
settings_uninstall(const char *text, size_t len, const struct strings *events, const char *env,
    struct buf *out, struct settings_change *change, struct error *err)
{
	struct json j = { 0 };
	struct json_edit e;
	struct settings_place at;
	json_ref vars;
	size_t skip = 0;
	char *event;
	int rc;

	*change = (struct settings_change){ 0 };
	buf_reset(out);
	buf_add(out, text, len);
	while ((rc = settings_parse(&j, out->data, out->len, err)) == 0 &&
	       settings_place(&j, NULL, skip, &at, NULL)) {
		event = json_key(&j, at.event);
		if (events != NULL && !strings_has(events, event)) {
			skip++;
		} else {
			remove_handler(out, &j, &at);
			change->removed++;
		}
		free(event);
	}
	vars = rc == 0 ? json_member(&j, JSON_ROOT, "env") : JSON_ABSENT;
	if (env != NULL && json_member(&j, vars, env) != JSON_ABSENT) {
		json_edit_init(&e, &j);
		if (json_count(&j, vars) > 1)
			json_edit_remove(&e, vars, env);
		else
			json_edit_remove(&e, JSON_ROOT, "env");
		apply_edit(out, &e);
		change->env = true;
	}
	json_free(&j);
	return rc;
}
