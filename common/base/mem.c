/*
 * Exhausted memory is handled in one place.  The handler must not allocate.
 */
#include "base/mem.h"

#include <search.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*on_exhausted)(void);

void
mem_on_exhausted(void (*handler)(void))
{
	on_exhausted = handler;
}

void
mem_exhausted(void)
{
	void (*handler)(void) = on_exhausted;

	/* a handler that allocates must not come back here */
	on_exhausted = NULL;
	if (handler != NULL)
		handler();
	abort();
}

void *
mem_alloc(size_t size)
{
	void *p = calloc(1, size > 0 ? size : 1);

	if (p == NULL)
		mem_exhausted();
	return p;
}

void *
mem_grow(void *old, size_t count, size_t size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(count, size, &bytes))
		mem_exhausted();
	/* realloc to nothing may free and return NULL: that is not exhaustion */
	p = realloc(old, bytes > 0 ? bytes : 1);
	if (p == NULL)
		mem_exhausted();
	return p;
}

#define MORE_FIRST 8 /* items of a new array; a power of two */

void *
mem_more(void *old, size_t count, size_t size)
{
	if (count == 0)
		return mem_grow(old, MORE_FIRST, size);
	if (count < MORE_FIRST || (count & (count - 1)) != 0)
		return old;
	return mem_grow(old, 2 * count, size); /* count items fit, so 2 * count cannot overflow */
}

char *
mem_copy(const char *s, size_t len)
{
	char *p;

	if (len == SIZE_MAX)
		mem_exhausted();
	p = mem_grow(NULL, len + 1, 1);
	if (len > 0)
		memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

char *
mem_string(const char *s)
{
	return s != NULL ? mem_copy(s, strlen(s)) : NULL;
}

char *
mem_vprintf(const char *fmt, va_list ap)
{
	char *s;

	if (vasprintf(&s, fmt, ap) == -1)
		mem_exhausted();
	return s;
}

char *
mem_printf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = mem_vprintf(fmt, ap);
	va_end(ap);
	return s;
}

void
strings_take(struct strings *list, char *s)
{
	list->item = mem_more(list->item, list->count, sizeof(*list->item));
	list->item[list->count++] = s;
}

void
strings_add(struct strings *list, const char *s)
{
	strings_take(list, mem_string(s));
}

void
strings_add_all(struct strings *list, const struct strings *more)
{
	for (size_t i = 0; more != NULL && i < more->count; i++)
		strings_add(list, more->item[i]);
}

bool
strings_has(const struct strings *list, const char *s)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->item[i], s) == 0)
			return true;
	return false;
}

bool
strings_equal(const struct strings *a, const struct strings *b)
{
	size_t i = 0;

	while (i < a->count && i < b->count && strcmp(a->item[i], b->item[i]) == 0)
		i++;
	return i == a->count && i == b->count;
}

char **
strings_argv(const struct strings *list)
{
	char **argv = mem_alloc((list->count + 1) * sizeof(*argv));

	for (size_t i = 0; i < list->count; i++)
		argv[i] = list->item[i];
	return argv;
}

void
strings_free(struct strings *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->item[i]);
	free(list->item);
	*list = (struct strings){ 0 };
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

bool
strings_first(void **seen, const char *s)
{
	const char **node = tsearch(s, seen, by_text);

	if (node == NULL)
		mem_exhausted();
	return *node == s;
}

void
strings_forget(void *seen)
{
	mem_tree_free(seen, NULL);
}

static int
at_once(const void *a, const void *b)
{
	(void)a;
	(void)b;
	return 0;
}

/* The root, as long as there is one: POSIX has no tdestroy(). */
void
mem_tree_free(void *root, void (*release)(void *))
{
	while (root != NULL) {
		void *item = *(void **)root;

		tdelete(item, &root, at_once);
		if (release != NULL)
			release(item);
	}
}

char *
mem_join(const char *first, ...)
{
	size_t len = 0;
	va_list ap;
	char *out, *p;

	va_start(ap, first);
	for (const char *s = first; s != NULL; s = va_arg(ap, const char *))
		len += strlen(s);
	va_end(ap);
	p = out = mem_alloc(len + 1);
	va_start(ap, first);
	for (const char *s = first; s != NULL; s = va_arg(ap, const char *))
		p = stpcpy(p, s);
	va_end(ap);
	return out;
}
