#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli.h"

/* The table of commands: what main() runs, and what help and the completions print. */
struct command {
	const char *name, *also; /* also: another name for it, or NULL */
	const char *operands;    /* "N...", "" */
	int min, max;            /* operands; max -1: any number */
	int (*run)(struct cli *);
	const struct flag *flags; /* ends with a NULL name; NULL: none */
	const char *summary;      /* one line, lower case, no full stop; NULL: not in the help */
	const char *group;        /* heading in `help`; NULL: same as the one before */
	const char *detail;       /* more for `help CMD`, lines ended by \n; NULL */
};

const struct command *command_find(const char *name);
const struct command *command_table(size_t *count);

#endif
