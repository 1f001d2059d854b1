#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli.h"
#include "gate/verify.h"

/*
 * Progress of gates on standard error.  On a terminal one line is redrawn with the name, the time
 * and the last line of output, and removed at the end.  A line stays for each gate that ended,
 * unless quiet.
 */
struct progress {
	struct cli *c;
	bool quiet, live, drawn;
	bool table; /* the results are printed afterwards: no line for each that ends */
	size_t running;
};

void progress_begin(struct progress *, struct cli *, bool quiet);
void progress_report(void *, enum verify_moment, const struct gate *, const struct gate_result *);
void progress_end(struct progress *);

/* Append "passed in 1.2 s", "failed (exit 1) in 0.3 s", "passed (cached)". */
void progress_result(struct cli *, struct buf *, const struct gate_result *);

#endif
