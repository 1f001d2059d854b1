/*
 * Ids of tasks, their names in messages, and sets of tasks.
 */
#include "task/task.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

bool
task_id_ok(const char *id)
{
	size_t i;

	if (id == NULL || *id == '\0' || *id == '.')
		return false;
	for (i = 0; id[i] != '\0'; i++)
		if (i == 128 || !(isalnum((unsigned char)id[i]) || strchr("._-", id[i])))
			return false;
	return true;
}

/* In the form $'...': what must not be shown is an escape, so that the command gets the id as it
 * is. */
static void
put_escaped(struct buf *out, const char *id)
{
	const char *end = id + strlen(id), *from;
	int32_t c;

	buf_puts(out, "$'");
	while (id < end) {
		from = id;
		c = utf8_next(&id, end);
		if (c == '\n')
			buf_puts(out, "\\n");
		else if (c == '\\' || c == '\'')
			buf_printf(out, "\\%c", (char)c);
		else if (c != -1 && c != '<' && text_safe(c))
			buf_add(out, from, (size_t)(id - from));
		else
			while (from < id)
				buf_printf(out, "\\x%02x", (unsigned char)*from++);
	}
	buf_putc(out, '\'');
}

void
task_id_word(struct buf *out, const char *id)
{
	struct buf shown = { 0 };
	const char *p;

	if (*id == '-') { /* it would be an option */
		char *word = mem_join("#", id, NULL);

		task_id_word(out, word);
		free(word);
		return;
	}
	if (task_id_ok(id)) {
		buf_puts(out, id);
		return;
	}
	text_show(&shown, id, strlen(id), TEXT_LINE, TASK_ID_MAX + 1);
	if (strcmp(buf_text(&shown), id) != 0) {
		put_escaped(out, id);
	} else {
		buf_putc(out, '\'');
		for (p = id; *p != '\0'; p++)
			if (*p == '\'')
				buf_puts(out, "'\\''");
			else
				buf_putc(out, *p);
		buf_putc(out, '\'');
	}
	buf_free(&shown);
}

static bool
numeric(const char *id)
{
	return *id != '\0' && id[strspn(id, "0123456789")] == '\0';
}

int
task_id_compare(const char *a, const char *b)
{
	bool na = numeric(a), nb = numeric(b);
	const char *pa, *pb;

	if (na != nb)
		return na ? -1 : 1;
	if (na) {
		/* of any length: fewer digits, smaller number */
		for (pa = a; *pa == '0'; pa++)
			;
		for (pb = b; *pb == '0'; pb++)
			;
		if (strlen(pa) != strlen(pb))
			return strlen(pa) < strlen(pb) ? -1 : 1;
		if (strcmp(pa, pb) != 0)
			return strcmp(pa, pb);
	}
	return strcmp(a, b);
}

void
task_name(struct buf *out, const struct task *t)
{
	buf_putc(out, '#');
	text_show(out, t->id, strlen(t->id), TEXT_LINE, 128);
	buf_putc(out, ' ');
	text_quote(out, t->subject, TEXT_SUBJECT);
}

void
task_describe(struct buf *out, const struct task *t)
{
	task_name(out, t);
	buf_printf(out, " (%s", task_status_name(t->status));
	if (t->owner != NULL) {
		buf_puts(out, ", owner ");
		text_show(out, t->owner, strlen(t->owner), TEXT_LINE, 80);
	}
	buf_putc(out, ')');
}

struct task *
task_set_add(struct task_set *set)
{
	struct task *t;

	set->item = mem_more(set->item, set->count, sizeof(*set->item));
	t = &set->item[set->count++];
	memset(t, 0, sizeof(*t));
	t->status = t->original = TASK_NO_STATUS;
	return t;
}

struct task *
task_set_find(const struct task_set *set, const char *id)
{
	size_t i;

	for (i = 0; i < set->count; i++)
		if (strcmp(set->item[i].id, id) == 0)
			return &set->item[i];
	return NULL;
}

static int
task_rank(const struct task *t)
{
	switch (t->status) {
	case TASK_IN_PROGRESS:
		return 0;
	case TASK_PENDING:
		return 1;
	case TASK_BLOCKED:
		return 2;
	case TASK_CANCELLED:
		return 3;
	default:
		return 4;
	}
}

static int
task_order(const void *a, const void *b)
{
	const struct task *ta = a, *tb = b;

	if (task_rank(ta) != task_rank(tb))
		return task_rank(ta) - task_rank(tb);
	return task_id_compare(ta->id, tb->id);
}

void
task_set_sort(struct task_set *set)
{
	if (set->count > 1)
		qsort(set->item, set->count, sizeof(set->item[0]), task_order);
}

void
task_set_free(struct task_set *set)
{
	size_t i;

	for (i = 0; i < set->count; i++)
		task_free(&set->item[i]);
	free(set->item);
	memset(set, 0, sizeof(*set));
}

/* FNV-1a; linear probing in a table that is at most half full. */
static size_t
id_hash(const char *s)
{
	size_t h = 14695981039346656037u;

	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	return h ^ h >> 29;
}

void
task_index_make(struct task_index *index, const struct task_set *set)
{
	size_t room = 16, i, at;

	while (room < set->count * 2)
		room *= 2;
	index->set = set;
	index->mask = room - 1;
	index->slot = mem_grow(NULL, room, sizeof(index->slot[0]));
	for (i = 0; i < room; i++)
		index->slot[i] = TASK_NOWHERE;
	for (i = 0; i < set->count; i++) {
		for (at = id_hash(set->item[i].id) & index->mask; index->slot[at] != TASK_NOWHERE;)
			at = (at + 1) & index->mask;
		index->slot[at] = i;
	}
}

size_t
task_index_find(const struct task_index *index, const char *id)
{
	size_t at;

	for (at = id_hash(id) & index->mask; index->slot[at] != TASK_NOWHERE;
	     at = (at + 1) & index->mask)
		if (strcmp(index->set->item[index->slot[at]].id, id) == 0)
			return index->slot[at];
	return TASK_NOWHERE;
}

const struct task *
task_index_get(const struct task_index *index, const char *id)
{
	size_t at = task_index_find(index, id);

	return at != TASK_NOWHERE ? &index->set->item[at] : NULL;
}

void
task_index_free(struct task_index *index)
{
	free(index->slot);
	index->slot = NULL;
}
