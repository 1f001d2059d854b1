/*
 * Names of lists, as the client makes them from what it is given, and the name
 * of a project, for a command line without a session.
 *
 * The client works on JavaScript strings: a character beyond the basic plane is
 * two code units and so two dashes; an invalid byte is U+FFFD and so one.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/utf8.h"
#include "list/list-part.h"
#include "os/os.h"
#include "sys/file.h"
#include "json/json.h"

char *
list_sanitise(const char *raw)
{
	const char *p = raw, *end = raw + strlen(raw);
	struct buf out = { 0 };
	int32_t c;

	buf_need(&out, (size_t)(end - p));
	while (p < end) {
		c = utf8_next(&p, end);
		if (c > 0 && c < 0x80 && (isalnum(c) || c == '_' || c == '-'))
			buf_putc(&out, (char)c);
		else
			buf_puts(&out, c >= 0x10000 ? "--" : "-");
	}
	return buf_take(&out);
}

static bool
js_space(int32_t c)
{
	return (c >= 0x09 && c <= 0x0d) || c == 0x20 || c == 0xa0 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
	       c == 0x205f || c == 0x3000 || c == 0xfeff;
}

char *
list_trim(const char *raw)
{
	const char *p = raw, *end = raw + strlen(raw), *first = NULL, *last = raw, *at;

	while (p < end) {
		at = p;
		if (js_space(utf8_next(&p, end)))
			continue;
		if (first == NULL)
			first = at;
		last = p;
	}
	return first == NULL ? mem_string("") : mem_copy(first, (size_t)(last - first));
}

static char *
package_name(int dirfd)
{
	struct buf text = { 0 };
	struct json j = { 0 };
	struct error err;
	char *name = NULL;

	if (file_read(dirfd, "package.json", FILE_FOLLOW, 1u << 20, &text, &err) == 1 &&
	    json_parse(&j, buf_text(&text), text.len, &err) == 0)
		name = json_member_string(&j, JSON_ROOT, "name");
	if (name != NULL && *name == '\0') {
		free(name);
		name = NULL;
	}
	json_free(&j);
	buf_free(&text);
	return name;
}

static char *
last_component(const char *path, size_t len)
{
	size_t start;

	while (len > 0 && path[len - 1] == '/')
		len--;
	for (start = len; start > 0 && path[start - 1] != '/';)
		start--;
	return len > start ? mem_copy(path + start, len - start) : NULL;
}

/* A worktree's .git is a file that names <main>/.git/worktrees/<name>: its
 * project is the main one. */
static char *
git_name(int dirfd, const char *dir)
{
	struct buf text = { 0 };
	struct error err;
	const char *cut;
	char *name = NULL;

	if (faccessat(dirfd, ".git", F_OK, AT_SYMLINK_NOFOLLOW) == -1)
		return NULL;
	if (file_read(dirfd, ".git", 0, 4096, &text, &err) == 1 &&
	    strncmp(buf_text(&text), "gitdir: /", 9) == 0 &&
	    (cut = strstr(text.data, "/.git/worktrees/")) != NULL)
		name = last_component(text.data + 8, (size_t)(cut - text.data - 8));
	buf_free(&text);
	return name != NULL ? name : last_component(dir, strlen(dir));
}

char *
list_project(const char *cwd, const char **why)
{
	char *dir = mem_string(cwd), *name = NULL, *slash;
	int fd;

	while (name == NULL) {
		fd = os_open_dir(*dir != '\0' ? dir : "/");
		if (fd != -1) {
			*why = "\"name\" of package.json";
			if ((name = package_name(fd)) == NULL) {
				*why = "the directory that holds .git";
				name = git_name(fd, dir);
			}
			close(fd);
		}
		if (*dir == '\0' || (slash = strrchr(dir, '/')) == NULL)
			break;
		*slash = '\0';
	}
	free(dir);
	if (name == NULL) {
		*why = "the name of the current directory";
		name = last_component(cwd, strlen(cwd));
	}
	if (name == NULL) {
		*why = "no project was found";
		name = mem_string("default");
	}
	return name;
}
