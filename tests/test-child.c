/*
 * Commands and their processes.  Every process of a case has a mark in its
 * environment; afterwards no process with that mark may exist.
 */
#include <criterion/criterion.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "sys/child.h"

/* How many processes have this NAME=value in their environment? */
static int
marked(const char *mark)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	int count = 0;

	while ((d = readdir(proc)) != NULL) {
		static char env[1 << 20];
		char path[300];
		ssize_t n;
		int fd;

		snprintf(path, sizeof(path), "/proc/%s/environ", d->d_name);
		if (atoi(d->d_name) <= 0 || (fd = open(path, O_RDONLY)) == -1)
			continue;
		n = read(fd, env, sizeof(env));
		close(fd);
		if (n > 0 && memmem(env, (size_t)n, mark, strlen(mark) + 1) != NULL)
			count++;
	}
	closedir(proc);
	return count;
}

struct outcome {
	enum child_end end;
	int status;
	const char *output; /* NULL: any */
};

static void
run_shell(const char *script, int64_t ms, const char *mark, struct child *c)
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)script, NULL };
	struct strings env = { 0 };
	struct child_spec spec = { .argv = argv, .env = &env, .deadline = deadline_in(ms) };
	struct error e = { 0 };

	strings_add(&env, mark);
	*c = (struct child)CHILD_INIT;
	cr_assert_eq(child_run(c, &spec, &e), 0, "%s: %s", script, e.text);
	strings_free(&env);
}

#define LONG 120000

