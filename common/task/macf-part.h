#ifndef TASK_MACF_PART_H
#define TASK_MACF_PART_H

#include "task/macf.h"

/* The marks in a subject: shared by the parts of macf.  Each length is in bytes. */

#define MACF_AGENT "[SA:"

/* The dim number at the start of a subject, with the space after it; 0. */
size_t macf_number_len(const char *subject);
/* The emoji of a kind at the start of a text, with the space after it; 0. */
size_t macf_emoji_len(const char *text);
/* The mark of the parent, with the codes around it and the space after it; NULL. */
const char *macf_parent_mark(const char *subject, size_t *len, bool *dim);
/* The type in [SA:type]; NULL. */
const char *macf_agent_find(const char *subject, size_t *len);

#endif
