/*
 * Braces are expanded first (up to a limit), then each alternative becomes a row
 * of tokens that is run over the path as a set of states: without backtracking
 * no pattern takes exponential time.
 */
#include "config/glob.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

enum token_kind {
	TOKEN_ONE,  /* this code point */
	TOKEN_ANY,  /* one, no slash */
	TOKEN_SET,  /* one of [..] */
	TOKEN_STAR, /* any number, no slash */
	TOKEN_ALL,  /* any number */
	TOKEN_DIRS, /* nothing, or TOKEN_ALL and a slash, the two tokens that follow */
};

struct token {
	enum token_kind kind;
	int32_t one;
	const char *set, *set_end; /* between the brackets */
	bool negated;
};

struct glob_row {
	struct token token[GLOB_MAX + 2];
	size_t count;
	bool word; /* a slash is an ordinary character */
};

/* The code point at *p; an invalid byte gets a number of its own, so that such names compare too.
 */
static int32_t
next_point(const char **p, const char *end)
{
	const char *at = *p;
	int32_t c = utf8_next(p, end);

	if (c != -1)
		return c;
	*p = at + 1;
	return 0x110000 + (unsigned char)*at;
}

/* The end of a set that starts after '[', or NULL; "]" may come first in it. */
static const char *
set_end(const char *p, const char *end)
{
	if (p < end && (*p == '!' || *p == '^'))
		p++;
	if (p < end && *p == ']')
		p++;
	while (p < end && *p != ']')
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	return p < end ? p : NULL;
}

static bool
set_has(const struct token *t, int32_t c)
{
	const char *p = t->set;
	bool found = false;

	while (p < t->set_end) {
		int32_t from, to;

		if (*p == '\\' && p + 1 < t->set_end)
			p++;
		from = to = next_point(&p, t->set_end);
		if (p + 1 < t->set_end && *p == '-') {
			p++;
			if (*p == '\\' && p + 1 < t->set_end)
				p++;
			to = next_point(&p, t->set_end);
		}
		if (c >= from && c <= to)
			found = true;
	}
	return found != t->negated;
}

static struct token *
row_add(struct glob_row *r, enum token_kind kind)
{
	struct token *t = &r->token[r->count++];

	*t = (struct token){ .kind = kind };
	return t;
}

static void
row_compile(struct glob_row *r, const char *p, const char *end)
{
	const char *start = p;

	r->count = 0;
	while (p < end) {
		if (p + 1 < end && p[0] == '*' && p[1] == '*') {
			bool first = p == start || p[-1] == '/';

			while (p < end && *p == '*')
				p++;
			if (first && p < end && *p == '/' && !r->word) {
				p++;
				row_add(r, TOKEN_DIRS);
				row_add(r, TOKEN_ALL);
				row_add(r, TOKEN_ONE)->one = '/';
			} else
				row_add(r, TOKEN_ALL);
		} else if (*p == '*') {
			p++;
			row_add(r, TOKEN_STAR);
		} else if (*p == '?') {
			p++;
			row_add(r, TOKEN_ANY);
		} else if (*p == '[' && set_end(p + 1, end) != NULL) {
			struct token *t = row_add(r, TOKEN_SET);

			t->set_end = set_end(++p, end);
			t->negated = *p == '!' || *p == '^';
			t->set = p + t->negated;
			p = t->set_end + 1;
		} else {
			if (*p == '\\' && p + 1 < end)
				p++;
			row_add(r, TOKEN_ONE)->one = next_point(&p, end);
		}
	}
}

/* Enter a state and those that are reached from it without reading. */
static void
state_enter(const struct glob_row *r, bool *set, size_t i)
{
	while (!set[i]) {
		set[i] = true;
		if (i == r->count)
			return;
		if (r->token[i].kind == TOKEN_DIRS)
			state_enter(r, set, i + 3);
		else if (r->token[i].kind != TOKEN_STAR && r->token[i].kind != TOKEN_ALL)
			return;
		i++;
	}
}

static bool
row_match(const struct glob_row *r, const char *text)
{
	bool state[2][GLOB_MAX + 3] = { { false } };
	bool *now = state[0], *then = state[1], *swap;
	const char *end = text + strlen(text);

	state_enter(r, now, 0);
	while (text < end) {
		int32_t c = next_point(&text, end);
		bool slash = c == '/' && !r->word;

		memset(then, 0, r->count + 1);
		for (size_t i = 0; i < r->count; i++) {
			const struct token *t = &r->token[i];

			if (!now[i])
				continue;
			if ((t->kind == TOKEN_ONE && t->one == c) ||
			    (t->kind == TOKEN_ANY && !slash) ||
			    (t->kind == TOKEN_SET && !slash && set_has(t, c)))
				state_enter(r, then, i + 1);
			else if (t->kind == TOKEN_ALL || (t->kind == TOKEN_STAR && !slash))
				state_enter(r, then, i);
		}
		swap = now;
		now = then;
		then = swap;
	}
	return now[r->count];
}

