/*
 * Reads as little as it can: the blockers by their ids, the whole list only to
 * find subtasks.
 */
#include "gate/builtin.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/claims.h"
#include "agent/holder.h"
#include "base/text.h"
#include "list/graph.h"

#define SHOWN 10 /* items named in one objection */

static int
check_blockers(const struct builtin *b, struct buf *reason, struct error *e)
{
	struct blockers open = { 0 };
	int rc;

	if (store_blockers(b->store, b->subject->task, &open, e) == -1)
		return -1;
	rc = open.count > 0;
	if (rc == 1) {
		buf_puts(reason, "blocked by ");
		blockers_describe(reason, &open);
		buf_puts(reason, ". Complete or delete those first.");
	}
	blockers_free(&open);
	return rc;
}

static int
check_subtasks(const struct builtin *b, struct buf *reason, struct error *e)
{
	struct task_set all = { 0 };
	struct strings ids = { 0 };
	size_t open = 0;

	if (store_load(b->store, &all, e) == -1)
		return -1;
	graph_children(&all, b->subject->task->id, &ids);
	for (size_t i = 0; i < ids.count; i++) {
		const struct task *t = task_set_find(&all, ids.item[i]);

		if (t == NULL || !task_open(t))
			continue;
		if (++open > SHOWN)
			continue;
		buf_puts(reason, open == 1 ? "open subtasks: " : ", ");
		task_describe(reason, t);
	}
	if (open > SHOWN)
		buf_printf(reason, " and %zu more", open - SHOWN);
	if (open > 0)
		buf_puts(reason, ". Complete or delete those first.");
	strings_free(&ids);
	task_set_free(&all);
	return open > 0;
}

/* "- [ ] text", "* [ ]", "1. [ ]" at the start of a line, fenced code left alone. */
static const char *
unchecked(const char *line, const char *end)
{
	while (line < end && (*line == ' ' || *line == '\t' || *line == '>'))
		line++;
	if (line < end && strchr("-*+", *line) != NULL)
		line++;
	else if (line < end && isdigit((unsigned char)*line)) {
		while (line < end && isdigit((unsigned char)*line))
			line++;
		if (line == end || (*line != '.' && *line != ')'))
			return NULL;
		line++;
	} else
		return NULL;
	if (line == end || *line != ' ')
		return NULL;
	while (line < end && *line == ' ')
		line++;
	if (end - line < 3 || strncmp(line, "[ ]", 3) != 0)
		return NULL;
	/* "[ ](link)" and "[ ]x" are no boxes. */
	return line + 3 == end || line[3] == ' ' || line[3] == '\t' ? line + 3 : NULL;
}

static bool
is_fence(const char *line, const char *end)
{
	while (line < end && *line == ' ')
		line++;
	return end - line >= 3 && (strncmp(line, "```", 3) == 0 || strncmp(line, "~~~", 3) == 0);
}

static int
check_boxes(const struct builtin *b, struct buf *reason)
{
	const char *p = b->subject->task->description;
	bool fenced = false;
	size_t open = 0;

	while (*p != '\0') {
		const char *end = p + strcspn(p, "\r\n"), *text;

		if (is_fence(p, end))
			fenced = !fenced;
		else if (!fenced && (text = unchecked(p, end)) != NULL && ++open <= SHOWN) {
			while (text < end && (*text == ' ' || *text == '\t'))
				text++;
			buf_puts(reason, open == 1 ? "unchecked in its description: \"" : ", \"");
			text_show(reason, text, (size_t)(end - text), TEXT_LINE, 80);
			buf_putc(reason, '"');
		}
		p = end + (*end != '\0');
	}
	if (open > SHOWN)
		buf_printf(reason, " and %zu more", open - SHOWN);
	if (open > 0)
		buf_puts(reason,
		    ". Do these, then tick the boxes ([x]) in the description, or take out "
		    "those that no longer apply.");
	return open > 0;
}

static int
check_metadata(const struct builtin *b, struct buf *reason)
{
	size_t missing = 0;

	for (size_t i = 0; b->required != NULL && i < b->required->count; i++) {
		const struct json *json;

		if (subject_metadata(b->subject, b->required->item[i], &json) != JSON_ABSENT)
			continue;
		buf_puts(reason, missing++ == 0 ? "its metadata lacks " : ", ");
		text_quote(reason, b->required->item[i], 60);
	}
	if (missing > 0)
		buf_puts(
		    reason, ". Send the missing keys as metadata with the call that completes it.");
	return missing > 0;
}

/*
 * Up to 2.1.197 a subagent's TaskCompleted does not say which agent of the
 * session it comes from; the call itself did, and was judged by it.
 */
static bool
unnamed(const struct agent *a, const struct claim *c)
{
	return a->id == NULL && a->name == NULL && c != NULL && c->agent_id != NULL &&
	       c->session != NULL && strcmp(c->session, a->session) == 0;
}

static int
check_owner(const struct builtin *b, struct buf *reason, struct error *e)
{
	struct holder_query q = { .task = b->subject->task, .self = b->agent };
	struct claims claims = { 0 };
	int rc = 0;

	/* A person at a shell is no agent. */
	if (b->agent->id == NULL && b->agent->name == NULL && b->agent->session == NULL)
		return 0;
	if (claims_load(b->list, &claims, e) == -1)
		return -1;
	holder_look(&q, b->list, &claims);
	if (!unnamed(b->agent, q.claim) && holder_of(&q) == HOLDER_OTHER) {
		buf_puts(reason, "it belongs to ");
		holder_describe(reason, &q);
		buf_puts(reason,
		    ", who must complete it. If that agent is gone, give the task back "
		    "with: claude-tasks release ");
		buf_puts(reason, b->subject->task->id);
		rc = 1;
	}
	claims_free(&claims);
	return rc;
}

int
builtin_check(const struct builtin *b, enum gate_check check, struct buf *reason, struct error *e)
{
	switch (check) {
	case CHECK_BLOCKERS:
		return check_blockers(b, reason, e);
	case CHECK_SUBTASKS:
		return check_subtasks(b, reason, e);
	case CHECK_CHECKLIST:
		return check_boxes(b, reason);
	case CHECK_METADATA:
		return check_metadata(b, reason);
	case CHECK_OWNER:
		return check_owner(b, reason, e);
	case CHECK_NONE:
	case CHECK_COMMITTED: /* asks the tree: verify-run.c */
		break;
	}
	return 0;
}
