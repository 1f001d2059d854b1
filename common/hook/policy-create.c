/*
 * policy: what a new task must have.
 *
 * A limit or a pattern was set by the user and always refuses; a duplicate is
 * only pointed out by default, since two tasks may share a subject.
 */
#include <string.h>

#include "base/text.h"
#include "hook/policy.h"

static bool
is_blank(const char *s)
{
	return s == NULL || s[strspn(s, " \t\n\v\f\r")] == '\0';
}

void
policy_create(const struct create_facts *f, struct decision *d)
{
	const struct config *c = f->config;
	struct buf b = { 0 };

	if (is_blank(f->subject) || is_blank(f->description)) {
		buf_printf(&b,
		    "A task needs a %s that says what is to be done. "
		    "Call TaskCreate again with one.",
		    is_blank(f->subject) ? "subject" : "description");
		policy_object(d, c->rules.empty, "empty", &b);
	}
	if (f->pattern_fails) {
		buf_puts(&b, "The subject ");
		text_quote(&b, f->subject, TEXT_SUBJECT);
		buf_puts(&b, " does not match this project's pattern. Choose one that matches: ");
		text_show(&b, c->create.subject_pattern, strlen(c->create.subject_pattern),
		    TEXT_LINE, 300);
		policy_object(d, LEVEL_REFUSE, "subject_pattern", &b);
	}
	if (f->missing != NULL && f->missing->count > 0) {
		buf_puts(&b, "This project requires these metadata keys on a new task: ");
		for (size_t i = 0; i < f->missing->count; i++) {
			buf_puts(&b, i > 0 ? ", " : "");
			text_show(&b, f->missing->item[i], strlen(f->missing->item[i]), TEXT_LINE,
			    TEXT_SUBJECT);
		}
		buf_puts(&b, ". Send them in metadata.");
		policy_object(d, LEVEL_REFUSE, "required_metadata", &b);
	}
	if (c->create.max_open > 0 && f->open >= (size_t)c->create.max_open) {
		buf_printf(&b,
		    "The list has %zu open tasks and this project allows %lld. "
		    "Complete or delete some first.",
		    f->open, (long long)c->create.max_open);
		policy_object(d, LEVEL_REFUSE, "max_open", &b);
	}
	if (f->duplicate != NULL) {
		buf_puts(&b, "There is already an open task with this subject: ");
		task_name(&b, f->duplicate);
		buf_printf(&b, " (%s", task_status_name(f->duplicate->status));
		if (f->duplicate->owner != NULL) {
			buf_puts(&b, ", owner ");
			text_quote(&b, f->duplicate->owner, 80);
		}
		buf_putc(&b, ')');
		buf_puts(&b, c->rules.duplicates == LEVEL_REFUSE
				 ? ". Update that one, or choose a subject that tells them apart."
				 : ". If it is the same work, delete one of the two.");
		policy_object(d, c->rules.duplicates, "duplicate", &b);
	}
}
