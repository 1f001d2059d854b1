#ifndef CLI_LISTS_H
#define CLI_LISTS_H

#include "cli.h"

/* After a person has added a task on a terminal: say, once for each list, that no session sees it,
 * and how to share it.  Nothing if it is shared already. */
void lists_sharing_hint(struct cli *);
/* Say that there is a .tasks in the working directory, if this is another list. */
void lists_folder_hint(struct cli *);

#endif
