/*
 * The comparison is by words, never by the text as a whole: otherwise "make *"
 * would permit "make test; curl ...".
 */
#include "gate/verify-allow.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "config/glob.h"

#define BLANKS " \t"

static void
split_words(const char *text, struct strings *words)
{
	while (*(text += strspn(text, BLANKS)) != '\0') {
		size_t len = strcspn(text, BLANKS);

		strings_take(words, mem_copy(text, len));
		text += len;
	}
}

static bool
word_allowed(const char *pattern, const char *word)
{
	if (word[0] == '-' && pattern[0] != '-')
		return false;
	return strcmp(pattern, word) == 0 || glob_word(pattern, word);
}

static bool
words_allowed(const struct strings *pattern, const struct strings *words)
{
	size_t i;

	for (i = 0; i < pattern->count; i++) {
		if (i > 0 && i + 1 == pattern->count && strcmp(pattern->item[i], "**") == 0)
			return true;
		if (i >= words->count || !word_allowed(pattern->item[i], words->item[i]))
			return false;
	}
	return i == words->count;
}

/* The words of an array, and the same joined with blanks. */
static int
read_words(const struct json *j, json_ref ref, struct strings *words, char **text)
{
	struct buf b = { 0 };

	JSON_EACH (j, ref, at) {
		size_t len;
		char *s = json_string_len(j, at, &len);

		if (s == NULL || strlen(s) != len) {
			free(s);
			buf_free(&b);
			return -1;
		}
		if (b.len > 0)
			buf_putc(&b, ' ');
		buf_puts(&b, s);
		strings_take(words, s);
	}
	*text = b.len > 0 ? buf_take(&b) : mem_string("");
	buf_free(&b);
	return words->count > 0 ? 0 : -1;
}

int
verify_allow(const struct strings *allow, const struct json *j, json_ref ref, struct strings *argv,
    char **shell, char **text)
{
	struct strings words = { 0 };
	bool array = json_kind(j, ref) == JSON_ARRAY, simple = true;
	size_t len = 0;
	int rc = -1;

	*text = NULL;
	*shell = NULL;
	if (array) {
		if (read_words(j, ref, &words, text) == -1)
			goto out;
	} else {
		if ((*text = json_string_len(j, ref, &len)) == NULL || strlen(*text) != len ||
		    (*text)[strspn(*text, BLANKS)] == '\0' || strpbrk(*text, "\r\n") != NULL)
			goto out;
		split_words(*text, &words);
	}
	for (size_t i = 0; i < words.count; i++)
		simple = simple && text_plain_word(words.item[i]);
	rc = 0;
	for (size_t i = 0; rc == 0 && i < allow->count; i++) {
		struct strings pattern = { 0 };

		split_words(allow->item[i], &pattern);
		if (simple && words_allowed(&pattern, &words))
			rc = 1;
		else if (!array && strcmp(allow->item[i], *text) == 0) {
			rc = 1;
			*shell = mem_string(*text);
		}
		strings_free(&pattern);
	}
	if (rc == 1 && *shell != NULL) {
		strings_add(argv, "/bin/sh");
		strings_add(argv, "-c");
		strings_add(argv, *shell);
	} else if (rc == 1) {
		*argv = words;
		words = (struct strings){ 0 };
	}
out:
	strings_free(&words);
	return rc;
}
