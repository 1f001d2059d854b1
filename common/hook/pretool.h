#ifndef HOOK_PRETOOL_H
#define HOOK_PRETOOL_H

#include "hook/hook.h"

/* on-pretooluse-task: an event before or after a tool call. */
int pretool_run(struct hook *, struct error *);

/* PreToolUse, by tool. */
int pretool_update(struct hook *, struct error *);
int pretool_create(struct hook *, struct error *);
int pretool_spawn(struct hook *, struct error *);

/* `Ready now: ...` after a refusal; loads the list. */
void pretool_add_ready(struct hook *);

#endif
