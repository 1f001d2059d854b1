/*
 * policy: the rules for one task.
 *
 * Each reason says what is wrong first and what to do last: a model tends to
 * follow the last sentence.
 */
#include "hook/policy.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void
policy_object(struct decision *d, enum config_level level, const char *rule, struct buf *text)
{
	struct buf *to = level == LEVEL_REFUSE ? &d->reason : &d->context;

	if (level != LEVEL_OFF && text->len > 0) {
		if (to->len > 0)
			buf_putc(to, '\n');
		if (level == LEVEL_WARN)
			buf_puts(to, "Let through, but: ");
		buf_add(to, text->data, text->len);
		if (level == LEVEL_REFUSE && d->verdict != VERDICT_REFUSE) {
			d->verdict = VERDICT_REFUSE;
			d->rule = rule;
		} else if (d->rule == NULL)
			d->rule = rule;
	}
	buf_free(text);
}

static void
subject_line(struct buf *b, const struct facts *f, const char *cannot)
{
	buf_puts(b, "Task ");
	task_name(b, f->query.task);
	buf_printf(b, " cannot %s: ", cannot);
}

/* Another agent has it: `has` says so, `must` what follows from that. */
static void
held_line(
    struct buf *b, const struct facts *f, const char *cannot, const char *has, const char *must)
{
	subject_line(b, f, cannot);
	buf_puts(b, has);
	holder_describe(b, &f->query);
	buf_puts(b, must);
	buf_puts(b, ". If that agent is gone, give the task back with: claude-tasks release ");
	text_show(b, f->query.task->id, strlen(f->query.task->id), TEXT_LINE, TEXT_SUBJECT);
	buf_putc(b, '.');
}

static void
blocked_line(struct buf *b, const struct facts *f, const char *cannot)
{
	subject_line(b, f, cannot);
	buf_puts(b, "blocked by ");
	blockers_describe(b, f->blockers);
	buf_putc(b, '.');
	for (size_t i = 0; i < f->blockers->count; i++)
		if (f->blockers->item[i].missing) {
			buf_puts(b, " How to clear that: claude-tasks why ");
			text_show(b, f->query.task->id, strlen(f->query.task->id), TEXT_LINE,
			    TEXT_SUBJECT);
			buf_putc(b, '.');
			return;
		}
}

void
policy_start(const struct facts *f, struct decision *d)
{
	struct buf b = { 0 };

	if (!task_open(f->query.task)) {
		subject_line(&b, f, "start");
		buf_printf(&b, "it is already %s. To reopen it, set it to pending first.",
		    task_status_name(f->query.task->status));
		policy_object(d, f->config->rules.resolved, "already_resolved", &b);
		return;
	}
	if (holder_of(&f->query) == HOLDER_OTHER) {
		held_line(&b, f, "start", "already claimed by ", "");
		policy_object(d, f->config->rules.claimed, "already_claimed", &b);
		return;
	}
	if (f->blockers != NULL && f->blockers->count > 0)
		blocked_line(&b, f, "start");
	else if (task_held(f->query.task)) {
		buf_puts(&b, "Task ");
		task_name(&b, f->query.task);
		claim_held_text(&b, f->query.task);
	}
	policy_object(d, f->config->rules.blocked, "blocked", &b);
}

void
policy_agent_type(const struct facts *f, struct decision *d)
{
	enum config_level level = f->config->rules.agent_type;
	struct buf b = { 0 };

	/* An agent that is not the main thread, of a type that is not known, may be the one. */
	if (f->agent_type != NULL || f->query.self->id == NULL)
		claim_type_text(&b, f->query.task, f->agent_type, level == LEVEL_REFUSE);
	policy_object(d, level, "agent_type", &b);
}

static void
name_all(struct buf *b, const struct task_set *set)
{
	for (size_t i = 0; i < set->count && i < 20; i++) {
		buf_puts(b, i == 0 ? "" : i + 1 == set->count ? " and " : ", ");
		task_describe(b, &set->item[i]);
	}
	if (set->count > 20)
		buf_printf(b, " and %zu more", set->count - 20);
}

