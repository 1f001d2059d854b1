/*
 * Edits are made one at a time, each on the result of the one before: an entry that
 * is added may need an array or object that another one has added.
 */
#include "settings/settings.h"

#include "settings/settings-find.h"
#include "settings/settings-part.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "json/json-print.h"

/* What changes a task of the list: refused if the program fails. */
#define TASK_TOOLS "TaskCreate|TaskUpdate"
/* TaskList and TaskGet only tell the agent what waits to be told. */
#define OTHER_TOOLS "TaskList|TaskGet|Task|Agent|TodoWrite"
/* One entry for all of them, as install wrote it before. */
static const char *const former_tools[] = { "TaskCreate|TaskUpdate|Task|Agent|TodoWrite",
	"TaskCreate|TaskUpdate|TaskList|Task|Agent|TodoWrite",
	"TaskCreate|TaskUpdate|TaskList|TaskGet|Task|Agent|TodoWrite" };

/*
 * The client gives a hook 600 s, but a SessionEnd hook 1.5 s unless a timeout is given.
 * Other events than the late ones are known to the oldest supported client: it drops all hooks
 * of a file that names an unknown one, without a message.  A closed entry comes after the one that
 * it is made from, see entry_beside().
 */
const struct settings_hook settings_hooks[SETTINGS_HOOKS] = {
	{ "PreToolUse", "PreToolUse", OTHER_TOOLS, "on-pretooluse-task", 0, 0 },
	{ "PreToolUse", "PreToolUse", TASK_TOOLS, "on-pretooluse-task", 600, SETTINGS_CLOSED },
	{ "TaskCompleted", "TaskCompleted", NULL, "on-task-completed-verify", 600, 0 },
	{ "SubagentStop", "SubagentStop", NULL, "on-subagent-stop", 0, 0 },
	{ "PostToolUse", "PostToolUse", "Task|Agent", "on-pretooluse-task", 0, 0 },
	{ "TeammateIdle", "TeammateIdle", NULL, "on-subagent-stop", 0, 0 },
	{ "SessionEnd", "SessionEnd", NULL, "on-subagent-stop", 10, 0 },
	{ "Stop", "Stop", NULL, "on-subagent-stop", 0, 0 },
	{ "SessionStart", "SessionStart", NULL, "on-subagent-stop", 30, SETTINGS_USERS },
	{ "UserPromptSubmit", "UserPromptSubmit", NULL, "on-subagent-stop", 30, SETTINGS_USERS },
	{ "ConfigChange", "ConfigChange", NULL, "on-subagent-stop", 30,
	    SETTINGS_USERS | SETTINGS_LATE },
	{ SETTINGS_SYNC, "PostToolUse", "TaskCreate|TaskUpdate", "on-pretooluse-task", 0, 0 },
};

