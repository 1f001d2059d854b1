#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include "cli.h"

/*
 * The command line.  `claude-tasks [flags] [command] [flags] [operands]`:
 * flags may stand anywhere, `--` ends them, `--flag=value` and `--flag value`
 * are the same, letters may be joined.  No command is `list`.  What is not
 * known is answered with the nearest that is.  EXIT_DONE, or EXIT_MISUSE
 * with its line printed; c->command is set in either case.
 */
int args_parse(struct cli *, int argc, char **argv);
void args_free(struct cli *);

/* Flags that every command has; ends with a NULL name. */
extern const struct flag args_common[];

#endif
