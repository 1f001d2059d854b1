#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli.h"
#include "gate/verify.h"

/*
 * Gates running: which, for how long, and what they said last.  On a
 * terminal one line on standard error, redrawn and at the end wiped; a line
 * stays for each gate that has ended.  Elsewhere only those lines, unless quiet.
 */
struct progress {
	struct cli *c;
	bool quiet, live, drawn;
	bool table; /* the results are printed afterwards: no line for each that ends */
	size_t running;
};

void progress_begin(struct progress *, struct cli *, bool quiet);
void progress_tell(void *, enum verify_moment, const struct gate *, const struct gate_result *);
void progress_end(struct progress *);

/* "passed", "failed (exit 1)", "passed (cached)", and how long it took. */
void progress_result(struct cli *, struct buf *, const struct gate_result *);

#endif