void
policy_complete(const struct facts *f, struct decision *d)
{
	enum config_level level = f->config->rules.complete;
	struct buf b = { 0 };

	if (f->query.task->status == TASK_COMPLETED)
		return;
	if (f->query.task->status == TASK_CANCELLED) {
		subject_line(&b, f, "complete");
		buf_puts(&b, "it is cancelled. To reopen it, set it to pending first.");
		policy_object(d, level, "already_resolved", &b);
		return;
	}
	if (holder_of(&f->query) == HOLDER_OTHER) {
		held_line(&b, f, "complete", "it belongs to ", ", who must complete it");
		policy_object(d, level, "not_owner", &b);
	}
	if (f->blockers != NULL && f->blockers->count > 0) {
		blocked_line(&b, f, "complete");
		buf_puts(&b, " Complete or delete those first.");
		policy_object(d, level, "blocked", &b);
	}
	if (f->subtasks != NULL && f->subtasks->count > 0) {
		subject_line(&b, f, "complete");
		buf_puts(&b, "open subtasks: ");
		name_all(&b, f->subtasks);
		buf_puts(&b, ". Complete or delete those first.");
		policy_object(d, level, "subtasks", &b);
	}
}

/* The task is deleted or cancelled: `what` and `doing` are the words for it. */
static void
policy_drop(const struct facts *f, const char *what, const char *doing, struct decision *d)
{
	struct buf b = { 0 };

	if (f->query.task->status == TASK_IN_PROGRESS && holder_of(&f->query) == HOLDER_OTHER) {
		held_line(&b, f, what, "in progress by ", "");
		if (f->dependents != NULL && f->dependents->count > 0) {
			buf_puts(&b, " Waiting for it: ");
			name_all(&b, f->dependents);
			buf_putc(&b, '.');
		}
		policy_object(d, f->config->rules.delete, "not_owner", &b);
		return;
	}
	if (f->dependents == NULL || f->dependents->count == 0)
		return;
	/* Not an objection: the client drops these dependencies silently. */
	buf_printf(&d->context, "%s%s ", d->context.len > 0 ? "\n" : "", doing);
	task_name(&d->context, f->query.task);
	buf_puts(&d->context, " unblocks the tasks that wait for it: ");
	name_all(&d->context, f->dependents);
	buf_puts(&d->context, ". If the work is still needed, give them another blocker.");
	if (d->rule == NULL)
		d->rule = "dependents";
}

void
policy_delete(const struct facts *f, struct decision *d)
{
	policy_drop(f, "be deleted", "Deleting", d);
}

void
policy_cancel(const struct facts *f, struct decision *d)
{
	policy_drop(f, "be cancelled", "Cancelling", d);
}

static void
taken_from(const struct facts *f, const char *what, struct decision *d)
{
	struct buf b = { 0 };

	held_line(&b, f, what, "in progress by ", "");
	policy_object(d, f->config->rules.steal, "steal", &b);
}

void
policy_reset(const struct facts *f, struct decision *d)
{
	if (f->query.task->status == TASK_IN_PROGRESS && holder_of(&f->query) == HOLDER_OTHER)
		taken_from(f, "go back to pending", d);
}

void
policy_owner(const struct facts *f, struct decision *d)
{
	if (f->query.owner == NULL || f->query.task->status != TASK_IN_PROGRESS ||
	    text_equal(f->query.owner, f->query.task->owner))
		return;
	if (holder_of(&f->query) == HOLDER_OTHER)
		taken_from(f, "change its owner", d);
}

void
policy_depend(const struct facts *f, struct decision *d)
{
	static const struct strings none;
	struct error why;

	for (size_t i = 0; i < f->edges; i++) {
		const struct graph_edge *edge = &f->edge[i];
		bool same = text_equal(edge->blocked, edge->blocker);
		struct buf b = { 0 };

		if (graph_edge_refuse(edge, f->query.task->id, &none, &why) == 0)
			continue;
		buf_puts(&b, why.text);
		b.data[0] = (char)toupper((unsigned char)b.data[0]);
		if (edge->unknown) {
			buf_puts(&b,
			    ": the client would say it was done and write nothing. TaskList shows "
			    "the ids.");
			policy_object(
			    d, f->config->rules.unknown_dependency, "unknown_dependency", &b);
		} else {
			buf_puts(&b, ". Leave that dependency out.");
			policy_object(
			    d, f->config->rules.cycle, same ? "self_dependency" : "cycle", &b);
		}
	}
}
