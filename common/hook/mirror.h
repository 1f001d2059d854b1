#ifndef HOOK_MIRROR_H
#define HOOK_MIRROR_H

#include "hook/hook.h"

/* Runs the configured mirror commands once the answer is out: detached, in order, only if the
 * list has changed since they last ran. */
void mirror_after(struct hook *);

#endif
