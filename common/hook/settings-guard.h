#ifndef HOOK_SETTINGS_GUARD_H
#define HOOK_SETTINGS_GUARD_H

#include "hook/hook.h"

/*
 * ConfigChange: refuse a change of settings with which hooks that install registered would no
 * longer run.  The client shows that refusal to no one, so UserPromptSubmit and SessionStart tell
 * the person what is wrong with the files, and SessionStart also which program was replaced.
 *
 * A change in another file is refused too as long as one is wrong: the client would apply both.
 */
void settings_guard(struct hook *);

#endif
