/*
 * Reports in any last message of an agent, and task numbers in any prompt of a
 * new agent.
 */
#include <string.h>

#include "fuzz.h"
#include "hook/policy.h"
#include "hook/stop.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = mem_copy((const char *)data, len);
	struct reports reports = { 0 };
	struct strings ids = { 0 };

	reports_in_text(&reports, text);
	for (size_t i = 0; i < reports.count; i++)
		FUZZ_ASSERT(*reports.item[i].task != '\0' && !reports.item[i].applied);
	policy_spawn_names(text, &ids);
	for (size_t i = 0; i < ids.count; i++)
		FUZZ_ASSERT(strspn(ids.item[i], "0123456789") == strlen(ids.item[i]));
	reports_free(&reports);
	strings_free(&ids);
	free(text);
	return 0;
}
