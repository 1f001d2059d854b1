/*
 * The flags of create that make a task of the MACF tools.
 */
#include <string.h>

#include "base/text.h"
#include "write-part.h"

/* What is written into the block is one word, so that other programs can read it. */
static int
check_word(struct cli *c, const char *name, const char *value)
{
	if (value == NULL || text_plain_word(value))
		return 0;
	cli_misuse(c, "%s '%s' must be one word of letters, digits and _-./=:,+@%%", name, value);
	return -1;
}

/* "create mission Title": other tools have the kind as a word. */
static bool
kind_is_word(const struct cli *c)
{
	for (size_t i = 0; macf_kinds[i] != NULL; i++)
		if (c->operands > 1 && strcmp(macf_kinds[i], c->operand[0]) == 0)
			return true;
	return false;
}

static bool
needs_parent(const char *kind)
{
	return strcmp(kind, "phase") == 0 || strcmp(kind, "bug") == 0;
}

int
write_kind_read(struct cli *c, struct macf *m)
{
	static const char *const with[] = { "--repo", "--version", "--breadcrumb", "--cycle" };
	const char *kind = cli_value(c, "kind"), *parent = cli_value(c, "parent");
	struct agent agent;
	size_t known = 0;

	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
		const char *value = cli_value(c, with[i] + 2);

		if (kind == NULL && value != NULL) {
			cli_misuse(c, "%s needs --kind %s", with[i],
			    kind_is_word(c) ? c->operand[0] : "KIND");
			return -1;
		}
		if (check_word(c, with[i], value) == -1)
			return -1;
	}
	if (kind == NULL && kind_is_word(c))
		cli_note(c,
		    "the kind '%s' was read as part of the subject.  For a task of that kind: "
		    "claude-tasks create "
		    "--kind %s%s TITLE",
		    c->operand[0], c->operand[0], needs_parent(c->operand[0]) ? " --parent N" : "");
	if (kind == NULL)
		return 0;
	while (macf_kinds[known] != NULL && strcmp(macf_kinds[known], kind) != 0)
		known++;
	if (macf_kinds[known] == NULL) {
		cli_unknown(c, "kind", kind, macf_kinds, known);
		return -1;
	}
	if (needs_parent(kind) && (parent == NULL || *parent == '\0')) {
		cli_misuse(c, "a %s needs --parent N, the task it is a part of", kind);
		return -1;
	}
	cli_agent(c, &agent);
	*m = (struct macf){ .kind = kind,
		.repo = cli_value(c, "repo"),
		.version = cli_value(c, "version"),
		.breadcrumb = cli_value(c, "breadcrumb"),
		.cycle = cli_value(c, "cycle"),
		/* the main thread has no name: MACF's word for it is PA */
		.created_by = agent.name != NULL ? agent.name : "PA" };
	if (cli_number(c, "cycle", 0, INT32_MAX, 0) == -1 ||
	    check_word(c, "the name", m->created_by) == -1)
		return -1;
	return 1;
}
