/*
 * When files were changed last, by the system's own record (ctime), which only the clock sets back.
 */
#include <sys/stat.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/git-part.h"

static struct git_time
file_time(int rootfd, const char *path)
{
	struct git_time now = { 0 };
	struct stat st;

	if (fstatat(rootfd, path, &st, AT_SYMLINK_NOFOLLOW) == 0)
		now = (struct git_time){ .inode = (uint64_t)st.st_ino,
			.seconds = (int64_t)st.st_ctim.tv_sec,
			.nanoseconds = (int64_t)st.st_ctim.tv_nsec };
	return now;
}

int
git_times_read(
    struct git_times *times, const struct git_tree *t, struct deadline until, struct error *e)
{
	/* Untracked files may be those that a gate writes at each run. */
	static const char *const words[] = { "ls-files", "-z", "--cached", NULL };
	int rootfd;

	if (git_list(t->root, words, until, &times->path, e) == -1)
		return -1;
	rootfd = open(t->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	times->item = mem_alloc((times->path.count + 1) * sizeof(*times->item));
	for (size_t i = 0; i < times->path.count; i++)
		times->item[i] = file_time(rootfd, times->path.item[i]);
	if (rootfd != -1)
		close(rootfd);
	return 0;
}

void
git_times_changed(const struct git_times *times, const struct git_tree *t, struct strings *paths)
{
	int rootfd = open(t->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; i < times->path.count; i++) {
		const struct git_time *a = &times->item[i],
				      b = file_time(rootfd, times->path.item[i]);

		if (a->inode != b.inode || a->seconds != b.seconds ||
		    a->nanoseconds != b.nanoseconds)
			strings_add(paths, times->path.item[i]);
	}
	if (rootfd != -1)
		close(rootfd);
}

void
git_times_free(struct git_times *times)
{
	strings_free(&times->path);
	free(times->item);
	*times = (struct git_times){ 0 };
}
