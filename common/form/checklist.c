/*
 * Markdown checklists.
 *
 *	- [ ] #1 Subject
 *	- [x] #2 Another (owner backend-2)
 *	- [ ] #3 Third (in_progress, owner me, after #1 #2, parent #1)
 *	  > Its description,
 *	  > line by line.
 *
 * That is what we write.  We also read other lists: without numbers, with any
 * bullet, nested items (children of the one above), text below an item (its
 * description).  The brackets at the end are attributes only if everything
 * in them is one of the above; so a subject that itself ends with a bracket
 * is always written with attributes after it.
 */
#include "form/checklist.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "form/convert-part.h"
#include "task/macf.h"

struct item {
	int indent; /* -1: no item yet */
	char *id, *subject, *owner, *parent;
	enum task_status status;
	struct strings after;
	struct buf description;
};

#define NESTED_MAX 32

struct reader {
	struct task_set *set;
	struct item item;
	/* the items that the next one may be nested in */
	struct {
		int indent;
		char *id;
	} above[NESTED_MAX];
	int depth;
	struct strings given; /* ids that the text gives */
	unsigned next;
};

static void
item_free(struct item *i)
{
	free(i->id);
	free(i->subject);
	free(i->owner);
	free(i->parent);
	strings_free(&i->after);
	buf_free(&i->description);
	memset(i, 0, sizeof(*i));
	i->indent = -1;
}

/* strchr() finds a NUL too. */
static bool
is_one_of(char c, const char *chars)
{
	return c != '\0' && strchr(chars, c) != NULL;
}

/* "- [x] rest": where rest begins, and the mark; 0 if the line is not an item. */
static size_t
item_start(const char *line, size_t len, int *indent, char *mark)
{
	size_t i = 0, digits;

	for (*indent = 0; i < len && (line[i] == ' ' || line[i] == '\t'); i++)
		*indent += line[i] == '\t' ? 4 : 1;
	if (i < len && is_one_of(line[i], "-*+"))
		i++;
	else {
		for (digits = i; i < len && isdigit((unsigned char)line[i]);)
			i++;
		if (i == digits || i == len || (line[i] != '.' && line[i] != ')'))
			return 0;
		i++;
	}
	if (len - i < 4 || line[i] != ' ')
		return 0;
	while (i < len && line[i] == ' ')
		i++;
	if (len - i < 3 || line[i] != '[' || line[i + 2] != ']' ||
	    !is_one_of(line[i + 1], " xX-~/"))
		return 0;
	*mark = line[i + 1];
	i += 3;
	return i == len || line[i] == ' ' || line[i] == '\t' ? i : 0;
}

bool
checklist_is(const char *text, size_t len)
{
	const char *line, *end, *stop = text + len;
	int indent;
	char mark;

	for (line = text; line < stop; line = end + 1) {
		if ((end = memchr(line, '\n', (size_t)(stop - line))) == NULL)
			end = stop;
		if (item_start(line, (size_t)(end - line), &indent, &mark) > 0)
			return true;
	}
	return false;
}

static char *
word_id(const char *s)
{
	size_t len = strcspn(s, " \t,()");

	return *s == '#' && len > 1 ? mem_copy(s + 1, len - 1) : NULL;
}

/* One attribute in the brackets; false if it is unknown. */
static bool
item_attribute(struct item *item, char *word)
{
	enum task_status status = task_status_parse(word);
	char *id, *save, *one;

	if (status != TASK_NO_STATUS) {
		item->status = status;
		return true;
	}
	if (strncmp(word, "owner ", 6) == 0 && word[6] != '\0') {
		free(item->owner);
		item->owner = mem_string(word + 6);
		return true;
	}
	if (strncmp(word, "parent #", 8) == 0) {
		free(item->parent);
		item->parent = mem_string(word + 8);
		return true;
	}
	if (strncmp(word, "after #", 7) != 0)
		return false;
	for (one = strtok_r(word + 6, " ", &save); one != NULL; one = strtok_r(NULL, " ", &save)) {
		if ((id = word_id(one)) == NULL)
			return false;
		strings_take(&item->after, id);
	}
	return true;
}

