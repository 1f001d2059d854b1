/*
 * For any input the output is UTF-8, bounded, and safe to print.
 */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "fuzz.h"

static size_t
must_be_safe(const char *s, size_t len, bool block)
{
	const char *end = s + len;
	int32_t c, before = -1;
	size_t chars = 0;

	for (; s < end; before = c, chars++) {
		c = utf8_next(&s, end);
		if (c == 0xfe0f)
			FUZZ_ASSERT(before > 0x7f && before != 0xfe0f);
		else if (!block || (c != '\n' && c != '\t'))
			FUZZ_ASSERT(c != -1 && text_safe(c));
	}
	return chars;
}

/* Only our own codes, each on followed by its off; safe without them. */
static void
must_be_dim_and_safe(struct buf *b)
{
	char *p, *off;

	while ((p = strstr(buf_text(b), TEXT_DIM_ON)) != NULL) {
		off = strstr(p, TEXT_DIM_OFF);
		FUZZ_ASSERT(off != NULL);
		memmove(p, p + strlen(TEXT_DIM_ON), strlen(p + strlen(TEXT_DIM_ON)) + 1);
	}
	while ((p = strstr(buf_text(b), TEXT_DIM_OFF)) != NULL)
		memmove(p, p + strlen(TEXT_DIM_OFF), strlen(p + strlen(TEXT_DIM_OFF)) + 1);
	must_be_safe(buf_text(b), strlen(buf_text(b)), false);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char *const words[] = { "verify", "on_fault", "timeout" };
	size_t max = len > 1 ? data[0] : 5, half;
	char *text = mem_copy((const char *)data, len), *copy;
	struct buf b = { 0 };
	struct error err;

	for (int block = 0; block < 2; block++) {
		buf_reset(&b);
		text_show(&b, text, len, block ? TEXT_BLOCK : TEXT_LINE, max);
		FUZZ_ASSERT(must_be_safe(buf_text(&b), b.len, block) <= max);
		/* a second call changes nothing */
		copy = mem_copy(buf_text(&b), b.len);
		half = b.len;
		buf_reset(&b);
		text_show(&b, copy, half, block ? TEXT_BLOCK : TEXT_LINE, max);
		FUZZ_ASSERT(b.len == half && memcmp(buf_text(&b), copy, half) == 0);
		free(copy);
	}
	buf_reset(&b);
	text_quote(&b, text, max);
	FUZZ_ASSERT(b.len >= 2 && b.data[0] == '"' && b.data[b.len - 1] == '"');
	FUZZ_ASSERT(memchr(b.data + 1, '"', b.len - 1) == b.data + b.len - 1);
	FUZZ_ASSERT(must_be_safe(b.data, b.len, false) <= max + 2);
	for (int ascii = 0; ascii < 2; ascii++) {
		buf_reset(&b);
		text_fit(&b, text, TEXT_LINE, (int)max, ascii);
		FUZZ_ASSERT(text_width(buf_text(&b)) <= (int)max);
		must_be_safe(buf_text(&b), b.len, false);
		buf_reset(&b);
		text_fit(&b, text, TEXT_DIM, (int)max, ascii);
		FUZZ_ASSERT(text_width(buf_text(&b)) <= (int)max);
		must_be_dim_and_safe(&b);
	}
	error_set(&err, ERROR_INPUT, "%s", text);
	must_be_safe(err.text, strlen(err.text), false);
	error_prefix(&err, "%.*s", (int)max, text);
	must_be_safe(err.text, strlen(err.text), false);
	FUZZ_ASSERT(text_same(text, text));
	FUZZ_ASSERT(text_contains(text, text));
	copy = text_plain(text);
	FUZZ_ASSERT(strchr(copy, '\033') == NULL);
	free(copy);
	text_nearest(text, words, 3);
	buf_free(&b);
	free(text);
	return 0;
}
