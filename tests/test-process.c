/*
 * process: the data of a process in /proc, for any name of the process.
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "os/os.h"
#include "sys/process.h"

TestSuite(process, .timeout = 60);

Test(process, a_process_name_may_have_brackets_and_blanks)
{
	static const char *const names[] = { "plain", "a b", ") Z 1 2", "((x", "" };
	struct os_process p;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		cr_assert_eq(prctl(PR_SET_NAME, names[i]), 0);
		cr_assert_eq(os_process_read(getpid(), &p), 1, "%s", names[i]);
		cr_expect_str_eq(p.name, names[i]);
		cr_expect(!p.ended, "%s", names[i]);
		cr_expect_eq(p.parent, getppid(), "%s", names[i]);
	}
}

/* Compared with field 22 as awk reads it; where there is no /proc, the start is a time. */
Test(process, the_start_time_is_field_22)
{
	char command[128];
	unsigned long long start = 0;
	struct os_process p;
	FILE *f;

	if (os_mark_name() != NULL) {
		cr_assert_eq(os_process_read(getpid(), &p), 1);
		cr_expect(os_process_same(p.start, (uint64_t)time(NULL)), "%llu",
		    (unsigned long long)p.start);
		return;
	}
	snprintf(command, sizeof(command), "awk '{print $22}' /proc/%d/stat", (int)getpid());
	prctl(PR_SET_NAME, "plain");
	f = popen(command, "r");
	cr_assert_eq(fscanf(f, "%llu", &start), 1);
	pclose(f);
	cr_assert_eq(os_process_read(getpid(), &p), 1);
	cr_expect_eq(p.start, start);
}

Test(process, an_ended_child_is_a_zombie_and_then_gone)
{
	struct os_process p;
	siginfo_t info;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	cr_assert_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	cr_assert_eq(os_process_read(pid, &p), 1);
	cr_expect(p.ended);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	cr_expect_eq(os_process_read(pid, &p), 0);
}

/* Runs fn in a child that was forked twice; its status. */
static int
in_grandchild(int (*fn)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		if ((pid = fork()) == 0)
			_exit(fn());
		waitpid(pid, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static pid_t here;

static int
comes_from_here(void)
{
	return process_origin(getpid()) == process_origin(here) &&
		       process_origin(getppid()) == process_origin(here)
		   ? 0
		   : 1;
}

Test(process, a_forked_process_comes_from_the_one_that_ran_its_command)
{
	here = getpid();
	cr_expect_eq(in_grandchild(comes_from_here), 0);
	cr_expect_eq(process_origin(1), 1);
}

static int
has_no_new_variable(void)
{
	setenv("CHECK_LATER", "1", 1);
	return os_process_has_env(getpid(), "CHECK_LATER=1");
}

Test(process, the_environment_is_that_of_the_start)
{
	char *path = NULL;

	cr_assert_neq(asprintf(&path, "PATH=%s", getenv("PATH")), -1);
	cr_expect_eq(os_process_has_env(getpid(), path), 1);
	path[strlen(path) - 1] = '\0';
	cr_expect_eq(os_process_has_env(getpid(), path), 0, "a part of it is not it");
	cr_expect_eq(os_process_has_env(-1, path), -1, "no such process");
	cr_expect_eq(in_grandchild(has_no_new_variable), 0);
	free(path);
}
