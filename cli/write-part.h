#ifndef CLI_WRITE_PART_H
#define CLI_WRITE_PART_H

#include "cli.h"
#include "task/macf.h"

/* What the parts of write share. */

/* --kind and what comes with it: 1, 0 if it was not passed, -1 after cli_misuse(). */
int write_kind_read(struct cli *, struct macf *);

#endif
