/*
 * Receipts are exported with the whole chain that they are part of: a receipt
 * alone proves nothing, since anyone could write it.
 */
#include "list/receipt.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "list/journal.h"
#include "sys/file.h"
#include "json/json-fields.h"
#include "json/json-print.h"

#define JOURNAL_MAX (1u << 30)
#define FIELD(key, kind, member) JSON_FIELD(key, kind, struct receipt, member)

static const struct json_field fields[] = {
	FIELD("seq", FIELD_INT, line),
	FIELD("task", FIELD_STRING, task),
	FIELD("subject_hash", FIELD_STRING, subject_hash),
	FIELD("subject", FIELD_STRING, subject),
	FIELD("time", FIELD_STRING, time),
	FIELD("agent", FIELD_STRING, agent),
	FIELD("head", FIELD_STRING, head),
	FIELD("base", FIELD_STRING, base),
	FIELD("gate_file", FIELD_STRING, gate_file),
	FIELD("config_given", FIELD_STRING, config_given),
	FIELD("before", FIELD_STRING, before),
	FIELD("checks", FIELD_STRINGS, checks),
	FIELD("warnings", FIELD_STRINGS, warnings),
	JSON_FIELDS_END,
};

#define PAUSE_FIELD(key, kind, member) JSON_FIELD(key, kind, struct receipt_pause, member)
static const struct json_field pause_fields[] = {
	PAUSE_FIELD("seq", FIELD_INT, line),
	PAUSE_FIELD("task", FIELD_STRING, task),
	PAUSE_FIELD("pause_reason", FIELD_STRING, reason),
	PAUSE_FIELD("completion", FIELD_BOOL, completion),
	JSON_FIELDS_END,
};

#define GATE_FIELD(key, kind, member) JSON_FIELD(key, kind, struct receipt_gate, member)
static const struct json_field gate_fields[] = {
	GATE_FIELD("name", FIELD_STRING, name),
	GATE_FIELD("verdict", FIELD_STRING, verdict),
	GATE_FIELD("why", FIELD_STRING, why),
	GATE_FIELD("check", FIELD_STRING, check),
	GATE_FIELD("severity", FIELD_STRING, severity),
	GATE_FIELD("dir", FIELD_STRING, dir),
	GATE_FIELD("argv", FIELD_STRINGS, argv),
	JSON_FIELDS_END,
};

void
receipts_free(struct receipts *rs)
{
	for (size_t i = 0; i < rs->count; i++) {
		struct receipt *r = &rs->item[i];

		json_fields_free(r, fields);
		free(r->tree);
		free(r->forced_by);
		free(r->forced_why);
		for (size_t k = 0; k < r->gates.count; k++)
			json_fields_free(&r->gate[k], gate_fields);
		free(r->gate);
		strings_free(&r->gates);
	}
	free(rs->item);
	for (size_t i = 0; i < rs->pauses; i++)
		json_fields_free(&rs->pause[i], pause_fields);
	free(rs->pause);
	strings_free(&rs->named);
	strings_free(&rs->completed);
	*rs = (struct receipts){ 0 };
}

static void
receipt_read_gates(struct receipt *r, const struct json *j, json_ref gates)
{
	JSON_EACH (j, gates, at) {
		struct receipt_gate g = { 0 };

		json_fields_read(&g, gate_fields, j, at);
		if (g.name == NULL || g.verdict == NULL) {
			json_fields_free(&g, gate_fields);
			continue;
		}
		r->gate = mem_more(r->gate, r->gates.count, sizeof(*r->gate));
		r->gate[r->gates.count] = g;
		strings_take(&r->gates, mem_printf("%s: %s", g.name, g.verdict));
		if (receipt_gate_passed(&g))
			r->good++;
		else if (strcmp(g.verdict, "skipped") == 0)
			r->skipped++;
		else
			r->bad++;
	}
}

bool
receipt_gate_passed(const struct receipt_gate *g)
{
	return strcmp(g->verdict, "passed") == 0 || strcmp(g->verdict, "flaky") == 0;
}

