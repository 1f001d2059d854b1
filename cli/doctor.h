#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include "registration.h"
#include "view.h"

/*
 * doctor: what is wrong with a list and with the wiring of the hooks.
 *
 * Each check has a name (`store.cycle`); it either says that all is well, or
 * adds findings: what, why it matters, the exact fix.  With --fix it first does
 * what is safe, after a backup, and says what it did.
 */
enum level { LEVEL_NOTE, LEVEL_ODD, LEVEL_BAD };

struct finding {
	const char *check;
	enum level level;
	char *what, *why, *fix, *did; /* did: NULL if nothing was done */
};

struct doctor {
	struct cli *c;
	bool fix;
	struct view view;
	struct registration wiring;
	char *client; /* version; NULL */
	struct strings checked;
	struct finding *finding;
	size_t count;
	char *backup; /* directory, once there is one */
};

/* This check was made (also when it finds nothing). */
void doctor_checked(struct doctor *, const char *check);
/* A finding; why may be NULL.  Texts are taken. */
struct finding *doctor_find(
    struct doctor *, const char *check, enum level, char *what, const char *why, char *fix);

/* Keep a file's bytes before it is changed: {state}/backup-<time>/<name>. -1: do not change it. */
int doctor_backup(struct doctor *, const char *name, const void *, size_t, struct error *);

/* The groups of checks. */
void doctor_store(struct doctor *);
void doctor_state(struct doctor *);  /* claims, locks, journal, permissions */
void doctor_wiring(struct doctor *); /* settings */
void doctor_gates(struct doctor *);  /* config, trust, patterns */
void doctor_selftest(struct doctor *);

/* A file that the client cannot see, mended if that is possible without guessing:
 * 1 mended, 0 cannot be, -1. */
int doctor_mend(struct doctor *, const char *file, struct error *);

#endif
