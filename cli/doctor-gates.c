/*
 * The gate file: does it parse, is it trusted, do its patterns match any file?
 */
#include <string.h>

#include "config/config.h"
#include "config/glob.h"
#include "config/trust.h"
#include "doctor.h"
#include "gate/git.h"

#define GIT_MS 20000

static void
check_trust(struct doctor *d, const struct config *config)
{
	struct buf why = { 0 };
	struct error err;
	enum trust t;

	doctor_checked(d, "gates.trust");
	if (trust_check(d->c->list.config, config, NULL, &t, &why, &err) == -1)
		doctor_add(d, "gates.trust", LEVEL_PROBLEM, mem_string(err.text),
		    "no gate of the project runs, and completions are refused", NULL);
	else if (t >= TRUST_UNKNOWN)
		doctor_add(d, "gates.trust", LEVEL_WARNING, mem_string(buf_text(&why)),
		    "completions are refused until a person trusts it",
		    mem_string("claude-tasks trust"));
	buf_free(&why);
}

/* Settings of the project's file that make something looser, and so wait for trust. */
static void
check_loosened(struct doctor *d, const struct config *config)
{
	struct buf names = { 0 };

	doctor_checked(d, "gates.settings");
	for (size_t i = 0; i < config->loosened.count; i++)
		buf_printf(&names, "%s%s", i > 0 ? ", " : "", config->loosened.item[i]);
	if (names.len > 0)
		doctor_add(d, "gates.settings", LEVEL_WARNING,
		    mem_printf("these settings of '%s' would make a check less strict: %s",
			config->project.path, buf_text(&names)),
		    "they do not count until a person trusts the file",
		    mem_string("claude-tasks trust"));
	buf_free(&names);
}

/* Report every pattern that matches no path. */
static void
check_pattern_list(struct doctor *d, const struct gate *g, const char *key,
    const struct strings *globs, const struct strings *paths)
{
	for (size_t i = 0; i < globs->count; i++) {
		bool matches = globs->item[i][0] == '!';

		for (size_t k = 0; k < paths->count && !matches; k++)
			matches = glob_match(globs->item[i], paths->item[k]);
		if (!matches)
			doctor_add(d, "gates.patterns", LEVEL_WARNING,
			    mem_printf(
				"gate %s: %s '%s' matches no file", g->name, key, globs->item[i]),
			    "the pattern has no effect",
			    mem_string("correct the pattern in the gate file"));
	}
}

static void
check_patterns(struct doctor *d, const struct config *config)
{
	struct git_tree tree = { 0 };
	struct strings paths = { 0 };
	struct error err;

	doctor_checked(d, "gates.patterns");
	if (config->gates.count == 0)
		return;
	if (git_tree(&tree, ".", deadline_in(GIT_MS), &err) == 0 && tree.repository &&
	    git_paths(&tree, deadline_in(GIT_MS), &paths, &err) == 0)
		for (size_t i = 0; i < config->gates.count; i++) {
			const struct gate *g = &config->gates.item[i];

			check_pattern_list(d, g, "when.changed", &g->when.changed, &paths);
			check_pattern_list(d, g, "files", &g->files, &paths);
		}
	strings_free(&paths);
	git_tree_free(&tree);
}

void
doctor_gates(struct doctor *d)
{
	struct config_query q = { .config_dir = d->c->list.config };
	struct config config;
	struct error err;

	doctor_checked(d, "gates.config");
	if (config_load(&config, &q, &err) == -1) {
		doctor_add(d, "gates.config", LEVEL_PROBLEM, mem_string(err.text),
		    "completions are refused while the settings of the gates cannot be read",
		    mem_string("correct that file"));
	} else {
		check_trust(d, &config);
		check_loosened(d, &config);
		check_patterns(d, &config);
	}
	config_free(&config);
}
