/*
 * The C library's matcher is a state machine as long as there is no back
 * reference; so the size of the machine and the work of its compiler are bounded.
 */
#include "config/pattern.h"

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* macOS: know \b, \w and the like.  They are not in POSIX. */
#ifndef REG_ENHANCED
#define REG_ENHANCED 0
#endif
#define FLAGS (REG_EXTENDED | REG_ENHANCED | REG_NOSUB)

/* A group while it is open: the size of what is finished, and of the last
 * item, which a repetition may still multiply. */
struct group {
	long done, last;
	bool last_empty;   /* the last item can match nothing */
	bool branch_empty; /* so can all before it in this branch */
	bool empty;        /* so can a whole branch before this one */
};

static void
group_add(struct group *g, long size, bool empty)
{
	g->done += g->last;
	g->branch_empty = g->branch_empty && g->last_empty;
	g->last = size;
	g->last_empty = empty;
}

/* Without its meaning, an escape stands for its character: the pattern would match nothing, and
 * what it selects would not be checked. */
static bool
escape_known(char c)
{
	static const struct {
		char c;
		const char *pattern, *text, *other;
	} gnu[] = { { 'b', "x\\b", "x", "xb" }, { 'B', "x\\B", "xy", "x" },
		{ '<', "\\<x", "x", "yx" }, { '>', "x\\>", "x", "xy" }, { 'w', "^\\w$", "x", " " },
		{ 'W', "^\\W$", " ", "x" }, { 's', "^\\s$", " ", "x" },
		{ 'S', "^\\S$", "x", " " } };
	regex_t regex;
	bool known = true;

	for (size_t i = 0; i < sizeof(gnu) / sizeof(gnu[0]); i++) {
		if (gnu[i].c != c)
			continue;
		if (regcomp(&regex, gnu[i].pattern, FLAGS) != 0)
			return false;
		known = regexec(&regex, gnu[i].text, 0, NULL, 0) == 0 &&
			regexec(&regex, gnu[i].other, 0, NULL, 0) != 0;
		regfree(&regex);
	}
	return known;
}

/*
 * C libraries agree on what POSIX says, and on these escapes; to some \d is a digit, to others a d.
 */
static int
escape(struct group *g, char c, struct error *e)
{
	if (isdigit((unsigned char)c))
		return error_set(e, ERROR_INPUT, "back references are not allowed");
	if (isalpha((unsigned char)c) && strchr("bBwWsS", c) == NULL)
		return error_set(e, ERROR_INPUT, "'\\%c' is not the same everywhere%s", c,
		    c == 'd' ? "; write [0-9]" : "");
	if (c == '`' || c == '\'')
		return error_set(e, ERROR_INPUT, "'\\%c' is not the same everywhere", c);
	if (!escape_known(c))
		return error_set(
		    e, ERROR_INPUT, "the regular expressions of this system have no \\%c", c);
	group_add(g, 1, strchr("bB<>", c) != NULL);
	return 0;
}

/* The end of the set that begins at p; a ']' at its start or in [:digit:] does not end it. */
static const char *
skip_set(const char *p)
{
	p += p[1] == '^' ? 2 : 1;
	for (p += *p == ']'; *p != '\0' && *p != ']'; p++)
		if (*p == '[' && p[1] != '\0' && strchr(":.=", p[1]) != NULL) {
			const char close[] = { p[1], ']', '\0' }, *end = strstr(p + 2, close);

			if (end != NULL)
				p = end + 1;
		}
	return *p == ']' ? p + 1 : p;
}

/* The greater number of {n}, {n,}, {n,m}; p is after the brace. */
static long
count(const char *p)
{
	char *end;
	long n = strtol(p, &end, 10), m = *end == ',' ? strtol(end + 1, NULL, 10) : 0;

	return n > m ? n : m;
}

/* {n}, {n,}, {n,m}: how many copies there will be at most; 0: this is not a count. */
static long
repetition(const char *p, bool *none)
{
	char *end;
	long least, most;

	if (!isdigit((unsigned char)p[1]) && p[1] != ',')
		return 0;
	least = strtol(p + 1, &end, 10);
	if (least > PATTERN_STATES)
		least = PATTERN_STATES;
	most =
	    *end == ',' && isdigit((unsigned char)end[1]) ? strtol(end + 1, NULL, 10) : least + 1;
	most = most > least ? most : least;
	*none = least == 0;
	return most < PATTERN_STATES ? most + 1 : PATTERN_STATES + 1;
}

