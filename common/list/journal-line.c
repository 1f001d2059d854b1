/*
 * The hash is the line's last member, so that it can be cut off again
 * without parsing: a line's last HASH_TAIL bytes are ,"hash":"<64 hex>"}.
 * The number is its first member, for the same reason.  So an append
 * reads a line's two ends and never parses.
 */
#include "list/journal-line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "base/utf8.h"
#include "task/task.h"
#include "json/out.h"

#define HASH_KEY ",\"hash\":\""
#define HASH_TAIL (sizeof(HASH_KEY) - 1 + 64 + 2)
#define SEQ_KEY "{\"seq\":"

#define NAME_MAX_CHARS 256
#define WHY_MAX_CHARS 2000

/* A text of at most `max` characters; what was cut is marked. */
static void
add_bounded(struct json_object *line, const char *key, const char *text, size_t max)
{
	const char *p = text, *end;
	struct buf b = { 0 };

	if (text == NULL)
		return;
	end = text + strlen(text);
	for (size_t i = 0; i < max && p < end; i++)
		utf8_next(&p, end);
	buf_add(&b, text, (size_t)(p - text));
	if (p < end)
		buf_puts(&b, "...");
	out_string(line, key, buf_text(&b));
	buf_free(&b);
}

static bool
reserved(const char *key)
{
	static const char keys[][8] = { "seq", "time", "event", "task", "agent", "session", "from",
		"to", "why", "prev", "hash" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(key, keys[i]) == 0)
			return true;
	}
	return false;
}

static struct json_object *
compose(const struct journal_entry *e, const struct journal_tip *tip, const char *time, bool all)
{
	struct json_object *line = out_object();

	out_int(line, "seq", (int64_t)tip->seq + 1);
	out_string(line, "time", time);
	add_bounded(line, "event", e->event, NAME_MAX_CHARS);
	add_bounded(line, "task", e->task, TASK_ID_MAX);
	add_bounded(line, "agent", e->agent, NAME_MAX_CHARS);
	add_bounded(line, "session", e->session, NAME_MAX_CHARS);
	if (all && e->from != NULL)
		out_add(line, "from", json_object_get(e->from));
	if (all && e->to != NULL)
		out_add(line, "to", json_object_get(e->to));
	add_bounded(line, "why", e->why, WHY_MAX_CHARS);
	if (all && e->extra != NULL) {
		json_object_object_foreach(e->extra, key, value)
		{
			if (!reserved(key) && value != NULL)
				out_add(line, key, json_object_get(value));
		}
	}
	if (!all)
		out_bool(line, "omitted", true);
	out_string(line, "prev", tip->hash[0] != '\0' ? tip->hash : JOURNAL_ZEROS);
	return line;
}

void
journal_line_add(struct buf *out, struct journal_tip *tip, struct journal_entry *e)
{
	char time[CLOCK_ISO];
	size_t start = out->len;

	clock_iso(time, clock_wall_ms());
	for (int all = 1; all >= 0; all--) {
		out->len = start;
		out_text(out, compose(e, tip, time, all));
		out->len--; /* without the last brace */
		if (out->len - start <= JOURNAL_LINE_MAX)
			break;
	}
	hash_text(out->data + start, out->len - start, tip->hash);
	buf_printf(out, HASH_KEY "%s\"}\n", tip->hash);
	tip->seq++;
}

static bool
is_hash(const char *s)
{
	return strspn(s, "0123456789abcdef") >= 64;
}

bool
journal_line_tip(const char *line, size_t len, struct journal_tip *tip)
{
	const char *tail;
	char *end;

	if (len < sizeof(SEQ_KEY) + HASH_TAIL || memchr(line, '\0', len) != NULL ||
	    strncmp(line, SEQ_KEY, sizeof(SEQ_KEY) - 1) != 0)
		return false;
	tail = line + len - HASH_TAIL;
	if (memcmp(tail, HASH_KEY, sizeof(HASH_KEY) - 1) != 0 ||
	    !is_hash(tail + sizeof(HASH_KEY) - 1) || line[len - 2] != '"' || line[len - 1] != '}')
		return false;
	errno = 0;
	tip->seq = strtoull(line + sizeof(SEQ_KEY) - 1, &end, 10);
	if (errno != 0 || *end != ',' || line[sizeof(SEQ_KEY) - 1] == '-')
		return false;
	memcpy(tip->hash, tail + sizeof(HASH_KEY) - 1, 64);
	tip->hash[64] = '\0';
	return true;
}

bool
journal_line_true(const char *line, size_t len)
{
	struct journal_tip tip;
	char hex[HASH_HEX];

	if (!journal_line_tip(line, len, &tip))
		return false;
	hash_text(line, len - HASH_TAIL, hex);
	return strcmp(hex, tip.hash) == 0;
}
