#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "history.h"
#include "list/journal.h"
#include "json/json.h"

static char *
raw_member(const struct json *j, const char *key)
{
	size_t len;
	const char *raw = json_raw(j, json_member(j, JSON_ROOT, key), &len);

	return raw != NULL ? mem_copy(raw, len) : NULL;
}

static void
undone(struct history *h, const struct json *j)
{
	json_ref list = json_member(j, JSON_ROOT, "undoes");
	int64_t seq;

	for (json_ref e = json_first(j, list); e != JSON_ABSENT; e = json_next(j, list, e))
		for (size_t i = 0; i < h->count && json_int(j, e, &seq) == 0; i++)
			if (h->item[i].seq == seq)
				h->item[i].undone = true;
}

static int
add_line(void *arg, const struct json *j, const char *line, size_t len)
{
	struct history *h = arg;
	struct history_entry *p;

	(void)line;
	(void)len;
	if (h->count == h->room) {
		h->room = h->room * 2 + 16;
		h->item = mem_grow(h->item, h->room, sizeof(*h->item));
	}
	p = &h->item[h->count++];
	*p = (struct history_entry){ 0 };
	(void)json_int(j, json_member(j, JSON_ROOT, "seq"), &p->seq);
	p->event = json_member_string(j, JSON_ROOT, "event");
	p->task = json_member_string(j, JSON_ROOT, "task");
	p->group = json_member_string(j, JSON_ROOT, "group");
	p->time = json_member_string(j, JSON_ROOT, "time");
	p->why = json_member_string(j, JSON_ROOT, "why");
	p->before = json_member_string(j, JSON_ROOT, "before");
	p->after = json_member_string(j, JSON_ROOT, "after");
	p->from = raw_member(j, "from");
	p->to = raw_member(j, "to");
	if (p->event == NULL)
		p->event = mem_string("");
	undone(h, j);
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
	if (journal_read(fd, add_line, h, &err) == -1) {
		history_free(h);
		cli_error(c, &err);
		return -1;
	}
	return 0;
}

void
history_free(struct history *h)
{
	for (size_t i = 0; i < h->count; i++) {
		struct history_entry *p = &h->item[i];

		free(p->event);
		free(p->task);
		free(p->group);
		free(p->time);
		free(p->why);
		free(p->before);
		free(p->after);
		free(p->from);
		free(p->to);
	}
	free(h->item);
	*h = (struct history){ 0 };
}
