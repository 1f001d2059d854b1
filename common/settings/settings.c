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

/* TaskList and TaskGet only tell the agent what waits to be told. */
#define TASK_TOOLS "TaskCreate|TaskUpdate|TaskList|TaskGet|Task|Agent|TodoWrite"
/* As install wrote it before. */
static const char *const former_tools[] = { "TaskCreate|TaskUpdate|Task|Agent|TodoWrite",
	"TaskCreate|TaskUpdate|TaskList|Task|Agent|TodoWrite" };

/*
 * The client gives a hook 600 s, but a SessionEnd hook 1.5 s unless a timeout is
 * given.  Only events that the oldest supported client knows: it drops all hooks of
 * a file that names an unknown one, without a message.
 */
const struct settings_hook settings_hooks[] = {
	{ "PreToolUse", "PreToolUse", TASK_TOOLS, "on-pretooluse-task", 0 },
	{ "TaskCompleted", "TaskCompleted", NULL, "on-task-completed-verify", 600 },
	{ "SubagentStop", "SubagentStop", NULL, "on-subagent-stop", 0 },
	{ "PostToolUse", "PostToolUse", "Task|Agent", "on-pretooluse-task", 0 },
	{ "TeammateIdle", "TeammateIdle", NULL, "on-subagent-stop", 0 },
	{ "SessionEnd", "SessionEnd", NULL, "on-subagent-stop", 10 },
	{ "Stop", "Stop", NULL, "on-subagent-stop", 0 },
	{ SETTINGS_SYNC, "PostToolUse", "TaskCreate|TaskUpdate", "on-pretooluse-task", 0 },
};
const size_t settings_hook_count = sizeof(settings_hooks) / sizeof(settings_hooks[0]);

const struct settings_hook *
settings_hook_find(const char *name)
{
	for (size_t i = 0; i < settings_hook_count; i++)
		if (strcmp(settings_hooks[i].name, name) == 0)
			return &settings_hooks[i];
	return NULL;
}

