/*
 * tool-lock: use the lock, file and journal modules in many processes, for
 * check-locks and others.
 *
 *	tool-lock work DIR NAME ROUNDS SEED
 *		random operations on the list DIR, under the client's locks;
 *		prints each one when it is done ("u", "c ID", "d ID")
 *	tool-lock storm DIR WORKERS ROUNDS ours|clients|none
 *		a lock whose holder is dead, or no lock, and many processes that
 *		want it: in every round exactly one may get it
 *	tool-lock hold DIR FILE		take the lock, print "held", wait for the end of stdin
 *	tool-lock take DIR FILE MS	take the lock and release it
 *	tool-lock journal DIR NAME ROUNDS	append lines
 *	tool-lock verify DIR		verify the journal
 *
 * FILE is a task's file, or "list".
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "list/journal.h"
#include "sys/dir.h"
#include "sys/file.h"
#include "sys/lock-dir.h"
#include "sys/lock.h"

#define PATIENCE_MS 120000 /* time limit for a loaded machine */

static int listfd;
static struct error error;
static unsigned int seed;

static unsigned int
any(unsigned int below)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % below;
}

static void
lock_any(struct lock *l, const char *file)
{
	struct deadline d = deadline_in(PATIENCE_MS);

	if ((strcmp(file, "list") == 0 ? lock_list(l, listfd, d, &error)
				       : lock_task(l, listfd, file, d, &error)) == -1)
		errx(1, "%s", error.text);
}

static void
read_text(const char *name, struct buf *b)
{
	if (file_read(listfd, name, 0, FILE_MAX, b, &error) == -1)
		errx(1, "%s", error.text);
}

/* Write under the lock; false if the lock was lost and nothing was written. */
static bool
save(struct lock *l, const char *name, const char *text)
{
	struct file_stage s = FILE_STAGE_INIT;

	if (file_stage(&s, listfd, name, text, strlen(text), 0, DURABILITY_OFF, &error) == -1)
		errx(1, "%s", error.text);
	if (lock_verify(l, &error) == -1) {
		file_drop(&s);
		if (error.kind != ERROR_LOST)
			errx(1, "%s", error.text);
		return false;
	}
	if (file_commit(&s, &error) == -1)
		errx(1, "%s", error.text);
	return true;
}

/* Add one to the count of `name` in the shared table. */
static void
update(const char *name)
{
	char *line, *rest, key[64];
	struct buf old = { 0 }, new = { 0 };
	struct lock l = LOCK_INIT;
	bool done = false, found;
	int count;

	while (!done) {
		lock_any(&l, "counts.json");
		read_text("counts.json", &old);
		buf_reset(&new);
		found = false;
		rest = old.data;
		while (rest != NULL && (line = strsep(&rest, "\n")) != NULL) {
			if (sscanf(line, "%63s %d", key, &count) != 2)
				continue;
			if (strcmp(key, name) == 0) {
				found = true;
				count++;
			}
			buf_printf(&new, "%s %d\n", key, count);
		}
		if (!found)
			buf_printf(&new, "%s 1\n", name);
		done = save(&l, "counts.json", buf_text(&new));
		lock_release(&l);
	}
	buf_free(&old);
	buf_free(&new);
}

