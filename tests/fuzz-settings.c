/*
 * A settings file of any bytes: our entries are added, added again (nothing
 * changes), and removed.  All other members keep their values and their order.
 */
#include <string.h>

#include "fuzz.h"
#include "settings/settings.h"
#include "json/json-print.h"

/* Every member except the two that we change. */
static void
others_are_same(const char *a, size_t alen, const char *b, size_t blen)
{
	struct json x = { 0 }, y = { 0 };

	FUZZ_ASSERT(json_parse(&x, a, alen, NULL) == 0 && json_parse(&y, b, blen, NULL) == 0);
	for (json_ref at = json_first(&x, JSON_ROOT); at != JSON_ABSENT;
	     at = json_next(&x, JSON_ROOT, at)) {
		char *key = json_key(&x, at);

		if (strcmp(key, "hooks") != 0 && strcmp(key, "env") != 0 &&
		    json_member(&x, JSON_ROOT, key) == at)
			FUZZ_ASSERT(json_same(&x, at, &y, json_member(&y, JSON_ROOT, key)));
		free(key);
	}
	json_free(&x);
	json_free(&y);
}

static size_t
count_ours(const char *text, size_t len)
{
	struct settings_entries found = { 0 };
	struct error e;
	size_t n;

	FUZZ_ASSERT(settings_find(text, len, &found, &e) == 0);
	n = found.count;
	settings_entries_free(&found);
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct settings_plan plan = { .count = SETTINGS_CORE, .bin = "/opt/a b/bin" };
	struct settings_change change;
	struct buf in = { 0 }, again = { 0 }, out = { 0 };
	struct error e;
	char *text;

	if (len < 1)
		return 0;
	for (size_t i = 0; i < SETTINGS_CORE; i++)
		plan.hooks[i] = &settings_hooks[i];
	plan.shell = data[0] & 1;
	if (data[0] & 2)
		settings_values_add(&plan.values, "env.CLAUDE_CODE_TASK_LIST_ID", "\"lab\"");
	text = malloc(len);
	memcpy(text, data + 1, len - 1);
	if (settings_install(text, len - 1, &plan, &in, &change, &e) == 0) {
		FUZZ_ASSERT(count_ours(buf_text(&in), in.len) >= 3);
		if (len > 1)
			others_are_same(text, len - 1, buf_text(&in), in.len);
		FUZZ_ASSERT(
		    settings_install(buf_text(&in), in.len, &plan, &again, &change, &e) == 0);
		FUZZ_ASSERT(change.added == 0 && change.moved == 0);
		FUZZ_ASSERT(again.len == in.len && memcmp(again.data, in.data, in.len) == 0);
		FUZZ_ASSERT(settings_uninstall(
				buf_text(&in), in.len, NULL, &plan.values, &out, &change, &e) == 0);
		FUZZ_ASSERT(change.removed >= 3);
		FUZZ_ASSERT(count_ours(buf_text(&out), out.len) == 0);
		others_are_same(buf_text(&in), in.len, buf_text(&out), out.len);
	}
	buf_free(&in);
	buf_free(&again);
	buf_free(&out);
	settings_values_free(&plan.values);
	free(text);
	return 0;
}
