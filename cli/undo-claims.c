/*
 * The claims of tasks whose release is undone.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/claims.h"
#include "undo.h"

/* Was its release undone, and had it a claim, or should it have one? */
static bool
taken_again(const struct store_op *op, const struct history_entry *p)
{
	return strcmp(p->event, "release") == 0 &&
	       (p->claim != NULL || op->after.status == TASK_IN_PROGRESS);
}

/* 1 added, 0 not: its agent is unknown or gone. */
static int
claim_again(struct claims *claims, const char *text)
{
	size_t count = claims->count;
	struct error ignored;

	if (text == NULL || claims_parse(claims, text, &ignored) == -1 || claims->count == count)
		return 0;
	if (claims_alive(&claims->item[count]))
		return 1;
	claims_drop(claims, count);
	return 0;
}

void
undo_claims(
    struct cli *c, const struct store_op *op, struct history_entry *const *line, size_t count)
{
	struct claims claims;
	struct error err;
	int added = 0;
	size_t i = 0;

	while (i < count && !taken_again(&op[i], line[i]))
		i++;
	if (i == count)
		return;
	if (claims_lock(&c->list, &claims, NULL, cli_deadline(), &err) == -1) {
		cli_note(c, "claude-tasks: the claims are not recorded again: %s", err.text);
		return;
	}
	for (; i < count; i++) {
		if (!taken_again(&op[i], line[i]) || claims_find(&claims, line[i]->task) != NULL)
			continue;
		if (claim_again(&claims, line[i]->claim) == 1)
			added = 1;
		else
			cli_note(c, "claude-tasks: #%s has no claim: its agent is unknown or gone",
			    line[i]->task);
	}
	if (added && claims_save(&claims, &err) == -1)
		cli_note(c, "claude-tasks: the claims are not recorded again: %s", err.text);
	claims_free(&claims);
}
