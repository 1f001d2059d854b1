#ifndef HOOK_PRETOOL_H
#define HOOK_PRETOOL_H

#include "hook/hook.h"

/* on-pretooluse-task: an event before or after a tool call. */
int pretool_run(struct hook *, struct error *);

/* PreToolUse, by tool. */
int pretool_update(struct hook *, struct error *);
int pretool_create(struct hook *, struct error *);
int pretool_spawn(struct hook *, struct error *);

/* A TaskUpdate to completed.  metadata: what it sends along. */
struct facts;
int pretool_complete(struct hook *, struct facts *, json_ref metadata, struct error *);

/* The gate file that governs a task that is created or started here; it binds the list. */
struct governing;
void pretool_govern(struct hook *, struct governing *);

#endif
