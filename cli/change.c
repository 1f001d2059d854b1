#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/claims.h"
#include "base/clock.h"
#include "change-part.h"
#include "gate/git.h"
#include "list/graph.h"
#include "list/journal.h"
#include "list/subtasks.h"

static char group[JOURNAL_GROUP];

void
change_begin(void)
{
	journal_group(group);
}

bool
change_same(const char *a, const char *b)
{
	return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

/* The fields of `t` that differ from `other` (all of them if that is NULL). */
static struct json_object *
changed_fields(const struct task *t, const struct task *other)
{
	static const struct task none = TASK_INIT;
	struct json_object *o = out_object();
	json_ref mine, theirs;

	if (other == NULL)
		other = &none;
	if (t->status != other->status)
		out_string(o, "status", task_status_name(t->status));
	if (!change_same(t->subject, other->subject))
		out_string(o, "subject", t->subject);
	if (!change_same(t->owner, other->owner))
		out_string(o, "owner", t->owner != NULL ? t->owner : "");
	if (!change_same(t->active_form, other->active_form))
		out_string(o, "activeForm", t->active_form != NULL ? t->active_form : "");
	if (!strings_equal(&t->blocked_by, &other->blocked_by))
		out_strings(o, "blockedBy", &t->blocked_by);
	if (!strings_equal(&t->blocks, &other->blocks))
		out_strings(o, "blocks", &t->blocks);
	mine = task_metadata(t);
	theirs = other != &none ? task_metadata(other) : JSON_ABSENT;
	if (mine != JSON_ABSENT && !json_same(&t->json, mine, &other->json, theirs))
		out_add(o, "metadata", out_raw(&t->json, mine));
	if (other != &none && !change_same(t->description, other->description))
		out_string(o, "description", "changed");
	return o;
}

static void
add_task_text(struct json_object *o, const char *key, const struct task *t)
{
	if (t != NULL && t->text.len > 0)
		out_string(o, key, buf_text(&t->text));
}

/* What an operation is called in the journal. */
static const char *
event_of(const struct store_op *op)
{
	if (op->kind != STORE_UPDATE)
		return op->kind == STORE_CREATE ? "create" : "delete";
	return op->rule == claim_rule         ? "claim"
	       : op->rule == change_completes ? "complete"
					      : "update";
}

static void
fill_entry(struct journal_entry *e, const struct agent *agent, const struct store_op *op,
    struct change_note *note)
{
	const struct task *before = op->before.id != NULL ? &op->before : NULL;
	const struct task *after = op->after.id != NULL ? &op->after : NULL;

	*e = (struct journal_entry){
		.event = note != NULL && note->event != NULL ? note->event : event_of(op),
		.task = after != NULL ? after->id : op->before.id,
		.why = note != NULL ? note->why : NULL,
		.agent = agent_owner(agent),
		.session = agent->session,
		.from = before != NULL ? changed_fields(before, after) : NULL,
		.to = after != NULL ? changed_fields(after, before) : NULL,
		.extra = note != NULL && note->extra != NULL ? note->extra : out_object(),
	};
	if (note != NULL)
		note->extra = NULL;
	if (group[0] == '\0')
		change_begin();
	out_string(e->extra, "group", group);
	add_task_text(e->extra, "before", before);
	add_task_text(e->extra, "after", after);
}

/* A claim ends with the work on its task. */
static bool
ends_claim(const struct store_op *op, const struct journal_entry *e)
{
	return op->before.id != NULL &&
	       (op->after.id == NULL ||
		   (!task_begun(&op->after) &&
		       (op->before.status == TASK_IN_PROGRESS || strcmp(e->event, "update") != 0)));
}

static void
append(struct cli *c, struct journal_entry *entries, size_t count)
{
	struct error err;

	if (journal_append_all(
		&c->list, c->store.durability, entries, count, cli_deadline(), &err) == -1)
		cli_note(c,
		    "claude-tasks: the change was made, but not recorded in the journal: %s",
		    err.text);
}

static bool
same_text(const struct task *a, const struct task *b)
{
	return strcmp(buf_text(&a->text), buf_text(&b->text)) == 0;
}

/* Tasks changed only because they name a task of the batch.  Their lines are marked undo if the
 * batch is an undo. */
static size_t
other_entries(struct cli *c, const struct change_batch *b, const struct agent *agent, void **seen,
    struct journal_entry *entries)
{
	const char *event = b->note != NULL ? b->note[0].event : NULL;
	struct change_note undo = { .event = "undo" };
	bool undoes = event != NULL && strcmp(event, undo.event) == 0;
	size_t n = 0;

	for (size_t i = 0; i < c->store.others; i++)
		if (strings_first(seen, c->store.other[i].before.id))
			fill_entry(&entries[n++], agent, &c->store.other[i], undoes ? &undo : NULL);
	return n;
}

/* A line for each changed task; of several operations on one task only the first has a line. */
static void
record(struct cli *c, const struct change_batch *b)
{
	struct journal_entry *entries =
	    mem_alloc((b->count + c->store.others + 1) * sizeof(*entries));
	struct strings ended = { 0 };
	struct agent agent = { 0 };
	struct error ignored;
	void *seen = NULL;
	size_t n = 0;

	cli_agent(c, &agent);
	for (size_t i = 0; i < b->count; i++) {
		const struct store_op *op = &b->op[i];
		const char *id = op->after.id != NULL ? op->after.id : op->before.id;

		if (id == NULL || !strings_first(&seen, id) ||
		    (op->rule != claim_rule && same_text(&op->before, &op->after)))
			continue;
		fill_entry(&entries[n], &agent, op, b->note != NULL ? &b->note[i] : NULL);
		if (ends_claim(op, &entries[n]))
			strings_add(&ended, id);
		if (op->after.parent != NULL)
			subtasks_unmark(&c->list);
		n++;
	}
	n += other_entries(c, b, &agent, &seen, entries + n);
	for (size_t i = 0; b->other_list != NULL && i < n; i++)
		out_string(entries[i].extra, "other_list", b->other_list);
	append(c, entries, n);
	if (ended.count > 0)
		(void)claims_forget(&c->list, &ended, cli_deadline(), &ignored);
	strings_forget(seen);
	strings_free(&ended);
	free(entries);
}

/* ---- writing ---- */

static int
claim_exit(enum claim_result r)
{
	static const int status[] = {
		[CLAIM_OK] = EXIT_DONE,
		[CLAIM_NOT_FOUND] = EXIT_UNKNOWN,
		[CLAIM_TAKEN] = EXIT_TAKEN,
		[CLAIM_RESOLVED] = EXIT_RESOLVED,
		[CLAIM_BLOCKED] = EXIT_BLOCKED,
		[CLAIM_AGENT_BUSY] = EXIT_AGENT,
		[CLAIM_OTHER_TYPE] = EXIT_RULE,
	};

	return status[r];
}

static bool
any_rule(const struct change_batch *b, store_rule *rule)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->op[i].rule == rule)
			return true;
	return false;
}

