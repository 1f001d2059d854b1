/*
 * Find the gate file that a list is judged by.
 */
#include "ci-gates.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "config/repository.h"
#include "config/trust.h"
#include "gate/git-file.h"
#include "gate/git-history.h"
#include "gate/git.h"
#include "list/list.h"

#define GIT_MS 60000
#define GATE_FILE ".claude/task-hooks.json"

static void
fill_judge(struct config *c)
{
	for (size_t i = 0; i < c->gates.count; i++)
		if ((c->gates.item[i].when.on & (GATE_COMPLETE | GATE_STOP)) != 0)
			c->gates.item[i].when.on |= GATE_CI;
}

static void
fill_each(struct config *c)
{
	for (size_t i = 0; i < c->gates.count; i++) {
		struct gate old = { .when = c->gates.item[i].when };

		c->gates.item[i].when = (struct gate_when){ .on = old.when.on };
		gate_free(&old);
	}
}

static int
load_here(struct ci_gates *g, const struct ci_options *o, struct error *e)
{
	struct config_query q = { .file = o->config, .cwd = g->cwd, .config_dir = g->config_dir };

	if (config_load(&g->here.config, &q, e) == -1 || config_load(&g->here.judge, &q, e) == -1 ||
	    config_load(&g->here.each, &q, e) == -1)
		return -1;
	fill_judge(&g->here.judge);
	fill_each(&g->here.each);
	return 0;
}

/* The branch that the work goes to; owned; NULL. */
static char *
target_ref(const struct ci_options *o)
{
	const char *github = getenv("GITHUB_BASE_REF");
	const char *commit = getenv("CI_MERGE_REQUEST_DIFF_BASE_SHA");
	const char *gitlab = getenv("CI_MERGE_REQUEST_TARGET_BRANCH_NAME");

	if (o->base != NULL)
		return mem_string(o->base);
	if (github != NULL && *github != '\0')
		return mem_printf("origin/%s", github);
	if (commit != NULL && *commit != '\0')
		return mem_string(commit);
	if (gitlab != NULL && *gitlab != '\0')
		return mem_printf("origin/%s", gitlab);
	return NULL;
}

static int
find_base(struct ci_gates *g, const struct ci_options *o, struct error *e)
{
	char *ref = target_ref(o), *head;

	if (ref == NULL)
		return 0;
	if (g->top != NULL)
		g->base = git_merge_base(g->top, ref, deadline_in(GIT_MS));
	if (g->base == NULL) {
		error_set(e, ERROR_INPUT,
		    "cannot find the common commit of HEAD and '%s': a shallow clone does not have "
		    "it (fetch-depth: 0, GIT_DEPTH: 0); a base is a branch (origin/main), a "
		    "commit's id in full, or a name that begins with refs/",
		    ref);
		free(ref);
		return -1;
	}
	/* On the target branch itself it is not known what is new. */
	head = git_head(g->cwd);
	g->since = head != NULL && strcmp(head, g->base) == 0 ? NULL : g->base;
	free(head);
	free(ref);
	return 0;
}

static int
parse_config(
    struct config *c, const char *path, const char *root, const struct buf *text, struct error *e)
{
	if (config_parse(c, path, buf_text(text), text->len, e) == -1)
		return error_prefix(e, "the gate file of the base");
	for (size_t i = 0; i < c->gates.count; i++) {
		free(c->gates.item[i].root);
		c->gates.item[i].root = mem_string(root);
	}
	return 0;
}

/* A gate file of the base, as if it were in the checkout. */
static int
parse_file(
    struct ci_file *f, const char *path, const char *root, const struct buf *text, struct error *e)
{
	if (parse_config(&f->config, path, root, text, e) == -1 ||
	    parse_config(&f->judge, path, root, text, e) == -1 ||
	    parse_config(&f->each, path, root, text, e) == -1)
		return -1;
	fill_judge(&f->judge);
	fill_each(&f->each);
	return 0;
}