static void
item_attributes(struct item *item)
{
	struct item trial = { .status = item->status };
	char *open = strrchr(item->subject, '('), *inner, *save, *word;
	size_t len = strlen(item->subject);
	bool all = true;

	if (open == NULL || open == item->subject || open[-1] != ' ' ||
	    item->subject[len - 1] != ')')
		return;
	inner = mem_copy(open + 1, strlen(open) - 2);
	for (word = strtok_r(inner, ",", &save); word != NULL && all;
	     word = strtok_r(NULL, ",", &save)) {
		word += strspn(word, " ");
		all = item_attribute(&trial, word);
	}
	free(inner);
	if (all) {
		item->status = trial.status;
		item->owner = trial.owner;
		item->parent = trial.parent;
		item->after = trial.after;
		while (open > item->subject && open[-1] == ' ')
			open--;
		*open = '\0';
	} else {
		free(trial.owner);
		free(trial.parent);
		strings_free(&trial.after);
	}
}

static void
item_begin(struct item *item, const char *rest, size_t len, int indent, char mark)
{
	char *text = mem_copy(rest, len), *p = text, *end;

	p += strspn(p, " \t");
	for (end = p + strlen(p); end > p && strchr(" \t\r", end[-1]) != NULL;)
		*--end = '\0';
	item->indent = indent;
	item->status = mark == 'x' || mark == 'X'   ? TASK_COMPLETED
		       : mark == '-' || mark == '~' ? TASK_CANCELLED
		       : mark == '/'                ? TASK_IN_PROGRESS
						    : TASK_PENDING;
	if ((item->id = word_id(p)) != NULL) {
		p += strcspn(p, " \t");
		p += strspn(p, " \t");
	}
	item->subject = mem_string(p);
	free(text);
	item_attributes(item);
}

/* Makes the task of a finished item, and keeps its id for items nested in it. */
static int
item_end(struct reader *r, struct error *err)
{
	struct item *i = &r->item;
	struct change c = { .status = i->status, .subject = i->subject, .owner = i->owner };
	struct buf text = { 0 };
	char number[32];
	int rc;

	if (i->indent == -1)
		return 0;
	if (i->id == NULL) {
		do
			snprintf(number, sizeof(number), "%u", r->next++);
		while (strings_has(&r->given, number));
		i->id = mem_string(number);
	}
	while (r->depth > 0 && r->above[r->depth - 1].indent >= i->indent)
		free(r->above[--r->depth].id);
	c.parent = i->parent != NULL ? i->parent : r->depth > 0 ? r->above[r->depth - 1].id : NULL;
	c.description = i->description.len > 0 ? buf_text(&i->description) : i->subject;
	c.add_blocked_by = &i->after;
	rc = task_make(TASK_EXPORTED, i->id, &c, clock_wall_ms(), &text, err);
	if (rc == 0)
		rc = task_read(task_set_add(r->set), TASK_EXPORTED, NULL, text.data, text.len, err);
	if (rc == 0 && r->depth < NESTED_MAX) {
		r->above[r->depth].indent = i->indent;
		r->above[r->depth++].id = mem_string(i->id);
	}
	buf_free(&text);
	item_free(i);
	return rc;
}

static void
item_line(struct item *item, const char *line, size_t len)
{
	size_t i = 0;

	while (i < len && (line[i] == ' ' || line[i] == '\t'))
		i++;
	if (i < len && line[i] == '>') {
		i++;
		if (i < len && line[i] == ' ')
			i++;
	} else if (i == 0 || i == len)
		return; /* not part of the item */
	while (len > i && line[len - 1] == '\r')
		len--;
	if (item->description.room > 0)
		buf_putc(&item->description, '\n');
	buf_need(&item->description, len);
	buf_add(&item->description, line + i, len - i);
}

/* Collects the id of an item, so that no item without id gets the same number. */
static void
collect_id(struct reader *r, const char *rest, size_t len)
{
	struct item item = { .indent = -1 };

	item_begin(&item, rest, len, 0, ' ');
	if (item.id != NULL)
		strings_add(&r->given, item.id);
	item_free(&item);
}

