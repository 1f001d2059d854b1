/*
 * What switches the hooks off, or has something else run in their place.
 */
#include "settings/guard-part.h"

#include <stdlib.h>
#include <string.h>

/*
 * What in a file of any scope keeps the hooks from their work.  A client sets "env" in its own
 * environment and that of its hooks as soon as it changes: in another home they find no list.
 */
static const struct guard_switch switches[] = {
	{ GUARD_HOOKS_OFF, IF_ON, "switches every hook off" },
	{ "env.CLAUDE_CODE_SAFE_MODE", IF_ON, "switches every hook off" },
	{ "env.CLAUDE_CODE_SIMPLE", IF_ON, "switches every hook off" },
	{ GUARD_TASKS_OFF, IF_OFF, "switches the rules for tasks off" },
	{ "env.CLAUDE_CODE_SHELL_PREFIX", IF_LAST, "has another program run in place of hooks" },
	{ "env.LD_PRELOAD", IF_LAST, "loads other code into hooks" },
	{ "env.LD_AUDIT", IF_LAST, "loads other code into hooks" },
	{ "env.LD_LIBRARY_PATH", IF_LAST, "loads other code into hooks" },
	{ "env.HOME", IF_OTHER, "has the hooks look for lists and trust elsewhere" },
	{ "env.CLAUDE_CONFIG_DIR", IF_OTHER, "has the hooks look for lists and trust elsewhere" },
};
#define SWITCHES (sizeof(switches) / sizeof(switches[0]))
_Static_assert(SWITCHES <= SETTINGS_VALUES, "all can be recorded");

/* The name of a variable; NULL: it is not a member of "env". */
static const char *
switch_name(const struct guard_switch *s)
{
	return strncmp(s->key, "env.", 4) == 0 ? s->key + 4 : NULL;
}

/* Does the session have it already?  text: its value. */
static bool
session_has(const struct guard_switch *s, const char *text)
{
	const char *now = getenv(switch_name(s));

	return s->counts == IF_OFF ? now != NULL && settings_off(now)
				   : strcmp(text, now != NULL ? now : "") == 0;
}

static bool
was_installed(const struct install_record *m, const char *key, const char *raw)
{
	for (size_t i = 0; i < m->env.name.count; i++)
		if (strcmp(m->env.name.item[i], key) == 0)
			return strcmp(m->env.text.item[i], raw) == 0;
	return false;
}

/* The value of a variable may be a number, or true. */
static bool
is_switched(const struct json *j, const struct guard_switch *s, const struct install_record *m)
{
	const char *name = switch_name(s);
	json_ref value = json_member(j, name != NULL ? json_member(j, JSON_ROOT, "env") : JSON_ROOT,
	    name != NULL ? name : s->key);
	char *text, *raw;
	bool is, off;

	if (name == NULL || value == JSON_ABSENT)
		return json_true(j, value);
	raw = json_raw_copy(j, value);
	text = json_kind(j, value) == JSON_STRING ? json_string(j, value) : mem_string(raw);
	off = settings_off(text);
	if (s->counts == IF_ON)
		is = *text != '\0' && !off;
	else
		is = (off || s->counts != IF_OFF) && !session_has(s, text) &&
		     !was_installed(m, s->key, raw);
	free(text);
	free(raw);
	return is;
}

void
guard_switches_set(struct strings *keys, const char *text, size_t len)
{
	struct json j = { 0 };
	struct error ignored;

	if (json_parse(&j, text, len, &ignored) == 0)
		for (size_t i = 0; i < SWITCHES; i++) {
			char *value =
			    switches[i].counts == IF_LAST
				? json_member_string(&j, json_member(&j, JSON_ROOT, "env"),
				      switch_name(&switches[i]))
				: NULL;

			if (value != NULL && *value != '\0')
				strings_add(keys, switches[i].key);
			free(value);
		}
	json_free(&j);
}

const struct guard_switch *
guard_switch_in(
    const struct install_record *m, const struct strings *later, const char *text, size_t len)
{
	const struct guard_switch *found = NULL;
	struct json j = { 0 };
	struct error ignored;

	if (json_parse(&j, text, len, &ignored) == 0)
		for (size_t i = 0; i < SWITCHES && found == NULL; i++)
			if (!strings_has(later, switches[i].key) &&
			    is_switched(&j, &switches[i], m))
				found = &switches[i];
	json_free(&j);
	return found;
}

bool
guard_note_switches(struct install_record *m, const char *text, size_t len)
{
	struct settings_values now = { 0 };
	struct json j = { 0 };
	struct error ignored;
	bool differs;

	if (json_parse(&j, text, len, &ignored) == 0) {
		json_ref env = json_member(&j, JSON_ROOT, "env");

		for (size_t i = 0; i < SWITCHES; i++) {
			const char *name = switch_name(&switches[i]);
			char *raw = name != NULL && switches[i].counts != IF_ON
					? json_raw_copy(&j, json_member(&j, env, name))
					: NULL;

			if (raw != NULL)
				settings_values_add(&now, switches[i].key, raw);
			free(raw);
		}
	}
	json_free(&j);
	differs =
	    !strings_equal(&now.name, &m->env.name) || !strings_equal(&now.text, &m->env.text);
	settings_values_free(&m->env);
	m->env = now;
	return differs;
}
