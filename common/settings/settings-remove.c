/*
 * Our entries are removed.
 */
#include "settings/settings-part.h"

#include <stdlib.h>

#include "settings/settings-find.h"

/* Remove the handler, with its group, event and "hooks" if nothing else is in them. */
static void
remove_handler(struct buf *text, const struct json *j, const struct settings_place *at)
{
	json_ref hooks = json_member(j, JSON_ROOT, "hooks");
	json_ref list = json_member(j, at->group, "hooks");
	char *event = json_key(j, at->event);
	struct json_edit e;

	json_edit_init(&e, j);
	if (json_count(j, list) > 1)
		json_edit_drop(&e, list, at->handler);
	else if (json_count(j, at->event) > 1 || json_member(j, hooks, event) != at->event)
		/* The name is not found if half of a surrogate pair is in it. */
		json_edit_drop(&e, at->event, at->group);
	else if (json_count(j, hooks) > 1)
		json_edit_remove(&e, hooks, event);
	else
		json_edit_remove(&e, JSON_ROOT, "hooks");
	settings_apply(text, &e);
	free(event);
}

int
settings_uninstall(const char *text, size_t len, const struct strings *events,
    const struct settings_values *values, struct buf *out, struct settings_change *change,
    struct error *err)
{
	struct json j = { 0 };
	struct settings_place at;
	size_t skip = 0;
	char *event;
	int rc;

	*change = (struct settings_change){ 0 };
	buf_reset(out);
	buf_add(out, text, len);
	while ((rc = settings_parse(&j, out->data, out->len, err)) == 0 &&
	       settings_place(&j, NULL, skip, &at, NULL)) {
		event = json_key(&j, at.event);
		if (events != NULL && !strings_has(events, event)) {
			skip++;
		} else {
			remove_handler(out, &j, &at);
			change->removed++;
		}
		free(event);
	}
	for (size_t i = 0; values != NULL && i < values->name.count && rc != -1; i++) {
		rc = settings_value_remove(out, values->name.item[i], values->text.item[i], err);
		change->set[i] = rc == 1;
	}
	json_free(&j);
	return rc == -1 ? -1 : 0;
}