void
settings_shell_word(struct buf *b, const char *s)
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
	if (plan->shell || plan->if_there) {
		settings_shell_word(&word, path);
		if (plan->if_there) /* a shell says 126 or 127 for what it cannot run */
			buf_puts(&word, " || { s=$?; [ $s -ge 126 ] || exit $s; }");
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

/* Give an entry that still has a former matcher the current one; false: it has another, or the
 * group has hooks of others. */
static bool
update_matcher(struct buf *text, const struct json *j, const struct settings_place *at,
    const struct settings_hook *h)
{
	json_ref matcher = json_member(j, at->group, "matcher");
	struct json_edit e;
	bool former = false;

	for (size_t i = 0; i < sizeof(former_tools) / sizeof(former_tools[0]); i++)
		former |= json_equals(j, matcher, former_tools[i]);
	if (!former || h->matcher == NULL || strcmp(h->matcher, TASK_TOOLS) != 0 ||
	    json_count(j, json_member(j, at->group, "hooks")) != 1)
		return false;
	json_edit_init(&e, j);
	json_edit_set(&e, at->group, "matcher", "\"" TASK_TOOLS "\"");
	apply_edit(text, &e);
	return true;
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
			settings_shell_word(&line, path);
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

void
settings_values_add(struct settings_values *v, const char *name, const char *text)
{
	if (strings_has(&v->name, name) || v->name.count == SETTINGS_VALUES)
		return;
	strings_add(&v->name, name);
	strings_add(&v->text, text);
}

void
settings_values_free(struct settings_values *v)
{
	strings_free(&v->name);
	strings_free(&v->text);
}

/* Where a value is: its object (JSON_ABSENT: there is none yet) and key; in: its name, or NULL. */
static json_ref
value_place(const struct json *j, const char *name, const char **in, const char **key)
{
	bool env = strncmp(name, "env.", 4) == 0;

	*in = env ? "env" : NULL;
	*key = env ? name + 4 : name;
	return env ? json_member(j, JSON_ROOT, "env") : JSON_ROOT;
}

/* 1 it was added, 0 the file has one, -1. */
static int
add_value(
    struct buf *text, const char *name, const char *value, const char *unit, struct error *err)
{
	struct json j = { 0 };
	struct buf whole = { 0 };
	struct json_object *o;
	struct json_edit e;
	const char *in, *key;
	json_ref object;
	int rc = settings_parse(&j, text->data, text->len, err);

	object = rc == 0 ? value_place(&j, name, &in, &key) : JSON_ABSENT;
	if (rc == 0 && json_member(&j, object, key) == JSON_ABSENT) {
		json_edit_init(&e, &j);
		if (object != JSON_ABSENT) {
			json_edit_set(&e, object, key, value);
		} else {
			o = out_object();
			out_add(o, key, out_raw_text(value, strlen(value)));
			value_text(&whole, o, unit, 1);
			json_edit_set(&e, JSON_ROOT, in, buf_text(&whole));
			buf_free(&whole);
		}
		apply_edit(text, &e);
		rc = 1;
	}
	json_free(&j);
	return rc;
}

/* 1 it was removed, 0 the file does not have it, or has another one. */
static int
remove_value(struct buf *text, const char *name, const char *value, struct error *err)
{
	struct json j = { 0 }, same = { 0 };
	struct json_edit e;
	const char *in, *key;
	json_ref object, at;
	int rc = settings_parse(&j, text->data, text->len, err);

	object = rc == 0 ? value_place(&j, name, &in, &key) : JSON_ABSENT;
	at = object != JSON_ABSENT ? json_member(&j, object, key) : JSON_ABSENT;
	if (at != JSON_ABSENT && json_parse(&same, value, strlen(value), err) == 0 &&
	    json_same(&j, at, &same, JSON_ROOT)) {
		json_edit_init(&e, &j);
		if (in != NULL && json_count(&j, object) == 1)
			json_edit_remove(&e, JSON_ROOT, in);
		else
			json_edit_remove(&e, object, key);
		apply_edit(text, &e);
		rc = 1;
	}
	json_free(&j);
	json_free(&same);
	return rc;
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

static bool
place_is(const struct json *j, const struct settings_place *at, const struct settings_hook *h)
{
	struct settings_entry e = { .event = (char *)h->event,
		.program = at->program,
		.matcher = json_member_string(j, at->group, "matcher") };
	bool is = settings_is(h, &e);

	free(e.matcher);
	return is;
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
			if (place_is(&j, &at, h)) {
				bool updated = update_matcher(out, &j, &at, h);

				found = true;
				if (updated)
					rc = settings_parse(&j, out->data, out->len, err);
				if (rc == 0 && move_entry(out, &j, &at, path, plan)) {
					updated = true;
					rc = settings_parse(&j, out->data, out->len, err);
				}
				*(updated ? &change->moved : &change->kept) += 1;
			}
			free(path);
		}
		if (rc == 0 && !found) {
			add_entry(out, &j, h, plan, unit);
			change->added++;
		}
	}
	for (size_t i = 0; i < plan->values.name.count && rc != -1; i++) {
		rc =
		    add_value(out, plan->values.name.item[i], plan->values.text.item[i], unit, err);
		change->set[i] = rc == 1;
	}
	json_free(&j);
	free(unit);
	return rc == -1 ? -1 : 0;
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
settings_uninstall(const char *text, size_t len, const struct strings *events,
    const struct settings_values *values, struct buf *out, struct settings_change *change,
    struct error *err)
{
	struct json j = { 0 };
	struct settings_place at;
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
	for (size_t i = 0; values != NULL && i < values->name.count && rc != -1; i++) {
		rc = remove_value(out, values->name.item[i], values->text.item[i], err);
		change->set[i] = rc == 1;
	}
	json_free(&j);
	return rc == -1 ? -1 : 0;
}
