/*
 * Decodes like the WHATWG decoder, which the client uses: the valid
 * beginning of a broken character is one invalid unit, and the byte that
 * broke it is decoded again.
 */
#include "base/utf8.h"

#include "base/text.h"

int32_t
utf8_next(const char **p, const char *end)
{
	const unsigned char *s = (const unsigned char *)*p;
	unsigned char low = 0x80, high = 0xbf;
	int32_t c = *s++;
	int more;

	if (c < 0x80) {
		*p = (const char *)s;
		return c;
	}
	if (c >= 0xc2 && c <= 0xdf) {
		more = 1;
		c &= 0x1f;
	} else if ((c & 0xf0) == 0xe0) {
		/* neither overlong nor a surrogate */
		if (c == 0xe0)
			low = 0xa0;
		else if (c == 0xed)
			high = 0x9f;
		more = 2;
		c &= 0x0f;
	} else if (c >= 0xf0 && c <= 0xf4) {
		/* neither overlong nor beyond U+10FFFF */
		if (c == 0xf0)
			low = 0x90;
		else if (c == 0xf4)
			high = 0x8f;
		more = 3;
		c &= 0x07;
	} else {
		*p = (const char *)s;
		return -1;
	}
	for (; more > 0; more--) {
		if (s == (const unsigned char *)end || *s < low || *s > high) {
			c = -1;
			break;
		}
		c = c << 6 | (*s++ & 0x3f);
		low = 0x80;
		high = 0xbf;
	}
	*p = (const char *)s;
	return c;
}

void
utf8_put(struct buf *b, uint32_t c)
{
	char s[4];
	size_t n = 0;

	if (c < 0x80)
		s[n++] = (char)c;
	else if (c < 0x800) {
		s[n++] = (char)(0xc0 | c >> 6);
		s[n++] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		s[n++] = (char)(0xe0 | c >> 12);
		s[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		s[n++] = (char)(0x80 | (c & 0x3f));
	} else {
		s[n++] = (char)(0xf0 | c >> 18);
		s[n++] = (char)(0x80 | (c >> 12 & 0x3f));
		s[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		s[n++] = (char)(0x80 | (c & 0x3f));
	}
	buf_add(b, s, n);
}
