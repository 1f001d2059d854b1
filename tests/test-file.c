#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/dir.h"
#include "sys/file.h"

static char dir[64];
static int fd;
static struct error err;
static struct buf b;

static void
setup(void)
{
	snprintf(dir, sizeof(dir), "/tmp/test-file-XXXXXX");
	cr_assert_not_null(mkdtemp(dir));
	fd = dir_open(dir, &err);
	cr_assert_neq(fd, -1, "%s", err.text);
	umask(022);
}

static void
teardown(void)
{
	char command[128];

	close(fd);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	cr_assert_eq(system(command), 0);
	buf_free(&b);
}

TestSuite(file, .init = setup, .fini = teardown);

static void
spill(const char *name, const char *text, mode_t mode)
{
	int out = openat(fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	cr_assert_neq(out, -1);
	cr_assert_eq(file_write_all(out, text, strlen(text), &err), 0);
	cr_assert_eq(fchmod(out, mode), 0);
	close(out);
}

static mode_t
mode_of(const char *name)
{
	struct stat st;

	cr_assert_eq(fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW), 0, "%s", name);
	return st.st_mode;
}

static int
entries(void)
{
	struct dirent *e;
	DIR *d = opendir(dir);
	int count = 0;

	while ((e = readdir(d)) != NULL)
		count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return count;
}

Test(file, names_are_single_components)
{
	static const struct {
		const char *name;
		bool ok;
	} rows[] = { { "1.json", true }, { "a", true }, { "", false }, { ".", false },
		{ "..", false }, { ".lock", false }, { "a/b", false }, { "/", false } };
	char longest[257];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(name_ok(rows[i].name), rows[i].ok, "'%s'", rows[i].name);
	memset(longest, 'x', 256);
	longest[256] = '\0';
	cr_expect_not(name_ok(longest));
	cr_expect(name_ok(longest + 1));
}

Test(file, reads_files_of_all_sizes)
{
	static const size_t sizes[] = { 0, 1, 100, 4095, 4096, 16384, 16385, 200000 };
	char *text;

	cr_expect_eq(file_read(fd, "none", 0, FILE_MAX, &b, &err), 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		text = calloc(1, sizes[i] + 1);
		memset(text, 'a' + (int)i, sizes[i]);
		spill("f", text, 0644);
		cr_assert_eq(file_read(fd, "f", 0, 200000, &b, &err), 1, "%zu", sizes[i]);
		cr_expect_eq(b.len, sizes[i]);
		cr_expect_str_eq(buf_text(&b), text);
		free(text);
	}
	cr_expect_eq(file_read(fd, "f", 0, 199999, &b, &err), -1);
	cr_expect_eq(err.kind, ERROR_INPUT);
	cr_expect_not_null(strstr(err.text, "200000 bytes"), "%s", err.text);
}

Test(file, a_pipe_is_read_up_to_its_limit)
{
	int p[2];

	for (size_t max = 9; max <= 11; max++) {
		cr_assert_eq(pipe(p), 0);
		cr_assert_eq(write(p[1], "0123456789", 10), 10);
		close(p[1]);
		cr_expect_eq(file_read_fd(p[0], max, &b, &err), max < 10 ? -1 : 0, "%zu", max);
		close(p[0]);
	}
}