Test(child, reports_how_a_command_ended_and_leaves_no_process)
{
	static const struct {
		const char *script;
		int64_t ms;
		struct outcome want;
	} rows[] = {
		{ "exit 0", LONG, { CHILD_EXITED, 0, "" } },
		{ "exit 7", LONG, { CHILD_EXITED, 7, "" } },
		{ "echo out; echo err >&2; exit 1", LONG, { CHILD_EXITED, 1, "out\nerr\n" } },
		{ "kill -SEGV $$", LONG, { CHILD_SIGNALED, SIGSEGV, "" } },
		{ "kill -KILL $$", LONG, { CHILD_SIGNALED, SIGKILL, "" } },
		{ "read x && echo got; echo eof", LONG, { CHILD_EXITED, 0, "eof\n" } },
		{ "printf 'a\\000\\377b'", LONG, { CHILD_EXITED, 0, NULL } },
		/* We do not wait for a background child that keeps the pipe. */
		{ "sleep 1000 & echo on", LONG, { CHILD_EXITED, 0, "on\n" } },
		{ "setsid sleep 1000 & echo on", LONG, { CHILD_EXITED, 0, "on\n" } },
		{ "(setsid sh -c 'sleep 1000 & exec sleep 1000' &) ; exit 3", LONG,
		    { CHILD_EXITED, 3, "" } },
		{ "for i in 1 2 3 4 5 6 7 8 9 10; do setsid sleep 1000 & done; exit 0", LONG,
		    { CHILD_EXITED, 0, "" } },
		/* The deadline. */
		{ "exec sleep 1000", 50, { CHILD_TIMED_OUT, 0, "" } },
		{ "sleep 1000; :", 50, { CHILD_TIMED_OUT, 0, "" } },
		{ "trap '' TERM; while :; do sleep 1000; done", 50, { CHILD_TIMED_OUT, 0, "" } },
		{ "setsid sh -c 'trap \"\" TERM; while :; do sleep 1000; done' & wait", 50,
		    { CHILD_TIMED_OUT, 0, "" } },
		{ "kill -STOP $$", 50, { CHILD_TIMED_OUT, 0, "" } },
		{ "exec >&- 2>&-; sleep 1000; :", 50, { CHILD_TIMED_OUT, 0, "" } },
		{ "exec yes", 300, { CHILD_TIMED_OUT, 0, NULL } },
		{ "exec sleep 1000", 0, { CHILD_TIMED_OUT, 0, "" } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char mark[64];
		struct child c;

		snprintf(mark, sizeof(mark), "CHILD_MARK=%d-%zu", (int)getpid(), i);
		run_shell(rows[i].script, rows[i].ms, mark, &c);
		cr_expect_eq(c.end, rows[i].want.end, "%s: ended %d", rows[i].script, c.end);
		cr_expect_eq(
		    c.status, rows[i].want.status, "%s: status %d", rows[i].script, c.status);
		if (rows[i].want.output != NULL)
			cr_expect_str_eq(
			    buf_text(&c.tail), rows[i].want.output, "%s", rows[i].script);
		cr_expect_eq(marked(mark), 0, "%s: processes are left", rows[i].script);
		cr_expect_eq(c.survivors, 0, "%s: survivors", rows[i].script);
		child_free(&c);
	}
}

Test(child, binary_output_and_digest)
{
	struct child c;
	char want[HASH_HEX];

	run_shell("printf 'a\\000\\377b'", LONG, "CHILD_MARK=binary", &c);
	cr_expect_eq(c.tail.len, 4);
	cr_expect_eq(memcmp(c.tail.data, "a\0\377b", 4), 0, "the bytes are unchanged");
	hash_text("a\0\377b", 4, want);
	cr_expect_str_eq(c.digest, want);
	child_free(&c);
}

Test(child, keeps_the_last_bytes_of_the_output)
{
	struct child c;
	char mark[64];

	snprintf(mark, sizeof(mark), "CHILD_MARK=%d-tail", (int)getpid());
	run_shell("head -c 70000 /dev/zero | tr '\\0' x; echo end", LONG, mark, &c);
	cr_expect_eq(c.total, 70004);
	cr_expect_eq(c.tail.len, CHILD_TAIL);
	cr_expect_eq(memcmp(c.tail.data + c.tail.len - 5, "xend\n", 5), 0, "the last bytes");
	child_free(&c);
	run_shell("head -c 65536 /dev/zero | tr '\\0' y", LONG, mark, &c);
	cr_expect_eq(c.tail.len, 65536, "exactly full");
	cr_expect_eq(c.tail.data[0], 'y');
	child_free(&c);
}

Test(child, reads_a_gigabyte_of_output)
{
	struct child c;

	run_shell("head -c 1073741824 /dev/zero; echo end", LONG, "CHILD_MARK=gigabyte", &c);
	cr_expect_eq(c.end, CHILD_EXITED);
	cr_expect_eq(c.total, 1073741828ull);
	cr_expect_eq(memcmp(c.tail.data + c.tail.len - 4, "end\n", 4), 0);
	child_free(&c);
}

Test(child, a_command_that_cannot_run_is_reported)
{
	char script[] = "/tmp/test-child-XXXXXX";
	int fd = mkstemp(script);
	struct {
		const char *program, *cwd;
		int status;
		const char *problem;
	} rows[] = {
		{ "no-such-program-anywhere", NULL, ENOENT, "no such program: 'no-such-program" },
		{ "/no/such/program", NULL, ENOENT, "no such program: '/no/such" },
		{ "true", "/no/such/directory", ENOENT, "cannot enter the directory '/no/such" },
		{ "/etc/passwd", NULL, EACCES, "cannot run '/etc/passwd': Permission" },
		{ "/tmp", NULL, EACCES, "cannot run '/tmp': Permission" },
		{ script, NULL, ENOENT, "names an interpreter that is not there" },
	};

	cr_assert_neq(fd, -1);
	cr_assert_eq(write(fd, "#!/no/such/interpreter\n", 23), 23);
	fchmod(fd, 0700);
	close(fd);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *argv[] = { (char *)rows[i].program, NULL };
		struct child_spec spec = {
			.argv = argv, .cwd = rows[i].cwd, .deadline = deadline_in(LONG)
		};
		struct child c = CHILD_INIT;
		struct error e;

		cr_assert_eq(child_run(&c, &spec, &e), 0);
		cr_expect_eq(c.end, CHILD_NOT_RUN, "%s", rows[i].program);
		cr_expect_eq(c.status, rows[i].status, "%s: %d", rows[i].program, c.status);
		cr_expect(strstr(c.problem, rows[i].problem) != NULL, "%s", c.problem);
		child_free(&c);
	}
	unlink(script);
}

