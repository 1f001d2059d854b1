#ifndef GATE_VERIFY_TASK_H
#define GATE_VERIFY_TASK_H

#include "task/task.h"
#include "json/json.h"

/*
 * A task as it would be after the completing call: what is on disk, with
 * the metadata that was sent along laid over it.  Inner part of verify.h.
 */
struct subject {
	const struct task *task;
	struct json sent; /* the metadata sent; no nodes: none */
};

/* text may be NULL and is borrowed. */
int subject_open(struct subject *, const struct task *, const char *text, struct error *);
void subject_close(struct subject *);

/* The value of metadata.KEY; JSON_ABSENT if there is none (or null). */
json_ref subject_metadata(const struct subject *, const char *key, const struct json **);

#endif
