/*
 * The tree that is verified, and the passes from and to the cache.
 *
 * A pass counts for the tree as it was before the gate ran, if it is the same
 * afterwards.  If the tree is not known (no git, a file that cannot be read), the
 * gate runs and its pass is not cached.
 */
#include <stdlib.h>
#include <string.h>

#include "gate/cache.h"
#include "gate/verify-part.h"
#include "sys/dir.h"

void
verify_tree_read(struct plan *p)
{
	struct error e;

	if (p->tree_read)
		return;
	p->tree_read = true;
	if (git_tree(&p->tree, p->cwd, p->req->deadline, &e) == -1)
		p->tree_why = mem_string(e.text);
}

void
verify_tree_forget(struct plan *p)
{
	git_tree_free(&p->tree);
	free(p->tree_why);
	p->tree_why = NULL;
	p->tree_read = false;
}

static const struct strings *
changed_from(struct plan *p, const struct gate *g)
{
	bool ci = p->req->on == GATE_CI, head = g->when.since == SINCE_HEAD && !ci;
	struct strings *list = head ? &p->changed_head : &p->changed_claim;
	bool *read = head ? &p->head_read : &p->claim_read;
	const char *since = ci ? p->req->since : p->claim != NULL ? p->claim->head : NULL;
	struct error e;

	verify_tree_read(p);
	if (!p->tree.repository)
		return NULL;
	if (g->when.since == SINCE_PROVEN && !ci)
		return verify_proven_changed(p, g);
	/* Without a commit to count from, everything counts as changed: in CI the tree is HEAD, and
	 * without a claim the start of the work is unknown. */
	if (!head && since == NULL)
		return NULL;
	p->since = ci ? "base" : gate_since_name(g->when.since);
	if (!*read) {
		*read = true;
		if (git_changed(&p->tree, head ? NULL : since, p->req->deadline, list, &e) == -1) {
			strings_free(list);
			p->changed_why = mem_string(e.text);
		}
	}
	return p->changed_why != NULL ? NULL : list;
}

const struct strings *
verify_tree_changed(struct plan *p, const struct gate *g)
{
	const struct strings *changed = changed_from(p, g);

	if (changed == NULL)
		p->since = "everything";
	return changed;
}

static bool
tree_contains(const char *root, const char *path)
{
	char *real = realpath(path, NULL);
	bool yes = real != NULL && dir_contains(root, real);

	free(real);
	return yes;
}

/* Add the gate's "inputs" to the hash of what it reads. */
static void
add_inputs(struct plan *p, size_t i, char out[HASH_HEX], char **why)
{
	const char *dir = p->tree.repository ? p->tree.root : p->item[i].cwd;
	char inputs[HASH_HEX];
	struct hash h;

	if (git_inputs_hash(dir, &p->verify->result[i].gate->inputs, inputs, why) != 1) {
		out[0] = '\0';
		return;
	}
	hash_begin(&h);
	hash_field(&h, out);
	hash_field(&h, inputs);
	hash_end(&h, out);
}

/* The hash of what gate i reads; "" and the reason (owned) if there is none. */
static void
scope_hash(struct plan *p, size_t i, char out[HASH_HEX], char **why)
{
	const struct gate *g = p->verify->result[i].gate;

	*why = NULL;
	out[0] = '\0';
	verify_tree_read(p);
	if (p->tree_why != NULL)
		*why = mem_string(p->tree_why);
	else if (!p->tree.repository)
		git_files_hash(p->item[i].cwd, &g->files, &g->writes, out, why);
	else if (!tree_contains(p->tree.root, p->item[i].cwd))
		*why = mem_string("it runs outside the repository");
	else
		git_tree_hash(&p->tree, &g->files, &g->writes, out, why);
	if (g->inputs.count > 0 && out[0] != '\0')
		add_inputs(p, i, out, why);
}

static int64_t
cache_ttl(const struct plan *p, const struct gate *g)
{
	return g->ttl_ms >= 0 ? g->ttl_ms : p->req->config->verify.ttl_ms;
}

/* The cache key of gate i, with its whole environment. */
static void
cache_key_of(struct plan *p, size_t i, char out[HASH_HEX])
{
	const struct gate *g = p->verify->result[i].gate;
	struct strings env = { 0 };

	child_env(&env, &p->item[i].env, &g->pass, true);
	cache_key(g, p->item[i].scope, p->item[i].cwd, &env, out);
	strings_free(&env);
}

