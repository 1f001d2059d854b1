#ifndef FORM_CHECKLIST_H
#define FORM_CHECKLIST_H

#include "form/convert.h"

/* Tasks as a Markdown checklist; checklist.c describes the form. */
int checklist_read(const char *text, size_t len, struct task_set *, struct error *);
void checklist_print(const struct task_set *, struct buf *, struct convert_report *);
bool checklist_is(const char *text, size_t len);

#endif
