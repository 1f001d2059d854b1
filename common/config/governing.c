/*
 * Find the gate file that governs, and keep what a list is bound to.
 */
#include "config/governing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "config/repository.h"
#include "json/json-fields.h"

#define RECORD "roots.json"

struct roots {
	struct strings files; /* trusted gate files, by their paths */
};

static const struct json_field fields[] = {
	JSON_FIELD("files", FIELD_STRINGS, struct roots, files),
	JSON_FIELDS_END,
};

static int
roots_parse(struct roots *r, const struct buf *text, struct error *e)
{
	struct json j = { 0 };
	int rc = json_parse(&j, buf_text(text), text->len, e);

	if (rc == 0 && json_kind(&j, JSON_ROOT) != JSON_OBJECT)
		rc = error_set(e, ERROR_INPUT, "it is not an object");
	if (rc == 0)
		json_fields_read(r, fields, &j, JSON_ROOT);
	else
		error_prefix(e, "the record of the gate files of the list, " RECORD
				", is damaged (a person can remove the file)");
	json_free(&j);
	return rc;
}

static int
roots_load(struct roots *r, const struct list *list, struct error *e)
{
	struct buf text = { 0 };
	int rc = list_state_read(list, RECORD, &text, e);

	*r = (struct roots){ 0 };
	if (rc == 1)
		rc = roots_parse(r, &text, e);
	buf_free(&text);
	return rc == -1 ? -1 : 0;
}

static int
bind_file(void *arg, struct buf *text, struct error *e)
{
	struct roots r = { 0 };
	struct json_object *o;
	int rc = text->len > 0 ? roots_parse(&r, text, e) : 0;

	if (rc == 0 && !strings_has(&r.files, arg)) {
		strings_add(&r.files, arg);
		o = out_object();
		out_strings(o, "files", &r.files);
		buf_reset(text);
		out_pretty(text, o);
		rc = 1;
	}
	json_fields_free(&r, fields);
	return rc;
}

int
governing_bind(
    const struct governing *g, const struct list *list, struct deadline until, struct error *e)
{
	const struct config *c = g->config;
	struct roots r;
	bool known;

	if (list == NULL || c->given || !c->project.commands || g->trust != TRUST_YES)
		return 0;
	if (roots_load(&r, list, e) == -1)
		return -1;
	known = strings_has(&r.files, c->project.path);
	json_fields_free(&r, fields);
	return known ? 0 : list_state_edit(list, RECORD, bind_file, c->project.path, until, e);
}

const char *
governing_root(const struct governing *g)
{
	const struct config *c = g->config;

	return !c->given && c->project.commands ? c->project.root : NULL;
}

static int
look_at(struct governing *g, const struct config *c, const char *cwd, const char *config_dir,
    struct error *e)
{
	g->config = c;
	buf_reset(&g->why);
	return trust_check(config_dir, c, cwd, &g->trust, &g->why, e);
}

/* 1: a gate file with commands, or one that is missed, governs there; 0, -1. */
static int
look_around(struct governing *g, const struct list *list, const char *place, struct error *e)
{
	struct config_query q = { .cwd = place, .config_dir = list->config };

	if (config_load(&g->own, &q, e) == -1 ||
	    look_at(g, &g->own, place, list->config, e) == -1) {
		config_free(&g->own);
		return -1;
	}
	if (g->trust == TRUST_NOT_NEEDED) {
		config_free(&g->own);
		return 0;
	}
	g->have_own = true;
	g->place = mem_string(place);
	return 1;
}

/* Several: it is not known which of them governs. */
static void
why_several(struct governing *g, const struct strings *files, const char *cwd)
{
	g->trust = TRUST_GONE;
	buf_puts(&g->why, "No trusted gate file was found from '");
	text_show(&g->why, cwd, strlen(cwd), TEXT_LINE, 300);
	buf_puts(&g->why, "', and the tasks of this list are judged by more than one: ");
	for (size_t i = 0; i < files->count && i < 5; i++) {
		buf_puts(&g->why, i > 0 ? ", '" : "'");
		text_show(&g->why, files->item[i], strlen(files->item[i]), TEXT_LINE, 300);
		buf_putc(&g->why, '\'');
	}
	buf_puts(&g->why, ". Go to the directory of the project that the task is about, and "
			  "complete it there. (A file that no longer counts: a person runs "
			  "claude-tasks untrust FILE.)");
}

