#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Allocation that never returns NULL.
 *
 * When memory runs out these call the handler given to mem_on_exhausted(),
 * which must not return (a hook writes the answer for a fault and exits);
 * without a handler the program aborts.
 */
void mem_on_exhausted(void (*handler)(void));
void mem_exhausted(void) __attribute__((noreturn));

void *mem_alloc(size_t size);                      /* zeroed */
void *mem_grow(void *, size_t count, size_t size); /* like reallocarray */
/* Room for one more item in an array that holds `count`.  The array doubles, and its size follows
 * from `count`: start with NULL and 0, and grow it only with this function. */
void *mem_more(void *, size_t count, size_t size);
char *mem_copy(const char *, size_t len); /* NUL added */
char *mem_string(const char *);           /* NULL stays NULL */
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *mem_vprintf(const char *fmt, va_list) __attribute__((format(printf, 1, 0)));
/* Concatenates up to a NULL: what mem_printf("%s%s") does at a tenth of the cost. */
char *mem_join(const char *, ...) __attribute__((sentinel));

/* A growing array of owned strings. */
struct strings {
	char **item;
	size_t count;
};

void strings_add(struct strings *, const char *);               /* copies */
void strings_take(struct strings *, char *);                    /* owns */
void strings_add_all(struct strings *, const struct strings *); /* copies; NULL: none */
bool strings_has(const struct strings *, const char *);
bool strings_equal(const struct strings *, const struct strings *); /* in the same order */
char **strings_argv(const struct strings *); /* with a NULL at the end; owned, its strings not */
void strings_free(struct strings *);         /* leaves it empty */

/* True if `seen` did not have the string; adds it.  For arrays without duplicates, of any length:
 * *seen starts as NULL and borrows the strings until strings_forget(). */
bool strings_first(void **seen, const char *);
void strings_forget(void *seen);

/* Frees a tree of tsearch(), and with release() what is in it; NULL: that is borrowed. */
void mem_tree_free(void *root, void (*release)(void *));

#endif
