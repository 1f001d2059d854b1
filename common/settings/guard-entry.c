/*
 * Which of our entries in a settings file are those that are recorded?
 */
#include "settings/guard-part.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "json/json-edit.h"

bool
guard_same_entry(const char *a, const char *b)
{
	struct json x = { 0 }, y = { 0 };
	struct error ignored;
	bool same = strcmp(a, b) == 0;

	if (!same && json_parse(&x, a, strlen(a), &ignored) == 0 &&
	    json_parse(&y, b, strlen(b), &ignored) == 0)
		same = json_same(&x, JSON_ROOT, &y, JSON_ROOT);
	json_free(&x);
	json_free(&y);
	return same;
}

char *
guard_without_failure(const char *entry)
{
	struct json j = { 0 };
	struct json_edit e;
	struct buf text = { 0 };
	struct error ignored;
	json_ref hook = JSON_ABSENT;

	if (json_parse(&j, entry, strlen(entry), &ignored) == 0)
		hook = json_member(&j, JSON_ROOT, "hook");
	if (json_member(&j, hook, "onFailure") != JSON_ABSENT) {
		json_edit_init(&e, &j);
		json_edit_remove(&e, hook, "onFailure");
		json_edit_apply(&e, &text);
		json_edit_free(&e);
	}
	json_free(&j);
	return text.len > 0 ? buf_take(&text) : NULL;
}

/* Is it the recorded entry, or the same one that also fails closed? */
static bool
is_entry(const struct settings_entry *now, const char *recorded)
{
	char *open;
	bool is = guard_same_entry(now->whole, recorded);

	if (!is && text_equal(now->failure, "block") &&
	    (open = guard_without_failure(now->whole)) != NULL) {
		is = guard_same_entry(open, recorded);
		free(open);
	}
	return is;
}

bool
guard_holds(const struct settings_entries *now, const char *recorded)
{
	for (size_t i = 0; i < now->count; i++)
		if (is_entry(&now->item[i], recorded))
			return true;
	return false;
}

const char *
guard_find_record(const struct strings *recorded, const struct settings_entry *now)
{
	for (size_t i = 0; i < recorded->count; i++)
		if (is_entry(now, recorded->item[i]))
			return recorded->item[i];
	return NULL;
}

/* Is it an entry for the event of a recorded one, with the same command but another hook? */
static bool
replaces(const struct settings_entry *e, const char *recorded)
{
	struct json x = { 0 }, y = { 0 };
	struct error ignored;
	json_ref a, b;
	bool is = false;

	if (json_parse(&x, e->whole, strlen(e->whole), &ignored) == 0 &&
	    json_parse(&y, recorded, strlen(recorded), &ignored) == 0) {
		a = json_member(&x, JSON_ROOT, "hook");
		b = json_member(&y, JSON_ROOT, "hook");
		is = json_equals(&y, json_member(&y, JSON_ROOT, "event"), e->event) &&
		     json_same(
			 &x, json_member(&x, a, "command"), &y, json_member(&y, b, "command")) &&
		     json_same(&x, json_member(&x, a, "args"), &y, json_member(&y, b, "args")) &&
		     !json_same(&x, a, &y, b);
	}
	json_free(&x);
	json_free(&y);
	return is;
}

/* Of entries with the same command the client runs only the last one, also if it is in another
 * file.
 */
const char *
guard_replaced_event(const struct strings *recorded, const struct settings_entries *now)
{
	for (size_t i = 0; i < now->count; i++)
		for (size_t k = 0; k < recorded->count; k++)
			if (replaces(&now->item[i], recorded->item[k]) &&
			    guard_find_record(recorded, &now->item[i]) == NULL)
				return now->item[i].event;
	return NULL;
}
