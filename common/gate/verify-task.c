/*
 * The client merges metadata key by key; null deletes.
 */
#include "gate/verify-task.h"

#include <string.h>

int
subject_open(struct subject *s, const struct task *t, const char *text, struct error *e)
{
	*s = (struct subject){ .task = t };
	if (text == NULL)
		return 0;
	if (json_parse(&s->sent, text, strlen(text), e) == -1)
		return error_prefix(e, "the metadata of the call");
	if (json_kind(&s->sent, JSON_ROOT) != JSON_OBJECT)
		return error_set(e, ERROR_INPUT, "the metadata of the call is not an object");
	return 0;
}

void
subject_close(struct subject *s)
{
	json_free(&s->sent);
	*s = (struct subject){ 0 };
}

json_ref
subject_metadata(const struct subject *s, const char *key, const struct json **json)
{
	json_ref at = JSON_ABSENT;

	*json = &s->sent;
	if (s->sent.count > 0)
		at = json_member(&s->sent, JSON_ROOT, key);
	if (at == JSON_ABSENT) {
		*json = &s->task->json;
		at = json_member(&s->task->json, task_metadata(s->task), key);
	}
	return json_kind(*json, at) == JSON_NULL ? JSON_ABSENT : at;
}
