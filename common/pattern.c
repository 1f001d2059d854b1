/*
 * The C library's matcher is a state machine as long as there is no back
 * reference; what is left to bound is the size of the machine.
 */
#include "pattern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

static int
bounded(const char *p, struct error *e)
{
	long product = 1;
	bool set = false;

	if (strlen(p) > PATTERN_MAX)
		return error_set(e, ERROR_INPUT, "longer than %d bytes", PATTERN_MAX);
	for (; *p != '\0'; p++) {
		if (set) {
			set = *p != ']';
		} else if (*p == '\\' && p[1] != '\0') {
			if (isdigit((unsigned char)*++p))
				return error_set(e, ERROR_INPUT, "back references are not allowed");
		} else if (*p == '[') {
			set = true;
			if (p[1] == '^')
				p++;
			if (p[1] == ']')
				p++;
		} else if (*p == '{') {
			long most = strtol(p + 1, NULL, 10);
			const char *comma = strchr(p, ',');

			if (comma != NULL && isdigit((unsigned char)comma[1]))
				most = strtol(comma + 1, NULL, 10);
			if (most > PATTERN_REPEAT ||
			    (product *= most > 1 ? most : 1) > PATTERN_REPEAT)
				return error_set(e, ERROR_INPUT,
				    "repetition counts multiply to more than %d", PATTERN_REPEAT);
		}
	}
	return 0;
}

int
pattern_compile(struct pattern *pt, const char *text, struct error *e)
{
	char why[200];
	int rc;

	*pt = (struct pattern){ .compiled = false };
	if (bounded(text, e) == -1)
		return -1;
	if ((rc = regcomp(&pt->regex, text, REG_EXTENDED | REG_NOSUB)) != 0) {
		if (rc == REG_ESPACE)
			mem_exhausted();
		regerror(rc, &pt->regex, why, sizeof(why));
		return error_set(e, ERROR_INPUT, "%s", why);
	}
	pt->compiled = true;
	return 0;
}

bool
pattern_match(const struct pattern *pt, const char *text)
{
	char *copy = NULL;
	size_t len = strnlen(text, PATTERN_TEXT);
	int rc;

	if (text[len] != '\0')
		text = copy = mem_copy(text, len);
	rc = regexec(&pt->regex, text, 0, NULL, 0);
	free(copy);
	if (rc == REG_ESPACE)
		mem_exhausted();
	return rc == 0;
}

void
pattern_free(struct pattern *pt)
{
	if (pt->compiled)
		regfree(&pt->regex);
	pt->compiled = false;
}

int
pattern_check(const char *text, struct error *e)
{
	struct pattern pt;

	if (pattern_compile(&pt, text, e) == -1)
		return -1;
	pattern_free(&pt);
	return 0;
}

int
pattern_test(const char *pattern, const char *text, struct error *e)
{
	struct pattern pt;
	int rc;

	if (pattern_compile(&pt, pattern, e) == -1)
		return -1;
	rc = pattern_match(&pt, text) ? 1 : 0;
	pattern_free(&pt);
	return rc;
}
