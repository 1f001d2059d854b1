/*
 * Find our entries, in either form of a command.
 */
#include "settings/settings-find.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "json/json-members.h"
#include "json/out.h"

#define ENTRIES_SIZE (1u << 20) /* of settings_entry.whole, of all entries */
#define ELEMENTS_NAMED 100

char *
settings_first_word(const char *line, const char **end)
{
	struct buf word = { 0 };
	char quote = 0;
	const char *p = line + strspn(line, " \t\n");

	for (; *p != '\0'; p++) {
		if (quote == 0 && strchr(" \t\n;&|<>()", *p) != NULL)
			break;
		if (quote == 0 && (*p == '\'' || *p == '"'))
			quote = *p;
		else if (quote != 0 && *p == quote)
			quote = 0;
		else if (quote != '\'' && *p == '\\' && p[1] != '\0')
			buf_putc(&word, *++p);
		else
			buf_putc(&word, *p);
	}
	*end = p;
	return buf_take(&word);
}

/* The name of our executable that a command line or path runs; NULL: not ours.  If it is ours and
 * path is not NULL, *path gets the unquoted first word (owned). */
static const char *
settings_program(const char *command, bool exec, char **path)
{
	const char *end, *base, *name = NULL;
	char *word = exec ? mem_string(command) : settings_first_word(command, &end);

	base = strrchr(word, '/');
	base = base != NULL ? base + 1 : word;
	for (size_t i = 0; i < SETTINGS_HOOKS && name == NULL; i++)
		if (strcmp(settings_hooks[i].program, base) == 0)
			name = settings_hooks[i].program;
	if (path != NULL && name != NULL)
		*path = word;
	else
		free(word);
	return name;
}

static int
wrong_shape(struct error *err, const char *what, const char *must)
{
	return error_set(err, ERROR_INPUT, "%s is not %s, as the client expects", what, must);
}

int
settings_parse(struct json *j, const char *text, size_t len, struct error *err)
{
	json_ref hooks, env;
	char *what;
	int rc = 0;

	if (json_parse(j, text, len, err) == -1)
		return error_prefix(err, "not JSON");
	if (json_kind(j, JSON_ROOT) != JSON_OBJECT)
		return error_set(err, ERROR_INPUT, "not a JSON object");
	hooks = json_member(j, JSON_ROOT, "hooks");
	if (hooks != JSON_ABSENT && json_kind(j, hooks) != JSON_OBJECT)
		return wrong_shape(err, "\"hooks\"", "an object");
	env = json_member(j, JSON_ROOT, "env");
	if (env != JSON_ABSENT && json_kind(j, env) != JSON_OBJECT)
		return wrong_shape(err, "\"env\"", "an object");
	for (json_ref e = json_first(j, hooks); e != JSON_ABSENT && rc == 0;
	     e = json_next(j, hooks, e)) {
		char *name = json_key(j, e);

		what = mem_printf("\"hooks\".\"%s\"", name);
		if (json_kind(j, e) != JSON_ARRAY)
			rc = wrong_shape(err, what, "an array");
		free(what);
		free(name);
	}
	return rc;
}

static enum settings_element
element_kind(const struct json *j, json_ref e)
{
	json_ref hooks = json_member(j, e, "hooks");

	if (json_kind(j, hooks) == JSON_ARRAY)
		return SETTINGS_GROUP;
	return hooks == JSON_ABSENT && json_kind(j, json_member(j, e, "type")) == JSON_STRING
		   ? SETTINGS_FLAT
		   : SETTINGS_ODD;
}

bool
settings_element(
    const struct json *j, enum settings_element kind, size_t nth, json_ref *element, char **name)
{
	json_ref hooks = json_member(j, JSON_ROOT, "hooks");

	JSON_EACH (j, hooks, e) {
		size_t index = 0;

		JSON_EACH (j, e, g) {
			if (element_kind(j, g) == kind && nth-- == 0) {
				char *event = json_key(j, e);

				*element = g;
				*name = mem_printf("\"%s\"[%zu]", event, index);
				free(event);
				return true;
			}
			index++;
		}
	}
	return false;
}

/* Is this handler ours?  path: see settings_program(). */
static const char *
handler_program(const struct json *j, json_ref handler, bool *exec, char **path)
{
	char *command = json_member_string(j, handler, "command");
	const char *name = NULL;

	*exec = json_member(j, handler, "args") != JSON_ABSENT;
	if (command != NULL && json_equals(j, json_member(j, handler, "type"), "command"))
		name = settings_program(command, *exec, path);
	free(command);
	return name;
}

