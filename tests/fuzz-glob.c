/*
 * Path patterns and regular expressions: pattern, a newline, text.  Both
 * come from the configuration of a project, so neither may take long.
 */
#include <string.h>

#include "config/glob.h"
#include "config/pattern.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *pattern = mem_copy((const char *)data, len), *text = strchr(pattern, '\n');
	struct strings list = { 0 };
	struct error err;

	if (text == NULL || strlen(pattern) != len) {
		free(pattern);
		return 0;
	}
	*text++ = '\0';
	if (glob_check(pattern, &err) == -1) {
		FUZZ_ASSERT(!glob_match(pattern, text));
		FUZZ_ASSERT(err.kind == ERROR_INPUT);
	} else {
		strings_add(&list, "**");
		strings_add(&list, pattern);
		glob_match(pattern, text);
		glob_word(pattern, text);
		glob_any(&list, text);
		strings_free(&list);
	}
	/* short ones: the matcher of the C library is not tested here */
	if (strlen(pattern) < 64 && strlen(text) < 256)
		FUZZ_ASSERT((pattern_test(pattern, text, &err) == -1) ==
			    (pattern_check(pattern, &err) == -1));
	free(pattern);
	return 0;
}
