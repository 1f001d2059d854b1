#ifndef HOOKS_CI_H
#define HOOKS_CI_H

/*
 * on-task-completed-verify --ci: is what the list calls completed proven?
 *
 * Called with the arguments after --ci.  Prints a table on standard output,
 * problems on standard error; returns the exit status: 0 everything that
 * is completed has an intact receipt (and, with --rerun, its gates pass on
 * this tree), 2 not so, or nothing was there to check, 64 usage, 1 a fault.  See
 * ci_usage() for the options.
 */
int ci_main(int argc, char *argv[]);
extern const char ci_usage[];

#endif
