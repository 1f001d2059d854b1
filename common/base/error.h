#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

/*
 * One line that says what failed, to what, and why.
 *
 * A function that can fail takes a `struct error *` as its last parameter
 * and returns -1 (or NULL).  The text is for people: lowercase, no full
 * stop, the subject in single quotes, and free of control characters.
 * The kind is for callers that handle failures differently.
 */
enum error_kind {
	ERROR_NONE,
	ERROR_FAULT,     /* a system call failed: I/O, permissions */
	ERROR_INPUT,     /* the input is malformed */
	ERROR_NOT_FOUND, /* the named thing does not exist */
	ERROR_BUSY,      /* the deadline passed while waiting for a lock */
	ERROR_LOST,      /* the lock was taken over before the commit, or the task has changed */
	ERROR_REFUSED,   /* a rule forbids it */
	ERROR_TAKEN,     /* another agent has the task */
	ERROR_PARTLY,    /* the first of many changes are made, the others not */
};

struct error {
	enum error_kind kind;
	char text[1024];
};

/* Fills in kind and text; always returns -1, for callers to return. */
int error_set(struct error *, enum error_kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with kind ERROR_FAULT and ": strerror(errno)" at the end. */
int error_sys(struct error *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts "prefix: " before the present text; returns -1. */
int error_prefix(struct error *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* After a failed call: was it interrupted by a signal, so that it must be tried again?  `tries`
 * starts at 0; after a hundred interruptions in a row the answer is false. */
bool error_again(int *tries);

#endif
