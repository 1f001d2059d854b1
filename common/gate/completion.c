/*
 * The built-in checks read as little as they can: the blockers by their ids, the
 * whole list only to find subtasks.
 */
#include "gate/completion.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/claims.h"
#include "agent/holder.h"
#include "base/hash.h"
#include "base/text.h"
#include "list/graph.h"
#include "list/subtasks.h"

#define SHOWN 10 /* items named in one objection */

int
completion_open(struct completion *c, const char *metadata, struct error *e)
{
	if (metadata == NULL)
		return 0;
	if (json_parse(&c->sent, metadata, strlen(metadata), e) == -1)
		return error_prefix(e, "the metadata of the call");
	if (json_kind(&c->sent, JSON_ROOT) != JSON_OBJECT)
		return error_set(e, ERROR_INPUT, "the metadata of the call is not an object");
	return 0;
}

void
completion_close(struct completion *c)
{
	json_free(&c->sent);
	*c = (struct completion){ 0 };
}

/* The client merges metadata key by key; null deletes. */
json_ref
completion_metadata(const struct completion *c, const char *key, const struct json **json)
{
	json_ref at = JSON_ABSENT;

	*json = &c->sent;
	if (c->sent.count > 0)
		at = json_member(&c->sent, JSON_ROOT, key);
	if (at == JSON_ABSENT) {
		*json = &c->task->json;
		at = json_member(&c->task->json, task_metadata(c->task), key);
	}
	return json_kind(*json, at) == JSON_NULL ? JSON_ABSENT : at;
}

void
completion_hash(const struct task *t, char out[HASH_HEX])
{
	struct hash h;

	hash_begin(&h);
	hash_field(&h, t->subject);
	hash_field(&h, t->description);
	hash_end(&h, out);
}

static int
check_blockers(const struct completion *c, struct buf *reason, struct error *e)
{
	struct blockers open = { 0 };
	int rc;

	if (store_blockers(c->store, c->task, &open, e) == -1)
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
check_subtasks(const struct completion *c, struct buf *reason, struct error *e)
{
	struct task_set open = { 0 };
	bool parents;
	int rc = c->no_subtasks ? 0 : subtasks_open(c->store, c->task->id, &open, &parents, e);

	for (size_t i = 0; rc != -1 && i < open.count && i < SHOWN; i++) {
		buf_puts(reason, i == 0 ? "open subtasks: " : ", ");
		task_describe(reason, &open.item[i]);
	}
	if (rc != -1 && open.count > 0) {
		if (open.count > SHOWN)
			buf_printf(reason, " and %zu more", open.count - SHOWN);
		buf_puts(reason, ". Complete or delete those first.");
		rc = 1;
	}
	task_set_free(&open);
	return rc;
}

/* The text after the box of "- [ ] text", "* []" or "1. [  ]"; NULL: the line has none. */
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
	if (line == end || *line != '[')
		return NULL;
	line++;
	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	if (line == end || *line != ']')
		return NULL;
	line++;
	/* "[ ](link)" and "[ ]x" are not boxes. */
	return line == end || *line == ' ' || *line == '\t' ? line : NULL;
}

/* The character of a line that begins or ends a block of code; '\0': it is another line. */
static char
fence_of(const char *line, const char *end)
{
	while (line < end && *line == ' ')
		line++;
	return end - line >= 3 && (strncmp(line, "```", 3) == 0 || strncmp(line, "~~~", 3) == 0)
		   ? *line
		   : '\0';
}

static const char *
next_line(const char *end)
{
	return end + (*end != '\0');
}

/* The line after the block of code that begins on this line; NULL: none begins, or it does not end,
 * so that it hides nothing.  (No other line of that kind follows then: few lines are read twice.)
 */
static const char *
after_code(const char *p)
{
	const char *end = p + strcspn(p, "\r\n");
	char kind = fence_of(p, end);

	while (kind != '\0' && *(p = next_line(end)) != '\0') {
		end = p + strcspn(p, "\r\n");
		if (fence_of(p, end) == kind)
			return next_line(end);
	}
	return NULL;
}

static int
check_boxes(const struct completion *c, struct buf *reason)
{
	const char *p = c->task->description;
	size_t open = 0;

	while (*p != '\0') {
		const char *end = p + strcspn(p, "\r\n"), *text, *after = after_code(p);

		if (after != NULL) {
			p = after;
			continue;
		}
		if ((text = unchecked(p, end)) != NULL && ++open <= SHOWN) {
			while (text < end && (*text == ' ' || *text == '\t'))
				text++;
			buf_puts(reason, open == 1 ? "unchecked in its description: \"" : ", \"");
			text_show(reason, text, (size_t)(end - text), TEXT_LINE, 80);
			buf_putc(reason, '"');
		}
		p = next_line(end);
	}
	if (open > SHOWN)
		buf_printf(reason, " and %zu more", open - SHOWN);
	if (open > 0)
		buf_puts(reason,
		    ". Do these, then tick the boxes ([x]) in the description, or remove "
		    "those that no longer apply.");
	return open > 0;
}

static int
check_metadata(const struct completion *c, struct buf *reason)
{
	size_t missing = 0;

	for (size_t i = 0; c->required != NULL && i < c->required->count; i++) {
		const struct json *json;

		if (completion_metadata(c, c->required->item[i], &json) != JSON_ABSENT)
			continue;
		buf_puts(reason, missing++ == 0 ? "its metadata lacks " : ", ");
		text_quote(reason, c->required->item[i], 60);
	}
	if (missing > 0)
		buf_puts(
		    reason, ". Send the missing keys as metadata with the call that completes it.");
	return missing > 0;
}

/*
 * Up to 2.1.197 a subagent's TaskCompleted does not say which agent of the
 * session it comes from; the TaskUpdate before it did, and was checked.
 */
static bool
unnamed(const struct agent *a, const struct claim *claim)
{
	return a->id == NULL && a->name == NULL && claim != NULL && claim->agent_id != NULL &&
	       text_equal(claim->session, a->session);
}

static int
check_owner(const struct completion *c, struct buf *reason)
{
	struct holder_query q = { .task = c->task, .self = c->agent };

	/* A person at a shell may complete any task. */
	if (c->agent->id == NULL && c->agent->name == NULL && c->agent->session == NULL)
		return 0;
	holder_look(&q, c->list, c->claims);
	if (unnamed(c->agent, q.claim) || holder_of(&q) != HOLDER_OTHER)
		return 0;
	buf_puts(reason, "it belongs to ");
	holder_describe(reason, &q);
	buf_puts(reason, ", who must complete it. If that agent is gone, give the task back "
			 "with: claude-tasks release ");
	buf_puts(reason, c->task->id);
	return 1;
}

int
completion_check(
    const struct completion *c, enum gate_check check, struct buf *reason, struct error *e)
{
	switch (check) {
	case CHECK_BLOCKERS:
		return check_blockers(c, reason, e);
	case CHECK_SUBTASKS:
		return check_subtasks(c, reason, e);
	case CHECK_CHECKLIST:
		return check_boxes(c, reason);
	case CHECK_METADATA:
		return check_metadata(c, reason);
	case CHECK_OWNER:
		return check_owner(c, reason);
	case CHECK_NONE:
	case CHECK_COMMITTED: /* asks the tree: verify-run.c */
		break;
	}
	return 0;
}
