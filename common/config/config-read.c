/*
 * Read a struct from JSON by a table of its keys: the known keys, their types and
 * the nearest known key come from one place.  json.h parses, not json-c, because it
 * has the position of every value and both of two equal keys: json-c would drop the
 * first "gates" unnoticed.
 */
#include "config/config-part.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "config/glob.h"
#include "config/pattern.h"

#define KEYS_MAX 64 /* in one table */

void
config_blank_comments(struct buf *b)
{
	char *p = b->data, *end = b->data + b->len, *comma = NULL;

	while (p < end) {
		if (*p == '"') {
			for (p++; p < end && *p != '"'; p++)
				if (*p == '\\' && p + 1 < end)
					p++;
			p += p < end;
			comma = NULL;
		} else if (*p == '/' && p + 1 < end && p[1] == '/') {
			while (p < end && *p != '\n')
				*p++ = ' ';
		} else if (*p == '/' && p + 1 < end && p[1] == '*') {
			char *close = memmem(p + 2, (size_t)(end - p - 2), "*/", 2);

			if (close == NULL)
				return; /* the parser reports it */
			for (close += 2; p < close; p++)
				if (*p != '\n')
					*p = ' ';
		} else {
			if (*p == ',')
				comma = p;
			else if ((*p == ']' || *p == '}') && comma != NULL) {
				*comma = ' ';
				comma = NULL;
			} else if (strchr(" \t\r\n", *p) == NULL)
				comma = NULL;
			p++;
		}
	}
}

size_t
config_read_line(const struct config_reader *r, size_t at)
{
	size_t line = 1;

	for (size_t i = 0; i < at && i < r->json.len; i++)
		line += r->json.text[i] == '\n';
	return line;
}

int
config_read_error(struct config_reader *r, json_ref ref, const char *fmt, ...)
{
	size_t len;
	const char *at = json_raw(&r->json, ref, &len);
	size_t line = config_read_line(r, at != NULL ? (size_t)(at - r->json.text) : 0);
	struct buf shown = { 0 };
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_show(&shown, text, strlen(text), TEXT_LINE, 500);
	error_set(r->error, ERROR_INPUT, "'%s' line %zu: %s", r->file, line, buf_text(&shown));
	buf_free(&shown);
	return -1;
}

int
config_read_wrong(struct config_reader *r, json_ref ref, const char *wanted)
{
	static const char kinds[][12] = { "nothing", "null", "false", "true", "a number",
		"a string", "an array", "an object" };
	enum json_kind kind = json_kind(&r->json, ref);
	struct buf value = { 0 };
	size_t len;
	const char *raw = json_raw(&r->json, ref, &len);

	if (kind == JSON_STRING || kind == JSON_NUMBER)
		text_show(&value, raw, len, TEXT_LINE, 40);
	else
		buf_puts(&value, kinds[kind]);
	config_read_error(r, ref, "%s must be %s, not %s",
	    r->path.len > 0 ? buf_text(&r->path) : "the file", wanted, buf_text(&value));
	buf_free(&value);
	return -1;
}

size_t
config_read_enter(struct config_reader *r, const char *key)
{
	size_t mark = r->path.len;

	if (mark > 0)
		buf_putc(&r->path, '.');
	buf_puts(&r->path, key);
	return mark;
}

size_t
config_read_enter_index(struct config_reader *r, size_t index)
{
	size_t mark = r->path.len;

	buf_printf(&r->path, "[%zu]", index);
	return mark;
}

void
config_read_leave(struct config_reader *r, size_t mark)
{
	r->path.len = mark;
	if (r->path.data != NULL)
		r->path.data[mark] = '\0';
}

/* A string without NUL that is not empty; else NULL and the error. */
static char *
read_string(struct config_reader *r, json_ref ref)
{
	size_t len;
	char *s = json_string_len(&r->json, ref, &len);

	if (s == NULL || len == 0 || strlen(s) != len) {
		free(s);
		config_read_wrong(r, ref, "a text that is not empty");
		return NULL;
	}
	return s;
}

int
config_read_strings(struct config_reader *r, json_ref ref, struct strings *out)
{
	size_t i = 0;
	char *s;

	strings_free(out);
	if (json_kind(&r->json, ref) == JSON_STRING) {
		if ((s = read_string(r, ref)) == NULL)
			return -1;
		strings_take(out, s);
		return 0;
	}
	if (json_kind(&r->json, ref) != JSON_ARRAY)
		return config_read_wrong(r, ref, "a text or an array of texts");
	for (json_ref at = json_first(&r->json, ref); at != JSON_ABSENT;
	     at = json_next(&r->json, ref, at), i++) {
		size_t mark = config_read_enter_index(r, i);

		if ((s = read_string(r, at)) == NULL)
			return -1;
		strings_take(out, s);
		config_read_leave(r, mark);
	}
	return 0;
}

int
config_read_command(struct config_reader *r, json_ref ref, struct strings *argv, char **shell)
{
	struct strings words = { 0 };

	if (json_kind(&r->json, ref) == JSON_STRING) {
		if ((*shell = read_string(r, ref)) == NULL)
			return -1;
		strings_add(argv, "/bin/sh");
		strings_add(argv, "-c");
		strings_add(argv, *shell);
		return 0;
	}
	if (json_kind(&r->json, ref) != JSON_ARRAY || json_count(&r->json, ref) == 0)
		return config_read_wrong(r, ref,
		    "a program and its arguments [\"make\", \"test\"], or a text for the shell");
	JSON_EACH (&r->json, ref, at) {
		size_t len;
		char *s = json_string_len(&r->json, at, &len);

		if (s == NULL || strlen(s) != len || (words.count == 0 && len == 0)) {
			free(s);
			strings_free(&words);
			return config_read_wrong(r, at, "an array of texts");
		}
		strings_take(&words, s);
	}
	strings_free(argv);
	*argv = words;
	return 0;
}

