/*
 * log: the journal of a list.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "list/journal.h"
#include "view.h"
#include "json/json.h"

struct log {
	const char *task;
	struct strings lines; /* the last ones that match */
	size_t max, seen;
};

static int
keep_line(void *ctx, const struct json *j, const char *line, size_t len)
{
	struct log *l = ctx;

	if (l->task != NULL && !json_equals(j, json_member(j, JSON_ROOT, "task"), l->task))
		return 0;
	l->seen++;
	if (l->lines.count == l->max) {
		free(l->lines.item[0]);
		memmove(l->lines.item, l->lines.item + 1, (l->max - 1) * sizeof(*l->lines.item));
		l->lines.count--;
	}
	strings_take(&l->lines, mem_copy(line, len));
	return 0;
}

static void
put_value(struct cli *c, const char *key, const struct json *j, json_ref v)
{
	struct buf *b = &c->out;
	const char *raw;
	size_t len;
	char *s;

	if (json_kind(j, v) == JSON_STRING) {
		s = json_string(j, v);
		if (*s != '\0' && strcmp(key, "subject") == 0)
			view_subject(c, s, 60);
		else
			view_text(b, *s != '\0' ? s : "none", 60);
		free(s);
	} else if ((raw = json_raw(j, v, &len)) != NULL) {
		text_show(b, raw, len, TEXT_LINE, 60);
	} else {
		buf_puts(b, "none");
	}
}

/* status pending -> in_progress, owner none -> backend-2 */
static void
fields_text(struct cli *c, const struct json *j)
{
	json_ref from = json_member(j, JSON_ROOT, "from"), to = json_member(j, JSON_ROOT, "to");
	const char *arrow = c->ascii ? "->" : "→";
	struct strings keys = { 0 };

	json_keys(j, to, &keys);
	json_keys(j, from, &keys);
	for (size_t i = 0; i < keys.count; i++) {
		json_ref was = json_member(j, from, keys.item[i]);
		json_ref is = json_member(j, to, keys.item[i]);

		if (was != JSON_ABSENT && is != JSON_ABSENT && json_same(j, was, j, is))
			continue;
		cli_print(c, "%s %.40s ", i > 0 ? "," : "", keys.item[i]);
		if (was != JSON_ABSENT) {
			put_value(c, keys.item[i], j, was);
			buf_printf(&c->out, " %s ", arrow);
		}
		put_value(c, keys.item[i], j, is);
	}
	strings_free(&keys);
}

static void
line_text(struct cli *c, const char *line)
{
	static const char *const keys[] = { "time", "event", "task", "agent", "session", "why" };
	enum { TIME, EVENT, TASK, AGENT, SESSION, WHY, KEYS };
	struct json j = { 0 };
	struct error err;
	struct buf event = { 0 };
	const char *name;
	char *v[KEYS];

	if (json_parse(&j, line, strlen(line), &err) == -1) {
		json_free(&j);
		return;
	}
	for (int i = 0; i < KEYS; i++)
		v[i] = json_member_string(&j, JSON_ROOT, keys[i]);
	if (v[TIME] != NULL) {
		buf_puts(&c->out, cli_paint(c, PAINT_DIM));
		view_time(&c->out, v[TIME]);
		buf_printf(&c->out, "%s ", cli_paint(c, PAINT_OFF));
	}
	name = v[EVENT] != NULL ? v[EVENT] : "?";
	if (v[TASK] != NULL && strcmp(name, "sync") == 0)
		name = "report"; /* see journal.h */
	cli_format(&event, "%.24s", name);
	buf_printf(&c->out, "%s%-8s%s", cli_paint(c, PAINT_BOLD), buf_text(&event),
	    cli_paint(c, PAINT_OFF));
	if (v[TASK] != NULL)
		cli_print(c, " #%s", v[TASK]);
	fields_text(c, &j);
	if (v[AGENT] != NULL)
		cli_print(c, " by %.60s", v[AGENT]);
	else if (v[SESSION] != NULL) {
		buf_puts(&c->out, " by session ");
		view_head(&c->out, v[SESSION], 8);
	}
	if (v[WHY] != NULL)
		cli_print(c, ": %.160s", v[WHY]);
	buf_putc(&c->out, '\n');
	for (int i = 0; i < KEYS; i++)
		free(v[i]);
	buf_free(&event);
	json_free(&j);
}

/* fd: the state of the list; -1: it has none yet, so no journal. */
static int
log_verify(struct cli *c, int fd)
{
	struct journal_check check = { 0 };
	struct json_object *o;
	struct error err;
	int rc = fd != -1 ? journal_verify(fd, c->list.name, &check, &err) : 0;

	if (c->json) {
		o = out_object();
		out_bool(o, "intact", rc == 0 && !check.torn);
		out_int(o, "lines", (int64_t)check.lines);
		if (check.bad_line != 0)
			out_int(o, "bad_line", (int64_t)check.bad_line);
		out_bool(o, "torn", check.torn);
		out_string(o, "head", check.head);
		out_string(o, "message", rc == -1 ? err.text : NULL);
		cli_json(c, o);
		return rc == 0 && !check.torn ? EXIT_DONE : EXIT_FINDINGS;
	}
	if (rc == -1)
		return cli_fail(c, EXIT_FINDINGS, "the journal of '%s' is not intact: %s",
		    c->list.name, err.text);
	if (check.torn)
		return cli_fail(c, EXIT_FINDINGS,
		    "the last line of the journal of '%s' is incomplete; the next change moves it "
		    "to journal.torn-N",
		    c->list.name);
	buf_printf(&c->out, "intact: %llu lines%s%.16s\n", (unsigned long long)check.lines,
	    check.lines > 0 ? ", head " : "", check.head);
	return EXIT_DONE;
}

static void
print_lines(struct cli *c, const struct log *l)
{
	if (l->seen > l->lines.count && !c->json)
		buf_printf(&c->out, "%s(%zu earlier lines: --count %zu)%s\n",
		    cli_paint(c, PAINT_DIM), l->seen - l->lines.count, l->seen,
		    cli_paint(c, PAINT_OFF));
	for (size_t i = 0; i < l->lines.count; i++) {
		if (c->json)
			buf_printf(&c->out, "%s\n", l->lines.item[i]);
		else
			line_text(c, l->lines.item[i]);
	}
	if (l->seen == 0 && !c->json && l->task == NULL)
		cli_print(c, "the journal of list '%s' is empty\n", c->list.name);
	else if (l->seen == 0 && !c->json)
		cli_print(c, "the journal of list '%s' has no line about task #%s\n", c->list.name,
		    l->task);
}

int
log_main(struct cli *c)
{
	struct log l = { 0 };
	int64_t max = cli_number(c, "count", 1, 1000000, 50);
	struct error err;
	int fd, status = EXIT_DONE;

	if (max == -1 || (c->operands == 1 && (l.task = cli_id(c, 0)) == NULL))
		return c->status;
	l.max = (size_t)max;
	if (cli_find(c) == -1)
		return c->status;
	fd = list_state(&c->list, false, &err);
	if (fd == -1 && err.kind != ERROR_NOT_FOUND)
		return cli_error(c, &err);
	if (cli_flag(c, "verify")) {
		status = log_verify(c, fd);
	} else if (fd != -1 && journal_read(fd, keep_line, &l, &err) == -1) {
		status = cli_error(c, &err);
	} else {
		print_lines(c, &l);
	}
	strings_free(&l.lines);
	return status;
}
