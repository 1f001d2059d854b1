/*
 * gate: the cost of running a command under our monitor, and of ending it.
 *
 *	gate ROUNDS
 *
 * Printed, medians in nanoseconds:
 *
 *	ours NS		sh -c true
 *	timeout NS	timeout 5 sh -c true
 *	overshoot NS	from its deadline until `sleep 100` has ended
 *	cleanup NS	from the end of a command until the 200 processes that it
 *			left, each in its own session, have ended
 *	survivors N	number of those still running
 */
#include <sys/wait.h>

#include <err.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/child.h"

#define LEFT 200
#define DEADLINE_MS 200

static int64_t
ours(char *const *argv, int64_t limit_ms, struct child *c)
{
	struct child_spec spec = { .argv = argv, .deadline = deadline_in(limit_ms) };
	struct error e;
	int64_t began = clock_ns();

	*c = (struct child)CHILD_INIT;
	if (child_run(c, &spec, &e) == -1)
		errx(1, "%s", e.text);
	return clock_ns() - began;
}

static int64_t
theirs(char *const *argv)
{
	int64_t began = clock_ns();
	pid_t pid;
	int status;

	if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) != 0 ||
	    waitpid(pid, &status, 0) == -1 || status != 0)
		errx(1, "%s does not run", argv[0]);
	return clock_ns() - began;
}

/* As a command: leave LEFT processes running, each in its own session. */
static int
leave(void)
{
	for (int i = 0; i < LEFT; i++)
		if (fork() == 0) {
			setsid();
			pause();
			_exit(0);
		}
	return 0;
}

static int
by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
	char *plain[] = { "sh", "-c", "true", NULL };
	char *timed[] = { "timeout", "5", "sh", "-c", "true", NULL };
	char *long_one[] = { "sleep", "100", NULL };
	char *leaver[] = { argv[0], "leave", NULL };
	static const char *const names[] = { "ours", "timeout", "overshoot", "cleanup" };
	int rounds = argc == 2 ? atoi(argv[1]) : 0;
	int64_t *ns[4];
	unsigned int survivors = 0;
	struct child c;

	if (argc == 2 && strcmp(argv[1], "leave") == 0)
		return leave();
	if (rounds <= 0)
		errx(64, "usage: gate ROUNDS");
	for (int k = 0; k < 4; k++)
		ns[k] = mem_alloc((size_t)rounds * sizeof(int64_t));
	for (int i = 0; i < rounds; i++) {
		ns[0][i] = ours(plain, 5000, &c);
		child_free(&c);
		ns[1][i] = theirs(timed);
		ns[2][i] = ours(long_one, DEADLINE_MS, &c) - DEADLINE_MS * INT64_C(1000000);
		child_free(&c);
		ns[3][i] = ours(leaver, 60000, &c);
		ns[3][i] -= c.ms * 1000000;
		survivors += c.survivors + (c.strays < LEFT ? LEFT - c.strays : 0);
		child_free(&c);
	}
	for (int k = 0; k < 4; k++) {
		qsort(ns[k], (size_t)rounds, sizeof(int64_t), by_value);
		printf("%s %lld\n", names[k], (long long)ns[k][rounds / 2]);
		free(ns[k]);
	}
	printf("survivors %u\n", survivors);
	return 0;
}
