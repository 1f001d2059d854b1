#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "history.h"
#include "list/journal.h"
#include "json/json-fields.h"

#define FIELD(key, kind, member) JSON_FIELD(key, kind, struct history_entry, member)

static const struct json_field fields[] = {
	FIELD("seq", FIELD_INT, seq),
	FIELD("event", FIELD_STRING, event),
	FIELD("task", FIELD_STRING, task),
	FIELD("group", FIELD_STRING, group),
	FIELD("other_list", FIELD_STRING, other_list),
	FIELD("time", FIELD_STRING, time),
	FIELD("why", FIELD_STRING, why),
	FIELD("before", FIELD_STRING, before),
	FIELD("after", FIELD_STRING, after),
	FIELD("from", FIELD_RAW, from),
	FIELD("to", FIELD_RAW, to),
	FIELD("claim", FIELD_RAW, claim),
	JSON_FIELDS_END,
};

static void
mark_undone(struct history *h, const struct json *j)
{
	json_ref list = json_member(j, JSON_ROOT, "undoes");
	int64_t seq;

	JSON_EACH (j, list, e)
		for (size_t i = 0; i < h->count && json_int(j, e, &seq) == 0; i++)
			if (h->item[i].seq == seq)
				h->item[i].undone = true;
}

static int
history_add(void *arg, const struct json *j, const char *line, size_t len)
{
	struct history *h = arg;
	struct history_entry *p;

	(void)line;
	(void)len;
	h->item = mem_more(h->item, h->count, sizeof(*h->item));
	p = &h->item[h->count++];
	*p = (struct history_entry){ 0 };
	json_fields_read(p, fields, j, JSON_ROOT);
	if (p->event == NULL)
		p->event = mem_string("");
	p->other_refused = json_kind(j, json_member(j, JSON_ROOT, "completion")) == JSON_FALSE;
	mark_undone(h, j);
	return 0;
}

int
history_load(struct cli *c, struct history *h)
{
	struct error err;
	int fd;

	*h = (struct history){ 0 };
	fd = list_state(&c->list, false, &err);
	if (fd == -1 && err.kind == ERROR_NOT_FOUND)
		return 0;
	if (fd == -1) {
		cli_error(c, &err);
		return -1;
	}
	if (journal_read(fd, history_add, h, &err) == -1) {
		history_free(h);
		cli_error(c, &err);
		return -1;
	}
	return 0;
}

void
history_free(struct history *h)
{
	for (size_t i = 0; i < h->count; i++)
		json_fields_free(&h->item[i], fields);
	free(h->item);
	*h = (struct history){ 0 };
}
