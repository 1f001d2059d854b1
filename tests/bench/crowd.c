/*
 * crowd: many processes and one lock.
 *
 *	crowd DIR burst N ROUNDS	N processes start at once, one update each;
 *					the time until all have ended:
 *						flock NS<tab>ours NS
 *	crowd DIR saturate N MS		N processes update as fast as they can; the
 *					number of updates, and Jain's fairness index:
 *						OPERATIONS<tab>INDEX
 *	crowd DIR killed ROUNDS		a holder is killed; the time until our next
 *					process has the lock:
 *						NS
 *	crowd DIR hold			take the lock and kill itself
 *
 * An update locks 1.json, reads the number in DIR/counter, and replaces that
 * file by one with the next number.  `flock` does the same with only a flock,
 * which the client does not use: the lower limit.
 */
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/file.h"
#include "sys/lock.h"

#define MOST 64

static int listfd;
static struct error error;

static void
take(struct lock *l)
{
	if (lock_task(l, listfd, "1.json", deadline_in(60000), &error) == -1)
		errx(1, "%s", error.text);
}

static void
count(struct lock *l)
{
	struct file_stage stage = FILE_STAGE_INIT;
	struct buf text = { 0 };
	char next[32];

	if (file_read(listfd, "counter", 0, 32, &text, &error) == -1)
		errx(1, "%s", error.text);
	snprintf(next, sizeof(next), "%ld\n", atol(buf_text(&text)) + 1);
	if (file_stage(&stage, listfd, "counter", next, strlen(next), 0, DURABILITY_OFF, &error) ==
		-1 ||
	    (l != NULL && lock_verify(l, &error) == -1) || file_commit(&stage, &error) == -1)
		errx(1, "%s", error.text);
	buf_free(&text);
}

static void
update_ours(void)
{
	struct lock l = LOCK_INIT;

	take(&l);
	count(&l);
	lock_release(&l);
}

static void
update_flock(void)
{
	int fd = openat(listfd, ".flock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd == -1 || flock(fd, LOCK_EX) == -1)
		err(1, "flock");
	count(NULL);
	close(fd);
}

/* Start n processes that wait until the gate is closed, then run fn, each with its own count. */
static void
crowd_start(int n, int gate[2], pid_t *pid, void (*fn)(long *), long *counts)
{
	int ready[2];
	char c;

	if (pipe2(gate, O_CLOEXEC) == -1 || pipe2(ready, O_CLOEXEC) == -1)
		err(1, "pipe");
	for (int i = 0; i < n; i++) {
		if ((pid[i] = fork()) == -1)
			err(1, "fork");
		if (pid[i] != 0)
			continue;
		close(gate[1]);
		if (write(ready[1], "r", 1) != 1 || read(gate[0], &c, 1) != 0)
			_exit(1);
		fn(&counts[i]);
		_exit(0);
	}
	close(gate[0]);
	for (int i = 0; i < n; i++)
		if (read(ready[0], &c, 1) != 1)
			err(1, "read");
	close(ready[0]);
	close(ready[1]);
}

static void
crowd_end(int n, const pid_t *pid)
{
	int status, bad = 0;

	for (int i = 0; i < n; i++)
		bad += waitpid(pid[i], &status, 0) == -1 || status != 0;
	if (bad > 0)
		errx(1, "%d of %d failed", bad, n);
}

static void
once(long *done)
{
	update_ours();
	++*done;
}

static void
once_flock(long *done)
{
	update_flock();
	++*done;
}

static int
by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t
median(int64_t *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), by_value);
	return v[n / 2];
}

static void
burst(int n, int rounds)
{
	int64_t *ns[2], began;
	long counts[MOST] = { 0 };
	pid_t pid[MOST];
	int gate[2];

	ns[0] = mem_alloc((size_t)rounds * sizeof(int64_t));
	ns[1] = mem_alloc((size_t)rounds * sizeof(int64_t));
	for (int i = 0; i < 2 * rounds; i++) {
		crowd_start(n, gate, pid, i % 2 == 0 ? once_flock : once, counts);
		began = clock_ns();
		close(gate[1]);
		crowd_end(n, pid);
		ns[i % 2][i / 2] = clock_ns() - began;
	}
	printf("flock %lld\tours %lld\n", (long long)median(ns[0], rounds),
	    (long long)median(ns[1], rounds));
	free(ns[0]);
	free(ns[1]);
}

static struct deadline until;

static void
many(long *done)
{
	while (!deadline_past(until))
		once(done);
}

static void
saturate(int n, int ms)
{
	long *done = mmap(
	    NULL, MOST * sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double sum = 0, squares = 0;
	pid_t pid[MOST];
	int gate[2];

	if (done == MAP_FAILED)
		err(1, "mmap");
	until = deadline_in(ms);
	crowd_start(n, gate, pid, many, done);
	close(gate[1]);
	crowd_end(n, pid);
	for (int i = 0; i < n; i++) {
		sum += (double)done[i];
		squares += (double)done[i] * (double)done[i];
	}
	printf("%.0f\t%.3f\n", sum, squares > 0 ? sum * sum / (n * squares) : 0);
}

static void
hold(int tell)
{
	struct lock l = LOCK_INIT;

	take(&l);
	if (write(tell, "h", 1) != 1)
		_exit(1);
	raise(SIGKILL);
}

static void
killed(int rounds)
{
	int64_t *ns = mem_alloc((size_t)rounds * sizeof(int64_t)), began;
	struct lock l = LOCK_INIT;
	int tell[2], status;
	pid_t pid;
	char c;

	for (int i = 0; i < rounds; i++) {
		if (pipe2(tell, O_CLOEXEC) == -1 || (pid = fork()) == -1)
			err(1, "fork");
		if (pid == 0)
			hold(tell[1]);
		close(tell[1]);
		if (read(tell[0], &c, 1) != 1 || waitpid(pid, &status, 0) == -1)
			errx(1, "the holder did not get the lock");
		began = clock_ns();
		take(&l);
		ns[i] = clock_ns() - began;
		lock_release(&l);
		close(tell[0]);
	}
	printf("%lld\n", (long long)median(ns, rounds));
	free(ns);
}

int
main(int argc, char **argv)
{
	int n = argc > 3 ? atoi(argv[3]) : 0, m = argc > 4 ? atoi(argv[4]) : 0;

	if (argc < 3 || n > MOST)
		errx(64, "usage: crowd DIR burst|saturate|killed|hold [N] [ROUNDS|MS]");
	if ((listfd = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1)
		err(1, "%s", argv[1]);
	if (strcmp(argv[2], "burst") == 0 && n > 0 && m > 0)
		burst(n, m);
	else if (strcmp(argv[2], "saturate") == 0 && n > 0 && m > 0)
		saturate(n, m);
	else if (strcmp(argv[2], "killed") == 0 && n > 0)
		killed(n);
	else if (strcmp(argv[2], "hold") == 0)
		hold(STDOUT_FILENO);
	else
		errx(64, "no such job: %s", argv[2]);
	return 0;
}
