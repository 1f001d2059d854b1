/*
 * Nothing here fails on malformed text: it is then treated as plain text.
 */
#include "task/macf-part.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

#define OPEN "<macf_task_metadata"
#define CLOSE "</macf_task_metadata>"
#define FRONT 200 /* bytes at the start of a subject that are searched for marks */
#define PARENT "[^#"
#define DIM "\033[2m"
#define NORMAL "\033[0m"
#define KEY "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
#define BLANKS " \t\r\n"

#define KINDS 4

const char *const macf_kinds[KINDS + 1] = { "mission", "experiment", "phase", "bug", NULL };

/* How each is written.  Others may leave out the U+FE0F after the first four bytes. */
static const struct {
	char type[12], emoji[8];
} marks[KINDS] = {
	{ "MISSION", "\xf0\x9f\x97\xba\xef\xb8\x8f" },
	{ "EXPERIMENT", "\xf0\x9f\xa7\xaa" },
	{ "PHASE", "\xf0\x9f\x93\x8b" },
	{ "BUG", "\xf0\x9f\x90\x9b" },
};
#define EMOJI_BYTES 4
#define VARIATION "\xef\xb8\x8f"

/* The value of a mark, [^#67] or [SA:x]; NULL: there is none. */
static const char *
mark_find(const char *text, const char *mark, const char *allowed, size_t *len)
{
	const char *p = strstr(text, mark);

	if (p == NULL || p - text > FRONT)
		return NULL;
	p += strlen(mark);
	*len = strspn(p, allowed);
	return *len > 0 && p[*len] == ']' ? p : NULL;
}

const char *
macf_agent_find(const char *subject, size_t *len)
{
	return mark_find(subject, MACF_AGENT, KEY ".", len);
}

char *
macf_agent_type(const char *subject)
{
	size_t len;
	const char *type = macf_agent_find(subject, &len);

	return type != NULL ? mem_copy(type, len) : NULL;
}

char *
macf_unmark(const char *subject)
{
	size_t len;
	const char *type = macf_agent_find(subject, &len), *after;

	if (type == NULL)
		return mem_string(subject);
	after = type + len + 1;
	after += strspn(after, " ");
	return mem_printf(
	    "%.*s%s", (int)(type - subject) - (int)strlen(MACF_AGENT), subject, after);
}

/* The agents of a plugin have its name before theirs: plugin:TestEng. */
bool
macf_same_type(const char *mark, const char *type)
{
	const char *colon = strrchr(type, ':');

	return strcasecmp(mark, colon != NULL ? colon + 1 : type) == 0;
}

char *
macf_parent(const char *subject)
{
	size_t len;
	const char *id = mark_find(subject, PARENT, "0123456789", &len);

	return id != NULL ? mem_copy(id, len) : NULL;
}

size_t
macf_number_len(const char *subject)
{
	static const char before[] = DIM "#", after[] = NORMAL " ";
	size_t n = strlen(before);

	if (strncmp(subject, before, n) != 0)
		return 0;
	n += strspn(subject + n, KEY ".");
	return strncmp(subject + n, after, strlen(after)) == 0 ? n + strlen(after) : 0;
}

const char *
macf_parent_mark(const char *subject, size_t *len, bool *dim)
{
	const char *from = mark_find(subject, PARENT, KEY ".", len);

	if (from == NULL)
		return NULL;
	from -= strlen(PARENT);
	*len += strlen(PARENT) + 1;
	*dim = from - subject >= (ptrdiff_t)strlen(DIM) &&
	       memcmp(from - strlen(DIM), DIM, strlen(DIM)) == 0 &&
	       strncmp(from + *len, NORMAL, strlen(NORMAL)) == 0;
	if (*dim) {
		from -= strlen(DIM);
		*len += strlen(DIM) + strlen(NORMAL);
	}
	*len += from[*len] == ' ';
	return from;
}

