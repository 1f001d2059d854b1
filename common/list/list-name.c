/*
 * Names of lists, as the client makes them from what it is given.
 *
 * It works on JavaScript strings: a character beyond the basic plane is two
 * code units and so two dashes, an invalid byte was U+FFFD before and is one.
 */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "list/list.h"

char *
list_sanitise(const char *raw)
{
	const char *p = raw, *end = raw + strlen(raw);
	struct buf out = { 0 };
	int32_t c;

	buf_need(&out, (size_t)(end - p));
	while (p < end) {
		c = utf8_next(&p, end);
		if (c > 0 && c < 0x80 && (isalnum(c) || c == '_' || c == '-'))
			buf_putc(&out, (char)c);
		else
			buf_puts(&out, c >= 0x10000 ? "--" : "-");
	}
	return buf_take(&out);
}

static bool
js_space(int32_t c)
{
	return (c >= 0x09 && c <= 0x0d) || c == 0x20 || c == 0xa0 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
	       c == 0x205f || c == 0x3000 || c == 0xfeff;
}

char *
list_trim(const char *raw)
{
	const char *p = raw, *end = raw + strlen(raw), *first = NULL, *last = raw, *at;

	while (p < end) {
		at = p;
		if (js_space(utf8_next(&p, end)))
			continue;
		if (first == NULL)
			first = at;
		last = p;
	}
	return first == NULL ? mem_string("") : mem_copy(first, (size_t)(last - first));
}
