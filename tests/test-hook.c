#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hook/hook.h"

/* The settings file of a test; the caller removes it. */
static char *
settings(const char *text)
{
	char *path = mem_string("/tmp/hook-XXXXXX");
	int fd = mkstemp(path);

	cr_assert_neq(fd, -1);
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	return path;
}

Test(hook, the_deadline_comes_from_option_or_settings)
{
	static const struct hook_spec spec = { .name = "test", .hook = HOOK_VERIFY };
	static const struct {
		const char *name, *text;
		int64_t option, want;
	} rows[] = {
		{ "the default", "{}", 0, 540 },
		{ "shorter", "{\"deadline\":100}", 0, 100 },
		{ "longer", "{\"deadline\":1100}", 0, 1100 },
		{ "the option overrides the default", "{}", 1740, 1740 },
		{ "the option overrides the settings", "{\"deadline\":1100}", 20, 20 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *path = settings(rows[i].text);
		struct hook h;
		struct error e = { 0 };
		int64_t left;

		hook_guard(&h, &spec);
		h.in.config_file = path;
		h.limit_ms = rows[i].option * 1000;
		hook_deadline(
		    &h); /* as in a hook: the deadline is used before the settings are read */
		cr_assert_eq(hook_config(&h, &e), 0, "%s", e.text);
		left = deadline_left(hook_deadline(&h));
		cr_expect(left <= rows[i].want * 1000 && left > rows[i].want * 1000 - 10000,
		    "%s: %lld ms", rows[i].name, (long long)left);
		config_free(&h.in.config);
		unlink(path);
		free(path);
	}
}

static int
read_settings_and_take_long(struct hook *h, struct error *e)
{
	if (hook_config(h, e) == -1)
		return -1;
	clock_sleep_us(4 * 1000 * 1000);
	return 0;
}

/* The first limit of the supervisor ends while the hook is still running. */
Test(hook, the_supervisor_keeps_the_deadline_of_the_settings)
{
	static const struct hook_spec spec = { .name = "test",
		.hook = HOOK_VERIFY,
		.supervised = true,
		.run = read_settings_and_take_long };
	static const char event[] = "{\"hook_event_name\":\"TaskCompleted\",\"cwd\":\"/\"}";
	char *path = settings("{\"deadline\":60}");
	int in[2], status;
	pid_t pid;

	cr_assert_eq(pipe(in), 0);
	cr_assert_eq(write(in[1], event, strlen(event)), (ssize_t)strlen(event));
	close(in[1]);
	if ((pid = fork()) == 0) {
		struct hook h;

		dup2(in[0], STDIN_FILENO);
		hook_guard(&h, &spec);
		h.in.config_file = path;
		h.in.config.deadline_ms = 1000;
		_exit(hook_run_supervised(&h));
	}
	close(in[0]);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
	unlink(path);
	free(path);
}