char *
macf_renumber(const char *subject, const char *id, const char *parent)
{
	const char *rest = subject + macf_number_len(subject), *mark;
	struct buf b = { 0 };
	size_t len = 0;
	bool numbered = rest > subject, dim = true;

	mark = macf_parent_mark(rest, &len, &dim);
	if (numbered)
		buf_printf(&b, DIM "#%s" NORMAL " ", id);
	if (parent != NULL && (mark != NULL || numbered)) {
		if (mark == NULL)
			mark = rest;
		buf_add(&b, rest, (size_t)(mark - rest));
		if (*parent != '\0')
			buf_printf(&b, "%s[^#%s]%s%s", dim ? DIM : "", parent, dim ? NORMAL : "",
			    len > 0 && mark[len - 1] != ' ' ? "" : " ");
		rest = mark + len;
	}
	buf_puts(&b, rest);
	return buf_take(&b);
}

char *
macf_title(const char *subject)
{
	size_t number = macf_number_len(subject);
	char *bare = number > 0 ? macf_renumber(subject, "", "") : NULL, *title;

	title = mem_string(bare != NULL ? bare + macf_number_len(bare) : subject);
	free(bare);
	return title;
}

size_t
macf_emoji_len(const char *text)
{
	size_t len = 0;

	for (size_t i = 0; i < KINDS && len == 0; i++)
		if (strncmp(text, marks[i].emoji, EMOJI_BYTES) == 0)
			len = EMOJI_BYTES;
	if (len > 0 && strncmp(text + len, VARIATION, strlen(VARIATION)) == 0)
		len += strlen(VARIATION);
	return len > 0 ? len + (text[len] == ' ') : 0;
}

char *
macf_kind(const struct task *t)
{
	char *kind = task_metadata_string(t, "kind");
	size_t front = strnlen(t->subject, FRONT);

	if (kind == NULL)
		kind = macf_value(t->description, "task_type");
	for (char *p = kind; p != NULL && *p != '\0'; p++)
		*p = (char)tolower((unsigned char)*p);
	for (size_t i = 0; kind == NULL && i < KINDS; i++)
		if (memmem(t->subject, front, marks[i].emoji, EMOJI_BYTES) != NULL)
			kind = mem_string(macf_kinds[i]);
	return kind;
}

const char *
macf_block(const char *description, size_t *len)
{
	const char *start = strstr(description, OPEN), *end;

	if (start == NULL || (end = strstr(start, CLOSE)) == NULL)
		return NULL;
	*len = (size_t)(end - start) + strlen(CLOSE);
	return start;
}

char *
macf_body(const char *description)
{
	size_t len;
	const char *block = macf_block(description, &len), *start;

	if (block == NULL)
		return NULL;
	start = block + strcspn(block, ">") + 1;
	return start <= block + len - strlen(CLOSE)
		   ? mem_copy(start, (size_t)(block + len - strlen(CLOSE) - start))
		   : mem_string("");
}

/* The length without the blanks at the end. */
static size_t
trimmed(const char *text, size_t len)
{
	while (len > 0 && strchr(BLANKS, text[len - 1]) != NULL)
		len--;
	return len;
}

/* A value without the quotes around it. */
static char *
unquoted(const char *value, size_t len)
{
	len = trimmed(value, len);
	if (len >= 2 && (*value == '"' || *value == '\'') && value[len - 1] == *value)
		return mem_copy(value + 1, len - 2);
	return mem_copy(value, len);
}

void
macf_each(
    const char *description, void (*fn)(void *, const char *key, const char *value), void *arg)
{
	char *body = macf_body(description), *key, *value;
	size_t n;

	for (const char *p = body; p != NULL && *p != '\0'; p += strcspn(p, "\n")) {
		p += strspn(p, BLANKS);
		n = strspn(p, KEY);
		if (n > 0 && *p != '-' && p[n] == ':') {
			key = mem_copy(p, n);
			p += n + 1;
			p += strspn(p, " \t");
			value = unquoted(p, strcspn(p, "\n"));
			if (*value != '\0')
				fn(arg, key, value);
			free(key);
			free(value);
		}
	}
	free(body);
}

