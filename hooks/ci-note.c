/*
 * What a receipt that holds has to say besides: its warnings, and what was not checked.
 */
#include "ci-note.h"

#include <string.h>

#define WARNINGS_SHOWN 10

/* The checks that are on by default or by this gate file, whatever the user's own settings say. */
static void
checks_wanted(const struct ci_file *f, struct strings *names)
{
	const struct config_file *project = &f->config.project;
	const struct config *c = &f->config;
	struct config alone = { 0 };
	struct error ignored;

	/* A version of the base was read without the user's settings. */
	if (project->text.len > 0 || project->path == NULL) {
		const char *text = project->path != NULL ? buf_text(&project->text) : "{}";

		if (config_parse(&alone, "", text, strlen(text), &ignored) == 0)
			c = &alone;
	}
	for (enum gate_check check = CHECK_NONE + 1; check <= CHECK_COMMITTED; check++)
		if (config_check_level(c, check) == LEVEL_REFUSE)
			strings_add(names, gate_check_name(check));
	config_free(&alone);
}

/* The user's own settings, which need no trust, may have switched a check off. */
static void
note_checks(const struct ci_judge *j, const struct task *t, const struct receipt *receipt)
{
	const struct ci_file *f = ci_gates_of(j->gates, receipt->gate_file);
	struct strings names = { 0 };
	struct buf b = { 0 };

	if (f != NULL)
		checks_wanted(f, &names);
	for (size_t i = 0; i < names.count; i++)
		if (!strings_has(&receipt->checks, names.item[i])) {
			buf_puts(&b, b.len > 0 ? ", "
					       : "on by the gate file or by default, and not made "
						 "for its receipt: ");
			buf_puts(&b, names.item[i]);
		}
	if (b.len > 0)
		ci_add(j->report, CI_NOTE, "check", ci_task_name(t), buf_take(&b), 0);
	buf_free(&b);
	strings_free(&names);
}

static void
note_warnings(const struct ci_judge *j, const struct task *t, const struct receipt *receipt)
{
	for (size_t i = 0; i < receipt->warnings.count && i < WARNINGS_SHOWN; i++)
		ci_add(j->report, CI_NOTE, "warn", ci_task_name(t),
		    mem_string(receipt->warnings.item[i]), 0);
}

void
ci_note_receipt(const struct ci_judge *j, const struct task *t, const struct receipt *receipt)
{
	if (receipt->forced_by != NULL)
		return;
	note_checks(j, t, receipt);
	note_warnings(j, t, receipt);
}
