/*
 * Path patterns that match no file there is.
 */
#include <string.h>

#include "config/glob.h"
#include "gate/git.h"
#include "gate/verify.h"

struct search {
	const struct strings *paths;
	void (*fn)(void *, const struct gate *, const char *, const char *);
	void *arg;
	int found;
};

static void
search(struct search *s, const struct gate *g, const char *key, const struct strings *globs)
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
	struct search s = { .paths = &paths, .fn = fn, .arg = arg };
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
		search(&s, &gs->item[i], "when.changed", &gs->item[i].when.changed);
		search(&s, &gs->item[i], "files", &gs->item[i].files);
	}
	git_tree_free(&tree);
	strings_free(&paths);
	return rc == -1 ? -1 : s.found;
}
