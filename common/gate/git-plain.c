/*
 * Is a repository so plain that `git status` alone tells all about its tree?
 *
 * Most are: no file that git reads its settings from can name a filter, other ignored names or
 * another file of settings; the files of .git/info have only comments; and the index has neither
 * hidden entries nor submodules.  All of these are read here, without a process.  A repository with
 * anything that this file does not know is not plain, and git is asked.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/git-part.h"
#include "sys/file.h"

#define INDEX_MAX (64u << 20)
#define HEADER 12
#define ENTRY 62 /* bytes before the path */
#define NAME_LEN 0xfffu
#define SUM 20

/* A file of settings; it need not exist.  own: the user's, whose ignored names are obeyed. */
static bool
plain_file(const char *dir, const char *name, bool own)
{
	/* Sections and keys are plain text in any case, and have no escapes. */
	static const char words[][16] = { "filter", "include", "objectformat", "excludesfile" };
	size_t count = sizeof(words) / sizeof(words[0]) - own;
	char *path = mem_printf("%s/%s", dir, name);
	struct buf b = { 0 };
	struct error e;
	bool plain = file_read_path(path, FILE_MAX, &b, &e) != -1 && strlen(buf_text(&b)) == b.len;

	for (size_t i = 0; plain && i < count; i++)
		plain = strcasestr(buf_text(&b), words[i]) == NULL;
	buf_free(&b);
	free(path);
	return plain;
}

static bool
plain_settings(const char *git, const char *common)
{
	const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME");
	bool set = config != NULL && *config != '\0';

	if (home == NULL || *home != '/' || (set && *config != '/'))
		return false;
	/* Another git may have the settings of the system elsewhere; so has that which xcrun
	 * starts, macOS's. */
	return access("/usr/bin/git", X_OK) == 0 && access("/usr/bin/xcrun", F_OK) == -1 &&
	       plain_file("/etc", "gitconfig", false) && plain_file(home, ".gitconfig", true) &&
	       plain_file(set ? config : home, set ? "git/config" : ".config/git/config", true) &&
	       plain_file(common, "config", false) && plain_file(git, "config.worktree", false);
}

static uint32_t
number(const char *at)
{
	const unsigned char *b = (const unsigned char *)at;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* The length of an entry that is a file or link and has no flags; 0 it is another, or cut off. */
static size_t
plain_entry(const char *at, size_t room)
{
	uint32_t mode, flags;
	size_t len;

	if (room < ENTRY + 8)
		return 0;
	mode = number(at + 24);
	flags = number(at + ENTRY - 4) & 0xffff;
	if ((mode != 0100644 && mode != 0100755 && mode != 0120000) || (flags & 0xc000) != 0)
		return 0;
	len = strnlen(at + ENTRY, room - ENTRY);
	if ((flags & NAME_LEN) != (len < NAME_LEN ? len : NAME_LEN))
		return 0;
	len = (ENTRY + len + 8) & ~(size_t)7;
	return len <= room ? len : 0;
}

static bool
plain_index(const char *git)
{
	char *path = mem_printf("%s/index", git);
	struct buf b = { 0 };
	struct error e;
	int rc = file_read_path(path, INDEX_MAX, &b, &e);
	const char *at = buf_text(&b), *end = at + b.len;
	bool plain = rc == 0;

	if (rc == 1 && b.len >= HEADER + SUM && memcmp(at, "DIRC\0\0\0\2", 8) == 0) {
		uint32_t count = number(at + 8);
		size_t len = 1;

		end -= SUM;
		for (at += HEADER; count > 0 && len > 0; count--, at += len)
			len = plain_entry(at, (size_t)(end - at));
		/* The extension TREE only has hashes; others may hold entries of their own. */
		if (count == 0 && end - at >= 8 && memcmp(at, "TREE", 4) == 0 &&
		    number(at + 4) <= (size_t)(end - at - 8))
			at += 8 + number(at + 4);
		plain = count == 0 && at == end;
	}
	buf_free(&b);
	free(path);
	return plain;
}

/* Does a file of .git/info have a line that is not a comment?  True also if it cannot be read. */
static bool
info_has_rules(const char *common, const char *name)
{
	char *path = mem_printf("%s/info/%s", common, name);
	struct buf b = { 0 };
	struct error e;
	int rc = file_read_path(path, FILE_MAX, &b, &e);
	bool any = rc == -1 || strlen(buf_text(&b)) != b.len;

	for (const char *p = buf_text(&b); *p != '\0' && !any;
	     p += strcspn(p, "\n"), p += *p == '\n') {
		p += strspn(p, " \t\r");
		any = *p != '#' && *p != '\n' && *p != '\0';
	}
	buf_free(&b);
	free(path);
	return any;
}

bool
git_hidden_attributes(const char *root)
{
	char *git, *common;
	bool any =
	    git_directories(root, &git, &common) == -1 || info_has_rules(common, "attributes");

	free(git);
	free(common);
	return any;
}

bool
git_plain(const char *root)
{
	char *git, *common;
	bool plain = git_directories(root, &git, &common) == 0 && plain_settings(git, common) &&
		     !info_has_rules(common, "attributes") && !info_has_rules(common, "exclude") &&
		     plain_index(git);

	free(git);
	free(common);
	return plain;
}
