/*
 * Files whose bytes are compared with the object that the index names.
 *
 * status does not look at files that are marked assume-unchanged or skip-worktree, and what
 * .git/info/attributes says (a filter, ident, an encoding) can make it take other bytes for the
 * same.  `git hash-object --no-filters` reads the bytes as they are.  What is not a plain file, is
 * missing or has a name that does not fit on a line counts as different.
 */
#include <sys/stat.h>

#include <stdlib.h>
#include <string.h>

#include "gate/git-part.h"
#include "sys/file.h"

void
git_raw_add(struct git_raw *r, const char *path, const char *mode, const char *oid)
{
	bool file = strncmp(mode, "100644 ", 7) == 0 || strncmp(mode, "100755 ", 7) == 0;

	strings_add(&r->path, path);
	/* "" is the object of no file. */
	strings_take(&r->oid, file ? mem_printf("%.1s%.*s", mode + 3, (int)strcspn(oid, " \t"), oid)
				   : mem_string(""));
}

void
git_raw_free(struct git_raw *r)
{
	strings_free(&r->path);
	strings_free(&r->oid);
}

/* Is it a plain file of this mode ('6': 644, '7': 755) that can be named on a line? */
static bool
comparable(const char *root, const char *path, char mode)
{
	char *full = mem_printf("%s/%s", root, path);
	struct stat st;
	bool yes = mode != '\0' && *path != '"' && strchr(path, '\n') == NULL &&
		   lstat(full, &st) == 0 && S_ISREG(st.st_mode) &&
		   ((st.st_mode & S_IXUSR) != 0) == (mode == '7');

	free(full);
	return yes;
}

void
git_raw_compare(struct git_raw *r, const char *root, struct deadline until, struct strings *differ)
{
	static const char *const words[] = { "hash-object", "--no-filters", "--stdin-paths", NULL };
	struct git_call q = GIT_CALL_INIT;
	struct buf names = { 0 }, out = { 0 };
	struct error e;
	const char *line;
	char *ask = mem_alloc(r->path.count + 1);

	for (size_t i = 0; i < r->path.count; i++)
		if ((ask[i] = comparable(root, r->path.item[i], r->oid.item[i][0])))
			buf_printf(&names, "%s\n", r->path.item[i]);
	if (names.len > 0) {
		q.input = buf_text(&names);
		q.input_len = names.len;
		/* After a failure the output is empty, so that all differ. */
		if (git_start(&q, root, words, NULL, until, &e) == -1 ||
		    git_finish(&q, words[0], &out, &e) == -1)
			buf_reset(&out);
	}
	line = buf_text(&out);
	for (size_t i = 0; i < r->path.count; i++) {
		size_t len = strcspn(line, "\n");
		const char *oid = r->oid.item[i] + (r->oid.item[i][0] != '\0');

		if (!ask[i] || strlen(oid) != len || len == 0 || memcmp(oid, line, len) != 0)
			strings_add(differ, r->path.item[i]);
		if (ask[i])
			line += len + (line[len] == '\n');
	}
	git_call_free(&q);
	buf_free(&names);
	buf_free(&out);
	free(ask);
}
