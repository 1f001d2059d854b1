/*
 * The parser has checked the escapes; they are not checked again here.
 */
#include "json/json-string.h"

#include "base/text.h"
#include "base/utf8.h"

static int32_t
hex4(const char *p)
{
	int32_t v = 0;

	for (int i = 0; i < 4; i++)
		v = v << 4 | (p[i] <= '9' ? p[i] - '0' : (p[i] | 0x20) - 'a' + 10);
	return v;
}

int32_t
json_char(const char **p, const char *end)
{
	const char *s = *p;
	int32_t c, low;

	if (*s != '\\') {
		c = utf8_next(p, end);
		return c == -1 ? 0xfffd : c;
	}
	*p = s + 2;
	switch (s[1]) {
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	case 'u':
		break;
	default:
		return s[1];
	}
	c = hex4(s + 2);
	*p = s + 6;
	if (c < 0xd800 || c > 0xdbff || end - s < 12 || s[6] != '\\' || s[7] != 'u')
		return c;
	low = hex4(s + 8);
	if (low < 0xdc00 || low > 0xdfff)
		return c;
	*p = s + 12;
	return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

void
json_decode(struct buf *out, const char *body, size_t len, bool keep)
{
	const char *p = body, *end = body + len;
	int32_t c;

	buf_need(out, len);
	while (p < end) {
		c = json_char(&p, end);
		if (c >= 0xd800 && c <= 0xdfff && !keep)
			c = 0xfffd;
		utf8_put(out, (uint32_t)c);
	}
}
