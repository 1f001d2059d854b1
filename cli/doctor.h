#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include "registration.h"
#include "view.h"

/*
 * doctor: problems with a list and with the registration of the hooks.
 *
 * Each check has a name (`store.cycle`) and adds findings: what is wrong, why it matters, the exact
 * fix.  With --fix it applies safe fixes, after a backup, and reports them.
 */
enum level { LEVEL_NOTE, LEVEL_WARNING, LEVEL_PROBLEM };

struct finding {
	const char *check;
	enum level level;
	char *what, *why, *fix, *did; /* did: NULL if nothing was done */
};

struct doctor {
	struct cli *c;
	bool fix;
	struct view view;
	struct registration registration;
	char *client; /* version; NULL */
	struct strings checked;
	struct finding *finding;
	size_t count;
	char *backup; /* directory, once there is one */
};

/* Record that this check was made, also if it finds nothing. */
void doctor_checked(struct doctor *, const char *check);
/* Add a finding.  Takes what and fix; why and fix may be NULL. */
struct finding *doctor_add(
    struct doctor *, const char *check, enum level, char *what, const char *why, char *fix);

/* The path of an executable, owned, or NULL.  A name without a slash is searched in PATH, as the
 * client's shell does. */
char *doctor_program(const char *name);

/* Back up a file's bytes before it is changed: {state}/backup-<time>/<name>. -1: do not change it.
 */
int doctor_backup(struct doctor *, const char *name, const void *, size_t, struct error *);

/* The groups of checks. */
void doctor_store(struct doctor *);
void doctor_state(struct doctor *);                        /* claims, locks, journal, permissions */
void doctor_registration(struct doctor *);                 /* settings */
void doctor_entries(struct doctor *, int64_t deadline_ms); /* each entry of the settings */
/* The sync commands of these settings. */
void doctor_sync(struct doctor *, const struct config *);
void doctor_client(struct doctor *); /* a client newer than the tested ones */
void doctor_gates(struct doctor *);  /* config, trust, patterns */
void doctor_selftest(struct doctor *);

/* Repair a file that the client does not show, if its meaning is clear: 1 repaired, 0 not, -1.
 * Without --fix: 1 it can be repaired. */
int doctor_repair(struct doctor *, const char *file, struct error *);

#endif