const struct settings_hook *
settings_hook_find(const char *name)
{
	for (size_t i = 0; i < SETTINGS_HOOKS; i++)
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

void
settings_text(struct buf *b, struct json_object *o, const char *unit, int depth)
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

/* Does the plan let an entry of this hook fail closed? */
static bool
closes(const struct settings_hook *h, const struct settings_plan *plan)
{
	return (h->flags & SETTINGS_CLOSED) != 0 && !plan->if_there && !plan->open;
}

/* {"type":"command","command":...,"args":[],"timeout":...,"onFailure":...} */
static struct json_object *
make_handler(const struct settings_hook *h, const struct settings_plan *plan)
{
	struct json_object *o = out_object();
	char *path = mem_printf("%s/%s", plan->bin, h->program);
	struct buf word = { 0 };

	out_string(o, "type", "command");
	if (plan->shell || plan->if_there) {
		settings_shell_word(&word, path);
		if (plan->if_there)
			buf_puts(&word, SETTINGS_IF_THERE);
		out_string(o, "command", buf_text(&word));
	} else {
		out_string(o, "command", path);
		out_add(o, "args", out_array());
	}
	if (h->timeout > 0)
		out_int(o, "timeout", h->timeout);
	if (closes(h, plan))
		out_string(o, "onFailure", "block");
	buf_free(&word);
	free(path);
	return o;
}

/* The handler of a closed entry, with the command and the options of another one of ours. */
static struct json_object *
copy_handler(const struct settings_hook *h, const struct settings_plan *plan, const struct json *j,
    json_ref like)
{
	struct json_object *o = out_object();
	int64_t timeout = 0;

	JSON_EACH (j, like, m) {
		char *key = json_key(j, m);

		if (strcmp(key, "timeout") != 0 && strcmp(key, "onFailure") != 0)
			out_add(o, key, out_raw(j, m));
		free(key);
	}
	(void)json_int(j, json_member(j, like, "timeout"), &timeout);
	out_int(o, "timeout", timeout > h->timeout ? timeout : h->timeout);
	if (closes(h, plan) && !settings_is_if_there(j, like))
		out_string(o, "onFailure", "block");
	return o;
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

/* The entry of the other tools, which has what a person added; JSON_ABSENT: there is none. */
static json_ref
entry_beside(const struct json *j, const struct settings_hook *h)
{
	struct settings_place at;

	for (size_t n = 0;
	     (h->flags & SETTINGS_CLOSED) != 0 && settings_place(j, h->event, n, &at, NULL); n++)
		if (place_is(j, &at, settings_hook_find(h->name)))
			return at.handler;
	return JSON_ABSENT;
}

/* {"matcher":..., "hooks":[...]} */
static struct json_object *
make_group(const struct json *j, const struct settings_hook *h, const struct settings_plan *plan)
{
	struct json_object *group = out_object(), *list = out_array();
	json_ref like = entry_beside(j, h);

	out_string(group, "matcher", h->matcher);
	out_push(
	    list, like != JSON_ABSENT ? copy_handler(h, plan, j, like) : make_handler(h, plan));
	out_add(group, "hooks", list);
	return group;
}

void
settings_apply(struct buf *text, struct json_edit *e)
{
	struct buf next = { 0 };

	json_edit_apply(e, &next);
	json_edit_free(e);
	buf_free(text);
	*text = next;
}

static bool
is_former(const char *matcher)
{
	for (size_t i = 0; i < sizeof(former_tools) / sizeof(former_tools[0]); i++)
		if (text_equal(matcher, former_tools[i]))
			return true;
	return false;
}

bool
settings_can_close(const struct settings_entry *e)
{
	return (e->alone && is_former(e->matcher)) ||
	       (e->failure == NULL && settings_only(e->matcher, TASK_TOOLS));
}

/* Give an entry that still has a former matcher the current one; false: it has another, or the
 * group has hooks of others. */
static bool
update_matcher(struct buf *text, const struct json *j, const struct settings_place *at,
    const struct settings_hook *h)
{
	char *matcher = json_member_string(j, at->group, "matcher");
	struct json_edit e;
	bool former = is_former(matcher);

	free(matcher);
	if (!former || h->matcher == NULL || strcmp(h->matcher, OTHER_TOOLS) != 0 ||
	    json_count(j, json_member(j, at->group, "hooks")) != 1)
		return false;
	json_edit_init(&e, j);
	json_edit_set(&e, at->group, "matcher", "\"" OTHER_TOOLS "\"");
	settings_apply(text, &e);
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
		settings_apply(text, &e);
	}
	buf_free(&line);
	buf_free(&value);
	free(command);
	free(path);
	return moved;
}

/* Let an entry that is for no other tools than a closed hook fail closed; false: it does already,
 * or must not. */
static bool
close_entry(struct buf *text, const struct json *j, const struct settings_place *at,
    const struct settings_hook *h, const struct settings_plan *plan)
{
	char *matcher = json_member_string(j, at->group, "matcher");
	struct json_edit e;
	bool close = closes(h, plan) && settings_only(matcher, h->matcher) &&
		     json_member(j, at->handler, "onFailure") == JSON_ABSENT &&
		     !settings_is_if_there(j, at->handler);

	if (close) {
		json_edit_init(&e, j);
		json_edit_set(&e, at->handler, "onFailure", "\"block\"");
		settings_apply(text, &e);
	}
	free(matcher);
	return close;
}

/* Correct an entry of ours, whose program is at `path`.  1 it was changed, 0, -1. */
static int
correct_entry(struct buf *text, struct json *j, const struct settings_place *at, const char *path,
    const struct settings_hook *h, const struct settings_plan *plan, struct error *err)
{
	bool changed = update_matcher(text, j, at, h);

	if (changed && settings_parse(j, text->data, text->len, err) == -1)
		return -1;
	if (move_entry(text, j, at, path, plan)) {
		changed = true;
		if (settings_parse(j, text->data, text->len, err) == -1)
			return -1;
	}
	if (close_entry(text, j, at, h, plan)) {
		changed = true;
		if (settings_parse(j, text->data, text->len, err) == -1)
			return -1;
	}
	return changed;
}

static void
add_entry(struct buf *text, const struct json *j, const struct settings_hook *h,
    const struct settings_plan *plan, const char *unit)
{
	json_ref hooks = json_member(j, JSON_ROOT, "hooks"),
		 event = json_member(j, hooks, h->event);
	struct json_object *o = make_group(j, h, plan), *list, *all;
	struct buf value = { 0 };
	struct json_edit e;

	json_edit_init(&e, j);
	if (event != JSON_ABSENT) {
		settings_text(&value, o, unit, 3);
		json_edit_append(&e, event, buf_text(&value));
	} else {
		list = out_array();
		out_push(list, o);
		if (hooks != JSON_ABSENT) {
			settings_text(&value, list, unit, 2);
			json_edit_set(&e, hooks, h->event, buf_text(&value));
		} else {
			all = out_object();
			out_add(all, h->event, list);
			settings_text(&value, all, unit, 1);
			json_edit_set(&e, JSON_ROOT, "hooks", buf_text(&value));
		}
	}
	settings_apply(text, &e);
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
	settings_text(&value, group, unit, 3);
	json_edit_init(&e, j);
	json_edit_replace(&e, flat, buf_text(&value));
	settings_apply(text, &e);
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
			if (place_is(&j, &at, h)) {
				found = true;
				rc = correct_entry(out, &j, &at, path, h, plan, err);
				*(rc == 1 ? &change->moved : &change->kept) += 1;
				rc = rc == -1 ? -1 : 0;
			}
			free(path);
		}
		if (rc == 0 && !found) {
			add_entry(out, &j, h, plan, unit);
			change->added++;
		}
	}
	for (size_t i = 0; i < plan->values.name.count && rc != -1; i++) {
		rc = settings_value_add(
		    out, plan->values.name.item[i], plan->values.text.item[i], unit, err);
		change->set[i] = rc == 1;
	}
	json_free(&j);
	free(unit);
	return rc == -1 ? -1 : 0;
}
