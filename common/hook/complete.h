#ifndef HOOK_COMPLETE_H
#define HOOK_COMPLETE_H

#include "hook/hook.h"

/* on-task-completed-verify: may this task be completed? */
int complete_run(struct hook *, struct error *);

#endif