/* Repeat the last item; -1 if that would take too long to compile. */
static int
repeat(struct group *g, long times, bool none, struct error *e)
{
	if (g->last_empty)
		return error_set(e, ERROR_INPUT, "it repeats what can be empty");
	g->last = g->last * times + 1;
	g->last_empty = none;
	return 0;
}

static const struct group group_new = { .last_empty = true, .branch_empty = true };

/* One more character (or set, or escape) of the pattern; moves *p past it. */
static int
pattern_step(struct group *g, const char **p, struct error *e)
{
	char c = *(*p)++;
	bool none = false;
	long times;

	if (g->last > 0 && c == '*')
		return repeat(g, 1, true, e);
	if (g->last > 0 && c == '+')
		return repeat(g, 2, false, e);
	if (g->last > 0 && c == '{' && **p == ',')
		return error_set(e, ERROR_INPUT, "'{,' is not the same everywhere; write {0,");
	if (g->last > 0 && c == '{' && (times = repetition(*p - 1, &none)) > 0) {
		if (count(*p) > PATTERN_COUNT)
			return error_set(e, ERROR_INPUT, "a count above %d", PATTERN_COUNT);
		*p += strcspn(*p, "}");
		*p += **p == '}';
		return repeat(g, times, none, e);
	}
	if (c == '?') {
		g->last_empty = true;
	} else if (c == '|') {
		group_add(g, 1, true);
		g->empty = g->empty || g->branch_empty;
		g->branch_empty = true;
		group_add(g, 0, true);
	} else if (c == '[') {
		const char *set = *p;

		group_add(g, 1, false);
		*p = skip_set(set - 1);
		for (; set < *p; set++)
			if (set[0] == '[' && (set[1] == '.' || set[1] == '='))
				return error_set(
				    e, ERROR_INPUT, "'[%c' is not the same everywhere", set[1]);
	} else if (c == '\\' && **p != '\0') {
		return escape(g, *(*p)++, e);
	} else
		group_add(g, 1, c == '^' || c == '$');
	return 0;
}

static int
bounded(const char *p, struct error *e)
{
	struct group group[PATTERN_DEPTH], *g = group;

	if (strlen(p) > PATTERN_MAX)
		return error_set(e, ERROR_INPUT, "longer than %d bytes", PATTERN_MAX);
	*g = group_new;
	while (*p != '\0') {
		if (*p == '(') {
			if (++g == group + PATTERN_DEPTH)
				return error_set(
				    e, ERROR_INPUT, "groups nested deeper than %d", PATTERN_DEPTH);
			*g = group_new;
			p++;
		} else if (*p == ')' && g > group) {
			g--;
			group_add(g, g[1].done + g[1].last + 1,
			    g[1].empty || (g[1].branch_empty && g[1].last_empty));
			p++;
		} else if (pattern_step(g, &p, e) == -1)
			return -1;
		if (g->done + g->last > PATTERN_STATES)
			return error_set(e, ERROR_INPUT,
			    "repetitions that multiply to more than %d characters", PATTERN_STATES);
	}
	return 0;
}

static int
compile(regex_t *regex, const char *pattern, struct error *e)
{
	char why[200];
	int rc;

	if (bounded(pattern, e) == -1)
		return -1;
	if ((rc = regcomp(regex, pattern, FLAGS)) == 0)
		return 0;
	if (rc == REG_ESPACE)
		mem_exhausted();
	regerror(rc, regex, why, sizeof(why));
	return error_set(e, ERROR_INPUT, "%s", why);
}

int
pattern_check(const char *pattern, struct error *e)
{
	regex_t regex;

	if (compile(&regex, pattern, e) == -1)
		return -1;
	regfree(&regex);
	return 0;
}

int
pattern_test(const char *pattern, const char *text, struct error *e)
{
	char *start;
	regex_t regex;
	int rc;

	if (compile(&regex, pattern, e) == -1)
		return -1;
	start = mem_copy(text, strnlen(text, PATTERN_TEXT));
	rc = regexec(&regex, start, 0, NULL, 0);
	free(start);
	regfree(&regex);
	if (rc == REG_ESPACE)
		mem_exhausted();
	return rc == 0;
}
