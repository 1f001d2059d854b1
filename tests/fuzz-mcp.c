/*
 * Lines of any bytes as input of the server: every line of its output is a
 * JSON-RPC message, and it runs until the end of its input.
 */
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../cli/commands.h"
#include "config/config.h"
#include "fuzz.h"

static char dir[] = "/dev/shm/fuzz-mcp-XXXXXX";
static int answers = -1;

static void
leave(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	(void)!system(command);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char config[] = "{\"durability\":\"off\"}";
	const size_t len = sizeof(config) - 1;
	struct error wrong;
	char path[64];
	int fd;

	(void)argc, (void)argv;
	if (mkdtemp(dir) == NULL) {
		memcpy(dir, "/tmp/////", 9);
		if (mkdtemp(dir) == NULL)
			err(1, "%s", dir);
	}
	atexit(leave);
	snprintf(path, sizeof(path), "%s/task-hooks.json", dir);
	if ((fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)) == -1 ||
	    write(fd, config, len) != (ssize_t)len || close(fd) == -1)
		err(1, "%s", path);
	if (config_check(path, config, len, &wrong) == -1)
		errx(1, "%s", wrong.text);
	clearenv();
	setenv("CLAUDE_CONFIG_DIR", dir, 1);
	setenv("HOME", dir, 1);
	if (chdir(dir) == -1 || (answers = memfd_create("answers", MFD_CLOEXEC)) == -1)
		err(1, "%s", dir);
	return 0;
}

static void
use_as(int fd, int number)
{
	if (fd == -1 || dup2(fd, number) == -1)
		err(1, "descriptor %d", number);
}

static void
check_answers(void)
{
	static char text[1 << 22];
	struct json j = { 0 };
	char *line = text, *end;
	ssize_t n = pread(answers, text, sizeof(text), 0);

	FUZZ_ASSERT(n >= 0);
	for (; line < text + n; line = end + 1) {
		end = memchr(line, '\n', (size_t)(text + n - line));
		FUZZ_ASSERT(end != NULL || (size_t)n == sizeof(text));
		if (end == NULL)
			break;
		FUZZ_ASSERT(json_parse(&j, line, (size_t)(end - line), NULL) == 0);
		if (json_kind(&j, JSON_ROOT) == JSON_OBJECT)
			FUZZ_ASSERT(json_equals(&j, json_member(&j, JSON_ROOT, "jsonrpc"), "2.0"));
		else
			FUZZ_ASSERT(json_kind(&j, JSON_ROOT) == JSON_ARRAY);
	}
	json_free(&j);
}

/* Remove the lists of the previous run; the depth is enough for the files of a store. */
static void
clear_below(int at, const char *name, int depth)
{
	struct dirent *entry;
	DIR *d;
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd == -1 || depth == 0 || (d = fdopendir(fd)) == NULL)
		return;
	while ((entry = readdir(d)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (unlinkat(fd, entry->d_name, 0) == -1) {
			clear_below(fd, entry->d_name, depth - 1);
			unlinkat(fd, entry->d_name, AT_REMOVEDIR);
		}
	}
	closedir(d);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct flag none[] = { { 0 } };
	struct command command = { .name = "mcp", .flags = none };
	struct cli c = { .store = STORE_INIT, .command = &command, .list_name = "fuzz" };
	int in = memfd_create("lines", MFD_CLOEXEC), old_in = dup(0), old_out = dup(1);

	if (in == -1 || write(in, data, len) != (ssize_t)len || lseek(in, 0, SEEK_SET) == -1 ||
	    ftruncate(answers, 0) == -1 || lseek(answers, 0, SEEK_SET) == -1)
		err(1, "memory");
	clear_below(AT_FDCWD, "tasks", 4);
	clear_below(AT_FDCWD, "task-hooks", 4);
	use_as(in, 0);
	use_as(answers, 1);
	FUZZ_ASSERT(mcp_main(&c) == EXIT_DONE);
	cli_flush(&c);
	use_as(old_in, 0);
	use_as(old_out, 1);
	close(in);
	close(old_in);
	close(old_out);
	check_answers();
	store_close(&c.store);
	list_free(&c.list);
	buf_free(&c.out);
	free(c.agent_name);
	return 0;
}