/* Match one alternative, without braces, by the rules of glob.h. */
static bool
match_plain(const char *p, size_t len, const char *path, bool word)
{
	char text[GLOB_MAX + 3];
	struct glob_row r;

	r.word = word;
	if (word) {
		row_compile(&r, p, p + len);
		return row_match(&r, path);
	}
	if (memchr(p, '/', len) == NULL) {
		const char *slash = strrchr(path, '/');

		row_compile(&r, p, p + len);
		return row_match(&r, slash == NULL ? path : slash + 1);
	}
	if (len > 0 && *p == '/')
		p++, len--;
	memcpy(text, p, len);
	if (len > 0 && text[len - 1] == '/') {
		text[len++] = '*';
		text[len++] = '*';
	}
	row_compile(&r, text, text + len);
	return row_match(&r, path);
}

struct expansion {
	const char *path; /* to match; NULL: only count the alternatives */
	bool word;
	int left; /* alternatives still allowed */
};

static const char *
skip_one(const char *p, const char *end)
{
	const char *e;

	if (*p == '\\' && p + 1 < end)
		return p + 2;
	if (*p == '[' && (e = set_end(p + 1, end)) != NULL)
		return e + 1;
	return p + 1;
}

static const char *
brace_end(const char *p, const char *end, bool *comma)
{
	int depth = 0;

	*comma = false;
	for (; p < end; p = skip_one(p, end)) {
		if (*p == '{')
			depth++;
		else if (*p == '}' && --depth == 0)
			return p;
		else if (*p == ',' && depth == 1)
			*comma = true;
	}
	return NULL;
}

/*
 * Match every alternative.  The first brace group that has a comma at its own level
 * is expanded here, the others by recursion.  -1 if there are too many, else
 * whether one matches.
 */
static int
expand(struct expansion *x, const char *pattern, size_t len)
{
	const char *end = pattern + len, *open, *close = NULL, *p, *part;
	bool comma = false;
	int depth = 0;

	for (open = pattern; open < end; open = skip_one(open, end))
		if (*open == '{' && (close = brace_end(open, end, &comma)) != NULL && comma)
			break;
	if (open >= end || close == NULL) {
		if (x->left-- == 0)
			return -1;
		return x->path != NULL && match_plain(pattern, len, x->path, x->word);
	}
	for (p = part = open + 1; p <= close; p = p == close ? p + 1 : skip_one(p, end)) {
		char text[GLOB_MAX];
		size_t n = 0;
		int rc;

		if (p < close && !(depth == 0 && *p == ',')) {
			depth += *p == '{' ? 1 : *p == '}' ? -1 : 0;
			continue;
		}
		memcpy(text, pattern, (size_t)(open - pattern));
		n = (size_t)(open - pattern);
		memcpy(text + n, part, (size_t)(p - part));
		n += (size_t)(p - part);
		memcpy(text + n, close + 1, (size_t)(end - close - 1));
		n += (size_t)(end - close - 1);
		if ((rc = expand(x, text, n)) != 0)
			return rc;
		part = p + 1;
	}
	return 0;
}

static bool
glob_test(const char *pattern, const char *path, bool word)
{
	struct expansion x = { path, word, GLOB_ALTERNATIVES };

	if (glob_check(pattern, NULL) == -1)
		return false;
	return expand(&x, pattern, strlen(pattern)) == 1;
}

bool
glob_match(const char *pattern, const char *path)
{
	return glob_test(pattern, path, false);
}

bool
glob_word(const char *pattern, const char *word)
{
	return glob_test(pattern, word, true);
}

bool
glob_any(const struct strings *patterns, const char *path)
{
	for (size_t i = patterns->count; i-- > 0;) {
		const char *p = patterns->item[i];

		if (*p == '!' ? glob_match(p + 1, path) : glob_match(p, path))
			return *p != '!';
	}
	return false;
}

int
glob_check(const char *pattern, struct error *e)
{
	struct expansion x = { .left = GLOB_ALTERNATIVES };
	const char *end, *p;
	int depth = 0;

	if (*pattern == '!')
		pattern++;
	end = pattern + strlen(pattern);
	if (pattern == end)
		return error_set(e, ERROR_INPUT, "the pattern is empty");
	if (end - pattern > GLOB_MAX)
		return error_set(e, ERROR_INPUT, "the pattern is longer than %d bytes", GLOB_MAX);
	for (p = pattern; p < end; p = skip_one(p, end)) {
		if (*p == '[' && set_end(p + 1, end) == NULL)
			return error_set(e, ERROR_INPUT, "a '[' without its ']'");
		if (*p == '\\' && p + 1 == end)
			return error_set(e, ERROR_INPUT, "a '\\' with nothing after it");
		depth += *p == '{' ? 1 : *p == '}' ? -1 : 0;
		if (depth < 0)
			break;
	}
	if (depth != 0)
		return error_set(e, ERROR_INPUT, "braces that do not match");
	if (strncmp(pattern, "./", 2) == 0 || strncmp(pattern, "../", 3) == 0 ||
	    strstr(pattern, "/../") != NULL || strstr(pattern, "/./") != NULL)
		return error_set(e, ERROR_INPUT, "a path from the root has no '.' and no '..'");
	if (expand(&x, pattern, (size_t)(end - pattern)) == -1)
		return error_set(e, ERROR_INPUT, "braces that expand to more than %d patterns",
		    GLOB_ALTERNATIVES);
	return 0;
}
