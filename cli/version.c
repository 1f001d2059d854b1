#include "version.h"

#include "commands.h"
#include "os/platform.h"

/* From the Makefile, which gives it to this file alone: the others are not built again at each
 * commit. */
#ifndef COMMIT
#define COMMIT "unknown"
#endif

void
version_describe(struct json_object *o)
{
	out_string(o, "version", VERSION);
	out_string(o, "commit", COMMIT);
	out_string(o, "platform", platform_name());
	out_string(o, "libc", platform_libc());
}

int
version_main(struct cli *c)
{
	struct json_object *o;

	if (c->json) {
		o = out_object();
		version_describe(o);
		cli_json(c, o);
		return EXIT_DONE;
	}
	if (c->one_line) {
		buf_puts(&c->out, "claude-tasks " VERSION "\n");
		return EXIT_DONE;
	}
	/* One literal: scripts/built-from finds it in programs of other platforms. */
	buf_puts(&c->out, "claude-tasks " VERSION "\ncommit    " COMMIT "\n");
	buf_printf(&c->out, "platform  %s\nlibc      %s\n", platform_name(), platform_libc());
	return EXIT_DONE;
}
