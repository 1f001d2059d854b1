/*
 * Choose the gates that apply.  If it is not known what changed, a gate applies: one
 * gate too many costs time, one too few lets a failure through.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "config/glob.h"
#include "config/pattern.h"
#include "gate/verify-allow.h"
#include "gate/verify-part.h"
#include "sys/dir.h"

static bool
any_word(const struct strings *patterns, const char *word)
{
	for (size_t i = 0; word != NULL && i < patterns->count; i++)
		if (glob_word(patterns->item[i], word))
			return true;
	return false;
}

static bool
metadata_equals(const struct completion *c, const struct gate_pair *pair)
{
	const struct json *json;
	json_ref at = completion_metadata(c, pair->key, &json);
	struct json want = { 0 };
	struct error e;
	bool same = false;

	if (json_parse(&want, pair->value, strlen(pair->value), &e) == 0)
		same = at == JSON_ABSENT ? json_kind(&want, JSON_ROOT) == JSON_NULL
					 : json_same(json, at, &want, JSON_ROOT);
	json_free(&want);
	return same;
}

static bool
text_matches(const char *pattern, const char *text)
{
	struct error e;

	/* Was checked when the configuration was read; if it fails now, the gate applies. */
	return pattern == NULL || pattern_test(pattern, text, &e) != 0;
}

static const char since_passed[] = "none of its files has changed since it passed";

/* Why it does not apply; NULL if it does. */
static const char *
gate_objection(struct plan *p, const struct gate *g)
{
	const struct gate_when *w = &g->when;
	const struct task *t = p->completion.task;
	const struct agent *a = &p->req->agent;
	const struct json *json;
	const struct strings *changed;

	if ((w->on & p->req->on) == 0)
		return "not for this event";
	if (!text_matches(w->subject, t->title))
		return "the subject does not match";
	if (!text_matches(w->description, t->description))
		return "the description does not match";
	if (w->owner.count > 0 && !any_word(&w->owner, t->owner))
		return "the task has another owner";
	if (w->teammate.count > 0 && !any_word(&w->teammate, a->name))
		return "for another teammate";
	if (w->agent_type.count > 0 && !any_word(&w->agent_type, a->type))
		return "for another type of agent";
	for (size_t i = 0; i < w->equals_count; i++)
		if (!metadata_equals(&p->completion, &w->equals[i]))
			return "the metadata has another value";
	for (size_t i = 0; i < w->has.count; i++)
		if (completion_metadata(&p->completion, w->has.item[i], &json) == JSON_ABSENT)
			return "the metadata lacks a key";
	if (w->changed.count > 0 && (changed = verify_tree_changed(p, g)) != NULL) {
		for (size_t i = 0; i < changed->count; i++)
			if (glob_any(&w->changed, changed->item[i]))
				return NULL;
		return w->since == SINCE_HEAD    ? "none of its files has changed since HEAD"
		       : w->since == SINCE_CLAIM ? "none of its files has changed since the claim"
		       : strcmp(p->since, "proven") == 0
			   ? since_passed
			   : "none of its files has changed since the merge base";
	}
	return NULL;
}

/* Where a gate runs: in the root of its file, or where it says.  The root is in the work tree that
 * is judged: a file that --config names may lie elsewhere. */
static char *
gate_directory(const struct plan *p, const struct gate *g)
{
	const char *root = p->root;

	if (g->at_event)
		return mem_string(p->event);
	if (g->cwd != NULL && g->cwd[0] == '/')
		return mem_string(g->cwd);
	if (g->root != NULL && (g->project || g->cwd != NULL || dir_contains(p->root, g->root)))
		root = g->root;
	return g->cwd != NULL ? mem_printf("%s/%s", root, g->cwd) : mem_string(root);
}

/* The gate's own variables, and those about the task that it asks for ("pass"). */
static void
gate_environment(const struct plan *p, const struct gate *g, struct strings *env)
{
	const struct task *t = p->completion.task;
	static const struct {
		const char *name, *value;
	} plain[] = { { "NO_COLOR", "1" }, { "TERM", "dumb" } };
	const struct {
		const char *name, *value;
	} ours[] = { { "CLAUDE_TASK_ID", t->id }, { "CLAUDE_TASK_SUBJECT", t->title },
		{ "CLAUDE_TASK_OWNER", t->owner },
		{ "CLAUDE_TASK_LIST", p->req->list != NULL ? p->req->list->name : NULL } };

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (strings_has(&g->pass, ours[i].name))
			strings_take(env, mem_printf("%s=%s", ours[i].name,
					      ours[i].value != NULL ? ours[i].value : ""));
	/* Its output is read, not shown on a terminal. */
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (!strings_has(&g->pass, plain[i].name))
			strings_take(env, mem_printf("%s=%s", plain[i].name, plain[i].value));
	strings_add_all(env, &g->env);
}

static struct gate_result *
add_result(struct plan *p, const struct gate *g)
{
	struct verify *v = p->verify;
	struct gate_result *r;

	v->result = mem_more(v->result, v->count, sizeof(*v->result));
	p->item = mem_more(p->item, v->count, sizeof(*p->item));
	r = &v->result[v->count];
	*r = (struct gate_result){ .gate = g, .verdict = GATE_SKIPPED, .exit = -1 };
	p->item[v->count] = (struct plan_item){ .state = PLAN_SKIP, .child = CHILD_INIT };
	v->count++;
	return r;
}

