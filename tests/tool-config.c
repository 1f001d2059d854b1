/*
 * tool-config FILE...: check each configuration.  Prints one line per file, "ok"
 * or the error; for comparison with the schema.
 */
#include <stdio.h>

#include "config/config.h"

int
main(int argc, char *argv[])
{
	struct buf text = { 0 };
	struct error e;

	for (int i = 1; i < argc; i++) {
		if (file_read_path(argv[i], FILE_MAX, &text, &e) == 1 &&
		    config_check(argv[i], buf_text(&text), text.len, &e) == 0)
			puts("ok");
		else
			puts(e.text);
	}
	buf_free(&text);
	return 0;
}