int
checklist_read(const char *text, size_t len, struct task_set *set, struct error *err)
{
	struct reader r = { .set = set, .item = { .indent = -1 }, .next = 1 };
	const char *line, *end, *stop = text + len;
	int indent, rc = 0, pass;
	size_t rest;
	char mark;

	for (pass = 0; pass < 2; pass++)
		for (line = text; line < stop && rc == 0; line = end + 1) {
			if ((end = memchr(line, '\n', (size_t)(stop - line))) == NULL)
				end = stop;
			rest = item_start(line, (size_t)(end - line), &indent, &mark);
			if (pass == 0 && rest > 0)
				collect_id(&r, line + rest, (size_t)(end - line) - rest);
			else if (pass == 1 && rest > 0) {
				rc = item_end(&r, err);
				item_begin(&r.item, line + rest, (size_t)(end - line) - rest,
				    indent, mark);
			} else if (pass == 1 && r.item.indent != -1)
				item_line(&r.item, line, (size_t)(end - line));
		}
	if (rc == 0)
		rc = item_end(&r, err);
	item_free(&r.item);
	while (r.depth > 0)
		free(r.above[--r.depth].id);
	strings_free(&r.given);
	return rc;
}

/* ---- writing ---- */

static void
print_brackets(struct buf *out, const struct task *t)
{
	size_t before, i;
	bool must = out->data[out->len - 1] == ')';
	/* "after" says which dependencies block it */
	enum task_status status =
	    t->status == TASK_BLOCKED && !task_held(t) ? TASK_PENDING : t->status;
	bool named = status != TASK_PENDING && status != TASK_COMPLETED;

	if (!must && !named && t->owner == NULL && t->blocked_by.count == 0 && t->parent == NULL)
		return;
	buf_puts(out, " (");
	before = out->len;
	if (must || named)
		buf_puts(out, task_status_name(status));
	if (t->owner != NULL) {
		buf_puts(out, out->len > before ? ", owner " : "owner ");
		text_show(out, t->owner, strlen(t->owner), TEXT_LINE, 200);
	}
	for (i = 0; i < t->blocked_by.count; i++)
		buf_printf(out, "%s#%s",
		    i > 0               ? " "
		    : out->len > before ? ", after "
					: "after ",
		    t->blocked_by.item[i]);
	if (t->parent != NULL)
		buf_printf(out, "%sparent #%s", out->len > before ? ", " : "", t->parent);
	buf_putc(out, ')');
}

static void
print_description(struct buf *out, const char *text)
{
	size_t len;

	for (;; text += len + 1) {
		len = strcspn(text, "\n");
		buf_puts(out, len > 0 ? "  > " : "  >");
		buf_add(out, text, len);
		buf_putc(out, '\n');
		if (text[len] == '\0')
			break;
	}
}

/* For people: without codes, and without the number and parent that the line has anyway. */
static void
print_task(struct buf *out, const struct task *t, struct convert_report *report)
{
	const char *body = convert_body(t);
	char *title = macf_title(t->subject), *plain = text_plain(title);
	char *description = text_plain(body);
	size_t i, start;

	buf_printf(out, "- [%c] #%s ",
	    t->status == TASK_COMPLETED   ? 'x'
	    : t->status == TASK_CANCELLED ? '-'
					  : ' ',
	    t->id);
	start = out->len;
	buf_puts(out, plain);
	for (i = start; i < out->len; i++)
		if (out->data[i] == '\n' || out->data[i] == '\r')
			out->data[i] = ' ';
	print_brackets(out, t);
	buf_putc(out, '\n');
	if (*body != '\0' && strcmp(body, t->subject) != 0)
		print_description(out, description);
	convert_report_checklist(t, report);
	free(title);
	free(plain);
	free(description);
}

void
checklist_print(const struct task_set *set, struct buf *out, struct convert_report *report)
{
	size_t i;

	for (i = 0; i < set->count; i++)
		print_task(out, &set->item[i], report);
}