static void
gate_choose(struct plan *p, size_t i)
{
	struct gate_result *r = &p->verify->result[i];
	struct plan_item *item = &p->item[i];

	if (item->cwd == NULL) {
		item->cwd = gate_directory(p, r->gate);
		r->dir = verify_place(p->root, item->cwd);
		gate_environment(p, r->gate, &item->env);
	}
	item->state = PLAN_WAIT;
	item->unchanged = false;
	free(r->why);
	r->why = NULL;
}

/* Choose also the gates that a chosen one needs. */
static void
choose_needs(struct plan *p)
{
	struct verify *v = p->verify;
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < v->count; i++)
			for (size_t k = 0; k < v->count; k++)
				if (p->item[i].state == PLAN_WAIT &&
				    p->item[k].state == PLAN_SKIP &&
				    strings_has(
					&v->result[i].gate->needs, v->result[k].gate->name)) {
					gate_choose(p, k);
					more = true;
				}
	}
}

/* metadata.verify: the task has a command of its own. */
static void
select_own(struct plan *p)
{
	const struct config *c = p->req->config;
	const struct json *json;
	json_ref at = completion_metadata(&p->completion, "verify", &json);
	struct gate_result *r;
	struct gate *g;
	char *text = NULL;
	int rc;

	if (at == JSON_ABSENT)
		return;
	g = p->verify->own = mem_alloc(sizeof(*g));
	g->name = mem_string("metadata.verify");
	g->cache = true;
	g->ttl_ms = -1;
	g->when.on = GATE_COMPLETE | GATE_STOP | GATE_CI;
	rc = verify_allow(&c->verify.allow, json, at, &g->argv, &g->shell, &text);
	r = add_result(p, g);
	if (rc == 1)
		gate_choose(p, p->verify->count - 1);
	else if (c->verify.allow.count == 0)
		r->why = mem_string(
		    "the configuration allows no commands in metadata.verify (verify.allow)");
	else {
		/* Not permitted: it did not run, and so did not pass. */
		r->verdict = GATE_NOT_RUN;
		p->item[p->verify->count - 1].state = PLAN_DONE;
		r->why =
		    rc == -1
			? mem_string("metadata.verify is neither a command nor a list of words")
			: mem_printf("'%.200s' is not among the commands that verify.allow "
				     "permits",
			      text);
		g->shell = text != NULL ? mem_string(text) : NULL;
	}
	free(text);
}

void
verify_select(struct plan *p)
{
	const struct gates *gs = &p->req->config->gates;

	for (size_t i = 0; i < gs->count; i++) {
		const struct gate *g = &gs->item[i];
		const char *why;

		if (p->req->only != NULL && !strings_has(p->req->only, g->name)) {
			add_result(p, g)->why = mem_string("not asked for");
			continue;
		}
		p->since = NULL;
		why = gate_objection(p, g);
		add_result(p, g)->since = p->since;
		if (why == NULL || why == since_passed)
			gate_choose(p, p->verify->count - 1);
		if (why == since_passed) {
			p->item[p->verify->count - 1].state = PLAN_SKIP;
			p->item[p->verify->count - 1].unchanged = true;
		}
		p->verify->result[p->verify->count - 1].why = why != NULL ? mem_string(why) : NULL;
	}
	if (p->req->only == NULL || strings_has(p->req->only, "metadata.verify"))
		select_own(p);
	choose_needs(p);
}

struct dead_globs {
	const struct strings *paths;
	void (*fn)(void *, const struct gate *, const char *, const char *);
	void *arg;
	int found;
};

static void
dead_globs_of(
    struct dead_globs *s, const struct gate *g, const char *key, const struct strings *globs)
{
	for (size_t i = 0; i < globs->count; i++) {
		const char *glob = globs->item[i];
		size_t n = 0;

		if (*glob == '!')
			continue;
		while (n < s->paths->count && !glob_match(glob, s->paths->item[n]))
			n++;
		if (n < s->paths->count)
			continue;
		s->found = 1;
		s->fn(s->arg, g, key, glob);
	}
}

int
verify_dead_globs(const struct gates *gs, const char *cwd, struct deadline until,
    void (*fn)(void *, const struct gate *, const char *, const char *), void *arg, struct error *e)
{
	struct git_tree tree = { 0 };
	struct strings paths = { 0 };
	struct dead_globs s = { .paths = &paths, .fn = fn, .arg = arg };
	bool any = false;
	int rc = 0;

	for (size_t i = 0; i < gs->count; i++)
		any = any || gs->item[i].when.changed.count + gs->item[i].files.count > 0;
	if (!any)
		return 0;
	if (git_tree(&tree, cwd, until, e) == -1 ||
	    (tree.repository && git_paths(&tree, until, &paths, e) == -1))
		rc = -1;
	for (size_t i = 0; rc == 0 && tree.repository && i < gs->count; i++) {
		dead_globs_of(&s, &gs->item[i], "when.changed", &gs->item[i].when.changed);
		dead_globs_of(&s, &gs->item[i], "files", &gs->item[i].files);
	}
	git_tree_free(&tree);
	strings_free(&paths);
	return rc == -1 ? -1 : s.found;
}
