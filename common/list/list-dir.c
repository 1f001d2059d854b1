/*
 * A list in any directory, given by --dir or found as .tasks.  Its state is still kept below
 * {config}, under a name with a hash of the path, so that the .tasks of two projects are two lists.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "list/list-part.h"
#include "list/list.h"
#include "sys/file.h"

/* A directory that does not exist yet, in one that does. */
static int
resolve_new(char *path, char real[PATH_MAX])
{
	char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
	const char *up = slash == NULL ? "." : slash == path ? "/" : path;

	if (!name_ok(base) && strcmp(base, ".tasks") != 0) {
		errno = EINVAL;
		return -1;
	}
	if (slash != NULL)
		*slash = '\0';
	if (realpath(up, real) == NULL)
		return -1;
	if (strlen(real) + strlen(base) + 2 > PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcat(strcat(real, real[1] != '\0' ? "/" : ""), base);
	return 0;
}

/* 1 it exists, 0 it can be made, -1 and errno. */
static int
resolve(const char *given, char real[PATH_MAX])
{
	char *path = mem_string(given), *end, *base;
	struct stat st;
	int rc = -1;

	/* The path of a tasks.json means its directory. */
	base = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
	if (strcmp(base, "tasks.json") == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode))
		strcpy(base, ".");
	for (end = path + strlen(path); end > path + 1 && end[-1] == '/';)
		*--end = '\0';
	if (realpath(path, real) == NULL)
		rc = errno == ENOENT ? resolve_new(path, real) : -1;
	else if (stat(real, &st) == 0 && !S_ISDIR(st.st_mode))
		errno = ENOTDIR;
	else
		rc = 1;
	free(path);
	return rc;
}

int
list_find_dir(struct list *list, const char *given, char *why, struct error *err)
{
	char *root = mem_printf("%s/tasks", list->config), *name;
	char real[PATH_MAX], real_root[PATH_MAX];
	const char *slash;
	int rc = resolve(given, real);

	if (rc == -1) {
		free(root);
		free(why);
		return error_sys(err, "cannot use the directory '%s'", given);
	}
	slash = strrchr(real, '/');
	list->exists = rc == 1;
	list->foreign = realpath(root, real_root) == NULL ||
			strlen(real_root) != (size_t)(slash - real) ||
			memcmp(real, real_root, strlen(real_root)) != 0;
	name = list_sanitise(slash + 1);
	list->name =
	    list->foreign ? mem_printf("%s-%08x", name, hash_short(real)) : mem_string(name);
	list->dir = mem_string(real);
	list->why = why;
	free(name);
	free(root);
	return 0;
}