Test(file, reads_only_regular_files)
{
	char path[128];

	cr_assert_eq(mkfifoat(fd, "fifo", 0600), 0);
	cr_assert_eq(mkdirat(fd, "dir", 0700), 0);
	spill("real", "text", 0644);
	cr_assert_eq(symlinkat("real", fd, "link"), 0);
	cr_assert_eq(symlinkat("none", fd, "dangling"), 0);
	cr_expect_eq(file_read(fd, "fifo", 0, FILE_MAX, &b, &err), -1);
	cr_expect_eq(err.kind, ERROR_INPUT, "%s", err.text);
	cr_expect_eq(file_read(fd, "dir", 0, FILE_MAX, &b, &err), -1);
	cr_expect_eq(file_read(fd, "link", 0, FILE_MAX, &b, &err), -1);
	cr_expect_not_null(strstr(err.text, "symbolic link"), "%s", err.text);
	cr_expect_eq(file_read(fd, "link", FILE_FOLLOW, FILE_MAX, &b, &err), 1);
	cr_expect_str_eq(buf_text(&b), "text");
	cr_expect_eq(file_read(fd, "dangling", FILE_FOLLOW, FILE_MAX, &b, &err), 0);
	snprintf(path, sizeof(path), "%s/link", dir);
	cr_expect_eq(file_read_path(path, FILE_MAX, &b, &err), 1);
	cr_expect_eq(file_read_path("/dev/null", FILE_MAX, &b, &err), -1);
}

Test(file, a_replaced_file_keeps_its_mode)
{
	static const mode_t modes[] = { 0600, 0644, 0664, 0666, 0400 };

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		spill("1.json", "old", modes[i]);
		cr_assert_eq(file_replace(fd, "1.json", "new", 3, 0, DURABILITY_FILE, &err), 0,
		    "%s", err.text);
		cr_expect_eq(mode_of("1.json") & 0777, modes[i]);
		cr_assert_eq(file_read(fd, "1.json", 0, FILE_MAX, &b, &err), 1);
		cr_expect_str_eq(buf_text(&b), "new");
		cr_assert_eq(unlinkat(fd, "1.json", 0), 0);
	}
	cr_assert_eq(file_replace(fd, "2.json", "new", 3, 0, DURABILITY_FULL, &err), 0);
	cr_expect_eq(mode_of("2.json") & 0777, 0644, "the mode that the client uses");
	cr_assert_eq(file_replace(fd, "3", "", 0, 0600, DURABILITY_OFF, &err), 0);
	cr_expect_eq(mode_of("3") & 0777, 0600);
	cr_expect_eq(entries(), 2);
}

Test(file, the_same_bytes_are_not_written_again)
{
	struct stat before, after;

	spill("1.json", "same", 0644);
	cr_assert_eq(fstatat(fd, "1.json", &before, 0), 0);
	cr_assert_eq(file_replace(fd, "1.json", "same", 4, 0, DURABILITY_OFF, &err), 0);
	cr_assert_eq(fstatat(fd, "1.json", &after, 0), 0);
	cr_expect_eq(before.st_ino, after.st_ino);
	cr_assert_eq(file_replace(fd, "1.json", "else", 4, 0, DURABILITY_OFF, &err), 0);
	cr_assert_eq(fstatat(fd, "1.json", &after, 0), 0);
	cr_expect_neq(before.st_ino, after.st_ino);
}

Test(file, a_mark_says_whether_the_file_is_still_the_same)
{
	struct file_mark m = { 0 };
	struct buf text = { 0 };

	cr_expect(!file_marked(&m, fd, "1.json"), "nothing is known yet");
	cr_assert_eq(file_read_mark(fd, "1.json", 0, FILE_MAX, &text, &m, &err), 0);
	cr_expect(file_marked(&m, fd, "1.json"), "there is still no file");
	cr_assert_eq(file_write(fd, "1.json", "one", 3, 0, DURABILITY_OFF, &err), 0);
	cr_expect(!file_marked(&m, fd, "1.json"), "a new file");
	cr_assert_eq(file_read_mark(fd, "1.json", 0, FILE_MAX, &text, &m, &err), 1);
	cr_expect(file_marked(&m, fd, "1.json"), "not changed since the read");
	/* Without the open descriptor the third file could have the first one's inode. */
	cr_assert_eq(file_write(fd, "1.json", "two", 3, 0, DURABILITY_OFF, &err), 0);
	cr_assert_eq(file_write(fd, "1.json", "one", 3, 0, DURABILITY_OFF, &err), 0);
	cr_expect(!file_marked(&m, fd, "1.json"), "replaced twice");
	file_mark(&m, fd, "1.json");
	cr_expect(file_marked(&m, fd, "1.json"), "marked without a read");
	cr_assert_eq(unlinkat(fd, "1.json", 0), 0);
	cr_expect(!file_marked(&m, fd, "1.json"), "removed");
	file_unmark(&m);
	buf_free(&text);
}