const struct receipt_gate *
receipt_gate_find(const struct receipt *r, const char *name)
{
	for (size_t i = 0; i < r->gates.count; i++)
		if (strcmp(r->gate[i].name, name) == 0)
			return &r->gate[i];
	return NULL;
}

static bool
event_in(const char *word, const char *const *words)
{
	while (*words != NULL && !text_equal(word, *words))
		words++;
	return *words != NULL;
}

/* What a line other than a receipt says about a task and its last receipt. */
static void
receipt_read_other(
    struct receipts *rs, const char *task, const char *event, bool completion, uint64_t line)
{
	static const char *const changes[] = { "create", "update", "delete", "claim", "undo",
		"restore", NULL };
	struct receipt *last = (struct receipt *)receipts_find(rs, task);

	if (text_equal(event, "complete") && last == NULL && !strings_has(&rs->completed, task))
		strings_add(&rs->completed, task);
	if (last != NULL && text_equal(event, "refuse") && completion)
		last->refused = line;
	if (!event_in(event, changes))
		return;
	if (last != NULL)
		last->changed = line;
	for (size_t i = 0; i < rs->pauses; i++)
		rs->pause[i].changed |= strcmp(rs->pause[i].task, task) == 0;
}

static void
receipt_read_task(struct receipts *rs, const struct json *j, bool receipt)
{
	char *task = json_member_string(j, JSON_ROOT, "task");
	char *event = json_member_string(j, JSON_ROOT, "event");
	/* The refusals of earlier versions do not say what they were about. */
	bool completion = json_kind(j, json_member(j, JSON_ROOT, "completion")) != JSON_FALSE;
	int64_t line = 0;

	(void)json_int(j, json_member(j, JSON_ROOT, "seq"), &line);
	if (task != NULL && !strings_has(&rs->named, task))
		strings_add(&rs->named, task);
	if (task != NULL && !receipt)
		receipt_read_other(rs, task, event, completion, (uint64_t)line);
	free(task);
	free(event);
}

static void
receipt_read_pause(struct receipts *rs, const struct json *j)
{
	struct receipt_pause p = { 0 };

	json_fields_read(&p, pause_fields, j, JSON_ROOT);
	if (!p.completion || p.task == NULL || p.reason == NULL) {
		json_fields_free(&p, pause_fields);
		return;
	}
	rs->pause = mem_more(rs->pause, rs->pauses, sizeof(*rs->pause));
	rs->pause[rs->pauses++] = p;
}

/* A line of the journal, if it is a receipt or a forced completion. */
static int
receipt_read_line(void *arg, const struct json *j, const char *line, size_t len)
{
	struct receipts *rs = arg;
	struct receipt *r;
	bool forced = json_equals(j, json_member(j, JSON_ROOT, "event"), "forced");

	bool real = json_equals(j, json_member(j, JSON_ROOT, "event"), "receipt");

	(void)line, (void)len;
	receipt_read_task(rs, j, forced || real);
	receipt_read_pause(rs, j);
	if (!forced && !real)
		return 0;
	rs->item = mem_grow(rs->item, rs->count + 1, sizeof(*rs->item));
	r = &rs->item[rs->count++];
	*r = (struct receipt){
		.tree = json_member_string(j, json_member(j, JSON_ROOT, "tree"), "after"),
	};
	json_fields_read(r, fields, j, JSON_ROOT);
	if (forced) {
		r->forced_by = json_member_string(j, JSON_ROOT, "by");
		r->forced_why = json_member_string(j, JSON_ROOT, "why");
		if (r->forced_by == NULL)
			r->forced_by = mem_string("somebody");
	}
	receipt_read_gates(r, j, json_member(j, JSON_ROOT, "gates"));
	return 0;
}

int
receipts_read(int statefd, struct receipts *rs, struct error *e)
{
	*rs = (struct receipts){ 0 };
	return journal_read(statefd, receipt_read_line, rs, e) == -1 ? -1 : 0;
}