static long
next_id(void)
{
	struct buf b = { 0 };
	struct dirent *e;
	long most = 0, id;
	DIR *d;

	d = fdopendir(openat(listfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (d == NULL)
		err(1, "opendir");
	while ((e = readdir(d)) != NULL) {
		id = strtol(e->d_name, NULL, 10);
		if (id > most && strstr(e->d_name, ".json") != NULL)
			most = id;
	}
	closedir(d);
	read_text(".highwatermark", &b);
	id = strtol(buf_text(&b), NULL, 10);
	buf_free(&b);
	return (id > most ? id : most) + 1;
}

static long
create(const char *name)
{
	struct lock l = LOCK_INIT;
	char file[64];
	long id = 0;
	bool done = false;

	while (!done) {
		lock_any(&l, "list");
		id = next_id();
		snprintf(file, sizeof(file), "%ld.json", id);
		if (faccessat(listfd, file, F_OK, 0) == 0)
			errx(1, "%s exists already", file);
		done = save(&l, file, name);
		lock_release(&l);
	}
	return id;
}

static void delete (long id)
{
	struct lock l = LOCK_INIT;
	struct buf b = { 0 };
	char file[64], text[32];
	bool done = false;

	snprintf(file, sizeof(file), "%ld.json", id);
	snprintf(text, sizeof(text), "%ld", id);
	while (!done) {
		lock_any(&l, "list");
		read_text(".highwatermark", &b);
		done = strtol(buf_text(&b), NULL, 10) >= id || save(&l, ".highwatermark", text);
		if (done && unlinkat(listfd, file, 0) == -1)
			err(1, "%s", file);
		lock_release(&l);
	}
	buf_free(&b);
}

static void
say(const char *what, long id)
{
	char line[64];
	int n;

	n = id == 0 ? snprintf(line, sizeof(line), "%s\n", what)
		    : snprintf(line, sizeof(line), "%s %ld\n", what, id);
	if (write(STDOUT_FILENO, line, (size_t)n) != n)
		err(1, "stdout");
}

static int
work(const char *name, int rounds)
{
	long mine = 0;

	for (int i = 0; i < rounds; i++) {
		switch (any(6)) {
		case 0:
			mine = create(name);
			say("c", mine);
			break;
		case 1:
			if (mine != 0) {
				delete (mine);
				say("d", mine);
				mine = 0;
			}
			break;
		default:
			update(name);
			say("u", 0);
		}
	}
	return 0;
}

struct arena {
	pthread_barrier_t gate;
	atomic_int inside, winners, most, failures;
};

/* Create the lock of a dead holder: ours has a mark and an old time, the client's an old time. */
static void
leave_lock(const char *kind)
{
	struct timespec t[2] = { 0 };
	int age = kind[0] == 'o' ? 8 : 11;

	if (kind[0] == 'n')
		return;
	if (mkdirat(listfd, "1.json.lock", kind[0] == 'o' ? 01755 : 0755) == -1)
		err(1, "1.json.lock");
	clock_gettime(CLOCK_REALTIME, &t[0]);
	t[0].tv_sec -= age;
	t[1] = t[0];
	if (utimensat(listfd, "1.json.lock", t, 0) == -1)
		err(1, "utimensat");
}

/* Try until we have the lock or another process has it.  It is held until all
 * have tried; then, if in_turn, each process takes the lock once. */
static void
contend(struct arena *a, bool in_turn)
{
	struct lock l = LOCK_INIT;
	enum lock_try seen;
	int now;

	l.dirfd = listfd;
	l.local = true;
	snprintf(l.name, sizeof(l.name), "1.json.lock");
	do
		seen = lock_dir_try(&l, &error);
	while (seen == LOCK_AGAIN);
	if (seen == LOCK_TAKEN) {
		atomic_fetch_add(&a->winners, 1);
		l.held = true;
	} else if (seen == LOCK_FAILED) {
		warnx("%s", error.text);
		atomic_fetch_add(&a->failures, 1);
	}
	pthread_barrier_wait(&a->gate);
	if (l.held && lock_verify(&l, &error) == -1 && error.kind != ERROR_LOST)
		atomic_fetch_add(&a->failures, 1);
	lock_release(&l);
	if (!in_turn)
		return;
	if (lock_task(&l, listfd, "1.json", deadline_in(PATIENCE_MS), &error) == -1) {
		warnx("%s", error.text);
		atomic_fetch_add(&a->failures, 1);
	} else {
		now = atomic_fetch_add(&a->inside, 1) + 1;
		if (now > atomic_load(&a->most))
			atomic_store(&a->most, now);
		clock_sleep_us(20);
		atomic_fetch_sub(&a->inside, 1);
		lock_release(&l);
	}
}

static int
storm(int workers, int rounds, const char *kind)
{
	int bad = 0, status;
	pthread_barrierattr_t attr;
	struct arena *a;
	pid_t *pid;

	a = mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid = calloc((size_t)workers, sizeof(*pid));
	if (a == MAP_FAILED || pid == NULL)
		err(1, "memory");
	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&a->gate, &attr, (unsigned int)workers + 1);
	for (int i = 0; i < workers; i++) {
		pid[i] = fork();
		if (pid[i] == -1)
			err(1, "fork");
		if (pid[i] != 0)
			continue;
		for (int n = 0; n < rounds; n++) {
			pthread_barrier_wait(&a->gate); /* the round is set up */
			contend(a, rounds <= 1000 || n % 16 == 0);
			pthread_barrier_wait(&a->gate); /* all have ended the round */
		}
		_exit(0);
	}
	for (int n = 0; n < rounds; n++) {
		leave_lock(kind);
		atomic_store(&a->winners, 0);
		pthread_barrier_wait(&a->gate);
		pthread_barrier_wait(&a->gate); /* all have tried */
		if (atomic_load(&a->winners) != 1) {
			printf("round %d: %d winners\n", n, atomic_load(&a->winners));
			bad++;
		}
		pthread_barrier_wait(&a->gate);
		if (faccessat(listfd, "1.json.lock", F_OK, 0) == 0) {
			printf("round %d: the lock was not removed\n", n);
			bad++;
			unlinkat(listfd, "1.json.lock", AT_REMOVEDIR);
		}
	}
	for (int i = 0; i < workers; i++)
		bad += waitpid(pid[i], &status, 0) != pid[i] || status != 0;
	printf("%d rounds, %d at a time at most, %d failures, %d bad\n", rounds,
	    atomic_load(&a->most), atomic_load(&a->failures), bad);
	bad += atomic_load(&a->most) != 1 || atomic_load(&a->failures) != 0;
	free(pid);
	return bad != 0;
}

static int
hold(const char *file)
{
	struct lock l = LOCK_INIT;
	char c;

	lock_any(&l, file);
	say("held", 0);
	while (read(STDIN_FILENO, &c, 1) == -1 && errno == EINTR)
		;
	say(lock_verify(&l, &error) == 0 ? "kept" : "lost", 0);
	lock_release(&l);
	return 0;
}

static int
take(const char *file, int ms)
{
	struct deadline d = deadline_in(ms);
	struct lock l = LOCK_INIT;

	if ((strcmp(file, "list") == 0 ? lock_list(&l, listfd, d, &error)
				       : lock_task(&l, listfd, file, d, &error)) == -1) {
		printf("%s\n", error.text);
		return error.kind == ERROR_BUSY ? 3 : 1;
	}
	lock_release(&l);
	return 0;
}

static int
append(const char *name, int rounds)
{
	struct list lab = { .name = (char *)"lab", .has_state = true, .statefd = listfd };
	struct journal_entry e;

	for (int i = 0; i < rounds; i++) {
		e = (struct journal_entry){ .event = "update", .agent = name, .why = "a test" };
		if (journal_append(&lab, DURABILITY_FILE, &e, deadline_in(PATIENCE_MS), &error) ==
		    -1)
			errx(1, "%s", error.text);
		say("j", 0);
	}
	return 0;
}

static int
verify(void)
{
	struct journal_check c;

	if (journal_verify(listfd, "lab", &c, &error) == -1) {
		printf("%s%s\n", error.text, c.torn ? " (torn)" : "");
		return c.torn ? 3 : 1;
	}
	printf("%llu lines\n", (unsigned long long)c.lines);
	return 0;
}

int
main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";

	if (argc < 3)
		errx(64, "usage: see the source");
	listfd = dir_open(argv[2], &error);
	if (listfd == -1)
		errx(1, "%s", error.text);
	if (strcmp(command, "work") == 0 && argc == 6) {
		seed = (unsigned int)strtoul(argv[5], NULL, 10);
		return work(argv[3], atoi(argv[4]));
	}
	if (strcmp(command, "storm") == 0 && argc == 6)
		return storm(atoi(argv[3]), atoi(argv[4]), argv[5]);
	if (strcmp(command, "hold") == 0 && argc == 4)
		return hold(argv[3]);
	if (strcmp(command, "take") == 0 && argc == 5)
		return take(argv[3], atoi(argv[4]));
	if (strcmp(command, "journal") == 0 && argc == 5)
		return append(argv[3], atoi(argv[4]));
	if (strcmp(command, "verify") == 0)
		return verify();
	errx(64, "usage: see the source");
}