/* The nearest gate file of the base, as config_load() finds that of the checkout.  1, 0, -1. */
static int
load_then(struct ci_gates *g, struct error *e)
{
	char *dir = mem_string(g->cwd), *slash;
	size_t top = strlen(g->top);
	struct buf text = { 0 };
	int rc = 0;

	while (rc == 0 && strlen(dir) >= top) {
		char *path = mem_printf("%s/" GATE_FILE, dir);

		rc = git_file_at(g->top, g->base, path + top + 1, deadline_in(GIT_MS), &text, e);
		if (rc == 1 && parse_file(&g->then, path, dir, &text, e) == -1)
			rc = -1;
		free(path);
		if ((slash = strrchr(dir, '/')) == NULL)
			break;
		*slash = '\0';
	}
	free(dir);
	buf_free(&text);
	return rc;
}

/* Compare the gate file with that of the base: a branch must not choose its own judge. */
static int
compare_files(struct ci_gates *g, struct ci_report *r, struct error *e)
{
	const struct config_file *now = &g->here.config.project;
	int rc = load_then(g, e);

	if (rc == -1)
		return -1;
	if (rc == 0 && now->path != NULL)
		ci_add(r, CI_NOTE, "gates", mem_string("gate file"),
		    mem_printf("the base %.12s has none: that of the branch judges", g->base), 0);
	g->differs =
	    rc == 1 && (now->path == NULL || strcmp(now->hash, g->then.config.project.hash) != 0);
	if (g->differs)
		ci_add(r, CI_NOTE, "gates", mem_string("gate file"),
		    mem_printf("the branch %s it since %.12s: %s",
			now->path == NULL ? "removed" : "changed", g->base,
			now->path == NULL ? "that of the base judges" : "both versions judge"),
		    0);
	return 0;
}

int
ci_gates_load(struct ci_gates *g, const struct ci_options *o, struct ci_report *r, struct error *e)
{
	const char *dir = o->checkout != NULL ? o->checkout : ".";

	*g = (struct ci_gates){ .cwd = realpath(dir, NULL) };
	if (g->cwd == NULL)
		return error_sys(e, "cannot enter '%s'", dir);
	g->top = repository_top(g->cwd);
	g->config_dir = list_config_dir(e);
	if (load_here(g, o, e) == -1 || find_base(g, o, e) == -1)
		return -1;
	return g->base != NULL && o->config == NULL ? compare_files(g, r, e) : 0;
}

static void
ci_file_free(struct ci_file *f)
{
	free(f->commit);
	config_free(&f->config);
	config_free(&f->judge);
	config_free(&f->each);
}

void
ci_gates_free(struct ci_gates *g)
{
	ci_file_free(&g->here);
	ci_file_free(&g->then);
	for (size_t i = 0; i < g->past_count; i++)
		ci_file_free(&g->past[i]);
	for (size_t i = 0; i < g->other_count; i++)
		ci_file_free(&g->other[i]);
	free(g->past);
	free(g->other);
	free(g->base);
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
	if (has_hash(&g->here, hash))
		return &g->here;
	if (g->differs && has_hash(&g->then, hash))
		return &g->then;
	for (size_t i = 0; hash != NULL && i < g->past_count; i++)
		if (has_hash(&g->past[i], hash))
			return &g->past[i];
	for (size_t i = 0; hash != NULL && i < g->other_count; i++)
		if (has_hash(&g->other[i], hash))
			return &g->other[i];
	return NULL;
}

/* Hashes of gate files that receipts were made by, and that CI does not use. */
static void
unknown_hashes(const struct ci_gates *g, const struct receipts *rs, struct strings *out)
{
	for (size_t i = 0; i < rs->count; i++) {
		const char *hash = rs->item[i].gate_file;

		if (hash != NULL && ci_gates_of(g, hash) == NULL && !strings_has(out, hash))
			strings_add(out, hash);
	}
}

/* Keep the version in this commit if it is wanted and can be read. */
static int
read_version(struct ci_gates *g, const char *path, const char *commit, const struct strings *wanted,
    struct error *e)
{
	struct buf text = { 0 };
	struct ci_file f = { .commit = mem_string(commit) };
	struct error ignored;
	char hash[HASH_HEX], *root = trust_root(path);
	int rc =
	    git_file_at(g->top, commit, path + strlen(g->top) + 1, deadline_in(GIT_MS), &text, e);

