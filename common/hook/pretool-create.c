/*
 * pretool: TaskCreate, and an agent about to be spawned.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "config/governing.h"
#include "config/pattern.h"
#include "hook/hook.h"
#include "hook/policy.h"
#include "hook/pretool.h"

struct create_search {
	const char *subject;
	size_t open;
	struct task *duplicate;
};

static int
create_visit(void *arg, const struct task *t)
{
	struct create_search *l = arg;

	if (!task_open(t))
		return 0;
	l->open++;
	if (l->duplicate->id == NULL && l->subject != NULL && text_same(t->subject, l->subject))
		task_copy(l->duplicate, t);
	return 0;
}

static void
create_missing(struct hook *h, struct strings *missing)
{
	const struct json *j = &h->in.event.json;
	json_ref metadata = json_member(j, h->in.event.tool_input, "metadata");
	const struct strings *want = &h->in.config.create.required_metadata;

	for (size_t i = 0; i < want->count; i++) {
		json_ref v = json_member(j, metadata, want->item[i]);

		if (v == JSON_ABSENT || json_kind(j, v) == JSON_NULL)
			strings_add(missing, want->item[i]);
	}
}

/* A task that is never claimed is judged by the gate file of the project it was created in. */
static void
create_bind(struct hook *h)
{
	struct governing g;

	if (h->explain || h->out.decision.verdict != VERDICT_PASS || !h->in.config.project.commands)
		return;
	pretool_govern(h, &g);
	governing_free(&g);
}

int
pretool_create(struct hook *h, struct error *e)
{
	const struct json *j = &h->in.event.json;
	struct create_facts f = { 0 };
	struct task duplicate = TASK_INIT;
	struct create_search look = { .duplicate = &duplicate };
	struct strings missing = { 0 };
	char *subject, *description;
	int rc = -1;

	subject = json_member_string(j, h->in.event.tool_input, "subject");
	description = json_member_string(j, h->in.event.tool_input, "description");
	if (hook_config(h, e) == -1)
		goto out;
	f.config = &h->in.config;
	f.subject = subject;
	f.description = description;
	if (h->in.config.create.subject_pattern != NULL && subject != NULL) {
		if ((rc = pattern_test(h->in.config.create.subject_pattern, subject, e)) == -1)
			goto out;
		f.pattern_fails = rc == 0;
		rc = -1;
	}
	create_missing(h, &missing);
	f.missing = &missing;
	if (hook_list_open(h) &&
	    (h->in.config.rules.duplicates != LEVEL_OFF || h->in.config.create.max_open > 0)) {
		look.subject = subject;
		if (store_scan(&h->in.store, NULL, create_visit, &look, e) == -1)
			goto out;
		f.open = look.open;
		f.duplicate = duplicate.id != NULL ? &duplicate : NULL;
	}
	policy_create(&f, &h->out.decision);
	create_bind(h);
	rc = 0;
out:
	free(subject);
	free(description);
	strings_free(&missing);
	task_free(&duplicate);
	return rc;
}

static void
spawn_names_in(struct hook *h, const char *key, struct strings *ids)
{
	char *s = json_member_string(&h->in.event.json, h->in.event.tool_input, key);

	if (s != NULL)
		policy_spawn_names(s, ids);
	free(s);
}

int
pretool_spawn(struct hook *h, struct error *e)
{
	struct strings ids = { 0 };
	struct task_set tasks = { 0 };
	struct blockers *blockers = NULL;
	struct spawn_task *named = NULL;
	int rc = 0;

	if (!hook_list_open(h))
		return 0;
	spawn_names_in(h, "description", &ids);
	spawn_names_in(h, "prompt", &ids);
	if (ids.count == 0)
		return 0;
	for (size_t i = 0; i < ids.count && rc != -1; i++) {
		rc = store_get(&h->in.store, ids.item[i], task_set_add(&tasks), e);
		if (rc != 1)
			tasks.count--;
		if (rc == -1 && e->kind == ERROR_INPUT)
			rc = 0; /* the client shows no task for such a file */
	}
	if (rc == -1 || tasks.count == 0)
		goto out;
	blockers = mem_alloc(tasks.count * sizeof(*blockers));
	named = mem_alloc(tasks.count * sizeof(*named));
	for (size_t i = 0; i < tasks.count && rc != -1; i++) {
		named[i].task = &tasks.item[i];
		named[i].blockers = &blockers[i];
		rc = store_blockers(&h->in.store, &tasks.item[i], &blockers[i], e);
	}
	/* Most prompts name a task that can be worked on: these pass without the settings. */
	if (rc != -1 && policy_spawn_useless(named, tasks.count) && (rc = hook_config(h, e)) != -1)
		policy_spawn(&h->in.config, named, tasks.count, &h->out.decision);
	if (rc != -1 && h->out.decision.verdict == VERDICT_REFUSE)
		claim_add_ready(&h->out.decision.reason, &h->in.store, &h->in.claims, NULL);
out:
	for (size_t i = 0; blockers != NULL && i < tasks.count; i++)
		blockers_free(&blockers[i]);
	free(blockers);
	free(named);
	task_set_free(&tasks);
	strings_free(&ids);
	return rc == -1 ? -1 : 0;
}
