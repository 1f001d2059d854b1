#ifndef CLI_MOVE_PART_H
#define CLI_MOVE_PART_H

#include "change.h"
#include "form/convert.h"

/* Add the tasks to the open list, all or none, and journal each; from: the list that they are taken
 * from, or NULL.  How many; -1 after cli_error().  made: copies of them as they are then; NULL. */
int move_put(struct cli *, const struct task_set *, const char *from, struct convert_report *,
    struct task_set *made);

/* What was skipped, changed and lost. */
void move_lost_json(struct json_object *, const struct convert_report *);
void move_lost_text(struct cli *, const struct convert_report *);

#endif
