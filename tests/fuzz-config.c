/*
 * A configuration of any bytes is read, or refused with an error that names
 * the file.
 */
#include <string.h>

#include "base/text.h"
#include "config/config.h"
#include "fuzz.h"
#include "utf8-valid.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = mem_copy((const char *)data, len);
	struct error err;

	if (config_check("/p/.claude/task-hooks.json", text, len, &err) == -1) {
		FUZZ_ASSERT(strstr(err.text, "task-hooks.json") != NULL);
		FUZZ_ASSERT(utf8_valid(err.text, strlen(err.text)));
	}
	free(text);
	return 0;
}
