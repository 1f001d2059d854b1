/*
 * Find the gate file that a list is judged by.
 */
#include "ci-gates.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "gate/git.h"
#include "list/list.h"

static void
judge_all(struct config *c)
{
	for (size_t i = 0; i < c->gates.count; i++)
		if ((c->gates.item[i].when.on & (GATE_COMPLETE | GATE_STOP)) != 0)
			c->gates.item[i].when.on |= GATE_CI;
}

int
ci_gates_load(struct ci_gates *g, const struct ci_options *o, struct error *e)
{
	const char *dir = o->checkout != NULL ? o->checkout : ".";
	struct config_query q = { .file = o->config };

	*g = (struct ci_gates){ .cwd = realpath(dir, NULL) };
	if (g->cwd == NULL)
		return error_sys(e, "cannot enter '%s'", dir);
	g->top = git_root(g->cwd);
	q.cwd = g->cwd;
	q.config_dir = g->config_dir = list_config_dir(e);
	if (config_load(&g->here.config, &q, e) == -1 || config_load(&g->here.judge, &q, e) == -1)
		return -1;
	judge_all(&g->here.judge);
	return 0;
}

static void
ci_file_free(struct ci_file *f)
{
	config_free(&f->config);
	config_free(&f->judge);
}

void
ci_gates_free(struct ci_gates *g)
{
	ci_file_free(&g->here);
	free(g->cwd);
	free(g->top);
	free(g->config_dir);
	*g = (struct ci_gates){ 0 };
}

static bool
has_hash(const struct ci_file *f, const char *hash)
{
	const struct config_file *file = &f->config.project;

	return hash == NULL ? file->path == NULL
			    : file->path != NULL && strcmp(file->hash, hash) == 0;
}

const struct ci_file *
ci_gates_of(const struct ci_gates *g, const char *hash)
{
	return has_hash(&g->here, hash) ? &g->here : NULL;
}

bool
ci_gate_blocks(const struct gate *g)
{
	/* A gate of the user's own file has no root. */
	return !g->warn && g->root != NULL && (g->when.on & (GATE_COMPLETE | GATE_STOP)) != 0;
}
