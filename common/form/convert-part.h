#ifndef FORM_CONVERT_PART_H
#define FORM_CONVERT_PART_H

#include "form/convert.h"

/*
 * The set a task comes from: its dependencies, which may be in the text of
 * either task, and the new id of each task.  All zero for a task without a
 * set.
 */
struct convert_context {
	const struct task_set *all;
	struct task_index index;
	char **id;                           /* parallel to all->item; NULL: unchanged */
	struct strings *blocks, *blocked_by; /* parallel to all->item; new ids */
	struct store *from;                  /* the list they are from, for their times; NULL */
	bool plain;                          /* print texts as text_plain() gives them */
};

void convert_context_make(struct convert_context *, const struct task_set *);
/* After the new ids are known. */
void convert_context_edges(struct convert_context *);
void convert_context_free(struct convert_context *);

/* The new id of a task; NULL stays NULL. */
const char *convert_id(const struct convert_context *, const char *id);

/* The description without the subject, which is its first line in a document. */
const char *convert_body(const struct task *);

/* Compact.  Not by json-c: raw members keep their numbers and duplicate keys. */
int convert_one(const struct task *, enum task_dialect to, const char *id,
    const struct convert_context *, int64_t now, struct buf *out, struct convert_report *,
    struct error *);
void convert_report_checklist(const struct task *, struct convert_report *);

#endif