Test(child, a_command_gets_its_input)
{
	char *argv[] = { (char *)"wc", (char *)"-c", NULL };
	char *big = mem_alloc(300000);
	struct child_spec spec = {
		.argv = argv, .deadline = deadline_in(LONG), .input = big, .input_len = 300000
	};
	struct child c = CHILD_INIT;
	struct error e;

	cr_assert_eq(child_run(&c, &spec, &e), 0);
	cr_expect_eq(atoi(buf_text(&c.tail)), 300000, "%s", buf_text(&c.tail));
	child_free(&c);
	spec.input_len = 0;
	cr_assert_eq(child_run(&c, &spec, &e), 0);
	cr_expect_eq(atoi(buf_text(&c.tail)), 0);
	child_free(&c);
	free(big);
}

Test(child, a_command_gets_a_clean_environment)
{
	static const struct {
		const char *name;
		bool scrubbed;
	} rows[] = { { "LD_PRELOAD", true }, { "LD_LIBRARY_PATH", true }, { "BASH_ENV", true },
		{ "ENV", true }, { "IFS", true }, { "BASH_FUNC_ls%%", true }, { "GIT_DIR", true },
		{ "GIT_INDEX_FILE", true }, { "GIT_AUTHOR_NAME", false }, { "PYTHONPATH", true },
		{ "PERL5OPT", true }, { "NODE_OPTIONS", true }, { "MAKEFLAGS", true },
		{ "ANTHROPIC_API_KEY", true }, { "CLAUDE_CODE_MESSAGING_TOKEN", true },
		{ "PATH", false }, { "HOME", false }, { "LANG", false }, { "ENVIRONMENT", false },
		{ "CI", false }, { "CLAUDE_CODE_TASK_LIST_ID", false } };
	struct strings env = { 0 }, pass = { 0 }, out = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(
		    child_env_scrubbed(rows[i].name), rows[i].scrubbed, "%s", rows[i].name);
	clearenv();
	setenv("PATH", "/bin:/usr/bin", 1);
	setenv("LD_PRELOAD", "x.so", 1);
	setenv("PYTHONPATH", "src", 1);
	setenv("KEPT", "1", 1);
	setenv("CHANGED", "old", 1);
	strings_add(&env, "CHANGED=new");
	strings_add(&env, "ADDED=1");
	strings_add(&pass, "PYTHONPATH");
	setenv("CLAUDE_CODE_TASK_LIST_ID", "lab", 1);
	setenv("SSH_AUTH_SOCK", "/x", 1);
	setenv("TERM", "xterm", 1);
	setenv("TERM_PROGRAM", "x", 1);
	setenv("SSH_KEPT", "1", 1);
	strings_add(&pass, "SSH_KEPT");
	child_env(&out, &env, &pass, false);
	cr_expect_eq(out.count, 10);
	strings_free(&out);
	child_env(&out, &env, &pass, true);
	cr_expect_eq(out.count, 6, "without the session");
	cr_expect(strings_has(&out, "PATH=/bin:/usr/bin") && strings_has(&out, "KEPT=1") &&
		  strings_has(&out, "CHANGED=new") && strings_has(&out, "ADDED=1") &&
		  strings_has(&out, "PYTHONPATH=src") && strings_has(&out, "SSH_KEPT=1"));
	strings_free(&env);
	strings_free(&pass);
	strings_free(&out);
}

Test(child, descriptors_do_not_leak)
{
	struct child c;
	int fd = open("/dev/null", O_RDONLY); /* on purpose not O_CLOEXEC */

	run_shell("ls /proc/self/fd | tr '\\n' ' '", LONG, "CHILD_MARK=fds", &c);
	cr_expect_str_eq(
	    buf_text(&c.tail), "0 1 2 3 ", "descriptor 3 is the directory that ls reads");
	child_free(&c);
	close(fd);
}

