/*
 * When files were changed last, by the system's own record (ctime), which only the clock sets back.
 */
#include <sys/stat.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/git-part.h"

/* The next tracked path of the output of ls-files; NULL at its end.  What is not tracked may be
 * what a gate makes anew each time. */
static const char *
next_tracked(const struct git_tree *t, const char **at)
{
	const char *p = *at, *end = buf_text(&t->index) + t->index.len, *tab;

	while (p < end && strncmp(p, "? ", 2) == 0)
		p += strlen(p) + 1;
	if (p >= end || (tab = strchr(p, '\t')) == NULL)
		return NULL;
	*at = p + strlen(p) + 1;
	return tab + 1;
}

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

void
git_times_read(struct git_times *times, const struct git_tree *t)
{
	const char *at = buf_text(&t->index), *path;
	int rootfd = open(t->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	while ((path = next_tracked(t, &at)) != NULL) {
		times->item = mem_more(times->item, times->count, sizeof(*times->item));
		times->item[times->count++] = file_time(rootfd, path);
	}
	if (rootfd != -1)
		close(rootfd);
}

void
git_times_changed(const struct git_times *times, const struct git_tree *t, struct strings *paths)
{
	const char *at = buf_text(&t->index), *path;
	int rootfd = open(t->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; i < times->count && (path = next_tracked(t, &at)) != NULL; i++) {
		const struct git_time *a = &times->item[i], b = file_time(rootfd, path);

		if (a->inode != b.inode || a->seconds != b.seconds ||
		    a->nanoseconds != b.nanoseconds)
			strings_add(paths, path);
	}
	if (rootfd != -1)
		close(rootfd);
}

void
git_times_free(struct git_times *times)
{
	free(times->item);
	*times = (struct git_times){ 0 };
}