	hash_text(buf_text(&text), text.len, hash);
	if (rc == 1 && strings_has(wanted, hash) && ci_gates_of(g, hash) == NULL &&
	    parse_file(&f, path, root, &text, &ignored) == 0) {
		g->past = mem_more(g->past, g->past_count, sizeof(*g->past));
		g->past[g->past_count++] = f;
	} else
		ci_file_free(&f);
	buf_free(&text);
	free(root);
	/* Where a link of that commit led is not known: no version. */
	return rc == -1 && e->kind != ERROR_INPUT ? -1 : 0;
}

int
ci_gates_read_past(struct ci_gates *g, const struct receipts *rs, struct error *e)
{
	const char *path = g->then.config.project.path;
	struct strings wanted = { 0 }, commits = { 0 };
	int rc = 0;

	/* Without a base, or with --config, there is no such history. */
	if (path == NULL)
		return 0;
	unknown_hashes(g, rs, &wanted);
	if (wanted.count > 0)
		rc = git_file_commits(
		    g->top, g->base, path + strlen(g->top) + 1, deadline_in(GIT_MS), &commits, e);
	for (size_t i = 0; rc == 0 && i < commits.count && g->past_count < wanted.count; i++)
		rc = read_version(g, path, commits.item[i], &wanted, e);
	strings_free(&wanted);
	strings_free(&commits);
	return rc;
}

/* The gate file of this place in a commit, with its hash.  1, 0, -1. */
static int
read_place(const struct ci_gates *g, const char *commit, const char *place, struct buf *text,
    char hash[HASH_HEX], struct error *e)
{
	int rc = git_file_at(g->top, commit, place, deadline_in(GIT_MS), text, e);

	hash_text(buf_text(text), text->len, hash);
	/* Where a link leads is not known: no file. */
	return rc == -1 && e->kind == ERROR_INPUT ? 0 : rc;
}

/* Keep the gate file of this place, if it is wanted and can be read. */
static int
read_other(struct ci_gates *g, const char *place, const struct strings *wanted, struct error *e)
{
	char *path = mem_printf("%s/%s", g->top, place), *root = trust_root(path);
	char hash[HASH_HEX], then[HASH_HEX];
	struct buf text = { 0 }, old = { 0 };
	struct ci_file f = { .in_base = true };
	struct error ignored;
	int rc = read_place(g, "HEAD", place, &text, hash, e);

	if (rc == 1 && strcmp(path, g->here.config.project.path) != 0 &&
	    strings_has(wanted, hash) && ci_gates_of(g, hash) == NULL &&
	    parse_file(&f, path, root, &text, &ignored) == 0) {
		if (g->base != NULL && (rc = read_place(g, g->base, place, &old, then, e)) != -1)
			f.in_base = rc == 1 && strcmp(hash, then) == 0;
		f.other = f.config.project.path + strlen(g->top) + 1;
		g->other = mem_more(g->other, g->other_count, sizeof(*g->other));
		g->other[g->other_count++] = f;
	} else
		ci_file_free(&f);
	buf_free(&text);
	buf_free(&old);
	free(path);
	free(root);
	return rc == -1 ? -1 : 0;
}

int
ci_gates_read_others(struct ci_gates *g, const struct receipts *rs, struct error *e)
{
	const struct config_file *used = &g->here.config.project;
	struct strings wanted = { 0 }, places = { 0 };
	int rc = 0;

	unknown_hashes(g, rs, &wanted);
	/* With --config that file alone judges; without a gate file of the checkout, whoever makes
	 * receipts could choose the weakest of all. */
	if (wanted.count > 0 && g->top != NULL && used->path != NULL && !g->here.config.given)
		rc = git_tracked(
		    g->top, ":(top,glob)**/" GATE_FILE, deadline_in(GIT_MS), &places, e);
	for (size_t i = 0; rc == 0 && i < places.count && g->other_count < wanted.count; i++)
		rc = read_other(g, places.item[i], &wanted, e);
	strings_free(&wanted);
	strings_free(&places);
	return rc;
}

bool
ci_gate_blocks(const struct gate *g)
{
	/* A gate of the user's own file has no root. */
	return !g->warn && g->root != NULL && (g->when.on & (GATE_COMPLETE | GATE_STOP)) != 0;
}
