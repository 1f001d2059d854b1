/*
 * The rows of a report as a table, as annotations, as JUnit XML and as JSON.
 * Every text goes through ci_shown() on its way into the report.
 */
#include "ci-report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "json/out.h"

#define TEXT_MAX 4000 /* characters of a row's text */
#define WIDTH_MAX 40  /* columns of a name that widen the table */

static const char *const state_names[] = { "ok", "note", "FAIL" };

/* "##[error]" and "##vso[...]" are commands to a CI runner anywhere in a line. */
static void
defuse(char *text)
{
	for (char *p = text; (p = strstr(p, "##")) != NULL;) {
		p += strspn(p, "#");
		while ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z'))
			p++;
		if (*p == '[')
			*p = '(';
	}
}

char *
ci_shown(const char *text)
{
	char *shown = text_shown(text, TEXT_MAX);

	defuse(shown);
	return shown;
}

static char *
take_shown(char *text)
{
	char *shown = ci_shown(text);

	free(text);
	return shown;
}

void
ci_add(
    struct ci_report *r, enum ci_state state, const char *kind, char *name, char *text, int64_t ms)
{
	r->row = mem_more(r->row, r->count, sizeof(*r->row));
	r->row[r->count++] = (struct ci_row){ .state = state,
		.kind = mem_string(kind),
		.name = take_shown(name),
		.text = take_shown(text),
		.ms = ms };
}

void
ci_report_free(struct ci_report *r)
{
	for (size_t i = 0; i < r->count; i++) {
		free(r->row[i].kind);
		free(r->row[i].name);
		free(r->row[i].text);
	}
	free(r->row);
	free(r->list);
	*r = (struct ci_report){ 0 };
}

size_t
ci_bad(const struct ci_report *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->count; i++)
		n += r->row[i].state == CI_BAD;
	return n;
}

/* Was anything checked? */
static bool
ci_checked(const struct ci_report *r)
{
	return r->proven + r->gates > 0;
}

int
ci_status(const struct ci_report *r)
{
	return ci_bad(r) > 0 || (!ci_checked(r) && !r->empty_allowed && r->forced == 0) ? 2 : 0;
}

/* One line. */
static void
ci_summary(const struct ci_report *r, struct buf *b)
{
	size_t bad = ci_bad(r);

	buf_puts(b, "claude-task-hooks: ");
	if (bad > 0)
		buf_printf(b, "FAILED, %zu problem%s; ", bad, bad == 1 ? "" : "s");
	else if (!ci_checked(r))
		buf_puts(b, r->completed == 0 ? "NOTHING WAS CHECKED, no task is completed; "
					      : "NOTHING WAS CHECKED; ");
	else
		buf_puts(b, "passed; ");
	buf_printf(b, "%zu of %zu completed task%s proven", r->proven, r->completed,
	    r->completed == 1 ? "" : "s");
	if (r->forced > 0)
		buf_printf(b, ", %zu let through by a person", r->forced);
	if (r->gates > 0)
		buf_printf(b, ", %zu gate%s run on this tree", r->gates, r->gates == 1 ? "" : "s");
	buf_printf(b, " (list '%s', %zu task%s)", r->list != NULL ? r->list : "?", r->tasks,
	    r->tasks == 1 ? "" : "s");
}

void
ci_table(const struct ci_report *r, FILE *f)
{
	struct buf summary = { 0 };
	int width = 0;

	for (size_t i = 0; i < r->count; i++) {
		int w = text_width(r->row[i].name);

		if (w > width && w <= WIDTH_MAX)
			width = w;
	}
	for (size_t i = 0; i < r->count; i++) {
		const struct ci_row *row = &r->row[i];
		int pad = width - text_width(row->name);

		fprintf(f, "%-5s %-5s %s%*s  %s\n", state_names[row->state], row->kind, row->name,
		    pad > 0 ? pad : 0, "", row->text);
	}
	ci_summary(r, &summary);
	fprintf(f, "%s\n", buf_text(&summary));
	buf_free(&summary);
}

/* A workflow command's text: %, CR and LF escaped; in properties also : and ,. */
static void
github_text(FILE *f, const char *s, bool property)
{
	for (; *s != '\0'; s++) {
		if (strchr("%\r\n", *s) != NULL || (property && strchr(":,", *s) != NULL))
			fprintf(f, "%%%02X", (unsigned char)*s);
		else
			fputc(*s, f);
	}
}

