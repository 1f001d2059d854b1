/*
 * Nothing here fails on malformed text: it is then treated as plain text.
 */
#include "task/macf.h"

#include <string.h>

#include "base/mem.h"

#define OPEN "<macf_task_metadata"
#define CLOSE "</macf_task_metadata>"
#define FRONT 200 /* bytes at the start of a subject that are searched for marks */

static char *
mark_value(const char *text, const char *mark, const char *allowed)
{
	const char *p = strstr(text, mark);
	size_t len;

	if (p == NULL || p - text > FRONT)
		return NULL;
	p += strlen(mark);
	len = strspn(p, allowed);
	return len > 0 && p[len] == ']' ? mem_copy(p, len) : NULL;
}

char *
macf_agent_type(const char *subject)
{
	return mark_value(
	    subject, "[SA:", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
}

char *
macf_parent(const char *subject)
{
	return mark_value(subject, "[^#", "0123456789");
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
macf_value(const char *description, const char *key)
{
	size_t len, klen = strlen(key), n;
	const char *p = macf_block(description, &len), *end, *line;

	if (p == NULL)
		return NULL;
	end = p + len - strlen(CLOSE);
	for (line = memchr(p, '\n', len); line != NULL && line < end;
	     line = memchr(line, '\n', (size_t)(end - line))) {
		line++;
		n = strspn(line, " \t");
		if (strncmp(line + n, key, klen) != 0 || line[n + klen] != ':')
			continue;
		line += n + klen + 1;
		line += strspn(line, " \t");
		return mem_copy(line, strcspn(line, "\r\n"));
	}
	return NULL;
}

char *
macf_keep(const char *old, const char *description)
{
	size_t len, n;
	const char *block = macf_block(old, &len);

	if (block == NULL || macf_block(description, &n) != NULL)
		return mem_string(description);
	for (n = strlen(description); n > 0 && strchr(" \t\r\n", description[n - 1]) != NULL;)
		n--;
	return mem_printf("%.*s%s%.*s", (int)n, description, n > 0 ? "\n\n" : "", (int)len, block);
}
