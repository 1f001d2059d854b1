#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "schema.h"

static const char *
type_name(const struct json *j, json_ref v)
{
	static const char *const names[] = {
		[JSON_NONE] = "nothing",
		[JSON_NULL] = "null",
		[JSON_FALSE] = "boolean",
		[JSON_TRUE] = "boolean",
		[JSON_NUMBER] = "number",
		[JSON_STRING] = "string",
		[JSON_ARRAY] = "array",
		[JSON_OBJECT] = "object",
	};

	return names[json_kind(j, v)];
}

/* "type" is a name, or a list of them. */
static bool
type_allows(const struct json *s, json_ref type, const char *kind)
{
	if (json_kind(s, type) == JSON_STRING)
		return json_equals(s, type, kind) ||
		       (strcmp(kind, "number") == 0 && json_equals(s, type, "integer"));
	JSON_EACH (s, type, e)
		if (json_equals(s, e, kind))
			return true;
	return type == JSON_ABSENT;
}

/* "a string", "an object", "null" */
static void
put_type(struct buf *b, const char *type)
{
	static const char *const alone[] = { "null", "nothing" };

	if (strcmp(type, alone[0]) != 0 && strcmp(type, alone[1]) != 0)
		buf_puts(b, strchr("aeiou", *type) != NULL ? "an " : "a ");
	buf_puts(b, type);
}

static int
wrong_type(
    const struct json *s, json_ref type, const char *path, const char *kind, struct error *err)
{
	struct buf text = { 0 };
	char *name = json_kind(s, type) == JSON_STRING ? json_string(s, type) : NULL;

	if (name != NULL)
		put_type(&text, name);
	free(name);
	JSON_EACH (s, type, e) {
		buf_puts(&text, text.len > 0 ? " or " : "");
		name = json_string(s, e);
		put_type(&text, name);
		free(name);
	}
	buf_puts(&text, ", not ");
	put_type(&text, kind);
	error_set(err, ERROR_INPUT, "%s must be %s", path, buf_text(&text));
	buf_free(&text);
	return -1;
}

static int
check_enum(const struct json *s, json_ref values, const struct json *v, json_ref value,
    const char *path, struct error *err)
{
	struct buf known = { 0 };
	char *s1;

	JSON_EACH (s, values, e) {
		if (json_same(s, e, v, value)) {
			buf_free(&known);
			return 0;
		}
		s1 = json_kind(s, e) == JSON_STRING ? json_string(s, e) : json_raw_copy(s, e);
		buf_printf(&known, "%s%s", known.len > 0 ? ", " : "", s1);
		free(s1);
	}
	error_set(err, ERROR_INPUT, "%s must be one of %s", path, buf_text(&known));
	buf_free(&known);
	return -1;
}

static int
unknown_member(
    const struct json *s, json_ref properties, const char *key, const char *path, struct error *err)
{
	struct strings names = { 0 };
	const char *near;

	json_keys(s, properties, &names);
	near = text_nearest(key, (const char *const *)names.item, names.count);
	error_set(err, ERROR_INPUT, "%s has no member '%.60s'%s%s%s", path, key,
	    near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
	    near != NULL ? "'?" : "");
	strings_free(&names);
	return -1;
}

static int
check_object(const struct json *s, json_ref schema, const struct json *v, json_ref value,
    const char *path, struct error *err)
{
	json_ref properties = json_member(s, schema, "properties");
	json_ref required = json_member(s, schema, "required");
	bool closed = json_kind(s, json_member(s, schema, "additionalProperties")) == JSON_FALSE;
	char *key, *inner;
	int rc = 0;

	for (json_ref r = json_first(s, required); r != JSON_ABSENT && rc == 0;
	     r = json_next(s, required, r)) {
		key = json_string(s, r);
		if (json_member(v, value, key) == JSON_ABSENT)
			rc = error_set(err, ERROR_INPUT, "%s needs '%s'", path, key);
		free(key);
	}
	for (json_ref m = json_first(v, value); m != JSON_ABSENT && rc == 0;
	     m = json_next(v, value, m)) {
		json_ref p;

		key = json_key(v, m);
		p = json_member(s, properties, key);
		if (p != JSON_ABSENT) {
			inner = value == JSON_ROOT ? mem_printf("'%s'", key)
						   : mem_printf("'%s' of %s", key, path);
			rc = schema_check(s, p, v, m, inner, err);
			free(inner);
		} else if (closed) {
			rc = unknown_member(s, properties, key, path, err);
		}
		free(key);
	}
	return rc;
}

static int
check_array(const struct json *s, json_ref schema, const struct json *v, json_ref value,
    const char *path, struct error *err)
{
	json_ref items = json_member(s, schema, "items");
	size_t number = 0;
	int64_t most;
	char *inner;
	int rc = 0;

	if (json_int(s, json_member(s, schema, "maxItems"), &most) == 0 &&
	    json_count(v, value) > (size_t)most)
		return error_set(err, ERROR_INPUT, "%s has %zu entries; at most %zu are possible",
		    path, json_count(v, value), (size_t)most);
	for (json_ref e = json_first(v, value); e != JSON_ABSENT && rc == 0;
	     e = json_next(v, value, e)) {
		inner = mem_printf("entry %zu of %s", ++number, path);
		rc = schema_check(s, items, v, e, inner, err);
		free(inner);
	}
	return rc;
}

int
schema_check(const struct json *s, json_ref schema, const struct json *v, json_ref value,
    const char *path, struct error *err)
{
	json_ref type = json_member(s, schema, "type"), values = json_member(s, schema, "enum");
	const char *kind = type_name(v, value);
	int64_t least;
	char *text;
	int rc = 0;

	if (!type_allows(s, type, kind))
		return wrong_type(s, type, path, kind, err);
	if (values != JSON_ABSENT)
		return check_enum(s, values, v, value, path, err);
	if (json_kind(v, value) == JSON_STRING) {
		text = json_string(v, value);
		/* It cannot be written unchanged. */
		if (!json_equals(v, value, text))
			rc = error_set(err, ERROR_INPUT,
			    "%s contains a NUL or half a surrogate pair, which cannot be stored",
			    path);
		else if (json_int(s, json_member(s, schema, "minLength"), &least) == 0 &&
			 strlen(text) < (size_t)least)
			rc = error_set(err, ERROR_INPUT, "%s must not be empty", path);
		free(text);
		return rc;
	}
	if (json_kind(v, value) == JSON_ARRAY)
		return check_array(s, schema, v, value, path, err);
	if (json_kind(v, value) == JSON_OBJECT)
		return check_object(s, schema, v, value, path, err);
	return 0;
}
