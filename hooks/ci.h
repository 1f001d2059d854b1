#ifndef HOOKS_CI_H
#define HOOKS_CI_H

/*
 * on-task-completed-verify --ci: are the completed tasks of a list proven?
 *
 * Called with the arguments after --ci.  Prints a table on standard output,
 * problems on standard error; returns the exit status: 0 every completed task
 * has an intact receipt (and, with --rerun, its gates pass on this tree), 2 one
 * has not, or nothing was there to check, 64 usage, 1 a fault.  --help lists
 * the options.
 */
int ci_main(int argc, char *argv[]);

#endif
