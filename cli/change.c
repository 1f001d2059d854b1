#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/claims.h"
#include "base/clock.h"
#include "change.h"
#include "list/journal.h"
#include "list/subtasks.h"

static char group[48];

void
change_begin(struct cli *c)
{
	static unsigned serial;

	(void)c;
	snprintf(group, sizeof(group), "%llx-%x-%x", (unsigned long long)clock_wall_ms(),
	    (unsigned)getpid(), serial++);
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
add_text(struct json_object *o, const char *key, const struct task *t)
{
	if (t != NULL && t->text.len > 0)
		out_string(o, key, buf_text(&t->text));
}

void
change_record(struct cli *c, const char *event, const struct task *before, const struct task *after,
    const char *why, struct json_object *extra)
{
	struct agent agent;
	struct journal_entry e = {
		.event = event,
		.task = after != NULL    ? after->id
			: before != NULL ? before->id
					 : NULL,
		.why = why,
	};
	struct error err;

	cli_agent(c, &agent);
	e.agent = agent_owner(&agent);
	e.session = agent.session;
	if (before != NULL)
		e.from = changed_fields(before, after);
	if (after != NULL)
		e.to = changed_fields(after, before);
	if (extra == NULL)
		extra = out_object();
	if (group[0] == '\0')
		change_begin(c);
	out_string(extra, "group", group);
	add_text(extra, "before", before);
	add_text(extra, "after", after);
	e.extra = extra;
	if (after != NULL && after->parent != NULL)
		subtasks_unmark(&c->list);
	if (journal_append(&c->list, c->store.durability, &e, cli_deadline(), &err) == -1)
		cli_note(c,
		    "claude-tasks: the change was made, but not recorded in the journal: %s",
		    err.text);
}

int
change_create(struct cli *c, const struct change *change, struct task *made, struct error *err)
{
	if (store_create(&c->store, change, NULL, NULL, made, cli_deadline(), err) == -1)
		return -1;
	change_record(c, "create", NULL, made, NULL, NULL);
	return 0;
}

int
change_update(struct cli *c, const char *id, const struct change *change, struct task *before,
    struct task *after, struct error *err)
{
	struct task was = TASK_INIT, is = TASK_INIT;
	int rc = store_update(&c->store, id, change, NULL, NULL, &was, &is, cli_deadline(), err);

	if (rc == 1) {
		change_record(c, "update", &was, &is, NULL, NULL);
		if (was.status == TASK_IN_PROGRESS && !task_begun(&is))
			(void)claims_forget(&c->list, id, cli_deadline(), err);
	}
	if (rc != -1 && before != NULL)
		task_copy(before, &was);
	if (rc != -1 && after != NULL)
		task_copy(after, rc == 1 ? &is : &was);
	task_free(&was);
	task_free(&is);
	return rc;
}

int
change_delete(
    struct cli *c, const char *id, const struct task *as, struct task *before, struct error *err)
{
	struct task was = TASK_INIT;

	if (store_delete(&c->store, id, NULL, NULL, &was, cli_deadline(), err) == -1)
		return -1;
	change_record(c, "delete", as != NULL ? as : &was, NULL, NULL, NULL);
	(void)claims_forget(&c->list, id, cli_deadline(), err);
	if (before != NULL)
		task_copy(before, &was);
	task_free(&was);
	return 0;
}

int
change_depend(
    struct cli *c, const char *blocked, const char *blocker, bool remove, struct error *err)
{
	struct task was = TASK_INIT, is = TASK_INIT;
	int rc = store_get(&c->store, blocked, &was, err);

	if (rc == 0)
		rc = error_set(err, ERROR_NOT_FOUND,
		    "there is no task #%s (try: claude-tasks list --all)", blocked);
	if (rc != -1)
		rc = store_depend(&c->store, blocked, blocker, remove, cli_deadline(), err);
	if (rc != -1)
		rc = store_get(&c->store, blocked, &is, err);
	if (rc == 1) {
		rc = !strings_equal(&was.blocked_by, &is.blocked_by);
		if (rc == 1)
			change_record(c, "update", &was, &is, NULL, NULL);
	}
	task_free(&was);
	task_free(&is);
	return rc;
}

int
change_claim_exit(enum claim_result r, const struct error *err)
{
	static const int status[] = {
		[CLAIM_OK] = EXIT_DONE,
		[CLAIM_NOT_FOUND] = EXIT_UNKNOWN,
		[CLAIM_TAKEN] = EXIT_TAKEN,
		[CLAIM_RESOLVED] = EXIT_RESOLVED,
		[CLAIM_BLOCKED] = EXIT_BLOCKED,
		[CLAIM_AGENT_BUSY] = EXIT_AGENT,
	};

	return r == CLAIM_FAULT ? cli_status(err->kind) : status[r];
}
