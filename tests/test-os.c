/* What common/os/os.h promises, on the system this was built for. */
#include <criterion/criterion.h>

#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "os/os.h"

static char top[PATH_MAX];
static int topfd = -1;

static void
setup(void)
{
	char made[] = "/tmp/test-os.XXXXXX";

	cr_assert_not_null(mkdtemp(made));
	cr_assert_not_null(realpath(made, top)); /* /tmp may be a link */
	topfd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_neq(topfd, -1);
}

static void
teardown(void)
{
	char command[PATH_MAX + 16];

	close(topfd);
	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	cr_expect_eq(system(command), 0);
}

static void
put(const char *name, const char *text)
{
	int fd = openat(topfd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	cr_assert_neq(fd, -1);
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

TestSuite(os, .init = setup, .fini = teardown, .timeout = 60);

Test(os, a_process_has_its_parent_and_a_start_of_its_own)
{
	struct os_process self, parent, again;

	cr_assert_eq(os_process_read(getpid(), &self), 1);
	cr_expect_eq(self.parent, getppid());
	cr_expect(!self.ended);
	cr_assert_eq(os_process_read(getppid(), &parent), 1);
	cr_assert_eq(os_process_read(getpid(), &again), 1);
	cr_expect(os_process_same(self.start, again.start));
	cr_expect_eq(os_process_read(2147483646, &again), 0, "above the largest pid");
}

Test(os, a_process_that_was_just_started_is_read)
{
	struct os_process p;

	for (int i = 0; i < 40; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			pause();
			_exit(0);
		}
		cr_expect_eq(os_process_read(pid, &p), 1, "%d", i);
		cr_expect_eq(p.parent, getpid());
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

Test(os, the_words_and_the_environment_of_a_process)
{
	char *argv[] = { mem_string("sleep"), mem_string("60"), NULL };
	char *env[] = { mem_string("PATH=/usr/bin:/bin"), mem_string("TEST_OS=yes"), NULL };
	struct deadline limit = deadline_in(20000);
	struct buf words = { 0 };
	char own[PATH_MAX];
	bool has;
	pid_t pid = fork();

	if (pid == 0) {
		os_execute(argv, env);
		_exit(127);
	}
	while ((!os_process_words(pid, &words) || strstr(words.data, "sleep") != words.data) &&
	       !deadline_past(limit))
		clock_sleep_us(1000);
	cr_assert_str_eq(buf_text(&words), "sleep");
	cr_expect_str_eq(words.data + 6, "60");
	snprintf(own, sizeof(own), "PATH=%s", getenv("PATH"));
	cr_expect_eq(os_process_has_env(getpid(), own), 1);
	/* macOS hides that of its own programs. */
	has = os_process_has_env(pid, "TEST_OS=yes") != -1;
	cr_expect_eq(os_process_has_env(pid, "TEST_OS=yes"), has ? 1 : -1);
	cr_expect_eq(os_process_has_env(pid, "TEST_OS=y"), has ? 0 : -1);
	cr_expect_eq(os_process_has_env(pid, "EST_OS=yes"), has ? 0 : -1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	buf_free(&words);
	for (int i = 0; i < 2; i++) {
		free(argv[i]);
		free(env[i]);
	}
}

Test(os, all_processes_of_a_command_are_killed)
{
	char mark[64], *argv[4] = { mem_string("/bin/sh"), mem_string("-c"),
		mem_string("sleep 61 & exec sleep 62"), NULL };
	char *env[] = { mem_string("PATH=/usr/bin:/bin"), mark, NULL };
	struct deadline limit = deadline_in(20000);
	int ends[2], status;
	pid_t pid;
	char byte;

	snprintf(mark, sizeof(mark), "%s_test%d=1",
	    os_mark_name() != NULL ? os_mark_name() : "NO_MARK", (int)getpid());
	cr_assert_eq(os_pipe(ends), 0);
	os_adopt_orphans();
	if ((pid = fork()) == 0) {
		setsid();
		fcntl(ends[1], F_SETFD, 0);
		os_execute(argv, env);
		_exit(127);
	}
	close(ends[1]);
	clock_sleep_us(100000);
	/* The pipe ends when the last of them is gone. */
	do {
		kill(-pid, SIGKILL);
		(void)os_kill_children(pid, os_mark_name() != NULL ? mark : NULL, SIGKILL);
		while (os_reap() > 0)
			;
		(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
		status = (int)read(ends[0], &byte, 1);
	} while (status == -1 && !deadline_past(limit));
	cr_expect_eq(status, 0, "a process was left");
	free(env[0]);
	for (int i = 0; i < 3; i++)
		free(argv[i]);
}

Test(os, a_process_dies_with_its_parent)
{
	int ends[2];
	char byte;
	pid_t pid;

	cr_assert_eq(os_pipe(ends), 0);
	if ((pid = fork()) == 0) {
		if (fork() == 0) {
			os_die_with_parent(SIGTERM);
			for (;;)
				pause();
		}
		clock_sleep_us(100000);
		_exit(0);
	}
	close(ends[1]);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	cr_expect_eq(read(ends[0], &byte, 1), 0, "the pipe ends with the last process");
}

Test(os, descriptors_are_closed_on_exec)
{
	int pair[2], ends[2], file = os_memory_file();

	cr_assert_eq(os_pipe(ends), 0);
	cr_assert_eq(os_socket_pair(pair), 0);
	cr_assert_neq(file, -1);
	cr_expect(fcntl(ends[0], F_GETFD) & fcntl(ends[1], F_GETFD) & FD_CLOEXEC);
	cr_expect(fcntl(pair[0], F_GETFD) & fcntl(pair[1], F_GETFD) & FD_CLOEXEC);
	cr_expect(fcntl(file, F_GETFD) & FD_CLOEXEC);
	cr_expect_eq(write(file, "text", 4), 4);
	cr_expect_eq(lseek(file, 0, SEEK_END), 4);
	close(pair[1]);
	cr_expect_eq(os_send(pair[0], "x", 1, true), -1, "and no SIGPIPE");
	cr_expect_eq(errno, EPIPE);
}

Test(os, the_descriptors_above_are_closed)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		int low = dup2(topfd, 20), high = dup2(topfd, 200);

		os_close_from(21);
		_exit(fcntl(low, F_GETFD) != -1 && fcntl(high, F_GETFD) == -1 ? 0 : 1);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0);
}

Test(os, the_path_of_a_directory_and_of_the_target_of_a_link)
{
	char path[PATH_MAX], want[PATH_MAX + 16], here[PATH_MAX], back[PATH_MAX];
	struct stat a, b;
	int fd;

	cr_assert_not_null(getcwd(here, sizeof(here)));
	cr_assert_eq(os_fd_path(topfd, path), strlen(top));
	cr_expect_str_eq(path, top);
	cr_assert_eq(mkdirat(topfd, "sub", 0755), 0);
	put("sub/file", "text");
	cr_assert_eq(symlinkat("sub/../sub/file", topfd, "link"), 0);
	fd = os_open_target(topfd, "link", path);
	cr_assert_neq(fd, -1);
	snprintf(want, sizeof(want), "%s/sub/file", top);
	cr_expect_str_eq(path, want);
	cr_assert_eq(fstat(fd, &a), 0);
	cr_assert_eq(stat(want, &b), 0);
	cr_expect_eq(a.st_ino, b.st_ino);
	close(fd);
	cr_assert_eq(symlinkat("none", topfd, "dangling"), 0);
	cr_expect_eq(os_open_target(topfd, "dangling", path), -1);
	cr_expect_eq(errno, ENOENT);
	cr_assert_not_null(getcwd(back, sizeof(back)));
	cr_expect_str_eq(back, here, "the working directory stays");
}

Test(os, what_a_link_leads_to_can_be_read)
{
	char path[PATH_MAX], text[8] = "";
	int fd, again;

	put("file", "text");
	cr_assert_eq(symlinkat("file", topfd, "link"), 0);
	fd = os_open_target(topfd, "link", path);
	cr_assert_neq(fd, -1);
	again = os_reopen(fd);
	close(fd);
	cr_assert_neq(again, -1);
	cr_expect_eq(read(again, text, sizeof(text)), 4);
	close(again);
}

Test(os, a_pinned_file_keeps_its_number)
{
	struct stat a, b;
	int fd;

	put("file", "one");
	fd = os_pin(topfd, "file");
	cr_assert_neq(fd, -1);
	cr_assert_eq(fstat(fd, &a), 0);
	cr_assert_eq(unlinkat(topfd, "file", 0), 0);
	put("file", "two");
	cr_assert_eq(fstatat(topfd, "file", &b, 0), 0);
	cr_expect_neq(a.st_ino, b.st_ino);
	close(fd);
	cr_expect_eq(os_pin(topfd, "none"), -1);
	cr_expect_eq(errno, ENOENT);
}

Test(os, files_are_exchanged_or_left)
{
	char text[8] = "";
	int fd, rc;

	put("a", "one");
	put("b", "two");
	rc = os_exchange(topfd, "a", "b");
	if (rc == -1)
		cr_expect(errno == ENOSYS || errno == EINVAL, "%d", errno);
	fd = openat(topfd, "a", O_RDONLY | O_CLOEXEC);
	cr_assert_eq(read(fd, text, 3), 3);
	cr_expect_str_eq(text, rc == 0 ? "two" : "one");
	close(fd);
}

Test(os, a_file_was_made_before_it_was_written)
{
	int64_t written = -1, made = -1, now = clock_wall_ms();

	put("file", "text");
	os_file_times(topfd, "file", &written, &made);
	cr_expect_leq(made, written);
	cr_expect(written > now - 60000 && written < now + 60000, "%lld", (long long)written);
	os_file_times(topfd, "none", &written, &made);
	cr_expect_eq(written, 0);
	cr_expect_eq(made, 0);
}

static bool
changes(struct os_watch *w)
{
	struct deadline limit = deadline_in(20000);
	struct pollfd p = { w->fd, POLLIN, 0 };
	int changed = 0;

	while (changed == 0 && !deadline_past(limit)) {
		(void)poll(&p, 1, w->period_ms != -1 ? w->period_ms : 1000);
		changed = os_watch_changed(w);
	}
	return changed == 1;
}

Test(os, changes_of_a_directory_are_seen)
{
	char dir[PATH_MAX + 16], deep[PATH_MAX + 32];
	struct os_watch w;

	snprintf(dir, sizeof(dir), "%s/list", top);
	snprintf(deep, sizeof(deep), "%s/list/none/deeper", top);
	cr_assert_eq(mkdir(dir, 0755), 0);
	cr_assert_eq(os_watch_open(&w), 0);
	cr_assert_eq(os_watch_dir(&w, deep), 0, "the nearest one above");
	cr_assert_eq(os_watch_dir(&w, dir), 0);
	cr_expect_eq(os_watch_changed(&w), 0);
	put("list/1.json", "{}");
	cr_expect(changes(&w), "a file was made");
	while (os_watch_changed(&w) == 1)
		;
	put("list/1.json", "{ }");
	cr_expect(changes(&w), "a file was written in place");
	while (os_watch_changed(&w) == 1)
		;
	put("other", "beside it");
	cr_expect_eq(os_watch_changed(&w), 0);
	cr_assert_eq(unlinkat(topfd, "list/1.json", 0), 0);
	cr_expect(changes(&w), "a file was removed");
	os_watch_close(&w);
}

Test(os, mkdir_gives_the_sticky_bit_where_it_is_said)
{
	struct stat st;

	cr_assert_eq(mkdirat(topfd, "lock", 01777), 0);
	cr_assert_eq(fstatat(topfd, "lock", &st, 0), 0);
	cr_expect((st.st_mode & S_ISVTX) != 0 || !os_mkdir_sticky());
	cr_assert_eq(fchmodat(topfd, "lock", 01755, 0), 0);
	cr_assert_eq(fstatat(topfd, "lock", &st, 0), 0);
	cr_expect(st.st_mode & S_ISVTX, "what chmod() sets is kept");
}

Test(os, this_program_finds_itself)
{
	char path[PATH_MAX];

	cr_assert(os_self(path));
	cr_expect_eq(path[0], '/');
	cr_expect_str_eq(strrchr(path, '/'), "/test-os");
}

Test(os, the_machine_was_started_before_now)
{
	char name[128] = "x";
	uint64_t space;

	cr_expect(os_boot_s() < clock_wall_ms() / 1000);
	os_boot_name(name, sizeof(name));
	cr_expect(strlen(name) < sizeof(name));
	cr_expect_eq(os_pid_space(&space), 0);
}
