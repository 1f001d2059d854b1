#include "settings/client-version.h"

#include <stdlib.h>
#include <string.h>

#include "os/os.h"
#include "sys/child.h"

#define VERSION_MS 30000
#define NAME "(Claude Code)"

static char *
run_for_version(const char *path, struct deadline deadline)
{
	char *argv[] = { mem_string(path), mem_string("--version"), NULL };
	struct child_spec spec = { .argv = argv, .deadline = deadline };
	struct child child = CHILD_INIT;
	struct error err;
	char *text = NULL;

	if (child_run(&child, &spec, &err) == 0 && child.end == CHILD_EXITED && child.status == 0)
		text = mem_string(buf_text(&child.tail));
	child_free(&child);
	free(argv[0]);
	free(argv[1]);
	return text;
}

char *
version_of_program(const char *path)
{
	return run_for_version(path, deadline_in(VERSION_MS));
}

/* The version in this text (NULL: none). */
static char *
version_in(const char *text)
{
	const char *p = text != NULL ? text + strcspn(text, "0123456789") : "";
	size_t n = strspn(p, "0123456789.");

	return n > 2 ? mem_copy(p, n) : NULL;
}

char *
client_version(const char *client)
{
	char *text = version_of_program(client != NULL ? client : "claude");
	char *version = version_in(text);

	free(text);
	return version;
}

char *
client_running(pid_t pid, struct deadline deadline)
{
	char path[PATH_MAX], *text = NULL, *version = NULL;

	if (pid > 0 && os_process_program(pid, path) &&
	    (text = run_for_version(path, deadline)) != NULL && strstr(text, NAME) != NULL)
		version = version_in(text);
	free(text);
	return version;
}

int
version_compare(const char *a, const char *b)
{
	for (;;) {
		char *ea, *eb;
		long x = strtol(a, &ea, 10), y = strtol(b, &eb, 10);

		if (x != y)
			return x < y ? -1 : 1;
		if (*ea != '.' && *eb != '.')
			return 0;
		a = *ea == '.' ? ea + 1 : ea;
		b = *eb == '.' ? eb + 1 : eb;
	}
}

bool
client_is_open(const char *version)
{
	return version != NULL && version_compare(version, ON_FAILURE_SINCE) < 0;
}