Test(file, a_link_stays_a_link)
{
	cr_assert_eq(mkdirat(fd, "sub", 0700), 0);
	spill("sub/real", "old", 0640);
	cr_assert_eq(symlinkat("sub/real", fd, "hop"), 0);
	cr_assert_eq(symlinkat("hop", fd, "1.json"), 0);
	cr_assert_eq(
	    file_replace(fd, "1.json", "new", 3, 0, DURABILITY_FILE, &err), 0, "%s", err.text);
	cr_expect(S_ISLNK(mode_of("1.json")));
	cr_expect(S_ISLNK(mode_of("hop")));
	cr_expect_eq(mode_of("sub/real") & 0777, 0640);
	cr_assert_eq(file_read(fd, "sub/real", 0, FILE_MAX, &b, &err), 1);
	cr_expect_str_eq(buf_text(&b), "new");
	cr_assert_eq(symlinkat("nowhere", fd, "2.json"), 0);
	cr_expect_eq(file_replace(fd, "2.json", "new", 3, 0, DURABILITY_FILE, &err), -1);
	cr_expect_eq(err.kind, ERROR_NOT_FOUND, "%s", err.text);
	cr_assert_eq(symlinkat("3.json", fd, "3.json"), 0);
	cr_expect_eq(file_replace(fd, "3.json", "new", 3, 0, DURABILITY_FILE, &err), -1);
}

/* The file was read as a file and is a link when it is written. */
Test(file, a_link_out_of_the_lists_is_not_staged)
{
	struct file_stage s = FILE_STAGE_INIT;
	int list;

	cr_assert_eq(mkdirat(fd, "lists", 0700), 0);
	cr_assert_eq(mkdirat(fd, "lists/lab", 0700), 0);
	cr_assert_eq(mkdirat(fd, "lists-too", 0700), 0);
	spill("outside", "old", 0600);
	spill("lists-too/outside", "old", 0600);
	spill("lists/inside", "old", 0600);
	cr_assert_eq(symlinkat("../../outside", fd, "lists/lab/1.json"), 0);
	cr_assert_eq(symlinkat("../../lists-too/outside", fd, "lists/lab/2.json"), 0);
	cr_assert_eq(symlinkat("../inside", fd, "lists/lab/3.json"), 0);
	cr_assert_neq(list = openat(fd, "lists/lab", O_RDONLY | O_DIRECTORY), -1);
	cr_expect_eq(file_stage(&s, list, "1.json", "new", 3, 0, DURABILITY_OFF, &err), -1);
	cr_expect_eq(err.kind, ERROR_INPUT, "%s", err.text);
	cr_expect_eq(file_stage(&s, list, "2.json", "new", 3, 0, DURABILITY_OFF, &err), -1);
	cr_expect_eq(
	    file_stage(&s, list, "3.json", "new", 3, 0, DURABILITY_OFF, &err), 0, "%s", err.text);
	cr_expect_eq(file_commit(&s, &err), 0, "%s", err.text);
	cr_assert_eq(file_read(fd, "outside", 0, FILE_MAX, &b, &err), 1);
	cr_expect_str_eq(buf_text(&b), "old");
	close(list);
}