static enum claim_type
claim_type_of(enum config_level level)
{
	return level == LEVEL_OFF    ? CLAIM_TYPE_PASS
	       : level == LEVEL_WARN ? CLAIM_TYPE_WARN
				     : CLAIM_TYPE_REFUSE;
}

/* Now, or with the answer of the tool. */
static void
tell_warnings(struct cli *c, const struct strings *warnings, bool quiet)
{
	for (size_t i = 0; i < warnings->count; i++)
		if (quiet)
			strings_add(&c->warnings, warnings->item[i]);
		else
			cli_note(c, "claude-tasks: %s", warnings->item[i]);
}

/* Write a batch with claims: EXIT_DONE, the status of a refused claim, or -1. */
static int
apply_claims(struct cli *c, struct change_batch *b, struct buf *reason, struct error *err)
{
	struct claim_request r = { .op = b->op,
		.ops = b->count,
		.busy = b->check_busy ? CLAIM_BUSY_OWNER : CLAIM_BUSY_NEVER,
		.by_session = b->by_session,
		.pass_resolved = b->reopen,
		.outcome = &b->claim };
	struct error ignored;
	const struct config *config = cli_config(c, &ignored);
	struct governing g;
	char *head;

	cli_agent(c, &r.agent);
	cli_govern(c, &g);
	/* The gate file and the commit at the time of the claim: a later verdict compares with
	 * them. */
	if (g.config != NULL && g.config->project.path != NULL)
		r.gate_file_hash = g.config->project.hash;
	if (g.config != NULL)
		r.root = governing_root(&g);
	r.type = claim_type_of(config != NULL ? config->rules.agent_type : LEVEL_WARN);
	head = git_head(g.place != NULL ? g.place : ".");
	r.head = head;
	(void)claim_take(&c->list, &c->store, &r, reason, cli_deadline(), err);
	if (b->claim.result == CLAIM_OK)
		tell_warnings(c, &b->claim.warnings, b->quiet);
	governing_free(&g);
	free(head);
	return b->claim.result == CLAIM_FAULT ? -1 : claim_exit(b->claim.result);
}

