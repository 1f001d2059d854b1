/*
 * Values of a settings file besides the hooks.
 */
#include "settings/settings-part.h"

#include <string.h>

#include "settings/settings-find.h"

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

bool
settings_off(const char *value)
{
	return strcmp(value, "0") == 0 || strcasecmp(value, "false") == 0 ||
	       strcasecmp(value, "no") == 0 || strcasecmp(value, "off") == 0;
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

int
settings_value_add(
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
			settings_text(&whole, o, unit, 1);
			json_edit_set(&e, JSON_ROOT, in, buf_text(&whole));
			buf_free(&whole);
		}
		settings_apply(text, &e);
		rc = 1;
	}
	json_free(&j);
	return rc;
}

int
settings_value_remove(struct buf *text, const char *name, const char *value, struct error *err)
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
		settings_apply(text, &e);
		rc = 1;
	}
	json_free(&j);
	json_free(&same);
	return rc;
}
