/*
 * The last tree on which a gate passed in this repository: what "since": "proven" counts from.
 *
 * One file per gate and repository in the state names the tree, which a ref of the repository
 * keeps. Only a hook's own run writes it.  Until it is written, the merge base with the default
 * branch may serve; if its tree is gone, everything counts as changed.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/cache.h"
#include "gate/verify-part.h"
#include "sys/dir.h"
#include "sys/file.h"

#define WAIT_MS 10000
#define NAME_HEX 16            /* of the name of a ref */
#define REPOSITORIES ".proven" /* beside the lists: no list has such a name */

static int
open_state(const struct plan *p, bool make)
{
	struct error e;
	char *path;
	int top, dir = -1;

	if (p->req->list == NULL || p->req->list->config == NULL)
		return -1;
	path = mem_printf("%s/task-hooks", p->req->list->config);
	if ((top = dir_open(path, &e)) != -1) {
		dir = dir_open_at(top, REPOSITORIES, make, 0700, &e);
		close(top);
	}
	free(path);
	return dir;
}

static bool
counts(const struct gate *g)
{
	return g->check == CHECK_NONE && g->when.changed.count > 0 && g->when.since == SINCE_PROVEN;
}

/* The name of the file for this gate; owned, NULL. */
static char *
file_of(const struct plan *p, const struct gate *g)
{
	char definition[HASH_HEX], key[HASH_HEX], *common = git_common(p->tree.root);
	struct hash h;

	if (common == NULL)
		return NULL;
	gate_hash(g, definition);
	hash_begin(&h);
	hash_field(&h, "proven 1");
	hash_field(&h, definition);
	hash_field(&h, g->root);
	hash_field(&h, common);
	hash_end(&h, key);
	free(common);
	return mem_printf("%s.json", key);
}

/* The tree on which this gate passed last; owned, NULL: none is known. */
static char *
last_tree(const struct plan *p, const struct gate *g)
{
	struct buf b = { 0 };
	struct error e;
	char *name = file_of(p, g), *oid = NULL;
	int dir = name != NULL ? open_state(p, false) : -1;

	if (dir != -1) {
		if (file_read(dir, name, 0, HASH_HEX + 1, &b, &e) == 1)
			oid = mem_copy(buf_text(&b), strcspn(buf_text(&b), "\n"));
		close(dir);
	}
	buf_free(&b);
	free(name);
	return oid;
}

const struct strings *
verify_proven_changed(struct plan *p, const struct gate *g)
{
	struct error e;
	char *oid = last_tree(p, g);

	p->since = "proven";
	if (oid == NULL) {
		p->since = "merge-base";
		oid = verify_base(p);
	}
	if (oid != NULL && p->proven != NULL && strcmp(oid, p->proven) == 0) {
		free(oid);
		return &p->changed_proven;
	}
	strings_free(&p->changed_proven);
	free(p->proven);
	p->proven = NULL;
	if (oid == NULL ||
	    git_changed_from_tree(&p->tree, oid, p->req->deadline, &p->changed_proven, &e) == -1) {
		free(oid);
		return NULL;
	}
	p->proven = oid;
	return &p->changed_proven;
}

static bool
passed_now(const struct plan *p, size_t i)
{
	const struct gate_result *r = &p->verify->result[i];

	return counts(r->gate) && r->tries > 0 && gate_verdict_good(r->verdict) &&
	       p->item[i].scope[0] != '\0';
}

/* There must be time left to read the tree again and to answer. */
static struct deadline
patience(const struct plan *p)
{
	return deadline_first(p->until, deadline_in(WAIT_MS));
}

void
verify_proven_write(struct plan *p)
{
	struct error e;
	bool any = false;

	for (size_t i = 0; i < p->verify->count; i++)
		any = any || passed_now(p, i);
	p->passed_tree[0] = '\0';
	/* If this fails, everything counts as changed next time. */
	if (p->req->hook && any && p->tree.repository &&
	    git_tree_write(&p->tree, patience(p), p->passed_tree, &e) == -1)
		p->passed_tree[0] = '\0';
}

void
verify_proven_remember(struct plan *p)
{
	struct strings names = { 0 };
	struct error e;
	int dir;

	if (p->passed_tree[0] == '\0' || (dir = open_state(p, true)) == -1)
		return;
	for (size_t i = 0; i < p->verify->count; i++) {
		const char *gate = p->verify->result[i].gate->name;
		char hash[HASH_HEX];

		if (!passed_now(p, i))
			continue;
		hash_text(gate, strlen(gate), hash);
		strings_take(&names, mem_printf("%.*s", NAME_HEX, hash));
	}
	if (git_tree_keep(&p->tree, p->passed_tree, &names, patience(p), &e) == 0)
		for (size_t i = 0; i < p->verify->count; i++) {
			char *name =
			    passed_now(p, i) ? file_of(p, p->verify->result[i].gate) : NULL;

			if (name != NULL)
				(void)file_replace(dir, name, p->passed_tree,
				    strlen(p->passed_tree), 0600, DURABILITY_OFF, &e);
			free(name);
		}
	cache_prune(dir);
	strings_free(&names);
	close(dir);
}