/* Many tasks are written portion by portion, which takes longer. */
static struct deadline
batch_deadline(const struct change_batch *b)
{
	return b->count > STORE_PORTION ? deadline_in(60000) : cli_deadline();
}

/* Rules are asked portion by portion: a later one must not refuse when others are written. */
static int
check_count(const struct change_batch *b, struct buf *reason)
{
	const char *verb = any_rule(b, claim_rule)         ? "start"
			   : any_rule(b, change_completes) ? "complete"
							   : NULL;

	if (verb == NULL || b->count <= STORE_PORTION || b->guard != NULL)
		return EXIT_DONE;
	buf_printf(reason, "one call can %s at most %d tasks: name fewer", verb, STORE_PORTION);
	return EXIT_RULE;
}

/* Of a tool call: under the lock, since the task may be claimed until then. */
static void
set_rules(struct cli *c, struct change_batch *b)
{
	for (size_t i = 0; b->by_session && i < b->count; i++) {
		struct store_op *op = &b->op[i];

		if (op->rule != NULL || op->kind == STORE_CREATE ||
		    (op->kind == STORE_UPDATE && op->change->status == TASK_NO_STATUS &&
			op->change->owner == NULL))
			continue;
		op->rule = change_allowed;
		op->arg = c;
	}
}

/* A task that is never claimed is judged by the gate file of the project it was created in. */
static void
bind_created(struct cli *c, const struct change_batch *b)
{
	struct error ignored;
	const struct config *config = cli_config(c, &ignored);
	struct governing g;
	bool created = false;

	for (size_t i = 0; i < b->count; i++)
		created = created || b->op[i].kind == STORE_CREATE;
	if (!created || config == NULL || !config->project.commands)
		return;
	cli_govern(c, &g);
	governing_free(&g);
}

/* EXIT_DONE, the status of a refusal, or -1. */
static int
write_batch(struct cli *c, struct change_batch *b, struct buf *reason, struct error *err)
{
	bool claims = any_rule(b, claim_rule);
	int status = EXIT_DONE;

	if (claims)
		change_release_dead(c);
	store_forget_others(&c->store);
	c->store.guard = b->guard;
	c->store.guard_arg = b->guard_arg;
	if (claims)
		status = apply_claims(c, b, reason, err);
	else if (store_apply(&c->store, b->op, b->count, batch_deadline(b), err) == -1)
		status = -1;
	c->store.guard = NULL;
	if (status == EXIT_DONE)
		bind_created(c, b);
	return status;
}

/* The status of an error of the store. */
static int
apply_failed(const struct change_batch *b, const struct error *err, struct buf *reason)
{
	buf_puts(reason, err->text);
	if (err->kind == ERROR_PARTLY)
		buf_puts(reason, ". To take back what is written: claude-tasks undo");
	/* change_completes() refused under the lock. */
	for (size_t i = 0; i < b->count; i++)
		if (b->op[i].result == -1 && b->op[i].rule == change_completes &&
		    err->kind == ERROR_REFUSED)
			return EXIT_GATE;
	return cli_status(err->kind);
}

