/*
 * A subject, an owner or a command's output can move a terminal's cursor, set
 * its clipboard, reorder the text (bidirectional controls) or carry words
 * that only a model sees (tag characters, variation selectors, zero-width
 * runs).  One rule serves all readers, so that a person approves what a model
 * was told.
 *
 * One zero-width character is allowed: U+FE0F right after a symbol, because
 * half of all emoji are written with it.  A run of them is not.
 */
#include "base/text.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

bool
text_safe(int32_t c)
{
	static const struct {
		int32_t first, last;
	} unsafe[] = {
		{ 0x00, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, /* soft hyphen */
		{ 0x34f, 0x34f },                               /* grapheme joiner */
		{ 0x61c, 0x61c },                               /* Arabic letter mark */
		{ 0x115f, 0x1160 },                             /* Hangul fillers */
		{ 0x17b4, 0x17b5 },                             /* Khmer inherent vowels */
		{ 0x180b, 0x180f },                             /* Mongolian selectors */
		{ 0x200b, 0x200f },                             /* zero width, direction marks */
		{ 0x2028, 0x202e },                             /* separators, embeddings */
		{ 0x2060, 0x206f },                     /* joiners, invisible operators, isolates */
		{ 0x3164, 0x3164 },                     /* Hangul filler */
		{ 0xd800, 0xdfff }, { 0xfe00, 0xfe0f }, /* variation selectors */
		{ 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, /* halfwidth filler */
		{ 0xfff0, 0xfffb },                     /* interlinear annotation */
		{ 0xfffe, 0xffff }, { 0x13430, 0x1345f }, /* hieroglyph format controls */
		{ 0x1bca0, 0x1bca3 },                     /* shorthand format controls */
		{ 0x1d173, 0x1d17a },                     /* musical format controls */
		{ 0xe0000, 0x10ffff },                    /* tags, selectors, private planes */
	};

	if (c >= 0x20 && c < 0x7f)
		return true;
	for (size_t i = 0; i < sizeof(unsafe) / sizeof(unsafe[0]); i++)
		if (c >= unsafe[i].first && c <= unsafe[i].last)
			return false;
	return true;
}

static bool
is_break(int32_t c)
{
	return c == '\n' || c == '\t' || c == '\r';
}

/* Its parameters and intermediates are 0x20 to 0x3f; one that breaks off ends there. */
size_t
text_sequence(const char *s, const char *end, bool *look)
{
	const char *p = s;

	*look = false;
	if (end - p >= 2 && (memcmp(p, "\033[", 2) == 0 || memcmp(p, "\xc2\x9b", 2) == 0))
		p += 2;
	else
		return 0;
	while (p < end && *p >= 0x20 && *p <= 0x3f)
		p++;
	if (p < end && *p >= 0x40 && *p <= 0x7e)
		*look = *p++ == 'm';
	return (size_t)(p - s);
}

/* Length of the sequences here that only change the look. */
static size_t
looks(const char *s, const char *end)
{
	const char *p = s;
	size_t len;
	bool look;

	while ((len = text_sequence(p, end, &look)) > 0 && look)
		p += len;
	return (size_t)(p - s);
}

char *
text_plain(const char *s)
{
	const char *end = s + strlen(s);
	struct buf b = { 0 };
	size_t len;
	bool look;

	buf_need(&b, (size_t)(end - s));
	for (; s<end; s += len> 0 ? len : 1) {
		len = text_sequence(s, end, &look);
		if (len == 0 && *s != '\033')
			buf_putc(&b, *s);
		else if (!look)
			buf_puts(&b, TEXT_REPLACEMENT);
	}
	return buf_take(&b);
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static bool
begins_with(const char *p, const char *end, const char *name)
{
	for (; *name != '\0'; name++, p++) {
		p += looks(p, end);
		if (p == end || lower(*p) != *name)
			return false;
	}
	return true;
}

/* After a '<': the name of a tag that the client puts around text of its own?  Text from outside
 * must not open or close one. */
static bool
is_frame(const char *p, const char *end)
{
	static const char names[][20] = { "system", "user-prompt", "command-", "local-command",
		"function_", "tool_", "antml", "task-notification", "teammate-message" };

	if (begins_with(p, end, "/"))
		p += looks(p, end) + 1;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (begins_with(p, end, names[i]))
			return true;
	return false;
}

/* Is text dim after this sequence?  A colour (38, 48, 58) has numbers of its own. */
static bool
is_dim(const char *p, size_t len, bool dim)
{
	const char *last = p + len - 1;
	char *after;
	long n;

	for (p += 2; p <= last; p = after + 1) {
		n = strtol(p, &after, 10);
		if ((after != last && *after != ';') || n == 38 || n == 48 || n == 58)
			break;
		if (n == 2)
			dim = true;
		else if (n == 0 || n == 22)
			dim = false;
	}
	return dim;
}

struct showing {
	struct buf *out;
	enum text_form form;
	int32_t last;
	bool dim; /* text added from here on is dim */
};

static void
show_dim(struct showing *w, bool dim)
{
	if (dim != w->dim)
		buf_puts(w->out, dim ? TEXT_DIM_ON : TEXT_DIM_OFF);
	w->dim = dim;
}

/* A control sequence at *p; false if nothing was added. */
static bool
show_sequence(struct showing *w, const char *p, size_t len, bool look)
{
	if (!look)
		buf_puts(w->out, TEXT_REPLACEMENT);
	else if (w->form == TEXT_DIM)
		show_dim(w, is_dim(p, len, w->dim));
	return !look;
}

/* Adds one character, or a run of breaks, from *p; false if nothing was added. */
static bool
show_one(struct showing *w, const char **p, const char *end)
{
	const char *from = *p;
	int32_t c, before = w->last;
	size_t len;
	bool look;

	/* Fast path: printable ASCII other than '<'. */
	if (*from >= 0x20 && *from < 0x7f && *from != '<') {
		w->last = (unsigned char)*from;
		(*p)++;
		buf_putc(w->out, *from);
		return true;
	}
	if ((len = text_sequence(from, end, &look)) > 0) {
		*p += len;
		return show_sequence(w, from, len, look);
	}
	w->last = c = utf8_next(p, end);
	if (is_break(c) && w->form != TEXT_BLOCK) {
		while (*p < end && is_break((unsigned char)**p))
			(*p)++;
		buf_putc(w->out, ' ');
	} else if (c == '\r') {
		/* a line break; a terminal would overwrite the line */
		if (*p < end && **p == '\n')
			return false;
		buf_putc(w->out, '\n');
	} else if (is_break(c)) {
		buf_putc(w->out, (char)c);
	} else if (c == '<' && is_frame(*p, end)) {
		buf_putc(w->out, '[');
	} else if (c == 0xfe0f && before > 0x7f && text_safe(before)) {
		buf_add(w->out, from, (size_t)(*p - from));
	} else if (c == -1 || !text_safe(c)) {
		buf_puts(w->out, TEXT_REPLACEMENT);
	} else {
		buf_add(w->out, from, (size_t)(*p - from));
	}
	return true;
}

void
text_show(struct buf *out, const char *s, size_t len, enum text_form form, size_t max_chars)
{
	struct showing w = { .out = out, .form = form, .last = -1 };
	const char *end = s + len;
	size_t chars = 0, cut = out->len;
	bool dim_at_cut = false;

	while (s < end) {
		if (chars + 3 == max_chars) {
			cut = out->len;
			dim_at_cut = w.dim;
		}
		if (!show_one(&w, &s, end))
			continue;
		if (++chars > max_chars) {
			buf_need(out, 3);
			out->len = cut;
			out->data[cut] = '\0';
			w.dim = dim_at_cut;
			buf_add(out, "...", max_chars < 3 ? max_chars : 3);
			break;
		}
	}
	show_dim(&w, false);
}

char *
text_shown(const char *s, size_t max_chars)
{
	struct buf b = { 0 };

	text_show(&b, s, strlen(s), TEXT_LINE, max_chars);
	buf_need(&b, 0);
	return buf_take(&b);
}

void
text_quote(struct buf *out, const char *s, size_t max_chars)
{
	size_t from;

	buf_putc(out, '"');
	from = out->len;
	if (s != NULL)
		text_show(out, s, strlen(s), TEXT_LINE, max_chars);
	/* the reader must see where the quotation ends */
	for (; from < out->len; from++)
		if (out->data[from] == '"')
			out->data[from] = '\'';
	buf_putc(out, '"');
}

const char *
text_last(const char *text, size_t len, char byte)
{
	while (len > 0)
		if (text[--len] == byte)
			return text + len;
	return NULL;
}

bool
text_equal(const char *a, const char *b)
{
	return a != NULL && b != NULL && strcmp(a, b) == 0;
}

#define WORD_MAX 64 /* longer words are not compared */

/* Insertions, deletions, substitutions, and swaps of neighbours. */
static size_t
distance(const char *a, size_t alen, const char *b, size_t blen)
{
	size_t rows[3][WORD_MAX + 1], *row = rows[0], *above = rows[1], *top = rows[2], *t, d;

	for (size_t j = 0; j <= blen; j++)
		row[j] = j;
	for (size_t i = 1; i <= alen; i++) {
		t = top, top = above, above = row, row = t;
		row[0] = i;
		for (size_t j = 1; j <= blen; j++) {
			d = above[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
			if (above[j] + 1 < d)
				d = above[j] + 1;
			if (row[j - 1] + 1 < d)
				d = row[j - 1] + 1;
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
			    lower(a[i - 2]) == lower(b[j - 1]) && top[j - 2] + 1 < d)
				d = top[j - 2] + 1;
			row[j] = d;
		}
	}
	return row[blen];
}

bool
text_plain_word(const char *s)
{
	return *s != '\0' &&
	       s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			   "_-./=:,+@%")] == '\0';
}

bool
text_number(const char *s, int64_t min, int64_t max, int64_t *out)
{
	const char *problem;

	*out = strtonum(s, min, max, &problem);
	return problem == NULL;
}

const char *
text_nearest(const char *word, const char *const *candidates, size_t count)
{
	size_t len = strlen(word), clen, d, best;
	const char *found = NULL;

	if (len == 0 || len > WORD_MAX)
		return NULL;
	best = len < 3 ? 1 : len / 3 + 1; /* one more than the edits allowed */
	if (len >= 3 && best < 2)
		best = 2;
	for (size_t i = 0; i < count; i++) {
		clen = strlen(candidates[i]);
		if (clen > WORD_MAX)
			continue;
		d = distance(word, len, candidates[i], clen);
		if (d < best && d < clen) {
			best = d;
			found = candidates[i];
		}
	}
	return found;
}

/* Simple case folding for Latin, Greek and Cyrillic. */
static int32_t
fold(int32_t c)
{
	if ((c >= 'A' && c <= 'Z') || (c >= 0xc0 && c <= 0xde && c != 0xd7) ||
	    (c >= 0x391 && c <= 0x3a9) || (c >= 0x410 && c <= 0x42f))
		return c + 0x20;
	if (c >= 0x400 && c <= 0x40f)
		return c + 0x50;
	if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e))
		return c + (c & 1);
	if (c >= 0x100 && c <= 0x177 && c != 0x130 && c != 0x131 && c != 0x138 && c != 0x149)
		return c | 1;
	return c;
}

