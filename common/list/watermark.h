#ifndef LIST_WATERMARK_H
#define LIST_WATERMARK_H

#include "list/store.h"

/* Numbers of tasks: the next one to give, as the client counts. */
int watermark_next(struct store *, char id[32], struct error *);
/* Makes sure that this id is not given again. */
int watermark_raise(struct store *, const char *id, struct error *);
/* The number that JavaScript's parseInt() finds at the front; -1 if none. */
double watermark_number(const char *);
void watermark_print(char out[32], double);

#endif
