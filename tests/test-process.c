/*
 * process: the data of a process in /proc, for any name of the process.
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/process.h"

TestSuite(process, .timeout = 60);

Test(process, a_process_name_may_have_brackets_and_blanks)
{
	static const char *const names[] = { "plain", "a b", ") Z 1 2", "((x", "" };
	struct process p;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		cr_assert_eq(prctl(PR_SET_NAME, names[i]), 0);
		cr_assert_eq(process_read(getpid(), &p), 1, "%s", names[i]);
		cr_expect_str_eq(p.name, names[i]);
		cr_expect_eq(p.state, 'R', "%s: %c", names[i], p.state);
		cr_expect_eq(p.parent, getppid(), "%s", names[i]);
	}
}

/* Compared with field 22 as awk reads it. */
Test(process, the_start_time_is_field_22)
{
	char command[128];
	unsigned long long start = 0;
	struct process p;
	FILE *f;

	snprintf(command, sizeof(command), "awk '{print $22}' /proc/%d/stat", (int)getpid());
	prctl(PR_SET_NAME, "plain");
	f = popen(command, "r");
	cr_assert_eq(fscanf(f, "%llu", &start), 1);
	pclose(f);
	cr_assert_eq(process_read(getpid(), &p), 1);
	cr_expect_eq(p.start, start);
}

Test(process, an_ended_child_is_a_zombie_and_then_gone)
{
	struct process p;
	siginfo_t info;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	cr_assert_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	cr_assert_eq(process_read(pid, &p), 1);
	cr_expect_eq(p.state, 'Z');
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	cr_expect_eq(process_read(pid, &p), 0);
}