static bool
is_space(int32_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xa0 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
	       c == 0x205f || c == 0x3000 || c == 0xfeff;
}

/* The next folded character; a run of white space is one ' ', or nothing at
 * the start and the end of the text.  0 at the end.  Control sequences are
 * skipped. */
static int32_t
next_folded(const char **p, const char *end, bool first)
{
	const char *q;
	bool space = false;
	int32_t c;

	for (;;) {
		*p += looks(*p, end);
		if (*p == end)
			return 0;
		q = *p;
		c = utf8_next(&q, end);
		if (!is_space(c))
			break;
		space = true;
		*p = q;
	}
	if (space && !first)
		return ' ';
	*p = q;
	return fold(c);
}

bool
text_same(const char *a, const char *b)
{
	const char *aend = a + strlen(a), *bend = b + strlen(b);
	bool first = true;
	int32_t x, y;

	do {
		x = next_folded(&a, aend, first);
		y = next_folded(&b, bend, first);
		first = false;
	} while (x == y && x != 0);
	return x == y;
}

bool
text_contains(const char *text, const char *part)
{
	const char *end = text + strlen(text), *part_end = part + strlen(part), *at, *p;
	bool first;
	int32_t x, y;

	for (;; utf8_next(&text, end)) {
		at = text += looks(text, end);
		p = part;
		first = true;
		do {
			if ((y = next_folded(&p, part_end, first)) == 0)
				return true;
			x = next_folded(&at, end, first);
			first = false;
		} while (x == y);
		if (text == end)
			return false;
	}
}
