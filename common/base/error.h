#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

/*
 * One line that says what failed, to what, and why.
 *
 * A function that can fail takes a `struct error *` as its last parameter
 * and returns -1 (or NULL).  The text is for people: lowercase, no full
 * stop, the subject in single quotes, and free of control characters.
 * The kind is for callers that must tell one failure from another.
 */
enum error_kind {
	ERROR_NONE,
	ERROR_FAULT,     /* the system failed us: I/O, no permission */
	ERROR_INPUT,     /* what we were given is malformed */
	ERROR_NOT_FOUND, /* the named thing is not there */
	ERROR_BUSY,      /* a lock was not to be had before the deadline */
	ERROR_LOST,      /* a lock was taken from us before the commit, or the task has changed */
	ERROR_REFUSED,   /* a rule says no */
};

struct error {
	enum error_kind kind;
	char text[1024];
};

/* Fill in kind and text; always returns -1, so that callers return it. */
int error_set(struct error *, enum error_kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with kind ERROR_FAULT and ": strerror(errno)" at the end. */
int error_sys(struct error *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Put "prefix: " before the text that is there; returns -1. */
int error_prefix(struct error *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* After a call that failed: only a signal, so worth another try?  Not for ever:
 * `tries` starts at 0, and a hundred in a row are a failure like any other. */
bool error_again(int *tries);

#endif
