#ifndef TASK_MACF_H
#define TASK_MACF_H

#include "task/task.h"

/*
 * Metadata that the MACF tools write into the subject and description of
 * native tasks, because the client drops unknown keys:
 *
 *	subject		[SA:TestEng] Write tests	for which type of agent
 *			#89 [^#67] <emoji> Phase 4	its number, parent and kind
 *	description	<macf_task_metadata version="1.0">
 *			created_cycle: 42
 *			</macf_task_metadata>
 *
 * The client no longer shows the number of a task: "#89" and "[^#67]" are
 * enclosed in the codes that make them dim, which it passes to the terminal.
 * We leave all of it in place when we write.
 */
char *macf_agent_type(const char *subject); /* "TestEng"; NULL; owned */
char *macf_parent(const char *subject);     /* "67"; NULL; owned */
/* The subject with another number and parent ("": none, NULL: as it is).  One that does not begin
 * with a dim number gets neither a number nor a mark that it lacks.  Owned. */
char *macf_renumber(const char *subject, const char *id, const char *parent);
/* A new title with the number, parent, emoji and [SA:type] of the task's subject before it.  Those
 * that it begins with itself are not repeated, and of number and parent the task's own count.  One
 * with a dim number is the whole subject.  Owned. */
char *macf_retitle(const struct task *, const char *title);
/* Does the title begin with the task's number, as it is shown without the codes? */
bool macf_shown(const struct task *, const char *title);
/* "Working on", then the subject without any of the marks; owned. */
char *macf_active_form(const char *subject);
/* The subject without its dim number and the mark of its parent; owned. */
char *macf_title(const char *subject);
/* The subject without its [SA:type]; owned. */
char *macf_unmark(const char *subject);

/* Is the agent's type the one that a mark names? */
bool macf_same_type(const char *mark, const char *type);

/* "mission", "experiment", "phase", "bug", NULL */
extern const char *const macf_kinds[];
/* By metadata.kind, else the block's task_type, else the emoji; lower case; NULL; owned. */
char *macf_kind(const struct task *);

/* The block with its tags; NULL if there is none. */
const char *macf_block(const char *description, size_t *len);
char *macf_body(const char *description);                   /* what is between them; owned; NULL */
char *macf_value(const char *description, const char *key); /* owned; NULL */
/* Calls fn for each `key: value` of the block. */
void macf_each(
    const char *description, void (*fn)(void *, const char *key, const char *value), void *);
/* The description without its block; owned. */
char *macf_text(const char *description);

/* The description with another parent_id ("": none) in its block, if it has one; owned. */
char *macf_reparent(const char *description, const char *parent);

/* A new description with the old one's block at its end, unless it has one itself; owned. */
char *macf_keep(const char *old, const char *description);

/*
 * What makes a new task one of MACF's.  A value is one word (text_plain_word()),
 * so that it needs no quotes in the block; NULL: left out.
 */
struct macf {
	const char *kind; /* of macf_kinds */
	const char *repo, *version, *breadcrumb, *cycle, *created_by;
};

/* The subject as it is stored: with its number and parent, unless id is NULL; owned. */
char *macf_subject(const struct macf *, const char *id, const char *parent, const char *title);
/* The description with a block at its end, or its own block with this parent; owned. */
char *macf_description(const struct macf *, const char *parent, const char *text);

#endif
