/*
 * Names are found in a program of any size: wherever they are, and only as whole words.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "settings/client-words.h"

#define PART (256 << 10) /* of client-words.c: a word may begin in one part and end in the next */

static char path[] = "/tmp/client-words-XXXXXX";

static void
begin(void)
{
	int fd = mkstemp(path);

	cr_assert_neq(fd, -1);
	close(fd);
}

static void
end(void)
{
	unlink(path);
}

TestSuite(client_words, .init = begin, .fini = end);

/* A file of this size, with a text at this place. */
static void
program(size_t size, size_t at, const char *text)
{
	char *all = malloc(size + 1);
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	cr_assert(all != NULL && fd != -1 && at + strlen(text) <= size);
	memset(all, ',', size);
	memcpy(all + at, text, strlen(text));
	cr_assert_eq(write(fd, all, size), (ssize_t)size);
	close(fd);
	free(all);
}

/* Which words are found: one letter for each. */
static const char *
found(void)
{
	static char text[4];
	struct client_word w[] = { { "TaskUpdate", "", true }, { ".lock", "", true },
		{ "CLAUDE_CONFIG_DIR_LONG", "", true } };
	struct error e;

	cr_assert_eq(client_words_find(path, w, 3, &e), 0, "%s", e.text);
	for (int i = 0; i < 3; i++)
		text[i] = w[i].found ? '1' : '0';
	return text;
}

Test(client_words, only_whole_words_count)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "", "000" },
		{ "TaskUpdate", "100" },
		{ "\"TaskUpdate\"", "100" },
		{ "\xffTaskUpdate\xff", "100" },
		{ "XTaskUpdate TaskUpdateX", "000" },
		{ "_TaskUpdate $TaskUpdate 1TaskUpdate TaskUpdate_", "000" },
		{ "TaskUpdat TaskUpdatf askUpdate TaskUpd", "000" },
		{ "TaskUpdateX,TaskUpdate", "100" },
		{ "TaskTaskUpdate TaskUTaskUpdate", "000" },
		{ "file.lock", "000" },
		{ "`.lock`.LOCK", "010" },
		{ ".loc.lock,TaskUpdate", "100" },
		{ "CLAUDE_CONFIG_DIR_LONG.lock", "001" },
		{ "CLAUDE_CONFIG_DIR", "000" },
		{ "(CLAUDE_CONFIG_DIR_LONG)(.lock)TaskUpdate", "111" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		program(strlen(rows[i].text), 0, rows[i].text);
		cr_expect_str_eq(found(), rows[i].want, "%s: %s", rows[i].text, found());
	}
}

Test(client_words, a_word_is_found_at_every_place)
{
	static const size_t middle[] = { 2, 40, PART, 2 * PART };
	static const char text[] = "TaskUpdate", other[] = "xTaskUpdate", longer[] = "TaskUpdatex";

	for (size_t m = 0; m < 4; m++)
		for (size_t at = middle[m] < 40 ? 0 : middle[m] - 40; at < middle[m] + 40; at++) {
			size_t size = 3 * PART;

			program(size, at, text);
			cr_expect_str_eq(found(), "100", "at %zu", at);
			program(at + strlen(text), at, text);
			cr_expect_str_eq(found(), "100", "at %zu, the end", at);
			program(size, at, other);
			cr_expect_str_eq(found(), "000", "x before it, at %zu", at);
			program(size, at, longer);
			cr_expect_str_eq(found(), "000", "x after it, at %zu", at);
		}
}

Test(client_words, what_is_not_a_file_is_an_error)
{
	struct client_word w[] = { { "TaskUpdate", "", false } };
	struct error e;

	cr_expect_eq(client_words_find("/tmp", w, 1, &e), -1);
	cr_expect_str_eq(e.text, "'/tmp' is not a regular file");
	unlink(path);
	cr_expect_eq(client_words_find(path, w, 1, &e), -1);
	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_expect_eq(client_words_find(path, w, 1, &e), -1);
}
