/*
 * A new title for a task whose subject has marks before the title.
 */
#include <stdlib.h>
#include <string.h>

#include "task/macf-part.h"

/* The emoji and [SA:type] of a subject; length 0: none. */
struct front {
	const char *emoji, *agent;
	size_t emoji_len, agent_len;
};

/* The length of [SA:type] at the start of a text; [SA:] is one too. */
static size_t
agent_len(const char *text)
{
	static const char none[] = MACF_AGENT "]";
	size_t len;
	const char *type = macf_agent_find(text, &len);

	if (strncmp(text, none, strlen(none)) == 0)
		return strlen(none);
	return type == text + strlen(MACF_AGENT) ? strlen(none) + len : 0;
}

/* Reads both from the start of a text, in any order; what follows them. */
static const char *
front_read(struct front *f, const char *text)
{
	size_t len;

	*f = (struct front){ 0 };
	for (;;) {
		if (f->emoji_len == 0 && (len = macf_emoji_len(text)) > 0) {
			f->emoji = text;
			f->emoji_len = len;
		} else if (f->agent_len == 0 && (len = agent_len(text)) > 0) {
			f->agent = text;
			f->agent_len = len;
			len += strspn(text + len, " ");
		} else
			return text;
		text += len;
	}
}

/* What follows the mark of the parent at the start of a text. */
static const char *
after_parent(const char *text)
{
	size_t len;
	bool dim;

	return macf_parent_mark(text, &len, &dim) == text ? text + len : text;
}

char *
macf_active_form(const char *subject)
{
	struct front f;
	const char *rest = front_read(&f, after_parent(subject + macf_number_len(subject)));
	char *words = macf_unmark(rest), *form = mem_printf("Working on %s", words);

	free(words);
	return form;
}

bool
macf_shown(const struct task *t, const char *title)
{
	size_t len = strlen(t->id);

	return macf_number_len(t->subject) > 0 && *title == '#' &&
	       strncmp(title + 1, t->id, len) == 0 && title[len + 1] == ' ';
}

static void
add_mark(struct buf *b, const char *mark, size_t len)
{
	buf_add(b, mark, len);
	if (len > 0 && mark[len - 1] != ' ')
		buf_putc(b, ' ');
}

/* The number and the parent of a task, if its subject has them.  What comes later in a subject than
 * these is only a mark if it names the parent. */
static void
add_numbers(struct buf *b, const struct task *t)
{
	size_t number = macf_number_len(t->subject), len = 0;
	struct buf old = { 0 };
	const char *mark;
	char *now, *parent = macf_parent(t->subject);
	bool dim;

	buf_add(&old, t->subject, number);
	mark = macf_parent_mark(t->subject + number, &len, &dim);
	if (mark == t->subject + number ||
	    (mark != NULL && parent != NULL && t->parent != NULL && strcmp(parent, t->parent) == 0))
		add_mark(&old, mark, len);
	free(parent);
	now = macf_renumber(buf_text(&old), t->id, t->parent != NULL ? t->parent : "");
	buf_puts(b, now);
	free(now);
	buf_free(&old);
}

/* A title after the emoji and [SA:type] of the subject, unless it has its own. */
static void
add_title(struct buf *b, const char *subject, const char *title)
{
	struct front was, now;
	const char *rest = front_read(&now, title), *type;
	size_t len;

	(void)front_read(&was, after_parent(subject + macf_number_len(subject)));
	if (was.agent_len == 0 && (type = macf_agent_find(subject, &len)) != NULL) {
		was.agent = type - strlen(MACF_AGENT);
		was.agent_len = agent_len(was.agent);
	}
	if (was.emoji_len + was.agent_len == 0) {
		buf_puts(b, title);
		return;
	}
	if (now.emoji_len > 0)
		add_mark(b, now.emoji, now.emoji_len);
	else
		add_mark(b, was.emoji, was.emoji_len);
	if (now.agent_len > strlen(MACF_AGENT "]"))
		add_mark(b, now.agent, now.agent_len);
	else if (now.agent_len == 0 && macf_agent_find(rest, &len) == NULL)
		add_mark(b, was.agent, was.agent_len);
	buf_puts(b, rest);
}

char *
macf_retitle(const struct task *t, const char *title)
{
	struct buf b = { 0 };
	char *subject, *old, *parent;

	if (macf_number_len(title) > 0)
		return macf_renumber(title, t->id, t->parent != NULL ? t->parent : "");
	if (macf_shown(t, title))
		title += strlen(t->id) + 2;
	add_numbers(&b, t);
	add_title(&b, t->subject, after_parent(title));
	subject = buf_take(&b);
	/* It does not give the task a parent. */
	while (t->parent == NULL && (parent = macf_parent(subject)) != NULL) {
		free(parent);
		old = subject;
		subject = macf_renumber(old, t->id, "");
		free(old);
	}
	return subject;
}
