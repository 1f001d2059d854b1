#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

Test(buf, a_zeroed_buffer_is_empty)
{
	struct buf b = { 0 };

	cr_expect_str_eq(buf_text(&b), "", "text");
	buf_reset(&b);
	buf_free(&b);
	buf_add(&b, NULL, 0);
	cr_expect_str_eq(buf_text(&b), "", "empty after adding nothing");
	buf_free(&b);
}

Test(buf, adds_bytes_and_keeps_a_final_nul)
{
	struct buf b = { 0 };

	buf_puts(&b, "one");
	buf_putc(&b, ' ');
	buf_add(&b, "two\0three", 9);
	cr_expect_eq(b.len, 13, "len %zu", b.len);
	cr_expect_eq(memcmp(b.data, "one two\0three", 14), 0, "bytes and NUL");
	buf_reset(&b);
	cr_expect_eq(b.len, 0, "reset");
	cr_expect_str_eq(buf_text(&b), "", "reset text");
	cr_expect(b.room > 0, "memory kept");
	buf_free(&b);
}

Test(buf, grows_across_every_size)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < 5000; i++) {
		buf_putc(&b, (char)('a' + i % 26));
		cr_assert_eq(b.data[b.len], '\0', "ends at %zu", i);
	}
	for (size_t i = 0; i < 5000; i++)
		cr_assert_eq(b.data[i], (char)('a' + i % 26), "byte %zu", i);
	buf_free(&b);
}

Test(buf, printf_works_at_every_fill_level)
{
	struct buf b = { 0 };

	for (size_t fill = 0; fill < 200; fill++) {
		buf_free(&b);
		for (size_t i = 0; i < fill; i++)
			buf_putc(&b, 'x');
		buf_printf(&b, "%s=%d", "answer", 42);
		cr_assert_eq(b.len, fill + 9, "len at %zu", fill);
		cr_assert_str_eq(b.data + fill, "answer=42", "text at %zu", fill);
	}
	buf_free(&b);
}

Test(buf, take_returns_the_text_and_empties_the_buffer)
{
	struct buf b = { 0 };
	char *s;

	buf_puts(&b, "mine");
	s = buf_take(&b);
	cr_expect_str_eq(s, "mine", "taken");
	cr_expect_null(b.data, "empty");
	free(s);
	s = buf_take(&b);
	cr_expect_str_eq(s, "", "an empty buffer gives an empty string");
	free(s);
}