static int
read_number(struct config_reader *r, json_ref ref, const struct config_key *k, int64_t *out)
{
	char wanted[100];
	size_t len;
	const char *raw;
	double d;

	snprintf(wanted, sizeof(wanted), "a number%s from %lld to %lld",
	    k->kind == KEY_SECONDS ? " of seconds" : "", (long long)k->min, (long long)k->max);
	if (json_kind(&r->json, ref) != JSON_NUMBER)
		return config_read_wrong(r, ref, wanted);
	if (k->kind == KEY_COUNT) {
		if (json_int(&r->json, ref, out) == -1 || *out < k->min || *out > k->max)
			return config_read_wrong(r, ref, wanted);
		return 0;
	}
	/* strtod() stops at the end of the number. */
	raw = json_raw(&r->json, ref, &len);
	d = strtod(raw, NULL);
	if (!(d >= (double)k->min && d <= (double)k->max))
		return config_read_wrong(r, ref, wanted);
	*out = (int64_t)(d * 1000 + 0.5);
	return 0;
}

static int
read_choice(struct config_reader *r, json_ref ref, const struct config_key *k, int *out)
{
	struct buf wanted = { 0 };

	for (int i = 0; k->choices[i][0] != '\0'; i++) {
		if (json_equals(&r->json, ref, k->choices[i])) {
			*out = i + (int)k->min;
			buf_free(&wanted);
			return 0;
		}
		buf_printf(&wanted, "%s\"%s\"",
		    i == 0                         ? ""
		    : k->choices[i + 1][0] == '\0' ? " or "
						   : ", ",
		    k->choices[i]);
	}
	config_read_wrong(r, ref, buf_text(&wanted));
	buf_free(&wanted);
	return -1;
}

static int
read_string_value(struct config_reader *r, json_ref ref, const struct config_key *k, char **out)
{
	struct error why;
	char *s = read_string(r, ref);

	if (s == NULL)
		return -1;
	if (k->kind == KEY_PATTERN && pattern_check(s, &why) == -1) {
		free(s);
		return config_read_error(r, ref, "%s is not a regular expression we can use: %s",
		    buf_text(&r->path), why.text);
	}
	free(*out);
	*out = s;
	return 0;
}

static int
read_globs(struct config_reader *r, json_ref ref, struct strings *out)
{
	struct error why;

	if (config_read_strings(r, ref, out) == -1)
		return -1;
	for (size_t i = 0; i < out->count; i++)
		if (glob_check(out->item[i], &why) == -1)
			return config_read_error(r, ref,
			    "%s: the path pattern '%s' is malformed: %s", buf_text(&r->path),
			    out->item[i], why.text);
	return 0;
}

static int
read_value(struct config_reader *r, json_ref ref, const struct config_key *k, char *target)
{
	void *at = target + k->offset;

	switch (k->kind) {
	case KEY_IGNORED:
		return 0;
	case KEY_STRING:
	case KEY_PATTERN:
		return read_string_value(r, ref, k, at);
	case KEY_STRINGS:
		return config_read_strings(r, ref, at);
	case KEY_GLOBS:
		return read_globs(r, ref, at);
	case KEY_BOOL:
		if (json_kind(&r->json, ref) != JSON_TRUE && json_kind(&r->json, ref) != JSON_FALSE)
			return config_read_wrong(r, ref, "true or false");
		*(bool *)at = json_true(&r->json, ref);
		return 0;
	case KEY_CHOICE:
		return read_choice(r, ref, k, at);
	case KEY_COUNT:
	case KEY_SECONDS:
		return read_number(r, ref, k, at);
	case KEY_OBJECT:
		return config_read_object(r, ref, k->keys, target);
	case KEY_OTHER:
		break;
	}
	return k->read(r, ref, at);
}

static int
unknown_key(struct config_reader *r, json_ref ref, const char *key, const struct config_key *keys)
{
	const char *names[KEYS_MAX], *near;
	size_t count = 0;
	struct buf list = { 0 };

	for (; count < KEYS_MAX && keys[count].name[0] != '\0'; count++) {
		names[count] = keys[count].name;
		if (names[count][0] != '$')
			buf_printf(&list, "%s%s", list.len > 0 ? ", " : "", names[count]);
	}
	near = text_nearest(key, names, count);
	config_read_error(r, ref, "unknown key '%.60s'%s%s (%s%s%s)", key,
	    r->path.len > 0 ? " in " : "", buf_text(&r->path),
	    near != NULL ? "did you mean '" : "known: ", near != NULL ? near : buf_text(&list),
	    near != NULL ? "'?" : "");
	buf_free(&list);
	return -1;
}

int
config_read_object(
    struct config_reader *r, json_ref ref, const struct config_key *keys, void *target)
{
	bool seen[KEYS_MAX] = { false };

	if (json_kind(&r->json, ref) != JSON_OBJECT)
		return config_read_wrong(r, ref, "an object");
	JSON_EACH (&r->json, ref, at) {
		const struct config_key *k = keys;
		size_t mark;

		while (k->name[0] != '\0' && !json_key_equals(&r->json, at, k->name))
			k++;
		if (k->name[0] == '\0') {
			char *key = json_key(&r->json, at);
			int rc = unknown_key(r, at, key, keys);

			free(key);
			return rc;
		}
		mark = config_read_enter(r, k->name);
		if (seen[k - keys])
			return config_read_error(r, at, "%s is given twice", buf_text(&r->path));
		seen[k - keys] = true;
		if (read_value(r, at, k, target) == -1)
			return -1;
		config_read_leave(r, mark);
	}
	return 0;
}
