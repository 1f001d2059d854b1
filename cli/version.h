#ifndef CLI_VERSION_H
#define CLI_VERSION_H

#include "json/out.h"

/* Which program this is: version, commit, platform, libc. */
void version_describe(struct json_object *);

#endif