static int
by_place(const void *a, const void *b)
{
	const struct json_pair *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* The events in their order.  Of those with the same name the client takes the last. */
static void
events_load(struct json_members *events, const struct json *j, json_ref hooks)
{
	json_members_load(events, j, hooks);
	qsort(events->item, events->count, sizeof(*events->item), by_place);
}

/* Below one event; counts nth down. */
static bool
place_below(
    const struct json *j, json_ref event, size_t *nth, struct settings_place *at, char **path)
{
	JSON_EACH (j, event, g) {
		json_ref list = json_member(j, g, "hooks");

		if (json_kind(j, list) != JSON_ARRAY)
			continue;
		JSON_EACH (j, list, h) {
			bool exec;
			char *p = NULL;
			const char *name = handler_program(j, h, &exec, &p);

			if (name == NULL)
				continue;
			if ((*nth)-- > 0) {
				free(p);
				continue;
			}
			*at = (struct settings_place){ event, g, h, name, exec };
			if (path != NULL)
				*path = p;
			else
				free(p);
			return true;
		}
	}
	return false;
}

bool
settings_place(
    const struct json *j, const char *event, size_t nth, struct settings_place *at, char **path)
{
	struct json_members events;
	bool found = false;

	events_load(&events, j, json_member(j, JSON_ROOT, "hooks"));
	for (size_t i = 0; i < events.count && !found; i++)
		if (event == NULL || json_key_equals(j, events.item[i].value, event))
			found = place_below(j, events.item[i].value, &nth, at, path);
	json_members_free(&events);
	return found;
}

bool
settings_is_if_there(const struct json *j, json_ref handler)
{
	char *command = json_member_string(j, handler, "command");
	bool is = command != NULL && strstr(command, SETTINGS_IF_THERE) != NULL;

	free(command);
	return is;
}

/* The value of an option ("--config") among the arguments of either form, owned; NULL. */
static char *
option_value(
    const struct json *j, json_ref handler, const char *command, bool exec, const char *option)
{
	struct strings args = { 0 };
	const char *p = command, *end;
	char *value = NULL;
	size_t len = strlen(option);

	if (exec)
		json_strings(j, json_member(j, handler, "args"), &args);
	else
		for (; *(p += strspn(p, " \t\n")) != '\0'; p = *end != '\0' ? end + 1 : end)
			strings_take(&args, settings_first_word(p, &end));
	for (size_t i = 0; i < args.count && value == NULL; i++) {
		if (strncmp(args.item[i], option, len) != 0)
			continue;
		if (args.item[i][len] == '=')
			value = mem_string(args.item[i] + len + 1);
		else if (args.item[i][len] == '\0' && i + 1 < args.count)
			value = mem_string(args.item[i + 1]);
	}
	strings_free(&args);
	return value;
}

/* {"event":..., "group":{"matcher":...}, "hook":{...}} */
static char *
whole_entry(const struct json *j, const struct settings_place *at, const char *event)
{
	struct json_object *o = out_object(), *group;
	struct buf text = { 0 };

	out_string(o, "event", event);
	group = out_add(o, "group", out_object());
	JSON_EACH (j, at->group, m) {
		char *key = json_key(j, m);

		if (strcmp(key, "hooks") != 0)
			out_add(group, key, out_raw(j, m));
		free(key);
	}
	out_add(o, "hook", out_raw(j, at->handler));
	out_text(&text, o);
	return buf_take(&text);
}

static void
find_entry(
    struct settings_entries *all, const struct json *j, const struct settings_place *at, char *path)
{
	char *command = json_member_string(j, at->handler, "command");
	char *args = json_raw_copy(j, json_member(j, at->handler, "args"));
	char *deadline = option_value(j, at->handler, command, at->exec, "--deadline");
	struct settings_entry *s;

	all->item = mem_more(all->item, all->count, sizeof(*all->item));
	s = &all->item[all->count++];
	*s = (struct settings_entry){ .event = json_key(j, at->event),
		.matcher = json_member_string(j, at->group, "matcher"),
		.path = path,
		.program = at->program,
		.exec = at->exec,
		.failure = json_member_string(j, at->handler, "onFailure"),
		.if_there = settings_is_if_there(j, at->handler),
		.alone = json_count(j, json_member(j, at->group, "hooks")) == 1,
		.config = option_value(j, at->handler, command, at->exec, "--config"),
		.line = mem_join(command, " ", args, NULL) };
	s->whole = whole_entry(j, at, s->event);
	all->size += strlen(s->whole);
	(void)json_int(j, json_member(j, at->handler, "timeout"), &s->timeout);
	if (deadline == NULL || !text_number(deadline, 1, 86400, &s->deadline))
		s->deadline = 0;
	free(deadline);
	free(command);
	free(args);
}

/* Its name, for a message. */
static void
find_element(struct strings *names, const struct json *j, json_ref event, size_t index)
{
	char *key, *shown;

	if (names->count == ELEMENTS_NAMED)
		return;
	key = json_key(j, event);
	shown = text_shown(key, 100);
	strings_take(names, mem_printf("\"%s\"[%zu]", shown, index));
	free(key);
	free(shown);
}

/* An element of the array of an event. */
static void
find_in_element(
    struct settings_entries *all, const struct json *j, json_ref event, json_ref e, size_t index)
{
	enum settings_element kind = element_kind(j, e);
	json_ref list = json_member(j, e, "hooks");
	struct settings_place at = { .event = event, .group = e };
	char *path;

	if (kind != SETTINGS_GROUP) {
		find_element(kind == SETTINGS_FLAT ? &all->flat : &all->odd, j, event, index);
		return;
	}
	JSON_EACH (j, list, h) {
		if (all->size > ENTRIES_SIZE)
			return;
		at.handler = h;
		at.program = handler_program(j, h, &at.exec, &path);
		if (at.program != NULL)
			find_entry(all, j, &at, path);
	}
}

bool
settings_matches(const char *matcher, const char *tool)
{
	size_t len = strlen(tool);

	if (matcher == NULL || *matcher == '\0' || strcmp(matcher, "*") == 0)
		return true;
	if (strspn(
		matcher, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-|, ") !=
	    strlen(matcher))
		return true;
	for (const char *p = matcher; *p != '\0'; p += strcspn(p, "|,"), p += *p != '\0') {
		p += strspn(p, " ");
		if (strncmp(p, tool, len) == 0 && strchr("|, ", p[len]) != NULL)
			return true;
	}
	return false;
}

bool
settings_only(const char *matcher, const char *tools)
{
	char *words, *rest, *word;
	bool only = matcher != NULL && *matcher != '\0';

	words = rest = mem_string(matcher);
	while (only && (word = strsep(&rest, "|, ")) != NULL)
		only = *word == '\0' || settings_matches(tools, word);
	free(words);
	return only;
}

bool
settings_is(const struct settings_hook *h, const struct settings_entry *e)
{
	char *tools, *rest, *tool;
	bool is;

	if (strcmp(e->event, h->event) != 0 || strcmp(e->program, h->program) != 0)
		return false;
	tools = rest = mem_string(h->matcher);
	is = tools == NULL;
	while (!is && (tool = strsep(&rest, "|")) != NULL)
		is = settings_matches(e->matcher, tool);
	free(tools);
	return is;
}

bool
settings_is_open(const struct settings_entry *e)
{
	return strcmp(e->event, "PreToolUse") == 0 && settings_matches(e->matcher, "TaskUpdate") &&
	       !e->if_there && (e->failure == NULL || strcmp(e->failure, "block") != 0);
}

/* Does the oldest supported client, 2.1.34, know this event? */
static bool
event_is_old(const struct json *j, json_ref event)
{
	static const char *const names[] = { "PreToolUse", "PostToolUse", "PostToolUseFailure",
		"Notification", "UserPromptSubmit", "SessionStart", "SessionEnd", "Stop",
		"SubagentStart", "SubagentStop", "PreCompact", "PermissionRequest", "Setup",
		"TeammateIdle", "TaskCompleted" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (json_key_equals(j, event, names[i]))
			return true;
	return false;
}

int
settings_find(const char *text, size_t len, struct settings_entries *all, struct error *err)
{
	struct json j = { 0 };
	struct json_members events;
	int rc = settings_parse(&j, text, len, err);

	*all = (struct settings_entries){ 0 };
	events_load(&events, &j, rc == 0 ? json_member(&j, JSON_ROOT, "hooks") : JSON_ABSENT);
	for (size_t i = 0; i < events.count; i++) {
		json_ref event = events.item[i].value;
		size_t index = 0;

		if (!event_is_old(&j, event))
			strings_take(&all->late, json_key(&j, event));
		JSON_EACH (&j, event, e)
			find_in_element(all, &j, event, e, index++);
	}
	if (all->size > ENTRIES_SIZE) {
		settings_entries_free(all);
		rc = error_set(err, ERROR_REFUSED, "our hooks in it are too many or too long");
	}
	json_members_free(&events);
	json_free(&j);
	return rc;
}

void
settings_entries_free(struct settings_entries *all)
{
	for (size_t i = 0; i < all->count; i++) {
		free(all->item[i].event);
		free(all->item[i].matcher);
		free(all->item[i].path);
		free(all->item[i].failure);
		free(all->item[i].config);
		free(all->item[i].line);
		free(all->item[i].whole);
	}
	free(all->item);
	strings_free(&all->flat);
	strings_free(&all->odd);
	strings_free(&all->late);
	*all = (struct settings_entries){ 0 };
}