void
ci_github(const struct ci_report *r, FILE *f)
{
	struct buf summary = { 0 };

	for (size_t i = 0; i < r->count; i++) {
		const struct ci_row *row = &r->row[i];

		if (row->state == CI_GOOD)
			continue;
		fprintf(f, "::%s title=", row->state == CI_BAD ? "error" : "notice");
		github_text(f, row->kind, true);
		fputc(' ', f);
		github_text(f, row->name, true);
		fputs("::", f);
		github_text(f, row->text, false);
		fputc('\n', f);
	}
	ci_summary(r, &summary);
	fprintf(f, "::%s title=claude-task-hooks::", ci_status(r) == 0 ? "notice" : "error");
	github_text(f, buf_text(&summary), false);
	fputc('\n', f);
	buf_free(&summary);
}

static void
xml_text(struct buf *b, const char *s)
{
	struct buf safe = { 0 };

	text_show(&safe, s, strlen(s), TEXT_BLOCK, 20000);
	for (const char *p = buf_text(&safe); *p != '\0'; p++) {
		if (*p == '&')
			buf_puts(b, "&amp;");
		else if (*p == '<')
			buf_puts(b, "&lt;");
		else if (*p == '>')
			buf_puts(b, "&gt;");
		else if (*p == '"')
			buf_puts(b, "&quot;");
		else
			buf_putc(b, *p);
	}
	buf_free(&safe);
}

static void
junit_row(struct buf *b, const struct ci_row *row)
{
	buf_puts(b, "    <testcase classname=\"");
	xml_text(b, row->kind);
	buf_puts(b, "\" name=\"");
	xml_text(b, row->name);
	buf_printf(b, "\" time=\"%lld.%03lld\">", (long long)(row->ms / 1000),
	    (long long)(row->ms % 1000));
	buf_puts(b, row->state == CI_BAD ? "\n      <failure message=\"" : "<system-out>");
	xml_text(b, row->text);
	buf_puts(b, row->state == CI_BAD ? "\"/>\n    " : "</system-out>");
	buf_puts(b, "</testcase>\n");
}

void
ci_junit(const struct ci_report *r, struct buf *b)
{
	bool empty = ci_bad(r) == 0 && ci_status(r) != 0;
	struct buf summary = { 0 };

	buf_puts(
	    b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"");
	xml_text(b, r->list != NULL ? r->list : "task list");
	buf_printf(b, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\">\n",
	    r->count + empty, ci_bad(r) + empty);
	for (size_t i = 0; i < r->count; i++)
		junit_row(b, &r->row[i]);
	/* A suite without a failure would be shown as passed. */
	if (empty) {
		struct ci_row row = { .state = CI_BAD,
			.kind = (char *)"list",
			.name = (char *)"something to check" };

		ci_summary(r, &summary);
		row.text = summary.data;
		junit_row(b, &row);
		buf_free(&summary);
	}
	buf_puts(b, "  </testsuite>\n</testsuites>\n");
}

void
ci_json(const struct ci_report *r, struct buf *b)
{
	struct json_object *o = out_object(), *rows = out_array();
	struct buf summary = { 0 };

	ci_summary(r, &summary);
	out_string(o, "list", r->list);
	out_bool(o, "ok", ci_status(r) == 0);
	out_bool(o, "checked", ci_checked(r));
	out_int(o, "tasks", (int64_t)r->tasks);
	out_int(o, "completed", (int64_t)r->completed);
	out_int(o, "proven", (int64_t)r->proven);
	out_int(o, "forced", (int64_t)r->forced);
	out_int(o, "gates_run", (int64_t)r->gates);
	out_int(o, "problems", (int64_t)ci_bad(r));
	for (size_t i = 0; i < r->count; i++) {
		struct json_object *row = out_push(rows, out_object());

		out_string(row, "state", state_names[r->row[i].state]);
		out_string(row, "kind", r->row[i].kind);
		out_string(row, "name", r->row[i].name);
		out_string(row, "text", r->row[i].text);
	}
	out_add(o, "rows", rows);
	out_string(o, "summary", buf_text(&summary));
	out_pretty(b, o);
	buf_putc(b, '\n');
	buf_free(&summary);
}
