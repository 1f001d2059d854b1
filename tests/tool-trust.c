/*
 * tool-trust FILE...: trust these gate files, as claude-tasks trust does but
 * without the question; for tests of the hooks.
 */
#include <err.h>
#include <stdlib.h>

#include "config/trust.h"
#include "list/list.h"
#include "sys/file.h"

int
main(int argc, char *argv[])
{
	struct buf text = { 0 };
	struct error e;
	char *config = list_config_dir(&e);

	for (int i = 1; i < argc; i++)
		if (config == NULL || file_read_path(argv[i], FILE_MAX, &text, &e) != 1 ||
		    trust_add(config, argv[i], buf_text(&text), text.len, deadline_in(10000), &e) ==
			-1)
			errx(1, "%s: %s", argv[i], e.text);
	buf_free(&text);
	free(config);
	return 0;
}