Test(file, a_staged_file_is_invisible_and_can_be_dropped)
{
	struct file_stage s = FILE_STAGE_INIT;

	file_drop(&s);
	spill("1.json", "old", 0644);
	cr_assert_eq(file_stage(&s, fd, "1.json", "new", 3, 0, DURABILITY_OFF, &err), 0);
	cr_expect(file_is_temp(s.temp), "%s", s.temp);
	cr_expect_eq(s.temp[0], '.');
	cr_expect_neq(strcmp(s.temp + strlen(s.temp) - 5, ".json"), 0);
	cr_assert_eq(file_read(fd, "1.json", 0, FILE_MAX, &b, &err), 1);
	cr_expect_str_eq(buf_text(&b), "old");
	file_drop(&s);
	cr_expect_eq(entries(), 1);
	cr_expect_eq(file_commit(&s, &err), -1);
	file_drop(&s);
}

Test(file, only_a_regular_file_is_replaced)
{
	cr_assert_eq(mkdirat(fd, "1.json", 0700), 0);
	cr_assert_eq(mkfifoat(fd, "2.json", 0600), 0);
	cr_expect_eq(file_replace(fd, "1.json", "x", 1, 0, DURABILITY_OFF, &err), -1);
	cr_expect_eq(file_replace(fd, "2.json", "x", 1, 0, DURABILITY_OFF, &err), -1);
	cr_expect_eq(entries(), 2);
}

Test(file, a_sweep_removes_only_old_files_of_dead_processes)
{
	struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	char dead[64], young[64], alive[64];
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	snprintf(dead, sizeof(dead), ".task-hooks-%d-1", (int)pid);
	snprintf(young, sizeof(young), ".task-hooks-%d-2", (int)pid);
	snprintf(alive, sizeof(alive), ".task-hooks-%d-1", (int)getpid());
	spill(dead, "", 0600);
	spill(young, "", 0600);
	spill(alive, "", 0600);
	spill("1.json", "", 0600);
	cr_assert_eq(utimensat(fd, dead, old, 0), 0);
	cr_assert_eq(utimensat(fd, alive, old, 0), 0);
	cr_assert_eq(utimensat(fd, "1.json", old, 0), 0);
	cr_expect_eq(file_sweep(fd), 1);
	cr_expect_eq(faccessat(fd, dead, F_OK, 0), -1);
	cr_expect_eq(entries(), 3);
	cr_expect_eq(file_sweep(fd), 0);
}

Test(file, directories_are_created_with_their_parents)
{
	char path[128];
	int made;

	snprintf(path, sizeof(path), "%s/a//b/c", dir);
	made = dir_make(path, 0700, &err);
	cr_assert_neq(made, -1, "%s", err.text);
	close(made);
	cr_expect_eq(mode_of("a") & 0777, 0755);
	cr_expect_eq(mode_of("a/b/c") & 0777, 0700);
	made = dir_make(path, 0755, &err);
	cr_assert_neq(made, -1, "%s", err.text);
	close(made);
	cr_expect_eq(mode_of("a/b/c") & 0777, 0700, "an existing directory keeps its mode");
	spill("file", "", 0644);
	snprintf(path, sizeof(path), "%s/file/x", dir);
	cr_expect_eq(dir_make(path, 0700, &err), -1);
	cr_expect_eq(dir_make("", 0700, &err), -1);
	snprintf(path, sizeof(path), "%s/none", dir);
	cr_expect_eq(dir_open(path, &err), -1);
	cr_expect_eq(err.kind, ERROR_NOT_FOUND);
	cr_assert_eq(symlinkat("a", fd, "link"), 0);
	cr_expect_eq(dir_open_at(fd, "link", false, 0, &err), -1);
	cr_expect_eq(dir_open_at(fd, "new", false, 0, &err), -1);
	made = dir_open_at(fd, "new", true, 0700, &err);
	cr_assert_neq(made, -1);
	close(made);
}

Test(file, messages_name_the_whole_path)
{
	char out[PATH_MAX], want[128];

	snprintf(want, sizeof(want), "%s/1.json", dir);
	cr_expect_str_eq(file_path(out, fd, "1.json"), want);
	cr_expect_str_eq(file_path(out, AT_FDCWD, "x"), "x");
	cr_expect_str_eq(file_path(out, 999, "x"), "x");
}
