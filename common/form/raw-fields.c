#include "form/raw-fields.h"

#include <stdlib.h>
#include <string.h>

#include "task/task-part.h"
#include "json/json-print.h"

void
raw_fields_add(struct raw_fields *m, const char *key, const char *raw)
{
	if (raw == NULL || strings_has(&m->key, key))
		return;
	strings_add(&m->key, key);
	strings_add(&m->value, raw);
}

void
raw_fields_add_string(struct raw_fields *m, const char *key, const char *text)
{
	struct buf raw = { 0 };

	if (text == NULL)
		return;
	json_print_string(&raw, text, strlen(text));
	raw_fields_add(m, key, raw.data);
	buf_free(&raw);
}

void
raw_fields_free(struct raw_fields *m)
{
	strings_free(&m->key);
	strings_free(&m->value);
}

char *
raw_fields_take(struct raw_fields *m, const char *key)
{
	size_t i;
	char *value;

	for (i = 0; i < m->key.count; i++) {
		if (strcmp(m->key.item[i], key) != 0)
			continue;
		value = m->value.item[i];
		free(m->key.item[i]);
		m->value.count = --m->key.count;
		for (; i < m->key.count; i++) {
			m->key.item[i] = m->key.item[i + 1];
			m->value.item[i] = m->value.item[i + 1];
		}
		return value;
	}
	return NULL;
}

void
raw_fields_collect(struct raw_fields *m, const struct json *j, json_ref object, bool known_too)
{
	char *key, *copy;

	JSON_EACH (j, object, at) {
		key = json_key(j, at);
		if ((known_too || task_field_of(j, at) == FIELD_COUNT) &&
		    json_member(j, object, key) == at) {
			copy = json_raw_copy(j, at);
			raw_fields_add(m, key, copy);
			free(copy);
		}
		free(key);
	}
}

static void
raw_fields_put_key(struct buf *out, const char *key)
{
	buf_puts(out, out->len == 1 ? "" : ",");
	json_print_string(out, key, strlen(key));
	buf_putc(out, ':');
}

void
raw_fields_put_string(struct buf *out, const char *key, const char *value, bool null)
{
	if (value == NULL && !null)
		return;
	raw_fields_put_key(out, key);
	if (value == NULL)
		buf_puts(out, "null");
	else
		json_print_string(out, value, strlen(value));
}

void
raw_fields_put_raw(struct buf *out, const char *key, const char *raw)
{
	if (raw == NULL)
		return;
	raw_fields_put_key(out, key);
	buf_puts(out, raw);
}

void
raw_fields_put(struct buf *out, const struct raw_fields *m)
{
	size_t i;

	for (i = 0; i < m->key.count; i++)
		raw_fields_put_raw(out, m->key.item[i], m->value.item[i]);
}

void
raw_fields_put_metadata(struct buf *out, const struct raw_fields *m, bool had)
{
	struct buf inner = { 0 };

	if (m->key.count == 0 && !had)
		return;
	buf_putc(&inner, '{');
	raw_fields_put(&inner, m);
	buf_putc(&inner, '}');
	raw_fields_put_raw(out, "metadata", buf_text(&inner));
	buf_free(&inner);
}

void
raw_fields_put_ids(struct buf *out, const char *key, const struct strings *ids)
{
	raw_fields_put_key(out, key);
	json_print_strings(out, ids, 0, 0);
}
