/*
 * scan: compare the scan of a whole list with the raw read of its bytes.
 *
 *	scan DIR OWNER [ROUNDS]
 *
 * raw is the minimum for a reader that must see every byte: list the directory,
 * open, read and close each file.  The three are interleaved; it prints the
 * medians in nanoseconds:
 *
 *	raw NS	all NS	owner NS
 */
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "list/store.h"

static char buffer[1 << 20];
static size_t seen;

static void
raw(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	size_t bytes = 0;

	if (d == NULL)
		err(1, "%s", dir);
	while ((e = readdir(d)) != NULL) {
		ssize_t n;
		int fd;

		if (e->d_name[0] == '.')
			continue;
		if ((fd = openat(dirfd(d), e->d_name, O_RDONLY | O_CLOEXEC)) == -1)
			err(1, "%s", e->d_name);
		if ((n = read(fd, buffer, sizeof(buffer))) == -1)
			err(1, "%s", e->d_name);
		bytes += (size_t)n;
		close(fd);
	}
	closedir(d);
	if (bytes == 0)
		errx(1, "%s: no tasks", dir);
}

static int
count(void *arg, const struct task *t)
{
	(void)arg;
	seen += t->id != NULL;
	return 0;
}

static void
ours(const char *dir, const char *owner)
{
	struct store st = STORE_INIT;
	struct error e = { 0 };

	seen = 0;
	if (store_open(&st, dir, false, &e) != 1 || store_scan(&st, owner, count, NULL, &e) == -1)
		errx(1, "%s: %s", dir, e.text);
	store_close(&st);
	if (seen == 0)
		errx(1, "%s: nothing found", dir);
}

static int
by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int
main(int argc, char **argv)
{
	int rounds = argc > 3 ? atoi(argv[3]) : 21;
	int64_t *ns[3];

	if (argc < 3 || rounds < 1)
		errx(64, "usage: scan DIR OWNER [ROUNDS]");
	for (int k = 0; k < 3; k++)
		if ((ns[k] = calloc((size_t)rounds, sizeof(int64_t))) == NULL)
			err(1, NULL);
	raw(argv[1]);
	for (int i = 0; i < rounds; i++) {
		for (int k = 0; k < 3; k++) {
			int64_t began = clock_ns();

			if (k == 0)
				raw(argv[1]);
			else
				ours(argv[1], k == 1 ? NULL : argv[2]);
			ns[k][i] = clock_ns() - began;
		}
	}
	for (int k = 0; k < 3; k++) {
		qsort(ns[k], (size_t)rounds, sizeof(int64_t), by_value);
		printf("%s %lld%c", (const char *[]){ "raw", "all", "owner" }[k],
		    (long long)ns[k][rounds / 2], k == 2 ? '\n' : '\t');
	}
	return 0;
}