struct wanted {
	const char *key;
	char *value;
};

static void
take_wanted(void *arg, const char *key, const char *value)
{
	struct wanted *w = arg;

	if (w->value == NULL && strcmp(key, w->key) == 0)
		w->value = mem_string(value);
}

char *
macf_value(const char *description, const char *key)
{
	struct wanted w = { key, NULL };

	macf_each(description, take_wanted, &w);
	return w.value;
}

char *
macf_text(const char *description)
{
	size_t len, before;
	const char *block = macf_block(description, &len), *after;

	if (block == NULL)
		return mem_string(description);
	before = trimmed(description, (size_t)(block - description));
	after = block + len;
	if (before == 0)
		after += strspn(after, BLANKS);
	return mem_printf(
	    "%.*s%.*s", (int)before, description, (int)trimmed(after, strlen(after)), after);
}

/* A description with a block at its end; owned. */
static char *
joined(const char *description, const char *block, size_t len)
{
	size_t n = trimmed(description, strlen(description));

	return mem_printf("%.*s%s%.*s", (int)n, description, n > 0 ? "\n\n" : "", (int)len, block);
}

char *
macf_keep(const char *old, const char *description)
{
	size_t len, n;
	const char *block = macf_block(old, &len);

	if (block == NULL || macf_block(description, &n) != NULL)
		return mem_string(description);
	return joined(description, block, len);
}

/* The line of the block that names the parent, or the end of the block. */
static const char *
parent_line(const char *block, const char *end)
{
	const char *line = block;

	while (line < end && strncmp(line + strspn(line, " \t"), "parent_id:", 10) != 0) {
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return line < end ? line : end;
}

char *
macf_reparent(const char *description, const char *parent)
{
	size_t len;
	const char *block = macf_block(description, &len), *end, *line, *next;
	struct buf b = { 0 };

	if (block == NULL)
		return mem_string(description);
	end = block + len - strlen(CLOSE);
	line = next = parent_line(block, end);
	if (line < end) {
		next += strcspn(next, "\n");
		next = next < end ? next + 1 : end;
	}
	buf_add(&b, description, (size_t)(line - description));
	if (*parent != '\0')
		buf_printf(&b, "%sparent_id: %s\n", line[-1] != '\n' ? "\n" : "", parent);
	buf_puts(&b, next);
	return buf_take(&b);
}

static size_t
kind_index(const struct macf *m)
{
	size_t i = 0;

	while (i < KINDS - 1 && strcmp(macf_kinds[i], m->kind) != 0)
		i++;
	return i;
}

char *
macf_subject(const struct macf *m, const char *id, const char *parent, const char *title)
{
	struct buf b = { 0 };

	if (id != NULL)
		buf_printf(&b, DIM "#%s" NORMAL " ", id);
	if (id != NULL && parent != NULL)
		buf_printf(&b, DIM "[^#%s]" NORMAL " ", parent);
	buf_printf(&b, "%s %s", marks[kind_index(m)].emoji, title);
	return buf_take(&b);
}

static void
add_line(struct buf *b, const char *key, const char *value)
{
	if (value != NULL)
		buf_printf(b, "%s: %s\n", key, value);
}

char *
macf_description(const struct macf *m, const char *parent, const char *text)
{
	struct buf b = { 0 };
	size_t len;
	char *all;

	if (macf_block(text, &len) != NULL)
		return parent != NULL ? macf_reparent(text, parent) : mem_string(text);
	buf_puts(&b, OPEN " version=\"1.0\">\n");
	add_line(&b, "creation_breadcrumb", m->breadcrumb);
	add_line(&b, "created_cycle", m->cycle);
	add_line(&b, "created_by", m->created_by);
	add_line(&b, "task_type", marks[kind_index(m)].type);
	add_line(&b, "parent_id", parent);
	add_line(&b, "repo", m->repo);
	add_line(&b, "target_version", m->version);
	buf_puts(&b, CLOSE);
	all = joined(text, buf_text(&b), b.len);
	buf_free(&b);
	return all;
}
