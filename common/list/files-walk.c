/*
 * Visits the tasks in the order of their ids, until the visitor stops.
 *
 * A scan takes the directory's order, so it must read all files before it
 * can name the first.  Here the names are read first and put in order
 * without being sorted: the client counts its tasks from 1, so one bit for
 * each number is enough.  Other names come last.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list/files-part.h"
#include "sys/dir.h"

#define COUNTED 65536 /* numbers that have a bit */

struct id_walk {
	unsigned char bit[COUNTED / 8];
	struct strings others;
};

/* 7 for "7"; 0 for an id that is not a number below COUNTED, or has a leading zero. */
static unsigned int
id_number(const char *id)
{
	unsigned int n = 0;

	for (size_t i = 0; id[i] != '\0'; i++) {
		if (i == 5 || id[i] < '0' || id[i] > '9' || (i == 0 && id[i] == '0'))
			return 0;
		n = n * 10 + (unsigned int)(id[i] - '0');
	}
	return n < COUNTED ? n : 0;
}

static int
id_order(const void *a, const void *b)
{
	return task_id_compare(*(char *const *)a, *(char *const *)b);
}

static int
walk_names(struct id_walk *w, struct store *s, struct error *err)
{
	DIR *dir = dir_read(s->dirfd, ".");
	struct dirent *e;
	char id[256];
	unsigned int n;

	if (dir == NULL)
		return error_sys(err, "cannot read '%s'", s->dir);
	while (errno = 0, (e = readdir(dir)) != NULL) {
		if (!files_id(s, e->d_name, id))
			continue;
		if ((n = id_number(id)) != 0)
			w->bit[n / 8] |= (unsigned char)(1u << n % 8);
		else
			strings_add(&w->others, id);
	}
	if (errno != 0) {
		error_sys(err, "cannot read '%s'", s->dir);
		closedir(dir);
		return -1;
	}
	closedir(dir);
	if (w->others.count > 1)
		qsort(w->others.item, w->others.count, sizeof(w->others.item[0]), id_order);
	return 0;
}

static int
walk_visit(struct store *s, const char *id, const char *const *needles,
    int (*fn)(void *, const struct task *), void *arg, struct error *err)
{
	struct task t = TASK_INIT;
	int rc = files_find(s, id, needles, &t, err);

	if (rc == -1 && err->kind == ERROR_INPUT)
		rc = 0; /* the client does not show it either */
	else if (rc == 1)
		rc = fn(arg, &t);
	task_free(&t);
	return rc;
}

int
files_walk(struct store *s, const char *const *needles, int (*fn)(void *, const struct task *),
    void *arg, struct error *err)
{
	struct id_walk *w = mem_alloc(sizeof(*w));
	char id[16];
	int rc = walk_names(w, s, err);

	for (unsigned int i = 0; rc == 0 && i < sizeof(w->bit); i++)
		for (unsigned int k = 0; rc == 0 && w->bit[i] >> k != 0; k++)
			if (w->bit[i] >> k & 1) {
				snprintf(id, sizeof(id), "%u", i * 8 + k);
				rc = walk_visit(s, id, needles, fn, arg, err);
			}
	for (size_t i = 0; rc == 0 && i < w->others.count; i++)
		rc = walk_visit(s, w->others.item[i], needles, fn, arg, err);
	strings_free(&w->others);
	free(w);
	return rc;
}
