#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/dir.h"
#include "sys/file.h"
#include "sys/lock-dir.h"
#include "sys/lock.h"

#define LONG 20000 /* ms: for a wait that ends, also on a slow machine */

static char dir[64];
static int fd;
static struct error err;

static void
setup(void)
{
	int task;

	snprintf(dir, sizeof(dir), "/tmp/test-lock-XXXXXX");
	cr_assert_not_null(mkdtemp(dir));
	fd = dir_open(dir, &err);
	cr_assert_neq(fd, -1, "%s", err.text);
	task = openat(fd, "1.json", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	cr_assert_neq(task, -1);
	close(task);
}

static void
teardown(void)
{
	char command[128];

	close(fd);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	cr_assert_eq(system(command), 0);
}

TestSuite(lock, .init = setup, .fini = teardown);

static bool
there(const char *name)
{
	return faccessat(fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static struct stat
look(const char *name)
{
	struct stat st;

	cr_assert_eq(fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW), 0, "%s", name);
	return st;
}

/* A lock as the client makes it, `age` seconds old. */
static void
client_lock(const char *name, int age)
{
	struct timespec t[2];

	cr_assert_eq(mkdirat(fd, name, 0755), 0);
	clock_gettime(CLOCK_REALTIME, &t[0]);
	t[0].tv_sec -= age;
	t[1] = t[0];
	cr_assert_eq(utimensat(fd, name, t, 0), 0);
}

Test(lock, locks_are_the_directories_of_the_client)
{
	struct lock l = LOCK_INIT;

	lock_release(&l);
	cr_assert_eq(lock_list(&l, fd, deadline_in(LONG), &err), 0, "%s", err.text);
	cr_expect(S_ISREG(look(".lock").st_mode));
	cr_expect_eq(look(".lock").st_size, 0);
	cr_expect(S_ISDIR(look(".lock.lock").st_mode));
	cr_expect_eq(lock_verify(&l, &err), 0, "%s", err.text);
	lock_release(&l);
	cr_expect(there(".lock"));
	cr_expect_not(there(".lock.lock"));
	lock_release(&l);
	cr_expect_eq(lock_verify(&l, &err), -1);
	cr_assert_eq(lock_task(&l, fd, "1.json", deadline_in(LONG), &err), 0, "%s", err.text);
	cr_expect(S_ISDIR(look("1.json.lock").st_mode));
	lock_release(&l);
	cr_expect_not(there("1.json.lock"));
}

Test(lock, a_lock_is_back_dated_and_marked)
{
	struct lock l = LOCK_INIT;
	struct stat st;
	struct timespec now;

	cr_assert_eq(lock_task(&l, fd, "1.json", deadline_in(LONG), &err), 0);
	clock_gettime(CLOCK_REALTIME, &now);
	st = look("1.json.lock");
	cr_expect(st.st_mode & S_ISVTX);
	cr_expect_geq(now.tv_sec - st.st_mtim.tv_sec, 7);
	lock_release(&l);
}

Test(lock, list_and_task_locks_are_independent)
{
	struct lock a = LOCK_INIT, b = LOCK_INIT, c = LOCK_INIT;

	cr_assert_eq(lock_list(&a, fd, deadline_in(LONG), &err), 0);
	cr_assert_eq(lock_task(&b, fd, "1.json", deadline_in(LONG), &err), 0);
	cr_assert_eq(lock_task(&c, fd, "2.json", deadline_in(LONG), &err), 0);
	lock_release(&c);
	lock_release(&b);
	lock_release(&a);
}

Test(lock, a_held_lock_is_busy_and_named)
{
	struct lock a = LOCK_INIT, b = LOCK_INIT;
	char path[128];

	snprintf(path, sizeof(path), "%s/1.json.lock", dir);
	cr_assert_eq(lock_task(&a, fd, "1.json", deadline_in(LONG), &err), 0);
	cr_expect_eq(lock_task(&b, fd, "1.json", deadline_in(20), &err), -1);
	cr_expect_eq(err.kind, ERROR_BUSY);
	cr_expect_not_null(strstr(err.text, path), "%s", err.text);
	cr_expect_not_null(strstr(err.text, "another hook"), "%s", err.text);
	lock_release(&b);
	cr_expect_eq(lock_verify(&a, &err), 0, "the first still has it");
	lock_release(&a);
	cr_expect_eq(
	    lock_task(&b, fd, "1.json", deadline_in(0), &err), 0, "there is always one try");
	lock_release(&b);
}

Test(lock, a_lock_of_the_client_is_kept_until_it_is_stale)
{
	static const struct {
		int age;
		bool taken;
	} rows[] = { { 0, false }, { 5, false }, { -1, false }, { -3600, false }, { 11, true },
		{ 3600, true } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lock l = LOCK_INIT;
		struct stat before;

		client_lock("1.json.lock", rows[i].age);
		before = look("1.json.lock");
		cr_expect_eq(lock_task(&l, fd, "1.json", deadline_in(30), &err),
		    rows[i].taken ? 0 : -1, "age %d: %s", rows[i].age, err.text);
		if (rows[i].taken) {
			cr_expect_eq(lock_verify(&l, &err), 0, "age %d", rows[i].age);
			lock_release(&l);
			cr_expect_not(there("1.json.lock"), "age %d", rows[i].age);
			continue;
		}
		cr_expect_eq(err.kind, ERROR_BUSY);
		cr_expect_eq(before.st_mtim.tv_nsec, look("1.json.lock").st_mtim.tv_nsec);
		cr_expect_eq(before.st_mtim.tv_sec, look("1.json.lock").st_mtim.tv_sec);
		cr_expect_eq(before.st_mode, look("1.json.lock").st_mode);
		if (rows[i].age == -3600)
			cr_expect_not_null(strstr(err.text, "future"), "%s", err.text);
		cr_assert_eq(unlinkat(fd, "1.json.lock", AT_REMOVEDIR), 0);
	}
}

Test(lock, a_lock_that_cannot_be_broken_is_named_at_once)
{
	static const struct {
		const char *what;
		int age;
	} rows[] = { { "file", 0 }, { "file", 60 }, { "link", 0 }, { "full", 60 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lock l = LOCK_INIT;
		int64_t before = clock_ms();

		if (rows[i].what[0] == 'l')
			cr_assert_eq(symlinkat(".", fd, "1.json.lock"), 0);
		else if (rows[i].what[1] == 'i')
			close(openat(fd, "1.json.lock", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
		else {
			client_lock("1.json.lock", 60);
			close(openat(fd, "1.json.lock/pid", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
			cr_assert_eq(
			    utimensat(fd, "1.json.lock",
				(struct timespec[]){ { .tv_sec = 1 }, { .tv_sec = 1 } }, 0),
			    0);
		}
		cr_expect_eq(lock_task(&l, fd, "1.json", deadline_in(10 * LONG), &err), -1);
		cr_expect_eq(err.kind, ERROR_BUSY, "%s: %s", rows[i].what, err.text);
		cr_expect_not_null(strstr(err.text, "/1.json.lock'"), "%s", err.text);
		cr_expect_lt(clock_ms() - before, LONG, "it did not fail at once");
		cr_expect(there("1.json.lock"));
		if (rows[i].what[1] == 'u') {
			cr_assert_eq(unlinkat(fd, "1.json.lock/pid", 0), 0);
			cr_assert_eq(unlinkat(fd, "1.json.lock", AT_REMOVEDIR), 0);
		} else
			cr_assert_eq(unlinkat(fd, "1.json.lock", 0), 0);
	}
}

/* A child that takes the lock and is killed while it holds it. */
static void
die_holding(bool list)
{
	struct lock l = LOCK_INIT;
	int p[2], status;
	char c;
	pid_t pid;

	cr_assert_eq(pipe(p), 0);
	pid = fork();
	if (pid == 0) {
		if ((list ? lock_list(&l, fd, deadline_in(LONG), &err)
			  : lock_task(&l, fd, "1.json", deadline_in(LONG), &err)) == 0 &&
		    write(p[1], "x", 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	close(p[1]);
	cr_assert_eq(read(p[0], &c, 1), 1);
	close(p[0]);
	kill(pid, SIGKILL);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
}

Test(lock, a_lock_of_a_killed_process_is_taken_over_at_once)
{
	for (int list = 0; list < 2; list++) {
		const char *name = list ? ".lock.lock" : "1.json.lock";
		struct lock l = LOCK_INIT;

		die_holding(list);
		cr_assert(there(name));
		/* Without a wait: one try is enough. */
		cr_expect_eq(list ? lock_list(&l, fd, deadline_in(0), &err)
				  : lock_task(&l, fd, "1.json", deadline_in(0), &err),
		    0, "%s", err.text);
		cr_expect_eq(lock_verify(&l, &err), 0);
		lock_release(&l);
		cr_expect_not(there(name));
	}
}

Test(lock, a_lock_directory_with_files_of_a_killed_process_is_named)
{
	struct lock l = LOCK_INIT;

	die_holding(false);
	close(openat(fd, "1.json.lock/x", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	cr_expect_eq(lock_task(&l, fd, "1.json", deadline_in(10 * LONG), &err), -1);
	cr_expect_eq(err.kind, ERROR_BUSY);
	cr_expect_not_null(strstr(err.text, "not empty"), "%s", err.text);
}

/* The client breaks our lock as stale while we hold it. */
Test(lock, a_removed_lock_is_noticed_before_the_commit)
{
	struct lock l = LOCK_INIT;

	cr_assert_eq(lock_task(&l, fd, "1.json", deadline_in(LONG), &err), 0);
	cr_assert_eq(unlinkat(fd, "1.json.lock", AT_REMOVEDIR), 0);
	cr_expect_eq(lock_verify(&l, &err), -1);
	cr_expect_eq(err.kind, ERROR_LOST, "%s", err.text);
	client_lock("1.json.lock", 0);
	cr_expect_eq(lock_verify(&l, &err), -1);
	cr_expect_eq(err.kind, ERROR_LOST);
	lock_release(&l);
	cr_expect(there("1.json.lock"), "the lock of another process was removed");
}

Test(lock, a_lock_taken_over_in_place_is_noticed)
{
	struct lock l = LOCK_INIT;

	cr_assert_eq(lock_task(&l, fd, "1.json", deadline_in(LONG), &err), 0);
	cr_assert_eq(utimensat(fd, "1.json.lock", NULL, 0), 0);
	cr_expect_eq(lock_verify(&l, &err), -1);
	cr_expect_eq(err.kind, ERROR_LOST);
	lock_release(&l);
	cr_expect(there("1.json.lock"));
}

Test(lock, a_long_hold_is_refreshed)
{
	struct lock l = LOCK_INIT;
	struct stat before;

	cr_assert_eq(lock_task(&l, fd, "1.json", deadline_in(LONG), &err), 0);
	before = look("1.json.lock");
	l.since_ms -= 5000;
	cr_expect_eq(lock_verify(&l, &err), 0);
	cr_expect(look("1.json.lock").st_mtim.tv_sec > before.st_mtim.tv_sec ||
		  look("1.json.lock").st_mtim.tv_nsec != before.st_mtim.tv_nsec);
	cr_expect_eq(lock_verify(&l, &err), 0);
	lock_release(&l);
	cr_expect_not(there("1.json.lock"));
}

Test(lock, the_lock_of_a_link_is_next_to_its_target)
{
	struct lock l = LOCK_INIT, other = LOCK_INIT;

	cr_assert_eq(mkdirat(fd, "sub", 0700), 0);
	close(openat(fd, "sub/real.json", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	cr_assert_eq(symlinkat("sub/real.json", fd, "5.json"), 0);
	cr_assert_eq(symlinkat("5.json", fd, "6.json"), 0);
	cr_assert_eq(lock_task(&l, fd, "5.json", deadline_in(LONG), &err), 0, "%s", err.text);
	cr_expect(there("sub/real.json.lock"));
	cr_expect_not(there("5.json.lock"));
	cr_expect_eq(lock_task(&other, fd, "6.json", deadline_in(20), &err), -1);
	cr_expect_eq(err.kind, ERROR_BUSY);
	lock_release(&l);
	cr_expect_not(there("sub/real.json.lock"));
	cr_assert_eq(symlinkat("none", fd, "7.json"), 0);
	cr_expect_eq(lock_task(&l, fd, "7.json", deadline_in(20), &err), -1);
	cr_expect_eq(err.kind, ERROR_NOT_FOUND);
}

Test(lock, a_linked_list_target_is_refused)
{
	struct lock l = LOCK_INIT;

	cr_assert_eq(symlinkat("/etc/passwd", fd, ".lock"), 0);
	cr_expect_eq(lock_list(&l, fd, deadline_in(20), &err), -1);
	cr_expect_eq(err.kind, ERROR_REFUSED);
}

Test(lock, a_removed_list_is_reported)
{
	struct lock l = LOCK_INIT;

	cr_assert_eq(unlinkat(fd, "1.json", 0), 0);
	cr_assert_eq(rmdir(dir), 0);
	cr_expect_eq(lock_list(&l, fd, deadline_in(LONG), &err), -1);
	cr_expect_eq(err.kind, ERROR_NOT_FOUND, "%s", err.text);
	cr_expect_eq(lock_task(&l, fd, "1.json", deadline_in(LONG), &err), -1);
	cr_expect_eq(err.kind, ERROR_NOT_FOUND, "%s", err.text);
	cr_assert_eq(mkdir(dir, 0700), 0);
}

Test(lock, release_all_removes_only_our_locks)
{
	struct lock a = LOCK_INIT, b = LOCK_INIT;

	cr_assert_eq(lock_list(&a, fd, deadline_in(LONG), &err), 0);
	cr_assert_eq(lock_task(&b, fd, "1.json", deadline_in(LONG), &err), 0);
	client_lock("2.json.lock", 0);
	lock_release_all();
	cr_expect_not(there(".lock.lock"));
	cr_expect_not(there("1.json.lock"));
	cr_expect(there("2.json.lock"));
	lock_release(&b);
	lock_release(&a);
	lock_release_all();
}

Test(lock, release_all_removes_any_number_of_locks)
{
	struct lock l[20];
	char name[32];

	for (int i = 0; i < 20; i++) {
		l[i] = (struct lock)LOCK_INIT;
		snprintf(name, sizeof(name), "%d.json", i + 10);
		cr_assert_eq(
		    lock_task(&l[i], fd, name, deadline_in(LONG), &err), 0, "%s", err.text);
	}
	lock_release(&l[7]);
	lock_release(&l[19]);
	lock_release(&l[0]);
	lock_release_all();
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "%d.json.lock", i + 10);
		cr_expect_not(there(name), "%s", name);
		lock_release(&l[i]);
	}
}

Test(lock, a_lock_file_of_ours_excludes_others_and_is_kept)
{
	struct lock a = LOCK_INIT, b = LOCK_INIT;

	cr_assert_eq(lock_own(&a, fd, "ledger", deadline_in(LONG), &err), 0, "%s", err.text);
	cr_expect_neq(a.file, -1);
	cr_expect_eq(look("ledger").st_mode & 0777, 0600);
	cr_expect_eq(lock_own(&b, fd, "ledger", deadline_in(20), &err), -1);
	cr_expect_eq(err.kind, ERROR_BUSY);
	cr_expect_eq(lock_verify(&a, &err), 0);
	/* the file is replaced: a lock on the old one does not count */
	cr_assert_eq(file_replace(fd, "ledger", "x", 1, 0, DURABILITY_OFF, &err), 0);
	cr_expect_eq(lock_own(&b, fd, "ledger", deadline_in(LONG), &err), 0);
	lock_release(&a);
	lock_release(&b);
	cr_expect(there("ledger"));
	cr_assert_eq(symlinkat("x", fd, "link"), 0);
	cr_expect_eq(lock_own(&b, fd, "link", deadline_in(20), &err), -1);
}

Test(lock, many_processes_lose_no_update)
{
	enum { PROCESSES = 6, ROUNDS = 60 };
	pid_t pid[PROCESSES];
	struct buf b = { 0 };
	int status;

	cr_assert_eq(file_replace(fd, "1.json", "0", 1, 0, DURABILITY_OFF, &err), 0);
	for (int i = 0; i < PROCESSES; i++) {
		pid[i] = fork();
		if (pid[i] != 0)
			continue;
		for (int n = 0; n < ROUNDS; n++) {
			struct lock l = LOCK_INIT;
			char text[16];

			if (lock_task(&l, fd, "1.json", deadline_in(10 * LONG), &err) == -1 ||
			    file_read(fd, "1.json", 0, FILE_MAX, &b, &err) != 1)
				_exit(1);
			snprintf(text, sizeof(text), "%d", atoi(b.data) + 1);
			if (lock_verify(&l, &err) == -1) {
				lock_release(&l); /* paused for 2 s: try again */
				n--;
				continue;
			}
			if (file_replace(
				fd, "1.json", text, strlen(text), 0, DURABILITY_OFF, &err) == -1)
				_exit(2);
			lock_release(&l);
		}
		_exit(0);
	}
	for (int i = 0; i < PROCESSES; i++) {
		cr_assert_eq(waitpid(pid[i], &status, 0), pid[i]);
		cr_expect_eq(status, 0);
	}
	cr_assert_eq(file_read(fd, "1.json", 0, FILE_MAX, &b, &err), 1);
	cr_expect_eq(atoi(b.data), PROCESSES * ROUNDS);
	cr_expect_not(there("1.json.lock"));
	buf_free(&b);
}

Test(lock, without_flock_the_protocol_of_the_client_is_used)
{
	struct lock a = LOCK_INIT, b = LOCK_INIT;

	/* If flock is not reliable, we do the same as the client. */
	a.dirfd = b.dirfd = fd;
	strcpy(a.name, "x.lock");
	strcpy(b.name, "x.lock");
	cr_expect_eq(lock_dir_try(&a, &err), LOCK_TAKEN);
	cr_expect_not(look("x.lock").st_mode & S_ISVTX);
	cr_expect_eq(lock_dir_try(&b, &err), LOCK_CLIENTS);
	cr_expect_not(lock_dir_free(&b, LOCK_CLIENTS));
	cr_expect(lock_dir_mine(&a));
	cr_assert_eq(unlinkat(fd, "x.lock", AT_REMOVEDIR), 0);
	cr_expect(lock_dir_free(&b, LOCK_CLIENTS));
	cr_expect_not(lock_dir_mine(&a));
	lock_dir_forget(&a);
	client_lock("x.lock", 11);
	cr_expect(lock_dir_free(&b, LOCK_CLIENTS));
	cr_expect_eq(lock_dir_try(&b, &err), LOCK_TAKEN);
	cr_expect_eq(lock_dir_try(&a, &err), LOCK_CLIENTS, "it is fresh again");
	lock_dir_forget(&b);
	cr_assert_eq(unlinkat(fd, "x.lock", AT_REMOVEDIR), 0);
	/* The mark is not used there either. */
	cr_assert_eq(mkdirat(fd, "x.lock", 01755), 0);
	cr_expect_eq(lock_dir_try(&b, &err), LOCK_CLIENTS);
}