int
receipts_read_text(const char *text, size_t len, struct receipts *rs, struct error *e)
{
	const char *end = text + len;
	struct json j = { 0 };
	int rc = 0;

	*rs = (struct receipts){ 0 };
	for (size_t n = 1; rc == 0 && text < end; n++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		if (stop == NULL)
			stop = end;
		rc = json_parse(&j, text, (size_t)(stop - text), e);
		if (rc == 0)
			receipt_read_line(rs, &j, text, (size_t)(stop - text));
		else
			error_prefix(e, "line %zu of the journal", n);
		text = stop < end ? stop + 1 : end;
	}
	json_free(&j);
	return rc;
}

const struct receipt *
receipts_find(const struct receipts *rs, const char *task)
{
	for (size_t i = rs->count; i-- > 0;)
		if (rs->item[i].task != NULL && strcmp(rs->item[i].task, task) == 0)
			return &rs->item[i];
	return NULL;
}

const struct receipt_pause *
receipts_paused(const struct receipts *rs, const char *task)
{
	const struct receipt *last = receipts_find(rs, task);

	for (size_t i = rs->pauses; i-- > 0;)
		if (strcmp(rs->pause[i].task, task) == 0)
			return !rs->pause[i].changed &&
				       (last == NULL || last->line < rs->pause[i].line)
				   ? &rs->pause[i]
				   : NULL;
	return NULL;
}

/* One array element per line, so that a diff of two exports can be read: json-c has no such layout.
 */
static void
add_element(struct buf *out, bool *first, const char *text, size_t len)
{
	buf_puts(out, *first ? "\n    " : ",\n    ");
	buf_add(out, text, len);
	*first = false;
}

/* Every line as it is on disk, good or not: the reader checks the chain. */
static int
export_journal(int statefd, struct buf *out, struct error *e)
{
	struct buf text = { 0 };
	struct journal_check check;
	struct error why;
	bool first = true;

	if (file_read(statefd, JOURNAL_FILE, 0, JOURNAL_MAX, &text, e) == -1)
		return -1;
	(void)journal_verify_text(buf_text(&text), text.len, NULL, &check, &why);
	buf_printf(out, ",\n  \"lines\": %llu,\n  \"head\": \"%s\",\n  \"journal\": [",
	    (unsigned long long)check.lines, check.head);
	for (const char *p = buf_text(&text), *end = p + text.len; p < end;) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		struct buf quoted = { 0 };

		if (stop == NULL)
			stop = end;
		json_print_string(&quoted, p, (size_t)(stop - p));
		add_element(out, &first, quoted.data, quoted.len);
		buf_free(&quoted);
		p = stop < end ? stop + 1 : end;
	}
	buf_puts(out, first ? "]\n}\n" : "\n  ]\n}\n");
	buf_free(&text);
	return 0;
}

int
receipt_export(const struct list *list, struct store *st, struct buf *out, struct error *e)
{
	struct task_set all = { 0 };
	char now[CLOCK_ISO];
	bool first = true;
	int fd, rc;

	if ((fd = list_state(list, false, e)) == -1)
		return e->kind == ERROR_NOT_FOUND
			   ? error_set(
				 e, ERROR_NOT_FOUND, "the list '%s' has no journal yet", list->name)
			   : -1;
	if ((rc = store_load(st, &all, e)) == 0) {
		clock_iso_seconds(now, clock_wall_ms());
		buf_puts(out, "{\n  \"format\": \"" RECEIPT_FORMAT "\",\n  \"list\": ");
		json_print_string(out, list->name, strlen(list->name));
		buf_printf(out, ",\n  \"exported\": \"%s\",\n  \"tasks\": [", now);
		for (size_t i = 0; i < all.count; i++) {
			struct buf text = { 0 };

			json_print(&text, &all.item[i].json, JSON_ROOT, 0, 0);
			add_element(out, &first, text.data, text.len);
			buf_free(&text);
		}
		buf_puts(out, first ? "]" : "\n  ]");
		rc = export_journal(fd, out, e);
	}
	task_set_free(&all);
	return rc == -1 ? -1 : 0;
}
