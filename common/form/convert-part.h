#ifndef FORM_CONVERT_PART_H
#define FORM_CONVERT_PART_H

#include "form/convert.h"

/*
 * What the parts of a conversion need of each other.
 */

/*
 * The set a task comes from: who waits for whom in it, whichever side has
 * written it down, and under which id each will go.  The zero object is
 * that of a task alone.
 */
struct convert_context {
	const struct task_set *all;
	struct task_index index;
	char **id;                           /* beside all->item; NULL: they keep theirs */
	struct strings *blocks, *blocked_by; /* beside all->item; new ids */
};

void convert_context_make(struct convert_context *, const struct task_set *);
/* Once the ids are settled. */
void convert_context_edges(struct convert_context *);
void convert_context_free(struct convert_context *);

/* The id under which a task will go; NULL stays NULL. */
const char *convert_id(const struct convert_context *, const char *id);

/* A task's description without the subject that a document has in its first line. */
const char *convert_body(const struct task *);

int convert_one(const struct task *, enum task_dialect to, const char *id,
    const struct convert_context *, int64_t now, struct buf *out, struct convert_report *,
    struct error *);
void convert_report_checklist(const struct task *, struct convert_report *);

#endif
