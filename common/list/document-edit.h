#ifndef LIST_DOCUMENT_EDIT_H
#define LIST_DOCUMENT_EDIT_H

#include "list/store.h"

/*
 * tasks.json in memory: its text, its tasks, and the edits to be written.
 *
 *	struct document d = { 0 };
 *	document_parse(&d, text, len, &err)
 *	document_edit(&d, i, &change, now, &err)	1 changed, 0 not
 *	document_set(&d, i, &text, &err)		the task's new text
 *	document_add(&d, text, len, &err)		a new task's text
 *	document_remove(&d, i)
 *	document_print(&d, now, &out, &err)		the new text, "blocked" updated
 *	document_free(&d)
 *
 * tasks.item[i] includes the edits.  Elements that are not tasks keep
 * their bytes and their places.
 */
struct document_entry {
	json_ref ref;  /* the element; JSON_ABSENT: a new one */
	size_t indent; /* of its lines in the document; they have none in the task's text */
	bool changed, gone;
};

struct document {
	struct buf text;
	struct json json;
	json_ref list; /* the array */
	struct task_set tasks;
	struct document_entry *entry; /* parallel to tasks.item */
	struct strings bad;           /* "tasks[3]: status is missing" */
	bool clear;                   /* print it without any element */
};

int document_parse(struct document *, const char *text, size_t len, struct error *);
void document_free(struct document *);
size_t document_find(const struct document *, const char *id); /* DOCUMENT_NONE */
#define DOCUMENT_NONE ((size_t)-1)

int document_edit(
    struct document *, size_t index, const struct change *, int64_t now, struct error *);
int document_set(struct document *, size_t index, const struct buf *text, struct error *);
int document_add(struct document *, const char *text, size_t len, struct error *);
void document_remove(struct document *, size_t index);

int document_print(struct document *, int64_t now, struct buf *out, struct error *);

/* The text of a document without tasks. */
void document_empty(struct buf *, int64_t now);

#endif
