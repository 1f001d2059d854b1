#include "json/json-fields.h"

#include <stdlib.h>
#include <string.h>

/* Lengths are compared first, because this is done for every event. */
static const struct json_field *
field_of(const struct json_field *f, const struct json *j, json_ref member)
{
	size_t len;
	const char *key = json_key_plain(j, member, &len);

	for (; f->len > 0; f++)
		if (key != NULL ? f->len == len && memcmp(f->key, key, len) == 0
				: json_key_equals(j, member, f->key))
			return f;
	return NULL;
}

static void
field_read(void *at, enum json_field_kind kind, const struct json *j, json_ref ref)
{
	switch (kind) {
	case FIELD_STRING:
	case FIELD_NAME:
		free(*(char **)at);
		*(char **)at = kind == FIELD_NAME ? json_word(j, ref) : json_string(j, ref);
		break;
	case FIELD_RAW:
		free(*(char **)at);
		*(char **)at = json_raw_copy(j, ref);
		break;
	case FIELD_STRINGS:
		strings_free(at);
		json_strings(j, ref, at);
		break;
	case FIELD_INT:
		*(int64_t *)at = 0;
		(void)json_int(j, ref, at);
		break;
	case FIELD_BOOL:
		*(bool *)at = json_true(j, ref);
		break;
	case FIELD_PLACE:
		*(json_ref *)at = ref;
		break;
	}
}

void
json_fields_read(void *to, const struct json_field *fields, const struct json *j, json_ref object)
{
	const struct json_field *f;

	JSON_EACH (j, object, m)
		if ((f = field_of(fields, j, m)) != NULL)
			field_read((char *)to + f->offset, f->kind, j, m);
}

void
json_fields_free(void *of, const struct json_field *f)
{
	for (; f->len > 0; f++) {
		void *at = (char *)of + f->offset;

		if (f->kind <= FIELD_RAW) {
			free(*(char **)at);
			*(char **)at = NULL;
		} else if (f->kind == FIELD_STRINGS)
			strings_free(at);
	}
}

void
json_fields_write(struct json_object *o, const void *from, const struct json_field *f)
{
	for (; f->len > 0; f++) {
		const void *at = (const char *)from + f->offset;

		if (f->kind <= FIELD_NAME)
			out_string(o, f->key, *(char *const *)at);
		else if (f->kind == FIELD_INT)
			out_int(o, f->key, *(const int64_t *)at);
		else if (f->kind == FIELD_BOOL)
			out_bool(o, f->key, *(const bool *)at);
	}
}
