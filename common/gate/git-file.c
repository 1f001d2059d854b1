/*
 * A file in a commit, as a checkout of the commit would have it: symbolic links inside the tree are
 * followed.
 */
#include "gate/git-file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/git-part.h"

#define LAST_COMMITS "--max-count=200"
#define LINKS_MAX 40 /* as many as a path of the file system may have */

struct entry {
	char mode[8], oid[HASH_HEX];
};

/* The way to a file. */
struct walk {
	const char *root, *commit, *path;
	struct deadline until;
	struct strings names, trees; /* the directories on it; their objects, first the commit */
	struct strings *seen;        /* the real paths of the links and of the file */
	char *rest;                  /* what is still to be walked */
	size_t link;                 /* so many bytes of it come from links */
	int links;
	struct entry at;
};

static int
link_error(const struct walk *w, const char *what, struct error *e)
{
	return error_set(e, ERROR_INPUT,
	    "'%s' in the commit %.12s %s, so what it leads to is not known (--config names a gate "
	    "file)",
	    w->path, w->commit, what);
}

/* 1, or 0 if there is no such entry, or -1. */
static int
read_name(struct walk *w, const char *name, struct error *e)
{
	char *only = mem_printf(":(literal)%s", name);
	const char *tree = w->trees.item[w->trees.count - 1];
	const char *const words[] = { "ls-tree", "-z", "--full-tree", tree, "--", only, NULL };
	struct buf out = { 0 };
	int rc = git_output(w->root, words, w->until, &out, e);

	if (rc == 0 && out.len > 0)
		rc = sscanf(buf_text(&out), "%7s %*s %64s", w->at.mode, w->at.oid) == 2
			 ? 1
			 : error_set(e, ERROR_FAULT, "git ls-tree: its output is not known");
	buf_free(&out);
	free(only);
	return rc;
}

static void
note_path(struct walk *w, const char *name)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < w->names.count; i++)
		buf_printf(&b, "%s/", w->names.item[i]);
	buf_puts(&b, name);
	strings_take(w->seen, buf_take(&b));
}

/* Put the text of a link before the rest of the way. */
static int
take_link(struct walk *w, struct error *e)
{
	const char *const words[] = { "cat-file", "blob", w->at.oid, NULL };
	struct buf text = { 0 };
	char *rest;

	if (++w->links > LINKS_MAX)
		return link_error(w, "has too many symbolic links", e);
	if (git_output(w->root, words, w->until, &text, e) == -1)
		return -1;
	if (*buf_text(&text) == '/' || text.len >= PATH_MAX) {
		buf_free(&text);
		return link_error(w, "leads out of the tree by a symbolic link", e);
	}
	w->link += text.len;
	rest = mem_printf("%s/%s", buf_text(&text), w->rest);
	free(w->rest);
	w->rest = rest;
	buf_free(&text);
	return 1;
}

static int
go_up(struct walk *w, struct error *e)
{
	if (w->names.count == 0)
		return link_error(w, "leads out of the tree by a symbolic link", e);
	free(w->names.item[--w->names.count]);
	free(w->trees.item[--w->trees.count]);
	return 1;
}

/* One name of the way.  2 it is a file; 1 go on; 0 there is none; -1. */
static int
take_name(struct walk *w, const char *name, bool of_link, struct error *e)
{
	int rc;

	if (*name == '\0' || strcmp(name, ".") == 0)
		return 1;
	if (strcmp(name, "..") == 0)
		return go_up(w, e);
	if ((rc = read_name(w, name, e)) != 1)
		return rc == 0 && of_link
			   ? link_error(w, "is behind a symbolic link to what is not there", e)
			   : rc;
	if (strncmp(w->at.mode, "16", 2) == 0)
		return link_error(w, "is in a submodule", e);
	if (strncmp(w->at.mode, "04", 2) == 0) {
		strings_add(&w->names, name);
		strings_add(&w->trees, w->at.oid);
		return 1;
	}
	note_path(w, name);
	return strncmp(w->at.mode, "12", 2) == 0 ? take_link(w, e) : 2;
}

/* 1 and the object of the file; 0 there is none; -1. */
static int
walk(struct walk *w, struct error *e)
{
	int rc = 1;

	w->rest = mem_string(w->path);
	strings_add(&w->trees, w->commit);
	while (rc == 1 && *w->rest != '\0') {
		size_t len = strcspn(w->rest, "/"), all = len + (w->rest[len] == '/');
		char *name = mem_copy(w->rest, len), *rest = mem_string(w->rest + all);
		bool of_link = w->link > 0;

		free(w->rest);
		w->rest = rest;
		w->link -= all < w->link ? all : w->link;
		rc = take_name(w, name, of_link, e);
		free(name);
	}
	if (rc == 1)
		rc = link_error(w, "is a directory", e);
	else if (rc == 2)
		rc = *w->rest == '\0';
	free(w->rest);
	strings_free(&w->names);
	strings_free(&w->trees);
	return rc;
}

int
git_file_at(const char *root, const char *commit, const char *path, struct deadline until,
    struct buf *text, struct error *e)
{
	struct strings seen = { 0 };
	struct walk w = {
		.root = root, .commit = commit, .path = path, .until = until, .seen = &seen
	};
	const char *const words[] = { "cat-file", "blob", w.at.oid, NULL };
	int rc = walk(&w, e);

	if (rc == 1 && git_output(root, words, until, text, e) == -1)
		rc = -1;
	strings_free(&seen);
	return rc;
}

static void
add_lines(struct strings *out, const struct buf *lines)
{
	for (const char *p = buf_text(lines); *p != '\0';) {
		size_t len = strcspn(p, "\n");

		strings_take(out, mem_copy(p, len));
		p += len + (p[len] == '\n');
	}
}

int
git_file_commits(const char *root, const char *commit, const char *path, struct deadline until,
    struct strings *out, struct error *e)
{
	struct strings seen = { 0 }, words = { 0 };
	struct walk w = {
		.root = root, .commit = commit, .path = path, .until = until, .seen = &seen
	};
	struct buf lines = { 0 };
	char **argv;
	int rc;

	strings_add(&seen, path);
	rc = walk(&w, e);
	strings_add(&words, "rev-list");
	strings_add(&words, LAST_COMMITS);
	strings_add(&words, commit);
	strings_add(&words, "--");
	for (size_t i = 0; i < seen.count; i++)
		strings_take(&words, mem_printf(":(top,literal)%s", seen.item[i]));
	argv = strings_argv(&words);
	if (rc != -1 && (rc = git_output(root, (const char *const *)argv, until, &lines, e)) == 0)
		add_lines(out, &lines);
	buf_free(&lines);
	free(argv);
	strings_free(&words);
	strings_free(&seen);
	return rc;
}

int
git_tracked(const char *root, const char *pathspec, struct deadline until, struct strings *out,
    struct error *e)
{
	const char *const words[] = { "ls-files", "-z", "--cached", "--", pathspec, NULL };

	return git_list(root, words, until, out, e);
}
