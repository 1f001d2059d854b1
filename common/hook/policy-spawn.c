/*
 * policy: an agent about to be spawned for a task.
 *
 * A prompt may mention tasks that are done; it is refused only if none of
 * those it names can be worked on.  `#3` also names issues and pull requests:
 * it is not read as a task after a word like "issue", or with text directly
 * before it.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "hook/policy.h"

#define ID_DIGITS 9  /* ids the client gives out */
#define NAMED_MAX 64 /* ids one prompt can name */

static bool
word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The word before p, skipping blanks: its start and length. */
static size_t
word_before(const char *text, const char *p, const char **word)
{
	const char *end;

	while (p > text && (p[-1] == ' ' || p[-1] == '\t'))
		p--;
	end = p;
	while (p > text && word_char(p[-1]))
		p--;
	*word = p;
	return (size_t)(end - p);
}

static bool
names_something_else(const char *word, size_t len)
{
	static const char words[][12] = { "issue", "issues", "pr", "prs", "pull", "request",
		"requests", "mr", "bug", "bugs", "ticket", "tickets", "commit", "comment",
		"discussion", "gh", "line", "step", "item", "section", "chapter", "page", "figure",
		"footnote", "heading", "color", "colour", "port", "version", "fixes", "closes",
		"resolves" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == len && strncasecmp(words[i], word, len) == 0)
			return true;
	return false;
}

static void
add_id(struct strings *ids, const char *digits, size_t len)
{
	char id[ID_DIGITS + 1];

	if (len == 0 || len > ID_DIGITS || ids->count >= NAMED_MAX)
		return;
	memcpy(id, digits, len);
	id[len] = '\0';
	if (!strings_has(ids, id))
		strings_add(ids, id);
}

/* Digits that are a word of their own: not 3.5, 3rd, 3-4, #333aaa. */
static size_t
number_at(const char *p)
{
	size_t n = 0;

	while (isdigit((unsigned char)p[n]))
		n++;
	if (n == 0 || word_char(p[n]) ||
	    ((p[n] == '.' || p[n] == '-' || p[n] == ':') && isalnum((unsigned char)p[n + 1])))
		return 0;
	return n;
}

/* After "task" or "tasks": a list of numbers, `3`, `#3`, `3, 4 and #5`. */
static const char *
numbers_after(const char *p, struct strings *ids)
{
	size_t n;

	for (;;) {
		const char *q = p;

		while (*q == ' ' || *q == '\t' || *q == ':')
			q++;
		if (*q == '#')
			q++;
		if ((n = number_at(q)) == 0)
			return p;
		add_id(ids, q, n);
		p = q + n;
		while (*p == ' ' || *p == ',' || *p == '&' || *p == '/')
			p++;
		if (strncasecmp(p, "and ", 4) == 0)
			p += 4;
		else if (strncasecmp(p, "or ", 3) == 0)
			p += 3;
	}
}

void
policy_spawn_names(const char *text, struct strings *ids)
{
	const char *p, *word;
	size_t n, len;

	for (p = text; *p != '\0'; p++) {
		bool starts = p == text || !word_char(p[-1]);

		if (starts && strncasecmp(p, "task", 4) == 0) {
			const char *after = p + 4;

			if (*after == 's' || *after == 'S')
				after++;
			if (!word_char(*after)) {
				const char *next = numbers_after(after, ids);

				if (next > after)
					p = next - 1;
			}
			continue;
		}
		if (*p != '#' || (p > text && (word_char(p[-1]) || strchr("&#/-.", p[-1]) != NULL)))
			continue;
		if ((n = number_at(p + 1)) == 0)
			continue;
		len = word_before(text, p, &word);
		if (!names_something_else(word, len))
			add_id(ids, p + 1, n);
	}
}

bool
policy_spawn_useless(const struct spawn_task *named, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (task_open(named[i].task) && !task_held(named[i].task) &&
		    (named[i].blockers == NULL || named[i].blockers->count == 0))
			return false;
	return count > 0;
}

void
policy_spawn(
    const struct config *config, const struct spawn_task *named, size_t count, struct decision *d)
{
	struct buf b = { 0 };

	if (!policy_spawn_useless(named, count))
		return;
	for (size_t i = 0; i < count; i++) {
		buf_puts(&b, i == 0 ? "No agent is needed yet for what this prompt names: " : "; ");
		task_name(&b, named[i].task);
		if (!task_open(named[i].task) || named[i].blockers == NULL ||
		    named[i].blockers->count == 0)
			buf_printf(&b, " is %s", task_status_name(named[i].task->status));
		else {
			buf_puts(&b, " is blocked by ");
			blockers_describe(&b, named[i].blockers);
		}
	}
	buf_puts(&b, ". Name a task that can be worked on, or leave the number out.");
	policy_object(d, config->rules.spawn, "spawn", &b);
}