static void
why_removed(struct governing *g, const char *file)
{
	g->trust = TRUST_GONE;
	buf_puts(&g->why, "The trusted gate file '");
	text_show(&g->why, file, strlen(file), TEXT_LINE, 300);
	buf_puts(&g->why, "' is missing, and the tasks of this list are judged by it. "
			  "Restore it; if it was removed on purpose, a person runs claude-tasks "
			  "untrust with its path.");
}

/* The repository that a directory is in, or was in before it was removed. */
static bool
find_repository(struct repository *r, const char *dir)
{
	char *at = mem_string(dir), *slash;
	bool found;

	while (!(found = repository_find(r, at)) && (slash = strrchr(at, '/')) != NULL)
		*slash = '\0';
	free(at);
	return found;
}

/* The files that are in this repository. */
static void
files_of(const struct repository *here, const struct strings *files, struct strings *out)
{
	for (size_t i = 0; i < files->count; i++) {
		char *root = trust_root(files->item[i]);
		struct repository r;

		if (find_repository(&r, root)) {
			if (strcmp(r.common, here->common) == 0)
				strings_add(out, files->item[i]);
			repository_free(&r);
		}
		free(root);
	}
}

/* The same place in this work tree of the repository, if it has it; owned. */
static char *
place_in(const struct repository *here, const char *root)
{
	struct repository r;
	char *place = NULL;

	if (repository_find(&r, root)) {
		place = mem_join(here->top, r.place, NULL);
		repository_free(&r);
	}
	if (place != NULL && access(place, F_OK) == 0)
		return place;
	free(place);
	return mem_string(root);
}

/* The file that the list is bound to.  here: the repository around cwd, and the files are those of
 * it; NULL. */
static int
look_at_bound(struct governing *g, const struct list *list, const struct strings *files,
    const struct repository *here, const char *cwd, struct error *e)
{
	char *root, *place;
	int rc;

	if (files->count > 1)
		why_several(g, files, cwd);
	if (files->count != 1)
		return 0;
	root = trust_root(files->item[0]);
	place = here != NULL ? place_in(here, root) : mem_string(root);
	if ((rc = look_around(g, list, place, e)) == 0)
		why_removed(g, files->item[0]);
	free(place);
	free(root);
	return rc;
}

/* In a repository only the files of it count: a list may be about several. */
static int
look_bound(struct governing *g, const struct list *list, const char *cwd, struct error *e)
{
	struct strings files = { 0 }, own = { 0 };
	struct repository here = { 0 };
	struct roots bound;
	int rc = 0;

	if (roots_load(&bound, list, e) == -1)
		return -1;
	if (bound.files.count > 0)
		rc = trust_still(list->config, &bound.files, &files, e);
	if (rc == 0 && files.count > 0 && repository_find(&here, cwd)) {
		files_of(&here, &files, &own);
		rc = look_at_bound(g, list, &own, &here, cwd, e);
		repository_free(&here);
	} else if (rc == 0)
		rc = look_at_bound(g, list, &files, NULL, cwd, e);
	strings_free(&own);
	strings_free(&files);
	json_fields_free(&bound, fields);
	return rc == -1 ? -1 : 0;
}

int
governing_find(struct governing *g, const struct list *list, const struct config *now,
    const char *cwd, const char *const places[GOVERNING_PLACES], struct error *e)
{
	int rc;

	*g = (struct governing){ .config = now };
	if (look_at(g, now, cwd, list != NULL ? list->config : NULL, e) == -1)
		return -1;
	if (g->trust != TRUST_NOT_NEEDED || list == NULL)
		return 0;
	rc = 0;
	for (size_t i = 0; rc == 0 && i < GOVERNING_PLACES; i++)
		if (places[i] != NULL && places[i][0] == '/' && strcmp(places[i], cwd) != 0)
			rc = look_around(g, list, places[i], e);
	if (rc == 0)
		rc = look_bound(g, list, cwd, e);
	if (!g->have_own)
		g->config = now;
	return rc == -1 ? -1 : 0;
}

void
governing_free(struct governing *g)
{
	if (g->have_own)
		config_free(&g->own);
	buf_free(&g->why);
	free(g->place);
	*g = (struct governing){ 0 };
}