void
verify_tree_lookup(struct plan *p)
{
	for (size_t i = 0; i < p->verify->count; i++) {
		struct gate_result *r = &p->verify->result[i];
		struct cache_entry entry;
		char key[HASH_HEX];

		if ((p->item[i].state != PLAN_WAIT && !p->item[i].unchanged) ||
		    r->gate->check != CHECK_NONE)
			continue;
		r->key[0] = '\0';
		free(r->uncached);
		r->uncached = NULL;
		scope_hash(p, i, p->item[i].scope, &r->uncached);
		cache_key_of(p, i, key);
		verify_kept_key(p, key, r->call_key);
		if (verify_kept_use(p, i)) {
			p->item[i].kept = true;
			p->item[i].unchanged = false;
			p->item[i].state = PLAN_DONE;
			continue;
		}
		if (p->item[i].scope[0] == '\0')
			continue;
		if (!r->gate->cache || !p->req->config->verify.cache || p->statefd == -1) {
			if (!p->item[i].unchanged)
				r->uncached = mem_string("its cache is off");
			continue;
		}
		memcpy(r->key, key, sizeof(r->key));
		if (p->req->no_cache ||
		    !cache_find(p->statefd, r->key, cache_ttl(p, r->gate), &entry)) {
			/* Whoever runs this by hand chooses what is around the gate. */
			if (!p->req->hook && !p->req->plan_only && !p->item[i].unchanged)
				r->uncached = mem_string("a hook did not run it");
			continue;
		}
		r->verdict = entry.flaky ? GATE_FLAKY : GATE_PASSED;
		r->cached = true;
		r->exit = 0;
		r->tries = 0;
		r->ms = entry.ms;
		r->output_total = entry.output_total;
		memcpy(r->digest, entry.digest, sizeof(r->digest));
		free(r->why);
		r->why = NULL;
		p->item[i].unchanged = false;
		p->item[i].state = PLAN_DONE;
	}
}

void
verify_tree_remember(struct plan *p)
{
	struct error e;

	for (size_t i = 0; i < p->verify->count; i++) {
		const struct gate_result *r = &p->verify->result[i];
		struct cache_entry entry = { .time_ms = clock_wall_ms(),
			.ms = r->ms,
			.output_total = r->output_total,
			.flaky = r->verdict == GATE_FLAKY };

		if (!p->req->hook || r->cached || p->item[i].kept || r->key[0] == '\0' ||
		    !gate_verdict_good(r->verdict))
			continue;
		memcpy(entry.digest, r->digest, sizeof(entry.digest));
		/* If this fails, the gate runs again next time. */
		(void)cache_put(p->statefd, r->key, r->gate->name, &entry, &e);
	}
}

void
verify_tree_begin(struct plan *p)
{
	struct error e;
	bool runs = false;

	git_times_free(&p->times);
	for (size_t i = 0; i < p->verify->count; i++)
		runs = runs || (p->item[i].state == PLAN_WAIT &&
				   p->verify->result[i].gate->check == CHECK_NONE);
	if (!runs || !p->tree.repository ||
	    git_times_read(&p->times, &p->tree, p->req->deadline, &e) == 0)
		return;
	/* Without the times no pass is known to be of this tree. */
	for (size_t i = 0; i < p->verify->count; i++) {
		p->item[i].scope[0] = '\0';
		free(p->verify->result[i].uncached);
		p->verify->result[i].uncached = mem_string(e.text);
	}
}

/* Of these paths those that gate i reads. */
static bool
any_in_scope(const struct plan *p, size_t i, const struct strings *touched, struct strings *paths)
{
	const struct gate *g = p->verify->result[i].gate;
	bool any = false;

	for (size_t n = 0; n < touched->count; n++)
		if (git_in_scope(&g->files, &g->writes, touched->item[n])) {
			any = true;
			if (!strings_has(paths, touched->item[n]))
				strings_add(paths, touched->item[n]);
		}
	return any;
}

/* Read the tree again: has what a gate reads changed since the first time, even if it was changed
 * back? */
bool
verify_tree_moved(struct plan *p, struct strings *paths)
{
	struct git_tree before = p->tree;
	struct strings touched = { 0 };
	bool moved = false;

	if (before.repository)
		git_times_changed(&p->times, &before, &touched);
	p->tree = (struct git_tree){ 0 };
	verify_tree_forget(p);
	verify_tree_read(p);
	for (size_t i = 0; i < p->verify->count; i++) {
		const struct gate *g = p->verify->result[i].gate;
		char now[HASH_HEX], *why;
		bool back;

		if (p->item[i].state != PLAN_DONE || p->item[i].scope[0] == '\0')
			continue;
		scope_hash(p, i, now, &why);
		free(why);
		back = any_in_scope(p, i, &touched, paths);
		moved = moved || back || strcmp(now, p->item[i].scope) != 0;
		if (strcmp(now, p->item[i].scope) != 0 && before.repository && p->tree.repository)
			git_tree_difference(&before, &p->tree, &g->files, &g->writes, paths);
	}
	strings_free(&touched);
	git_tree_free(&before);
	return moved;
}