Test(child, several_commands_run_at_once)
{
	struct child child[5], *list[5];
	struct error e;
	int left = 5;

	for (int i = 0; i < 5; i++) {
		char script[32], *argv[] = { (char *)"sh", (char *)"-c", script, NULL };
		struct child_spec spec = { .argv = argv, .deadline = deadline_in(LONG) };

		snprintf(script, sizeof(script), "echo %d; exit %d", i, i);
		cr_assert_eq(child_start(&child[i], &spec, &e), 0, "%s", e.text);
		list[i] = &child[i];
	}
	for (struct child **at = list; left > 0; left--) {
		cr_assert_gt(child_wait(at, (size_t)left, DEADLINE_NEVER), 0);
		for (int i = 0; i < left; i++)
			if (at[i]->done) {
				at[i] = at[left - 1];
				break;
			}
	}
	for (int i = 0; i < 5; i++) {
		cr_expect_eq(child[i].status, i);
		cr_expect_eq(atoi(buf_text(&child[i].tail)), i);
		child_free(&child[i]);
	}
}

Test(child, free_ends_a_running_command)
{
	char *argv[] = { (char *)"sh", (char *)"-c",
		(char *)"setsid sleep 1000 & sleep 1000; :", NULL };
	struct strings env = { 0 };
	struct child_spec spec = { .argv = argv, .env = &env, .deadline = deadline_in(LONG) };
	struct child c = CHILD_INIT;
	struct error e;
	char mark[64];

	snprintf(mark, sizeof(mark), "CHILD_MARK=%d-freed", (int)getpid());
	strings_add(&env, mark);
	cr_assert_eq(child_start(&c, &spec, &e), 0);
	while (marked(mark) == 0)
		usleep(1000);
	child_free(&c);
	cr_expect_eq(marked(mark), 0, "child_free() waits until all processes have ended");
	strings_free(&env);
}

Test(child, stop_ends_all_commands)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)"trap '' TERM; sleep 1000; sleep 1000",
		NULL };
	struct child_spec spec = { .argv = argv, .deadline = deadline_in(LONG) };
	struct child c = CHILD_INIT, *list = &c;
	struct error e;

	cr_assert_eq(child_start(&c, &spec, &e), 0);
	child_stop_all();
	while (!c.done)
		child_wait(&list, 1, DEADLINE_NEVER);
	cr_expect_eq(c.end, CHILD_STOPPED);
	child_free(&c);
	cr_assert_eq(child_run(&c, &spec, &e), 0);
	cr_expect_eq(c.end, CHILD_STOPPED, "no command starts after a stop");
	child_free(&c);
}

Test(child, a_killed_monitor_is_not_a_pass)
{
	char *argv[] = { (char *)"sleep", (char *)"1000", NULL };
	struct strings env = { 0 };
	struct child_spec spec = { .argv = argv, .env = &env, .deadline = deadline_in(LONG) };
	struct child c = CHILD_INIT, *list = &c;
	struct error e;
	char mark[64];

	snprintf(mark, sizeof(mark), "CHILD_MARK=%d-monitor", (int)getpid());
	strings_add(&env, mark);
	cr_assert_eq(child_start(&c, &spec, &e), 0);
	while (marked(mark) == 0)
		usleep(1000);
	kill(c.pid, SIGKILL);
	while (!c.done)
		child_wait(&list, 1, DEADLINE_NEVER);
	cr_expect_eq(c.end, CHILD_NOT_RUN, "a missing answer is not a pass");
	while (marked(mark) != 0) /* the kernel kills it with its monitor */
		usleep(1000);
	child_free(&c);
	strings_free(&env);
}

/* As the user nobody, with a limit of 0 processes. */
Test(child, a_failed_fork_is_reported)
{
	char *argv[] = { (char *)"true", NULL };
	struct child_spec spec = { .argv = argv, .deadline = deadline_in(LONG) };
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		struct rlimit none = { 0, 0 };
		struct child c = CHILD_INIT;
		struct error e = { 0 };

		if (getuid() == 0 && setresuid(65534, 65534, 65534) == -1)
			_exit(77);
		if (setrlimit(RLIMIT_NPROC, &none) == -1)
			_exit(77);
		if (child_run(&c, &spec, &e) == -1)
			_exit(strstr(e.text, "no process could be made") != NULL ? 0 : 2);
		_exit(c.end == CHILD_NOT_RUN ? 0 : 3);
	}
	cr_assert_gt(pid, 0);
	waitpid(pid, &status, 0);
	cr_expect(WIFEXITED(status), "no crash");
	cr_expect(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77, "%d", WEXITSTATUS(status));
}
