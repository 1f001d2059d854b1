/*
 * json-tool: the JSON modules, for tests/check-json to compare with node.
 *
 * stdin and stdout have frames: a 32-bit length (little endian), then the bytes.
 * There is one output frame for each text.
 *
 *	json-tool print        text -> json_print() with indent 2, "!" if refused
 *	json-tool compact      the same without white space
 *	json-tool edit         text, edits -> the edited text
 *	json-tool form         text -> "yes" if json_script_form(), "no", "!" if refused
 *	json-tool text         bytes -> the result of text_show()
 *
 * Edits are a JSON array of [op, path, ...]: ["set", path, key, text],
 * ["remove", path, key], ["replace", path, text], ["append", path, text],
 * ["drop", path, index]; a path is an array of keys and indices.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "json/json-edit.h"
#include "json/json-print.h"

/* A heap block of exactly this size, so that ASan finds a read beyond it. */
static char *
frame_read(size_t *len)
{
	uint32_t n;
	char *bytes;

	if (fread(&n, sizeof(n), 1, stdin) != 1)
		return NULL;
	bytes = malloc(n > 0 ? n : 1);
	if (bytes == NULL || fread(bytes, 1, n, stdin) != n)
		errx(1, "short frame");
	*len = n;
	return bytes;
}

static void
frame_write(const char *bytes, size_t len)
{
	uint32_t n = (uint32_t)len;

	fwrite(&n, sizeof(n), 1, stdout);
	fwrite(bytes, 1, len, stdout);
}

static json_ref
child_at(const struct json *j, json_ref up, int64_t index)
{
	json_ref at = json_first(j, up);

	while (index-- > 0)
		at = json_next(j, up, at);
	return at;
}

/* Follow a path: strings are keys, numbers are indices. */
static json_ref
walk(const struct json *j, const struct json *edits, json_ref path)
{
	json_ref at = JSON_ROOT;
	int64_t index;
	char *key;

	for (json_ref step = json_first(edits, path); step != JSON_ABSENT;
	     step = json_next(edits, path, step)) {
		if (json_int(edits, step, &index) == 0)
			at = child_at(j, at, index);
		else {
			key = json_string(edits, step);
			at = json_member(j, at, key);
			free(key);
		}
	}
	return at;
}

static void
edit_one(struct json_edit *e, const struct json *j, const struct json *edits, json_ref edit)
{
	json_ref op = json_first(edits, edit), path = json_next(edits, edit, op);
	json_ref a = json_next(edits, edit, path), b = json_next(edits, edit, a);
	json_ref at = walk(j, edits, path);
	char *x = json_string(edits, a), *y = json_string(edits, b);
	int64_t index;

	if (at == JSON_ABSENT)
		errx(1, "no such path");
	if (json_equals(edits, op, "set"))
		json_edit_set(e, at, x, y);
	else if (json_equals(edits, op, "remove"))
		json_edit_remove(e, at, x);
	else if (json_equals(edits, op, "replace"))
		json_edit_replace(e, at, x);
	else if (json_equals(edits, op, "append"))
		json_edit_append(e, at, x);
	else if (json_equals(edits, op, "drop") && json_int(edits, a, &index) == 0)
		json_edit_drop(e, at, child_at(j, at, index));
	else
		errx(1, "no such edit");
	free(x);
	free(y);
}

static void
edit(struct json *j, const char *text, size_t len, struct buf *out)
{
	struct json edits = { 0 };
	struct json_edit e;
	struct error err;
	size_t elen;
	char *etext = frame_read(&elen);

	if (etext == NULL || json_parse(&edits, etext, elen, &err) == -1 ||
	    json_parse(j, text, len, &err) == -1)
		errx(1, "%s", err.text);
	json_edit_init(&e, j);
	for (json_ref at = json_first(&edits, JSON_ROOT); at != JSON_ABSENT;
	     at = json_next(&edits, JSON_ROOT, at))
		edit_one(&e, j, &edits, at);
	json_edit_apply(&e, out);
	json_edit_free(&e);
	json_free(&edits);
	free(etext);
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct json j = { 0 };
	struct buf out = { 0 };
	struct error err;
	char *text;
	size_t len;

	while ((text = frame_read(&len)) != NULL) {
		buf_reset(&out);
		if (strcmp(what, "edit") == 0)
			edit(&j, text, len, &out);
		else if (strcmp(what, "text") == 0)
			text_show(&out, text, len, TEXT_BLOCK, SIZE_MAX);
		else if (json_parse(&j, text, len, &err) == -1)
			buf_puts(&out, "!");
		else if (strcmp(what, "form") == 0)
			buf_puts(&out, json_script_form(&j, len) ? "yes" : "no");
		else
			json_print(&out, &j, JSON_ROOT, strcmp(what, "print") == 0 ? 2 : 0, 0);
		frame_write(buf_text(&out), out.len);
		free(text);
	}
	json_free(&j);
	buf_free(&out);
	return 0;
}
