/*
 * An event of any bytes is read or refused, and all functions about it can be
 * called.
 */
#include <string.h>

#include "agent/event.h"
#include "base/text.h"
#include "fuzz.h"
#include "utf8-valid.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = malloc(len > 0 ? len : 1);
	struct event ev = { 0 };
	struct error err;

	if (len > 0)
		memcpy(text, data, len);
	if (event_parse(&ev, text, len, &err) == 0) {
		FUZZ_ASSERT(event_kind_name(ev.kind) != NULL);
		/* A task array and an event of another client have no name. */
		FUZZ_ASSERT(
		    ev.kind == EVENT_TASK_ARRAY || ev.kind == EVENT_OTHER || ev.name != NULL);
		FUZZ_ASSERT(ev.agent_id == NULL || *ev.agent_id != '\0');
		event_turn_end(&ev);
		event_shut_down(&ev);
		event_in_process_teammate(&ev);
		event_tmux_teammate(&ev);
	} else
		FUZZ_ASSERT(utf8_valid(err.text, strlen(err.text)));
	event_free(&ev);
	event_free(&ev);
	free(text);
	return 0;
}