static void
find_unblocked(struct cli *c, struct change_batch *b)
{
	struct task_set all = { 0 };
	struct error ignored;

	if (any_rule(b, change_completes) && store_load(&c->store, &all, &ignored) == 0)
		for (size_t i = 0; i < b->count; i++)
			if (b->op[i].rule == change_completes && b->op[i].after.id != NULL)
				graph_unblocked(&all, b->op[i].after.id, &b->unblocked);
	task_set_free(&all);
}

int
change_apply(struct cli *c, struct change_batch *b, struct buf *reason)
{
	struct completing *completing = NULL;
	struct error err = { 0 };
	int status = check_count(b, reason);

	b->claim.result = CLAIM_FAULT;
	if (status != EXIT_DONE)
		return status;
	set_rules(c, b);
	if (any_rule(b, change_completes))
		status = change_verify(c, b, &completing, reason);
	/* The lock of a new list creates files: not for a change that is refused. */
	else if (c->store.made && store_plan(&c->store, b->op, b->count, &err) == -1)
		status = apply_failed(b, &err, reason);
	if (status == EXIT_DONE) {
		store_ops_free(b->op, b->count); /* as they were planned */
		if ((status = write_batch(c, b, reason, &err)) == -1)
			status = apply_failed(b, &err, reason);
		if (status == EXIT_DONE)
			change_verify_record(c, b, completing);
		/* Also after a failure: the first of many may be written. */
		record(c, b);
	}
	if (status == EXIT_DONE)
		find_unblocked(c, b);
	change_verify_end(completing, b);
	return status;
}

void
change_end(struct change_batch *b)
{
	store_ops_free(b->op, b->count);
	for (size_t i = 0; b->note != NULL && i < b->count; i++)
		json_object_put(b->note[i].extra);
	strings_free(&b->unblocked);
	claim_outcome_free(&b->claim);
}

int
change_one(struct cli *c, struct store_op *op, struct buf *reason)
{
	struct change_batch b = { .op = op, .count = 1 };
	int status = change_apply(c, &b, reason);

	strings_free(&b.unblocked);
	claim_outcome_free(&b.claim);
	return status;
}

int
change_failed(struct cli *c, const struct change_batch *b, int status, const struct buf *reason)
{
	for (size_t i = 0; status == EXIT_UNKNOWN && i < b->count; i++)
		if (b->op[i].result == -1 && b->op[i].id != NULL)
			return cli_no_task(c, b->op[i].id);
	return cli_fail(c, status, "%s", buf_text(reason));
}

/* A removed file that was not a task: the journal keeps its text. */
static void
fill_removed(struct journal_entry *e, const struct agent *agent, const char *name, const char *text,
    const char *why)
{
	*e = (struct journal_entry){ .event = "remove",
		.agent = agent_owner(agent),
		.session = agent->session,
		.why = why,
		.extra = out_object() };
	out_string(e->extra, "file", name);
	out_string(e->extra, "text", text);
}

int
change_clear(struct cli *c, struct error *err)
{
	struct task_set tasks = { 0 };
	struct strings ids = { 0 }, others = { 0 }, whys = { 0 };
	struct journal_entry *entries;
	struct agent agent;
	struct error ignored;
	size_t n = 0;
	int count = store_clear(&c->store, &tasks, &others, cli_deadline(), err);

	cli_agent(c, &agent);
	entries = mem_alloc((tasks.count + others.count + 1) * sizeof(*entries));
	for (size_t i = 0; count != -1 && i < tasks.count; i++) {
		struct store_op op = { .kind = STORE_DELETE, .before = tasks.item[i] };

		strings_add(&ids, op.before.id);
		fill_entry(&entries[n++], &agent, &op, NULL);
	}
	for (size_t i = 0; count != -1 && i < others.count; i += 2) {
		char *why = mem_printf("%s had text that is not a task", others.item[i]);

		strings_take(&whys, why);
		fill_removed(&entries[n++], &agent, others.item[i], others.item[i + 1], why);
	}
	append(c, entries, n);
	if (ids.count > 0)
		(void)claims_forget(&c->list, &ids, cli_deadline(), &ignored);
	free(entries);
	strings_free(&ids);
	task_set_free(&tasks);
	strings_free(&others);
	strings_free(&whys);
	return count;
}
